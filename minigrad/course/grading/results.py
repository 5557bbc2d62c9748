"""What a teacher takes away: scores as JSON, a table for the learning platform, a page for each student, a report."""

from __future__ import annotations

import csv
import hashlib
import hmac
import html
import io
import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

from minigrad.course import render
from minigrad.course.exercise import Exercise
from minigrad.course.grading.assignment import Assignment
from minigrad.course.grading.grade import Graded
from minigrad.course.judge import ERROR, KNOWN, NOT_ATTEMPTED, PASSED, WRONG

OUTCOMES = {PASSED: "#1a7f37", KNOWN: "#b35900", WRONG: "#d9a05b", ERROR: "#b3261e", NOT_ATTEMPTED: "#8c959f"}


def counting(results: list[Graded], assignment: Assignment) -> dict[str, Graded]:
    """For each student the submission that counts; late ones only where the assignment says so."""
    chosen: dict[str, Graded] = {}
    for graded in results:
        if graded.late and assignment.late == "apart":
            continue
        known = chosen.get(graded.student)
        better = known is None or assignment.counts == "last" or assignment.counts == "best" and graded.total > known.total
        if better:
            chosen[graded.student] = graded
    return chosen


def write(results: list[Graded], assignment: Assignment, folder: Path, secret: str, pseudonyms: bool = False) -> dict[str, Path]:
    """Write everything; the paths by what they are."""
    chosen = counting(results, assignment)
    pages = folder / "feedback"
    pages.mkdir(parents=True, exist_ok=True)
    names = _file_names(results, secret, pseudonyms)
    for graded in results:
        _save(pages / names[id(graded)], feedback(graded, assignment, names[id(graded)].removesuffix(".html") if pseudonyms else ""))
    paths = {"scores": folder / "scores.json", "table": folder / "grades.csv", "report": folder / "report.html", "feedback": pages}
    _save(paths["scores"], scores_json(results, chosen, assignment, names))
    _save(paths["table"], table(results, chosen, assignment, names))
    _save(paths["report"], report(results, chosen, assignment))
    return paths


def _save(path: Path, text: str) -> None:
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8", newline="")
    os.replace(new, path)


def _file_names(results: list[Graded], secret: str, pseudonyms: bool) -> dict[int, str]:
    """A file name for each submission: safe on every system, no two alike."""
    names: dict[int, str] = {}
    taken: set[str] = set()
    for graded in results:
        if pseudonyms:
            name = hmac.digest(secret.encode(), graded.student.encode(), hashlib.sha256).hex()[:10]
        else:
            name = re.sub(r"[^\w.-]+", "-", graded.student).strip(".-")[:80] or "student"
        name += f"-{graded.attempt}" if graded.attempt > 1 else ""
        number, full = 2, name
        while full.lower() in taken:
            full, number = f"{name}~{number}", number + 1
        taken.add(full.lower())
        names[id(graded)] = full + ".html"
    return names


def scores_json(results: list[Graded], chosen: dict[str, Graded], assignment: Assignment, names: dict[int, str]) -> str:
    """Everything that was found out, for programs. The same input gives the same text."""
    rows: list[dict[str, Any]] = []
    for graded in results:
        exercises = {
            s.id: {
                "points": s.points, "max": s.most, "outcome": s.verdict.outcome, "mistake": s.verdict.mistake,
                "case": s.verdict.case, "seed": s.verdict.seed, "parts": s.verdict.parts, "problems": s.problems,
            }
            for s in graded.scores
        }  # fmt: skip
        rows.append({
            "student": graded.student, "attempt": graded.attempt, "counts": chosen.get(graded.student) is graded, "late": graded.late,
            "submitted": graded.time, "file": graded.path, "sha256": graded.digest, "total": graded.total, "max": assignment.total,
            "feedback": f"feedback/{names[id(graded)]}", "problems": graded.problems, "exercises": exercises,
        })  # fmt: skip
    whole = {"assignment": assignment.name, "max": assignment.total, "submissions": rows}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def table(results: list[Graded], chosen: dict[str, Graded], assignment: Assignment, names: dict[int, str]) -> str:
    """A line for each student, as Moodle, Canvas, ILIAS and spreadsheets import it."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\r\n")
    rows.writerow(["username", "score", "max", "percent", "attempts", "late", "feedback", *assignment.exercises])
    for student in dict.fromkeys(graded.student for graded in results):
        all_of = [graded for graded in results if graded.student == student]
        graded = chosen.get(student)
        late = sum(g.late for g in all_of)
        if graded is None:  # only late ones: the teacher decides
            rows.writerow([_cell(student), "", _number(assignment.total), "", len(all_of), late, f"feedback/{names[id(all_of[-1])]}"])
            continue
        percent = 100 * graded.total / assignment.total if assignment.total else 0.0
        points = {score.id: _number(score.points) for score in graded.scores}
        rows.writerow([
            _cell(student), _number(graded.total), _number(assignment.total), f"{percent:.1f}", len(all_of), late,
            f"feedback/{names[id(graded)]}", *(points.get(id, "") for id in assignment.exercises),
        ])  # fmt: skip
    return file.getvalue()


def _cell(text: str) -> str:
    """A spreadsheet must not take a student's name for a formula."""
    return "'" + text if text[:1] in "=+-@\t\r" else text


def _number(x: float) -> str:
    return f"{x:g}"


# -- pages -----------------------------------------------------------------------------------------------------------

STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
pre,code{font:14px/1.4 ui-monospace,monospace;background:#f3f4f6;border-radius:3px}
pre{padding:.6rem;overflow:auto} code{padding:0 .2em}
section{margin:1.4rem 0} table{border-collapse:collapse} td,th{padding:.2rem .6rem;text-align:left;vertical-align:top}
.bar{display:flex;height:1rem;width:20rem;background:#eceef1} .bar span{display:block}
.points{float:right} summary{cursor:pointer}
"""
# The texts in it are students' own: nothing may run, nothing may be fetched.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def _page(title: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{html.escape(title)}</title><style>{STYLE}</style></head>\n'
        f"<body>\n{body}\n</body></html>\n"
    )


def feedback(graded: Graded, assignment: Assignment, pseudonym: str = "") -> str:
    """A student's page: each exercise with its points, what the checker says, and a picture for what is not right yet."""
    who = pseudonym or graded.student
    parts = [f"<h1>{html.escape(assignment.name)}: {html.escape(who)}</h1>"]
    handed = f" Handed in {html.escape(graded.time)}." if graded.time else ""
    late = " <b>Late.</b>" if graded.late else ""
    sum_up = f"<b>{_number(graded.total)} of {_number(assignment.total)} points.</b>"
    parts.append(f"<p>{sum_up} Submission {graded.attempt}.{handed}{late}</p>")
    parts.append(_bar([(graded.total, OUTCOMES[PASSED])], assignment.total))
    if graded.problems:
        items = "".join(f"<li>{html.escape(problem)}</li>" for problem in graded.problems)
        parts.append(f"<p>About the notebook:</p><ul>{items}</ul>")
    for score in graded.scores:
        exercise = assignment.exercises[score.id]
        said = render.verdict_html(score.verdict, score.title)
        notes = "".join(f"<p>{render.inline(problem)}</p>" for problem in score.problems)
        points = f'<span class="points">{_number(score.points)} of {_number(score.most)}</span>'
        parts.append(f"<section>{points}{said}{notes}{_picture(score.verdict.outcome, exercise)}</section>")
    return _page(f"{assignment.name}: {who}", "\n".join(parts))


def _picture(outcome: str, exercise: Exercise) -> str:
    if outcome == PASSED:
        return ""
    hint = exercise.hints[1]
    what = "A picture that helps" if "```" in hint or "![" in hint else "A second hint"
    return f"<details><summary>{what}</summary>{render.markdown(hint)}</details>"


def _bar(pieces: list[tuple[float, str]], whole: float) -> str:
    spans = "".join(f'<span style="width:{100 * n / whole:.1f}%;background:{colour}"></span>' for n, colour in pieces if n and whole)
    return f'<div class="bar" aria-hidden="true">{spans}</div>'


def report(results: list[Graded], chosen: dict[str, Graded], assignment: Assignment) -> str:
    """The class: which exercises were hard, which known mistakes were common, and what needs a human eye."""
    counted = list(chosen.values())
    n = len(counted)
    mean = sum(g.total for g in counted) / n if n else 0.0
    parts = [f"<h1>{html.escape(assignment.name)}: the class</h1>"]
    apart = sum(g.late for g in results)
    parts.append(
        f"<p>{n} students with a score, {len(results)} submissions, {apart} of them late. "
        f"Mean: <b>{mean:.1f} of {_number(assignment.total)}</b> points.</p>"
    )
    parts.append("<h2>How hard the exercises were</h2><table><tr><th>Exercise</th><th></th><th>right</th><th>tried</th></tr>")
    rows = []
    for k, (id, exercise) in enumerate(assignment.exercises.items()):
        outcomes = Counter(g.scores[k].verdict.outcome for g in counted if len(g.scores) > k)
        tried = n - outcomes[NOT_ATTEMPTED]
        bar = _bar([(outcomes[o], colour) for o, colour in OUTCOMES.items()], n)
        cells = (f"{id} {html.escape(exercise.title)}", bar, f"{outcomes[PASSED]} of {n}", str(tried))
        rows.append((outcomes[PASSED], "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"))
    parts += [row for _, row in sorted(rows, key=lambda r: r[0])]
    legend = " · ".join(f'<span style="color:{colour}">■</span> {html.escape(outcome)}' for outcome, colour in OUTCOMES.items())
    parts.append(f"</table><p>{legend}</p><h2>Mistakes that were common</h2>")
    mistakes = Counter((s.id, s.verdict.mistake) for g in counted for s in g.scores if s.verdict.mistake)
    if mistakes:
        parts.append("<table><tr><th>Exercise</th><th>Mistake</th><th></th><th>students</th></tr>")
        for (id, name), count in sorted(mistakes.items(), key=lambda m: (-m[1], m[0])):
            hint = assignment.exercises[id].mistakes[name].hint
            told = f"<details><summary>{html.escape(name)}</summary>{render.markdown(hint)}</details>"
            parts.append(f"<tr><td>{id}</td><td>{told}</td><td>{_bar([(count, OUTCOMES[KNOWN])], n)}</td><td>{count}</td></tr>")
        parts.append("</table>")
    else:
        parts.append("<p>None that is known.</p>")
    parts.append("<h2>Notebooks to look at</h2>")
    troubled = [(g.student, g.path, " ".join(g.problems)[:600]) for g in results if g.problems]
    items = [f"<li><b>{html.escape(who)}</b> ({html.escape(path)}): {html.escape(what)}</li>" for who, path, what in troubled]
    parts.append(f"<ul>{''.join(items)}</ul>" if items else "<p>None: every notebook could be read and run.</p>")
    return _page(f"{assignment.name}: the class", "\n".join(parts))
