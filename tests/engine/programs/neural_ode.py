# A neural differential equation, solved by Runge and Kutta's method, trained through the solver.
import torch
import torch.nn as nn

torch.manual_seed(5)
f = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
for layer in f:
    if isinstance(layer, nn.Linear):
        nn.init.normal_(layer.weight, mean=0, std=0.1)
        nn.init.constant_(layer.bias, val=0)
A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])


def solve(rule, y, steps, h):
    path = [y]
    for _ in range(steps):
        k1 = rule(y)
        k2 = rule(y + h / 2 * k1)
        k3 = rule(y + h / 2 * k2)
        k4 = rule(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        path.append(y)
    return torch.stack(path)


with torch.no_grad():
    truth = solve(lambda y: y ** 3 @ A, torch.tensor([[2.0, 0.0]]), 20, 0.025)
optimizer = torch.optim.RMSprop(f.parameters(), lr=1e-3)
for step in range(12):
    optimizer.zero_grad()
    loss = torch.mean(torch.abs(solve(lambda y: f(y ** 3), truth[0], 20, 0.025) - truth))
    loss.backward()
    optimizer.step()
    if step % 4 == 3:
        print(f"{loss.item():.4f}")
