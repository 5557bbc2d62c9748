# Three spiral arms, a network with one hidden layer, and weight decay.
import torch
from torch import nn

torch.manual_seed(23)
X, y = [], []
for arm in range(3):
    t = torch.linspace(0, 1, 30)
    angle = t * 4 + arm * 2 * torch.pi / 3 + torch.randn(30) * 0.1
    X.append(torch.stack([t * angle.sin(), t * angle.cos()], 1))
    y.append(torch.full((30,), arm))
X, y = torch.vstack(X), torch.hstack(y)
model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=1e-4)
for epoch in range(41):
    loss = nn.CrossEntropyLoss()(model(X), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 20 == 0:
        print(f"{loss.item():.4f} {(model(X).argmax(1) == y).float().mean().item():.2f}")
