import torch

torch.manual_seed(0)
w_true, b_true = torch.tensor([2.0, -3.4]), 4.2
X = torch.normal(0, 1, (200, 2))
y = torch.matmul(X, w_true) + b_true
y += torch.normal(0, 0.01, y.shape)
w = torch.normal(0, 0.01, size=(2, 1), requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for epoch in range(3):
    order = torch.randperm(len(X))
    for rows in order.split(20):
        loss = ((torch.matmul(X[rows], w) + b - y[rows].reshape(-1, 1)) ** 2 / 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (w, b):
                p -= 0.1 * p.grad
                p.grad.zero_()
    print(f"epoch {epoch + 1}, loss {loss.item():.5f}")
print(w.reshape(-1), b)
