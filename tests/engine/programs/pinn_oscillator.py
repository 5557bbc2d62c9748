# A physics-informed network: u'' + u = 0, u(0) = 1, u'(0) = 0.
import torch
import torch.nn as nn

torch.manual_seed(1)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1)).double()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
t = torch.linspace(0, 2, 20, dtype=torch.float64).unsqueeze(1).requires_grad_(True)
for step in range(61):
    optimizer.zero_grad()
    u = net(t)
    du = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]
    ddu = torch.autograd.grad(du, t, torch.ones_like(du), create_graph=True)[0]
    physics = ((ddu + u) ** 2).mean()
    start = (u[0] - 1) ** 2 + du[0] ** 2
    loss = physics + start.squeeze()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(step, f"{loss.item():.4f}")
