"""``minigrad.utils.data``: examples, and batches of them, in one process. The order of a shuffle is PyTorch's."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .. import creation, dtypes, errors, random
from ..ops.shape import stack
from ..random import Generator
from ..tensor import Tensor


class Dataset:
    """Examples by number. A subclass has ``__getitem__``, and ``__len__``."""

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Examples one after the other. A subclass has ``__iter__``."""


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


class ConcatDataset(Dataset):
    """Several data sets, one after the other."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        self.cumulative_sizes = list(itertools.accumulate(map(len, self.datasets)))

    def __getitem__(self, index: int) -> Any:
        index += len(self) if index < 0 else 0
        which = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[which][index - (self.cumulative_sizes[which - 1] if which else 0)]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]


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
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        sizes = [math.floor(len(dataset) * share) for share in lengths]
        for k in range(len(dataset) - sum(sizes)):
            sizes[k % len(sizes)] += 1
    else:
        sizes = list(lengths)  # type: ignore[arg-type]
    if sum(sizes) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = random.randperm(len(dataset), generator=generator).tolist()
    return [Subset(dataset, order[end - size : end]) for size, end in zip(sizes, itertools.accumulate(sizes), strict=True)]


class Sampler:
    """The numbers of examples in some order. A subclass has ``__iter__``."""

    def __class_getitem__(cls, item: Any) -> Any:
        return cls


class SequentialSampler(Sampler):
    """One after the other."""

    def __init__(self, data_source: Any) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """In random order; ``replacement``: each one any number of times."""

    def __init__(
        self, data_source: Any, replacement: bool = False, num_samples: int | None = None, generator: Generator | None = None
    ) -> None:
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self.num_samples = len(data_source) if num_samples is None else num_samples

    def __iter__(self) -> Iterator[int]:
        n, generator = len(self.data_source), self.generator or Generator().manual_seed(_seed(None))
        if self.replacement:
            for start in range(0, self.num_samples - self.num_samples % 32 + 1, 32):
                yield from random.randint(0, n, (min(32, self.num_samples - start),), generator=generator).tolist()
            return
        for _ in range(self.num_samples // n):
            yield from random.randperm(n, generator=generator).tolist()
        yield from random.randperm(n, generator=generator).tolist()[: self.num_samples % n]

    def __len__(self) -> int:
        return self.num_samples


def _seed(generator: Generator | None) -> int:
    return random.random_(creation.empty((), dtype=dtypes.int64), generator=generator).item()


class BatchSampler(Sampler):
    """The numbers of another sampler in lists."""

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)  # type: ignore[arg-type]
        return whole + (rest > 0 and not self.drop_last)


def default_collate(batch: Sequence[Any]) -> Any:
    """Examples as one: Tensors and arrays stacked, numbers as a Tensor, and so through dicts, tuples and lists."""
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch), 0)
    if isinstance(first, (np.ndarray, np.generic)):
        return creation.as_tensor(np.stack(batch))
    if isinstance(first, float):
        return creation.tensor(batch, dtype=dtypes.float64)
    if isinstance(first, int):
        return creation.tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return type(first)({key: default_collate([example[key] for example in batch]) for key in first})  # type: ignore[call-arg]
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(part) for part in zip(*batch, strict=True)))
    if isinstance(first, Sequence):
        return [default_collate(part) for part in zip(*batch, strict=True)]
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}"
    )


class DataLoader:
    """Batches of a data set, anew in each loop over it.

    shuffle: in another order each time, from ``generator``. sampler, batch_sampler: which examples, and in which lists. collate_fn:
    what makes one batch of a list of examples. batch_size None: examples as they are. NotImplementedError for worker processes.
    """

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None, sampler: Iterable | None = None,
        batch_sampler: Iterable | None = None, num_workers: int = 0, collate_fn: Callable | None = None,
        pin_memory: bool = False, drop_last: bool = False, timeout: float = 0, worker_init_fn: Callable | None = None,
        multiprocessing_context: Any = None, generator: Generator | None = None, *, prefetch_factor: int | None = None,
        persistent_workers: bool = False,
    ) -> None:  # fmt: skip
        errors.refuse("DataLoader", num_workers=num_workers, timeout=timeout, persistent_workers=persistent_workers)
        self.dataset, self.batch_size, self.drop_last, self.generator = dataset, batch_size, drop_last, generator
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if sampler is None and not isinstance(dataset, IterableDataset):
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_sampler is None and batch_size is not None and sampler is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self.collate_fn = collate_fn or (default_collate if batch_sampler is not None or batch_size is not None else _as_tensor)

    def __iter__(self) -> Iterator[Any]:
        _seed(self.generator)  # PyTorch draws one for worker processes, in any case
        return self._batches()

    def _batches(self) -> Iterator[Any]:
        if self.sampler is None:
            examples = iter(self.dataset)
            while batch := list(itertools.islice(examples, self.batch_size or 1)):
                if len(batch) == (self.batch_size or 1) or not self.drop_last:
                    yield self.collate_fn(batch if self.batch_size else batch[0])
            return
        for numbers in self.sampler if self.batch_sampler is None else self.batch_sampler:
            found = self.dataset[numbers] if self.batch_sampler is None else [self.dataset[k] for k in numbers]
            yield self.collate_fn(found)

    def __len__(self) -> int:
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)  # type: ignore[arg-type]


def _as_tensor(example: Any) -> Any:
    return creation.as_tensor(example) if isinstance(example, np.ndarray) else example


def __getattr__(name: str) -> Any:
    raise errors.missing(__name__, name)
