"""A kernel that ends before it answers is started again; one that never starts is said to be so."""

import asyncio
from pathlib import Path

import pytest
from nbformat import v4

from tools import build

DIED = "Kernel died before replying to kernel_info"


def notebook():
    return v4.new_notebook(cells=[v4.new_code_cell("print(1 + 1)", id="a")], metadata={"kernelspec": build.KERNEL})


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch):
    """Lets the first so many starts fail; its list counts the starts."""
    real, seen = build.NotebookClient.async_execute, []

    def failing(count: int) -> list[int]:
        async def execute(self, **kwargs):
            seen.append(len(seen))
            if len(seen) <= count:
                raise RuntimeError(DIED)
            return await real(self, **kwargs)

        monkeypatch.setattr(build.NotebookClient, "async_execute", execute)
        return seen

    return failing


def test_it_is_started_again(starts, tmp_path: Path) -> None:
    seen, nb = starts(1), notebook()
    asyncio.run(build.execute(tmp_path, "notebooks/a.ipynb", nb))
    assert len(seen) == 2 and nb.cells[0].outputs[0].text == "2\n"


def test_one_that_never_starts_is_an_error_that_names_the_notebook(starts, tmp_path: Path) -> None:
    seen = starts(build.KERNEL_STARTS)
    with pytest.raises(build.BuildError, match=rf"notebooks/a.ipynb: the kernel does not start\n{DIED}"):
        asyncio.run(build.execute(tmp_path, "notebooks/a.ipynb", notebook()))
    assert len(seen) == build.KERNEL_STARTS
