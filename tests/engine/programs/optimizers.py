# Every optimizer on one small problem, with its options.
import torch

for make in (
    lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, weight_decay=0.01),
    lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True),
    lambda p: torch.optim.Adam(p, lr=0.1, amsgrad=True),
    lambda p: torch.optim.AdamW(p, lr=0.1, weight_decay=0.1),
    lambda p: torch.optim.RMSprop(p, lr=0.05),
    lambda p: torch.optim.RMSprop(p, lr=0.05, momentum=0.5, centered=True, weight_decay=0.01),
    lambda p: torch.optim.Adagrad(p, lr=0.3, lr_decay=0.1, weight_decay=0.01),
    lambda p: torch.optim.Adagrad(p, lr=0.3, initial_accumulator_value=0.1),
    lambda p: torch.optim.Adam(p, lr=0.1, maximize=True),
):
    torch.manual_seed(14)
    w = torch.randn(3, requires_grad=True)
    A = torch.randn(4, 3)
    optimizer = make([w])
    for _ in range(12):
        optimizer.zero_grad()
        ((A @ w - 1) ** 2).sum().backward()
        optimizer.step()
    print(type(optimizer).__name__, [round(v, 4) for v in w.tolist()])
