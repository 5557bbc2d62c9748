# A small network learns what a large one says.
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(30)
teacher = nn.Sequential(nn.Linear(4, 32), nn.SiLU(), nn.Linear(32, 3)).eval()
for p in teacher.parameters():
    p.requires_grad_(False)
student = nn.Sequential(nn.Linear(4, 6), nn.ELU(), nn.Linear(6, 3))
optimizer = torch.optim.AdamW(student.parameters(), lr=0.02)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20)
for step in range(20):
    x = torch.randn(32, 4)
    loss = F.kl_div(F.log_softmax(student(x) / 2, 1), F.softmax(teacher(x) / 2, 1), reduction="batchmean") * 4
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if step % 5 == 4:
        print(f"{loss.item():.5f} {scheduler.get_last_lr()[0]:.5f}")
