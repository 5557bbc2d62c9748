# Programs that take their numbers from NumPy.
import numpy as np
import torch

rng = np.random.RandomState(0)
scale = np.sqrt(2.0 / 3)
w = torch.tensor(rng.randn(3, 2) * scale, dtype=torch.float32, requires_grad=True)
x = torch.from_numpy(rng.rand(4, 3).astype(np.float32))
y = x.matmul(w).mul(np.float64(0.5)).add(np.float32(1))
print(y.dtype, torch.tensor([np.zeros(2), np.ones(2)]).dtype, torch.tensor(rng.rand(2)).dtype)
y.pow(np.int64(2)).mean().backward()
print(w.grad.numpy().round(4).tolist())
print(torch.where(x > 0.5, x, np.float64(0)).sum())
print(torch.full((2,), np.float32(1.5)) * np.bool_(True), 5 % torch.tensor([3.0, -3.0]))
