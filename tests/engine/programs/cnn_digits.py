# A small convolutional network on the digits, with dropout and a schedule.
import pathlib

import numpy as np
import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset, random_split


class Digits(Dataset):
    def __init__(self):
        found = np.load(pathlib.Path(DATA) / "digits.npz")
        self.images, self.labels = found["images"][:200].astype(np.float32) / 16, found["labels"][:200].astype(np.int64)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, k):
        return torch.from_numpy(self.images[k].reshape(1, 8, 8)), int(self.labels[k])


torch.manual_seed(11)
train, test = random_split(Digits(), [0.8, 0.2], generator=torch.Generator().manual_seed(42))
print(len(train), len(test))
model = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25), nn.Flatten(),
                      nn.Linear(96, 10), nn.LogSoftmax(dim=1))
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
scheduler = StepLR(optimizer, step_size=1, gamma=0.7)
for epoch in range(3):
    model.train()
    for x, y in DataLoader(train, batch_size=40, shuffle=True):
        optimizer.zero_grad()
        loss = nn.functional.nll_loss(model(x), y)
        loss.backward()
        optimizer.step()
    scheduler.step()
    model.eval()
    with torch.no_grad():
        x, y = next(iter(DataLoader(test, batch_size=40)))
        out = model(x)
        right = out.argmax(dim=1, keepdim=True).eq(y.view_as(out.argmax(dim=1, keepdim=True))).sum().item()
    print(f"{loss.item():.3f} {nn.NLLLoss()(out, y).item():.3f} {right} {scheduler.get_last_lr()[0]:.4f}")
