"""The course where there are no threads, no processes and no timers, as in a kernel that runs in a browser."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TAKE_AWAY = """
import _thread, signal, sys

def refuse(*args, **kwargs):
    raise RuntimeError("can't start new thread")

for name in ("start_new_thread", "start_joinable_thread"):
    if hasattr(_thread, name):
        setattr(_thread, name, refuse)
for name in ("setitimer", "getitimer", "alarm"):
    if hasattr(signal, name):
        delattr(signal, name)
sys.modules["multiprocessing"] = sys.modules["torch"] = sys.modules["graphviz"] = None
import os, shutil, subprocess, threading

def no_process(*args, **kwargs):
    raise OSError(138, "Not supported")

subprocess.Popen = os.system = os.fork = no_process
shutil.which = lambda *args, **kwargs: None
import numpy
try:  # it asks the platform for its settings while it is imported
    import matplotlib.pyplot
except ImportError:
    pass
sys.platform = sys.argv[1]
"""

WORK = r"""
import json, time
try:
    threading.Thread(target=print).start()
    raise SystemExit("threads are there")
except RuntimeError:
    pass
import minigrad as mg
from minigrad import viz
from minigrad.course import bank, check, hint, progress, record, report, solution, start
from minigrad.course.judging.limits import TimeLimit, run_limited

def right(exercise):
    return exercise.reference(exercise.draw()) if exercise.is_value else exercise.reference

told = {"wrong": [], "checked": 0}
for chapter in bank.chapters():
    if chapter in ("16", "17"):  # the engine is a file: below
        continue
    exercise = min(bank.exercises(chapter).values(), key=lambda e: (e.minutes, e.id))
    told["checked"] += 1
    result = check(exercise.id, right(exercise), quiet=True)
    if not result.passed:
        told["wrong"].append(result.text)

def for_ever(*args):
    while True:
        try:
            x = 1
        except BaseException:
            pass

begin = time.monotonic()
endless = bank.exercises("02")["02.3"]
told["endless"] = check(endless.id, for_ever, quiet=True).text
told["seconds"] = time.monotonic() - begin
told["limit"] = endless.time_limit
try:
    run_limited(for_ever, 0.3)
except TimeLimit:
    told["stopped"] = True
told["torch"] = check("01.1", {}, reference="torch", quiet=True).text
hint("01.1"); progress("01"); solution("02.1"); report(endless.id); start("01")
x = mg.tensor(3.0, requires_grad=True)
y = x * x
told["steps"] = len(viz.steps(y)), "data:image/svg+xml" in viz.draw(y)._repr_mimebundle_()["text/html"]
try:
    viz.to_graphviz(y)
except Exception as error:
    told["graphviz"] = str(error)
if sys.platform == "emscripten":  # elsewhere the runner of the capstone needs a process
    from minigrad.course.capstone import runner
    told["capstone"] = check("16.1", bank.exercises("16")["16.1"].reference, quiet=True).passed
    told["change"] = check("17.1", bank.exercises("17")["17.1"].reference, quiet=True).passed
    engine = record.work() / "engine.py"
    engine.write_text("def tensor(*args, **kwargs):\n    while True:\n        pass\n", encoding="utf-8")
    runner.FACT_LIMIT = 0.2
    told["endless engine"] = {finding.kind for finding in runner.judge(engine, "M1")} == {"time"}
print("TOLD", json.dumps(told))
"""


@pytest.mark.parametrize("platform", ["emscripten", sys.platform])
@pytest.mark.weekly
def test_checks_drawings_and_limits_work(platform, tmp_path):
    (tmp_path / "child.py").write_text(TAKE_AWAY + WORK, encoding="utf-8")
    env = os.environ | {"PYTHONPATH": str(ROOT), "MINIGRAD_WORK": str(tmp_path / "work")}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "child.py"), platform, str(ROOT)], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.rpartition("TOLD ")[2])
    assert told["wrong"] == [] and told["checked"] >= 15
    assert "took longer than" in told["endless"] and told["stopped"]
    assert told["seconds"] < 3 * told["limit"] + 5
    assert "PyTorch is not installed here" in told["torch"]
    assert told["steps"] == [2, True]
    if platform == "emscripten":
        assert told["capstone"] and told["change"] and told["endless engine"]
    assert "Hint 1 of 3" in done.stdout and "Your copy of the exercises is ready" in done.stdout
    assert "To send:" in done.stdout and "is not recorded" not in done.stdout
    record = json.loads((tmp_path / "work" / ".progress.json").read_text(encoding="utf-8"))
    assert sum(entry["passed"] for entry in record["exercises"].values()) == told["checked"] + 2 * (platform == "emscripten")
