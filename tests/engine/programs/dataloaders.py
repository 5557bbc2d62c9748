# Batches: in order, shuffled, from dicts and tuples, with what is left over dropped.
import torch
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split


class Squares(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, k):
        return {"x": torch.tensor([float(k), k + 0.5]), "y": k * k, "name": f"n{k}", "pair": (k, float(k))}


torch.manual_seed(18)
for batch in DataLoader(Squares(), batch_size=4):
    print(batch["x"].shape, batch["y"], batch["name"], batch["pair"])
loader = DataLoader(Squares(), batch_size=3, shuffle=True, drop_last=True)
print(len(loader), [b["y"].tolist() for b in loader], [b["y"].tolist() for b in loader])
print(torch.rand(2))
parts = random_split(range(10), [0.3, 0.3, 0.4], generator=torch.Generator().manual_seed(1))
print([list(p) for p in parts])
data = TensorDataset(torch.arange(6), torch.arange(6) ** 2)
print(data[1:3], len(Subset(data, [0, 2])), Subset(data, [0, 2])[1])
g = torch.Generator().manual_seed(3)
print([x.tolist() for x, _ in DataLoader(data, batch_size=2, shuffle=True, generator=g)])
print([b.tolist() for b in DataLoader([1.5, 2.5, 3.5], batch_size=2)], list(DataLoader([1, 2], batch_size=None)))
print(next(iter(DataLoader(["a", "b"], batch_size=2, collate_fn="".join))))
