# A variational autoencoder on the 8 by 8 digits.
import pathlib

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.mu, self.logvar = nn.Linear(64, 24), nn.Linear(24, 3), nn.Linear(24, 3)
        self.fc3, self.fc4 = nn.Linear(3, 24), nn.Linear(24, 64)

    def forward(self, x):
        h = F.relu(self.fc1(x))
        mu, logvar = self.mu(h), self.logvar(h)
        std = torch.exp(0.5 * logvar)
        z = mu + torch.randn_like(std) * std
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z)))), mu, logvar


torch.manual_seed(10)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
images = np.load(pathlib.Path(DATA) / "digits.npz")["images"][:192].reshape(192, 64) / 16.0
loader = DataLoader(TensorDataset(torch.tensor(images, dtype=torch.float32)), batch_size=32, shuffle=True)
model = VAE().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(4):
    total = 0.0
    for (x,) in loader:
        x = x.to(device)
        y, mu, logvar = model(x)
        kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        loss = F.binary_cross_entropy(y, x, reduction="sum") + kl
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    print(epoch, f"{total / 192:.3f}")
