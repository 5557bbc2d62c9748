# What five schedules make of a learning rate.
import math

import torch
from torch.optim import lr_scheduler

makers = {
    "step": lambda o: lr_scheduler.StepLR(o, 3, gamma=0.5),
    "exponential": lambda o: lr_scheduler.ExponentialLR(o, 0.9),
    "cosine": lambda o: lr_scheduler.CosineAnnealingLR(o, T_max=4, eta_min=0.01),
    "lambda": lambda o: lr_scheduler.LambdaLR(o, lambda k: 1 / math.sqrt(1 + k)),
    "warmup": lambda o: lr_scheduler.LambdaLR(o, [lambda k: min(1.0, (k + 1) / 4)]),
}
for name, make in makers.items():
    p = torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.SGD([p], lr=0.1)
    scheduler, rates = make(optimizer), []
    for _ in range(9):
        rates.append(round(optimizer.param_groups[0]["lr"], 6))
        p.grad = torch.ones(1)
        optimizer.step()
        scheduler.step()
    print(name, rates, scheduler.last_epoch, f"{p.item():.5f}")
