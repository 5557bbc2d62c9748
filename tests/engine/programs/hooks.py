# Watching a network from outside: what goes through it, forward and backward.
import torch
from torch import nn

torch.manual_seed(16)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
log = []
handles = []
for name, module in net.named_children():
    handles.append(module.register_forward_pre_hook(lambda m, args, name=name: log.append(f"{name} in {tuple(args[0].shape)}")))
    handles.append(module.register_forward_hook(lambda m, args, out, name=name: log.append(f"{name} out {out.norm().item():.3f}")))
    handles.append(module.register_full_backward_hook(
        lambda m, gi, go, name=name: log.append(f"{name} back {go[0].norm().item():.3f} {[None if g is None else round(g.norm().item(), 3) for g in gi]}")))
x = torch.randn(5, 3, requires_grad=True)
net(x).pow(2).sum().backward()
print("\n".join(log))
net[1].register_full_backward_hook(lambda m, gi, go: (gi[0] * 0,))
x.grad = None
net(x).sum().backward()
print(x.grad.abs().sum().item())
for handle in handles:
    handle.remove()
log.clear()
net(torch.randn(1, 3))
print(len(log))
scaled = nn.Linear(3, 3)
scaled.register_forward_hook(lambda m, args, out: out * 2)
scaled.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
print(scaled(torch.zeros(1, 3)))
