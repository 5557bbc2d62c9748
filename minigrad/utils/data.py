"""``minigrad.utils.data``: examples, and batches of them, in one process. The order of a shuffle is PyTorch's."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from .. import creation, dtypes, errors, random
from ..core.tensor import Tensor
from ..ops.shape import stack
from ..random import Generator

T = TypeVar("T")


class Dataset(Generic[T]):
    """Examples by number. A subclass has ``__getitem__``, and ``__len__``."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class TensorDataset(Dataset):
    """Rows of tensors that have the same first size: an example is a tuple of a row of each."""

    def __init__(self, *tensors: Tensor) -> None:
        if any(len(tensor) != len(tensors[0]) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple:
        return tuple(tensor[index] for tensor in self.tensors)  # type: ignore[index]

    def __len__(self) -> int:
        return len(self.tensors[0])


class Subset(Dataset):
    """Some examples of another data set."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> Any:
        return self.dataset[[self.indices[k] for k in index] if isinstance(index, list) else self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Any, lengths: Sequence[float], generator: Generator | None = None) -> list[Subset]:
    """The examples in random order, in parts of these lengths, or these shares of all. ValueError when they do not add up."""
    sizes: list[Any] = list(lengths)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        sizes = [math.floor(len(dataset) * share) for share in lengths]
        for k in range(len(dataset) - sum(sizes)):
            sizes[k % len(sizes)] += 1
    if sum(sizes) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = random.randperm(len(dataset), generator=generator).tolist()
    return [Subset(dataset, order[end - size : end]) for size, end in zip(sizes, itertools.accumulate(sizes), strict=True)]


def _seed(generator: Generator | None) -> int:
    return int((generator or random.default_generator).pairs(1)[0]) % 2**63


def default_collate(batch: Sequence[Any]) -> Any:
    """Examples as one: Tensors and arrays stacked, numbers as a Tensor, and so through dicts, tuples and lists."""
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch), 0)
    if isinstance(first, (np.ndarray, np.generic)):
        return creation.as_tensor(np.stack(batch))
    if isinstance(first, (int, float)):
        return creation.tensor(batch, dtype=dtypes.float64 if isinstance(first, float) else None)
    return _through(default_collate, batch) if isinstance(first, (Mapping, tuple, list)) else batch


def _through(function: Callable, examples: Sequence[Any]) -> Any:
    """What a function makes of each part of some examples, which are dicts, tuples or lists."""
    first = examples[0]
    if isinstance(first, Mapping):
        return {key: function([example[key] for example in examples]) for key in first}
    parts = [function(part) for part in zip(*examples, strict=True)]
    return type(first)(*parts) if hasattr(first, "_fields") else parts


def _converted(example: Any) -> Any:
    """An example without a batch: arrays as Tensors, tuples as lists."""
    if isinstance(example, (np.ndarray, np.generic)):
        return creation.as_tensor(example)
    return _through(lambda parts: _converted(parts[0]), [example]) if isinstance(example, (Mapping, tuple, list)) else example


class DataLoader(Generic[T]):
    """Batches of a data set, anew in each loop over it.

    shuffle: in another order each time, from ``generator``. sampler, batch_sampler: which examples, and in which lists. collate_fn:
    what makes one batch of a list of examples. batch_size None: examples one by one. NotImplementedError for worker processes.
    """

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Iterable | None = None,
        batch_sampler: Iterable | None = None, num_workers: int = 0, collate_fn: Callable | None = None,
        pin_memory: bool = False, drop_last: bool = False, *, generator: Generator | None = None,
    ) -> None:  # fmt: skip
        errors.refuse("DataLoader", num_workers=num_workers)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        self.dataset, self.batch_size, self.drop_last, self.generator = dataset, batch_size, drop_last, generator
        self.shuffle, self.sampler, self.batch_sampler = shuffle, sampler, batch_sampler
        self.collate_fn = collate_fn or (default_collate if batch_sampler or batch_size else _converted)

    def __iter__(self) -> Iterator[Any]:
        _seed(self.generator)  # PyTorch draws one for worker processes, in any case
        return self._batches()

    def _batches(self) -> Iterator[Any]:
        if self.batch_sampler is not None:
            lists: Iterable = self.batch_sampler
        else:
            numbers = iter(range(len(self.dataset)) if self.sampler is None else self.sampler)
            if self.shuffle:
                own = self.generator or Generator().manual_seed(_seed(None))
                numbers = iter(random.randperm(len(self.dataset), generator=own).tolist())
            if self.batch_size is None:
                yield from (self.collate_fn(self.dataset[k]) for k in numbers)
                return
            lists = iter(lambda: list(itertools.islice(numbers, self.batch_size)), [])
        for batch in lists:
            if self.batch_sampler is not None or len(batch) == self.batch_size or not self.drop_last:
                yield self.collate_fn([self.dataset[k] for k in batch])

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)  # type: ignore[arg-type]
        count, size = len(self.dataset if self.sampler is None else self.sampler), self.batch_size or 1  # type: ignore[arg-type]
        return count // size if self.drop_last else -(-count // size)
