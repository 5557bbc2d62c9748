import torch

x = torch.tensor([-1.5, 2.0], dtype=torch.float64, requires_grad=True)
optimizer = torch.optim.LBFGS([x], lr=0.3, max_iter=8, history_size=5)


def closure():
    optimizer.zero_grad()
    loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
    loss.backward()
    return loss


for _ in range(6):
    print(f"{optimizer.step(closure).item():.5f}")
print(x)
