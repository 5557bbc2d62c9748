import torch
import torch.nn as nn

torch.manual_seed(21)
X = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float32)
Y = torch.tensor([[0], [1], [1], [0]], dtype=torch.float32)
net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1), nn.Sigmoid())
criterion = nn.BCELoss()
optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
for epoch in range(201):
    optimizer.zero_grad()
    loss = criterion(net(X), Y)
    loss.backward()
    optimizer.step()
    if epoch % 50 == 0:
        print(epoch, f"{loss.item():.4f}")
print((net(X) > 0.5).int().flatten().tolist())
