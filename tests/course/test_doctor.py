"""What the doctor says on machines that lack something."""

import json
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from minigrad.course.terminal import doctor

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "lowest", "optional", "state"),
    [
        ("numpy", "1.0", False, "ok"),
        ("numpy", "999.1", False, "wrong"),
        ("no-such-package", "1.0", True, "missing"),
        ("no-such-package", "1.0", False, "wrong"),
    ],
)
def test_package(name, lowest, optional, state):
    finding = doctor.package(name, lowest, optional)
    assert finding.state == state
    assert (f'pip install "{name}>={lowest}"' in finding.advice) == (state != "ok")


def test_versions_compare_as_numbers():
    assert doctor.release("2.10.0rc1") > doctor.release("2.9.9")


def test_requirements_are_read_with_their_extras(monkeypatch):
    lines = [
        "numpy>=2.1",
        'jupyterlab>=4.2; extra == "course"',
        'minigrad-course[course]; extra == "test"',
        'ruff>=0.8; extra == "dev"',
    ]
    monkeypatch.setattr(metadata, "requires", lambda name: lines)
    expected = [("numpy", "2.1", ""), ("jupyterlab", "4.2", "course"), ("ruff", "0.8", "dev")]
    assert doctor.requirements() == expected


def test_only_what_a_learner_needs_is_asked_for(monkeypatch):
    monkeypatch.setattr(doctor, "requirements", lambda: [("numpy", "2.1", ""), ("ruff", "0.8", "dev")])
    assert [f.what.split()[0] for f in doctor.packages()] == ["numpy"]


def test_course_not_installed(monkeypatch):
    monkeypatch.setattr(doctor, "requirements", lambda: None)
    (finding,) = doctor.packages()
    assert finding.state == "wrong" and 'install -e ".[course]"' in finding.advice


def test_each_package_of_the_course_says_what_works_without_it():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(doctor.WITHOUT) == {line.split(">=")[0] for line in extras["course"]}


def test_old_python(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 2, "final", 0))
    finding = doctor.python_version()
    assert finding.state == "wrong" and "3.11" in finding.advice


def test_another_python_than_the_one_that_was_set_up(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "ROOT", tmp_path)
    assert doctor.python_version().state == "ok"
    (tmp_path / ".venv").mkdir()
    assert ".venv/bin/python -m minigrad.course doctor" in doctor.python_version().advice
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    assert doctor.python_version().state == "ok"


def test_without_dot(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert doctor.dot().state == "missing"


def test_without_torch(monkeypatch):
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: None)
    assert doctor.torch().state == "missing"


def test_work_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("MINIGRAD_WORK", str(tmp_path / "new" / "work"))
    assert doctor.work_folder().state == "ok"
    assert not (tmp_path / "new").exists(), "looking must leave nothing behind"

    (tmp_path / "file").touch()
    monkeypatch.setenv("MINIGRAD_WORK", str(tmp_path / "file"))
    assert doctor.work_folder().state == "wrong"


def test_kernel_of_another_python(monkeypatch, tmp_path):
    spec = tmp_path / "kernels" / "python3"
    spec.mkdir(parents=True)
    other = {"argv": ["/somewhere/else/bin/python"], "display_name": "x", "language": "python"}
    (spec / "kernel.json").write_text(json.dumps(other))
    assert doctor.kernel().state == "ok"
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    finding = doctor.kernel()
    assert finding.state == "wrong" and "/somewhere/else" in finding.what


def test_folder_that_the_encoding_cannot_spell(monkeypatch):
    monkeypatch.setattr(doctor, "ROOT", Path("/home/k\udcfcrs"))
    finding = doctor.paths_and_letters()
    assert finding.state == "wrong" and "PYTHONUTF8" in finding.advice


def test_exit_code_tells_wrong_from_missing(monkeypatch, capsys):
    good, missing, wrong = (doctor.Finding(s, s.title(), "advice") for s in ("ok", "missing", "wrong"))
    monkeypatch.setattr(doctor, "findings", lambda: [good, missing])
    assert doctor.main() == 0 and "All that the course needs is here" in capsys.readouterr().out
    monkeypatch.setattr(doctor, "findings", lambda: [good, missing, wrong])
    assert doctor.main() == 1 and "1 thing needs mending" in capsys.readouterr().out


def test_runs_in_a_python_without_any_package():
    file = ROOT / "minigrad" / "course" / "terminal" / "doctor.py"
    run = subprocess.run([sys.executable, "-I", "-S", str(file)], capture_output=True, text=True)
    assert run.returncode == 1 and run.stderr == ""
    assert "minigrad-course is not installed" in run.stdout
