"""The page of what is here is what the package gives, and it lists what was added last."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("place", ["", ".nn", ".nn.utils", ".nn.functional", ".nn.init", ".linalg", ".autograd", ".optim", ".random"])
def test_what_is_missing_names_the_page(place: str) -> None:
    module = importlib.import_module(f"minigrad{place}")
    with pytest.raises(AttributeError, match="has no attribute 'LSTM'") as caught:
        module.LSTM  # noqa: B018
    assert "docs/scope.md" in caught.value.__notes__[0] and not hasattr(module, "LSTM")


def test_the_page_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("scope", ROOT / "tools" / "scope.py")
    assert spec is not None and spec.loader is not None
    scope = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scope)
    assert scope.stale(ROOT) == []
    text = (ROOT / scope.PAGE).read_text("utf-8")
    assert all(f"`{name}`" in text for name in ("meshgrid", "Embedding", "LBFGS", "random_split", "kaiming_uniform_", "save_on_cpu"))
    assert "(docs/scope.md)" in (ROOT / "README.md").read_text("utf-8")
