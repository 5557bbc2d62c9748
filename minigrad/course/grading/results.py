"""What a teacher takes away: scores as JSON, a table for the learning platform, a page for each student, a report."""

from __future__ import annotations

import csv
import functools
import hashlib
import hmac
import html
import io
import json
import os
import re
import statistics
import urllib.parse
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minigrad.course.exercise import Exercise
from minigrad.course.grading import alike, platforms, texts
from minigrad.course.grading.assignment import Assignment
from minigrad.course.grading.grade import ATTACK, OTHERWISE, PUT_OFF, Graded
from minigrad.course.grading.marks import Mark, marks, unknown_students
from minigrad.course.grading.submissions import MOODLE, PLAIN, Intake, Left
from minigrad.course.judge import ERROR, KNOWN, NOT_ATTEMPTED, PASSED, WRONG
from minigrad.course.judging.limits import TimeLimit, run_limited
from minigrad.course.showing import render

OUTCOMES = {PASSED: "#1a7f37", KNOWN: "#b35900", WRONG: "#d9a05b", ERROR: "#b3261e", NOT_ATTEMPTED: "#8c959f"}
PAGE_LIMIT = 10.0  # seconds for a student's page, which takes hundredths
CHANGED = 200  # lines of what changed since the last run, at most


@dataclass
class Class:
    """Everything that the pages tell of, beside the results."""

    layout: str = PLAIN
    left: list[Left] = field(default_factory=list)
    times_known: bool = False
    roster: platforms.Roster = field(default_factory=platforms.Roster)
    notes: list[str] = field(default_factory=list)  # about the run, for the teacher

    @classmethod
    def of(cls, intake: Intake, roster: platforms.Roster | None, notes: list[str]) -> Class:
        """From what was found."""
        return cls(intake.layout, intake.left, intake.times_known, roster or platforms.Roster(), notes)


def counting(results: list[Graded], assignment: Assignment) -> dict[str, Graded]:
    """For each student the submission that counts; late ones only where the assignment says so."""
    return {student: mark.graded for student, mark in marks(results, assignment).items() if mark.graded is not None}


def write(
    results: list[Graded], assignment: Assignment, folder: Path, secret: str, pseudonyms: bool = False, about: Class | None = None
) -> dict[str, Path]:
    """Write everything; the paths by what they are."""
    about = about or Class()
    made = marks(results, assignment)
    chosen = {student: mark.graded for student, mark in made.items() if mark.graded is not None}
    pages = folder / "feedback"
    pages.mkdir(parents=True, exist_ok=True)
    names = _file_names(results, secret, pseudonyms)
    for graded in results:
        name = names[id(graded)]
        try:
            who = name.removesuffix(".html") if pseudonyms else ""
            page = run_limited(functools.partial(feedback, graded, assignment, who, made[graded.student]), PAGE_LIMIT)
        except (Exception, TimeLimit) as error:  # not foreseen; the others' pages are written all the same
            graded.problems.append(f"The page could not be made ({type(error).__name__}).")
            page = _page(assignment.name, "<p>Please ask your teacher about this page.</p>")
        _save(pages / name, page)
    paths = {"scores": folder / "scores.json", "table": folder / "grades.csv", "report": folder / "report.html", "feedback": pages}
    changes = changed(_before(paths["scores"]), results, made)
    _save(paths["scores"], scores_json(results, made, assignment, names))
    _save(paths["table"], table(results, made, assignment, names, about))
    name, text = platforms.table(about.layout, about.roster, made, results, assignment.name, assignment.total)
    if name:
        paths["platform"] = folder / name
        _save(paths["platform"], text)
    paths["archive"] = folder / "feedback.zip"
    new = folder / "feedback.zip.new"
    platforms.archive(about.layout, new, {s: pages / names[id(g)] for s, g in chosen.items()}, chosen)
    os.replace(new, paths["archive"])
    _save(paths["report"], report(results, made, assignment, names, about, changes))
    return paths


def _save(path: Path, text: str) -> None:
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8", errors="replace", newline="")
    os.replace(new, path)


def _file_names(results: list[Graded], secret: str, pseudonyms: bool) -> dict[int, str]:
    """A file name for each submission: safe on every system, no two alike."""
    names: dict[int, str] = {}
    taken: set[str] = set()
    for graded in results:
        if pseudonyms:
            name = hmac.digest(secret.encode(), texts.writable(graded.student).encode(), hashlib.sha256).hex()[:10]
        else:
            name = re.sub(r"[^\w.-]+", "-", graded.student).strip(".-").encode()[:100].decode(errors="ignore") or "student"
        # No student's name has a ~ here: ada's second page is not called as the one of ada-2, who may be in no result.
        name += f"~{graded.attempt}" if graded.attempt > 1 else ""
        number, full = 2, name
        while full.lower() in taken:
            full, number = f"{name}~{number}", number + 1
        taken.add(full.lower())
        names[id(graded)] = full + ".html"
    return names


def scores_json(results: list[Graded], made: dict[str, Mark], assignment: Assignment, names: dict[int, str]) -> str:
    """Everything that was found out, for programs. The same input gives the same text."""
    rows: list[dict[str, Any]] = []
    for graded in results:
        mark = made[graded.student]
        exercises = {
            s.id: {
                "points": s.points, "max": s.most, "outcome": s.verdict.outcome, "mistake": s.verdict.mistake,
                "case": s.verdict.case, "seed": s.verdict.seed, "parts": s.verdict.parts, "problems": s.problems,
            }
            for s in graded.scores
        }  # fmt: skip
        counts = mark.graded is graded
        rows.append({
            "student": graded.student, "name": graded.name, "number": graded.number, "attempt": graded.attempt, "counts": counts,
            "late": graded.late, "days_late": mark.days if counts else None, "late_days_used": mark.free if counts else None,
            "submitted": graded.time, "file": graded.path, "sha256": graded.digest, "total": graded.total,
            "score": mark.score if counts else None, "by_hand": mark.by_hand if counts else {},
            "max": assignment.total, "notes": mark.notes if counts else [],
            "feedback": f"feedback/{names[id(graded)]}", "problems": graded.problems, "exercises": exercises,
        })  # fmt: skip
    whole = {"assignment": assignment.name, "max": assignment.total, "submissions": rows}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _before(path: Path) -> list[dict[str, Any]]:
    """The rows of an earlier run."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["submissions"]
        return [row for row in rows if isinstance(row.get("student"), str)]
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return []


def changed(before: list[dict[str, Any]], results: list[Graded], made: dict[str, Mark]) -> list[str]:
    """Whose score is another than it was in the last run, and why."""
    old = {row.get("student"): row for row in before if row.get("counts")}
    told = []
    for student, mark in made.items():
        was = old.pop(student, None)
        if was is None or mark.graded is None:
            if before and (was is None) != (mark.graded is None):
                earlier = _points(was and was.get("score"))
                told.append(f"{student}: {earlier} before, now {_points(mark.score)}.")
            continue
        if was.get("score") == mark.score:
            continue
        why = []
        if was.get("sha256") != mark.graded.digest:
            why.append("another notebook counts, or another file beside it")
        theirs = was.get("exercises")
        theirs = theirs if isinstance(theirs, dict) else {}
        for score in mark.graded.scores:
            one = theirs.get(score.id, {})
            if isinstance(one, dict) and one.get("points") != score.points:
                seed = " with other inputs" if one.get("seed") not in (0, score.verdict.seed) and score.verdict.seed else ""
                why.append(f"{score.id} {_points(one.get('points', 0))} → {score.points:g} ({score.verdict.outcome}{seed})")
        before_it, now = was.get("notes", []), [note for note in mark.notes if note not in mark.graded.problems]
        if [note for note in before_it if note not in was.get("problems", [])] != now:
            why.append("; ".join(now).rstrip(".") or "no adjustment any more")
        told.append(
            f"{student}: {_points(was.get('score'))} before, now {_points(mark.score)}: {', '.join(why) or 'the rules are others'}."
        )
    told += [f"{student}: {_points(row.get('score'))} before, now not there." for student, row in old.items()]
    return told[:CHANGED]


def _points(score: Any) -> str:
    return f"{score:g}" if isinstance(score, int | float) else "nothing"


def table(
    results: list[Graded], made: dict[str, Mark], assignment: Assignment, names: dict[int, str], about: Class | None = None
) -> str:
    """A line for each student, for ILIAS, spreadsheets and programs."""
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\r\n")
    ids = list(assignment.exercises)
    rows.writerow(["username", "score", "max", "percent", "attempts", "late", "feedback", *ids, "name", "number", "note"])
    most = _number(assignment.total)
    for student, mark in made.items():
        all_of = [graded for graded in results if graded.student == student]
        late = sum(g.late for g in all_of)
        graded = mark.graded or all_of[-1]
        note, tail = _note(mark, graded), (texts.cell(graded.name), graded.number)
        page = f"feedback/{names[id(graded)]}"
        if mark.graded is None or mark.score is None:  # only late ones: the teacher decides
            rows.writerow([texts.cell(student), "", most, "", len(all_of), late, page, *("" for _ in ids), *tail, texts.cell(note)])
            continue
        percent = 100 * mark.score / assignment.total if assignment.total else 0.0
        points = {score.id: _number(mark.by_hand.get(score.id, score.points)) for score in graded.scores}
        its = (points.get(id, "") for id in ids)
        rows.writerow([
            texts.cell(student), _number(mark.score), most, f"{percent:.1f}", len(all_of) if graded.handed_in else 0, late, page,
            *its, *tail, texts.cell(note),
        ])  # fmt: skip
    for person in platforms.missing(about.roster, results) if about else []:
        rows.writerow([
            texts.cell(person.student), "", most, "", 0, 0, "", *("" for _ in ids), texts.cell(person.name), person.number,
            "Nothing was handed in.",
        ])  # fmt: skip
    return file.getvalue()


def _note(mark: Mark, graded: Graded) -> str:
    """What a row says beside its points: how they came about, and why there are none."""
    return " ".join([*mark.notes, *(why for why in graded.problems[:1] if not graded.total and why not in mark.notes)])


def _number(x: float) -> str:
    return f"{round(x, 2):.10g}"


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


def feedback(graded: Graded, assignment: Assignment, pseudonym: str = "", mark: Mark | None = None) -> str:
    """A student's page: each exercise with its points, what the checker says, the answer, and a picture for what is not right yet."""
    who = pseudonym or graded.student
    parts = [f"<h1>{html.escape(assignment.name)}: {html.escape(who)}</h1>"]
    handed = f" Handed in {html.escape(graded.time)}." if graded.time else ""
    late = " <b>Late.</b>" if graded.late else ""
    counts = mark is not None and mark.graded is graded and mark.score is not None
    score = mark.score if counts and mark is not None and mark.score is not None else graded.total
    sum_up = f"<b>{_number(score)} of {_number(assignment.total)} points.</b>"
    file = f" {html.escape(graded.path)}." if graded.attempt > 1 and not pseudonym else ""
    which = f" Submission {graded.attempt}." if graded.attempt > 1 or not counts else ""
    parts.append(f"<p>{sum_up}{which}{file}{handed}{late}</p>")
    parts.append(_bar([(min(max(score, 0.0), assignment.total), OUTCOMES[PASSED])], assignment.total))
    if counts and mark is not None and mark.notes:
        parts.append(f"<ul>{''.join(f'<li>{html.escape(note)}</li>' for note in mark.notes)}</ul>")
    elif mark is not None and not counts and graded.handed_in:
        why = "It came after the deadline." if mark.graded is None else "Another submission counts."
        parts.append(f"<p>{why}</p>")
    others = [problem for problem in graded.problems if mark is None or problem not in mark.notes]
    if others:
        items = "".join(f"<li>{html.escape(problem[:600])}</li>" for problem in others[:MOST_PROBLEMS])
        parts.append(f"<p>About the notebook:</p><ul>{items}</ul>")
    some = any(one.answer or one.verdict.outcome != NOT_ATTEMPTED for one in graded.scores)
    for one in graded.scores if some else ():
        exercise = assignment.exercises[one.id]
        said = render.verdict_html(one.verdict, one.title, scripts=False)
        notes = "".join(f"<p>{render.inline(problem)}</p>" for problem in one.problems)
        notes += "<p>The points are by hand, as said above.</p>" * bool(counts and mark is not None and one.id in mark.by_hand)
        its = mark.by_hand.get(one.id, one.points) if mark is not None and counts else one.points
        points = f'<span class="points">{_number(its)} of {_number(one.most)}</span>'
        answer = f"<details><summary>Your answer</summary><pre>{html.escape(one.answer)}</pre></details>" if one.answer else ""
        if 0 < sum(one.verdict.parts.values()) < len(one.verdict.parts) and assignment.partial:
            notes += "<p>Of the points for right parts, what a guess would get is taken off.</p>"
        parts.append(f"<section>{points}{said}{notes}{answer}{_picture(one.verdict.outcome, exercise)}</section>")
    return _page(f"{assignment.name}: {who}", "\n".join(parts))


MOST_PROBLEMS = 30
SLOWED = "{} ran into a limit of time beside {}. Graded again alone it came out otherwise, and that counts. Look at it, and at those."
PUT_OFF_NOW = "{} ran into a limit of time beside others. There was no time to grade each again alone: {}. The same command does it."
NAMED = "{} is named in the assignment's file, and is not there."  # by none of the names that are known
SEVERAL = "The assignment's file names {}, and there are {}: say which."
NOTHING = "The assignment's file names {}, who handed in nothing: enter points for that on your platform."


def remarks(results: list[Graded], made: dict[str, Mark], assignment: Assignment, about: Class) -> list[str]:
    """Sentences about the run, for the terminal and for the report."""
    totals = [mark.score for mark in made.values() if mark.score is not None and mark.graded is not None and mark.graded.handed_in]
    known = about.times_known or any(graded.time for graded in results)
    lines = [handed_in(results, about.roster) + f" {texts.count(sum(g.late for g in results), 'notebook')} came late." * known]
    if totals:
        middle = f"mean {statistics.fmean(totals):.1f}, median {statistics.median(totals):.1f} of {_number(assignment.total)} points"
        lines.append(f"Of those with a notebook that counts: {middle}.")
    lines += [*about.notes, *_about_times(assignment, about, made), *slowed(results)]
    over = [(student, mark.score) for student, mark in made.items() if not 0.0 <= (mark.score or 0.0) <= assignment.total]
    lines += [f"{student} has {_number(score or 0.0)} of {_number(assignment.total)} points." for student, score in over]
    absent = {name for person in platforms.missing(about.roster, results) for name in (person.student, person.name)}
    for student in unknown_students(assignment, set(made)):
        several = sorted(platforms.called(student, about.roster, results))
        nobody = (NOTHING if student in absent else NAMED).format(student)
        lines.append(SEVERAL.format(student, ", ".join(several)) if len(several) > 1 else nobody)
    return lines


def handed_in(results: list[Graded], roster: platforms.Roster | None = None) -> str:
    """How many students handed in how much, in a sentence, and how many more the list of the class has."""
    students, notebooks = {g.student for g in results}, [g.student for g in results if g.handed_in]
    some = len(set(notebooks))
    absent = len(platforms.missing(roster, results)) if roster else 0
    more = f" The list of the class has {absent} more, who handed in nothing." if absent else ""
    return (
        f"{texts.count(len(students), 'student')}: {some} handed in a notebook ({texts.count(len(notebooks), 'notebook')}), "
        f"{len(students) - some} no notebook.{more}"
    )


def slowed(results: list[Graded]) -> list[str]:
    """Sentences about who ran into a limit of time, as a neighbour may have caused."""
    told = [SLOWED.format(g.student, ", ".join(g.beside)) for g in results if g.again == OTHERWISE]
    waiting = [f"{g.student} (beside {', '.join(g.beside)})" for g in results if g.again == PUT_OFF]
    return told + [PUT_OFF_NOW.format(texts.count(len(waiting), "notebook"), ", ".join(waiting))] * bool(waiting)


def _picture(outcome: str, exercise: Exercise) -> str:
    if outcome == PASSED:
        return ""
    hint = exercise.hints[1]
    what = "A picture that helps" if "```" in hint or "![" in hint else "A second hint"
    return f"<details><summary>{what}</summary>{render.markdown(hint)}</details>"


def _bar(pieces: list[tuple[float, str]], whole: float) -> str:
    spans = "".join(f'<span style="width:{100 * n / whole:.1f}%;background:{colour}"></span>' for n, colour in pieces if n and whole)
    return f'<div class="bar" aria-hidden="true">{spans}</div>'


def report(
    results: list[Graded], made: dict[str, Mark], assignment: Assignment, names: dict[int, str], about: Class, changes: list[str]
) -> str:
    """The class: which exercises were hard, which known mistakes were common, what was not graded, and what needs a human eye."""
    counted = [mark.graded for mark in made.values() if mark.graded is not None and mark.graded.handed_in]
    totals = [mark.score for mark in made.values() if mark.score is not None and mark.graded is not None and mark.graded.handed_in]
    n = len(counted)
    parts = [f"<h1>{html.escape(assignment.name)}: the class</h1>"]
    parts += [f"<p>{html.escape(line)}</p>" for line in remarks(results, made, assignment, about)]
    if changes:
        parts.append(f"<h2>What changed since the last run</h2>{_items(changes)}")
    parts.append(f'<p><a href="#everybody">Each student\'s points and page</a></p>{_distribution(totals, assignment.total)}')
    parts.append("<h2>How hard the exercises were</h2><table><tr><th>Exercise</th><th></th><th>right</th><th>tried</th>")
    parts.append("<th>median</th><th>points</th><th>mistakes</th></tr>")
    rows = []
    mistakes = Counter((s.id, s.verdict.mistake) for g in counted for s in g.scores if s.verdict.mistake)
    for id, exercise in assignment.exercises.items():
        scores = [s for g in counted for s in g.scores if s.id == id]
        outcomes = Counter(s.verdict.outcome for s in scores)
        tried = n - outcomes[NOT_ATTEMPTED]
        bar = _bar([(outcomes[o], colour) for o, colour in OUTCOMES.items()], n)
        points = [made[g.student].by_hand.get(id, s.points) for g in counted for s in g.scores if s.id == id]
        spread = ", ".join(f"{_number(p)} × {k}" for p, k in sorted(Counter(points).items(), reverse=True)[:6])
        common = ", ".join(f"{html.escape(name)} × {k}" for (its, name), k in mistakes.most_common() if its == id)
        median = _number(statistics.median(points)) if points else ""
        cells = (f"{id} {html.escape(exercise.title)}", bar, f"{outcomes[PASSED]} of {n}", str(tried), median, spread, common)
        rows.append((outcomes[PASSED], "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"))
    parts += [row for _, row in sorted(rows, key=lambda r: r[0])]
    legend = " · ".join(f'<span style="color:{colour}">■</span> {html.escape(outcome)}' for outcome, colour in OUTCOMES.items())
    parts.append(f"</table><p>{legend}</p><h2>Mistakes that were common</h2>")
    if mistakes:
        parts.append("<table><tr><th>Exercise</th><th>Mistake</th><th></th><th>students</th></tr>")
        for (id, name), count in sorted(mistakes.items(), key=lambda m: (-m[1], m[0])):
            exercise = assignment.exercises[id]
            hint = {**exercise.wasteful, **exercise.mistakes}[name].hint
            told = f"<details><summary>{html.escape(name)}</summary>{render.markdown(hint)}</details>"
            parts.append(f"<tr><td>{id}</td><td>{told}</td><td>{_bar([(count, OUTCOMES[KNOWN])], n)}</td><td>{count}</td></tr>")
        parts.append("</table>")
    else:
        parts.append("<p>None that is known.</p>")
    odd = [g for g in results if any(ATTACK.match(problem) for problem in g.problems)]
    others = [g for g in results if g.problems and g not in odd]
    parts.append(f"<h2>Notebooks that look odd</h2>{_troubles(odd) or '<p>None.</p>'}<h2>What could not be read or run</h2>")
    parts.append(_troubles(others) or "<p>Nothing.</p>")
    if others:
        parts.append("<p>Where a cell failed, the functions below that line and the other cells were judged all the same.</p>")
    same = alike.alike(counted, assignment.exercises)
    if same:
        parts.append("<h2>Answers that are alike</h2><p>This proves nothing. Short answers are left out, and fewer than three.</p>")
        parts.append(_items(same))
    left = [f"{one.path}{f' ({one.student})' if one.student else ''}: {one.why}." for one in [*_others(results, made), *about.left]]
    if left:
        parts.append(f"<h2>What was not graded, or does not count</h2>{_items(left)}")
    missing = platforms.missing(about.roster, results)
    absent = [f"{person.name if person.alone else person.student} handed in nothing." for person in missing]
    absent += [f"{student} is not in the list of the class." for student in platforms.strangers(about.roster, results)]
    if absent:
        parts.append(f"<h2>The list of the class</h2>{_items(absent)}")
    parts.append(f'<h2 id="everybody">Each student</h2>{_everybody(results, made, names, missing)}')
    return _page(f"{assignment.name}: the class", "\n".join(parts))


def _everybody(results: list[Graded], made: dict[str, Mark], names: dict[int, str], missing: list[platforms.Person]) -> str:
    """A table of all students, with the way to their pages."""
    rows = []
    for student, mark in made.items():
        all_of = [graded for graded in results if graded.student == student]
        graded = mark.graded or all_of[-1]
        points = "" if mark.score is None else _number(mark.score)
        link = {one.attempt: urllib.parse.quote(f"feedback/{names[id(one)]}") for one in all_of}
        others = "".join(f' <a href="{page}">({attempt})</a>' for attempt, page in link.items() if attempt != graded.attempt)
        who, note = html.escape(student), html.escape(_note(mark, graded)[:300])
        rows.append(f'<tr><td><a href="{link[graded.attempt]}">{who}</a>{others}</td><td>{points}</td><td>{note}</td></tr>')
    rows += [f"<tr><td>{html.escape(person.student)}</td><td></td><td>Nothing was handed in.</td></tr>" for person in missing]
    return f"<table><tr><th>Student</th><th>points</th><th>note</th></tr>{''.join(rows)}</table>"


def _troubles(results: list[Graded]) -> str:
    told = [(g.student, g.path, " ".join(sorted(g.problems, key=lambda p: not ATTACK.match(p)))[:600]) for g in results]
    lines = [(html.escape(who), f" ({html.escape(path)})" * bool(path), html.escape(what)) for who, path, what in told]
    items = [f"<li><b>{who}</b>{path}: {what}</li>" for who, path, what in lines]
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _items(lines: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{html.escape(line)}</li>' for line in lines)}</ul>"


def _others(results: list[Graded], made: dict[str, Mark]) -> list[Left]:
    """The notebooks that are graded and do not count."""
    found = []
    for graded in results:
        mark = made[graded.student]
        if graded.handed_in and mark.graded is not graded:
            why = "it came after the deadline, and is kept apart" if mark.graded is None or graded.late else (
                f"it has {_number(graded.total)} of the points, but {mark.graded.path} counts, with {_number(mark.graded.total)}"
            )  # fmt: skip
            found.append(Left(graded.student, graded.path, why))
    return found


def _about_times(assignment: Assignment, about: Class, made: dict[str, Mark]) -> list[str]:
    """Whether the deadline could be applied."""
    if assignment.deadline is None and not any("deadline" in own for own in assignment.students.values()):
        return []
    untimed = [student for student, mark in made.items() if mark.graded is not None and mark.graded.handed_in and not mark.graded.time]
    if not untimed:
        return []
    marked = " but where Canvas marks a file as late" if about.times_known and about.layout == "Canvas" else ""
    whom = "anybody" if len(untimed) == sum(mark.graded is not None and mark.graded.handed_in for mark in made.values()) else (
        texts.count(len(untimed), "student")
    )  # fmt: skip
    own = " Extensions have no effect for them." * any("deadline" in its for its in assignment.students.values())
    sheet = " Moodle's worksheet has times; they are not read." if about.roster.platform == MOODLE else ""
    return [
        f"The deadline was not applied to {whom}{marked}: nothing that can be trusted says when they handed in.{sheet}{own}"
    ]


def _distribution(totals: list[float], whole: float) -> str:
    """How many have how much, in tenths of all points."""
    if not totals or not whole:
        return ""
    tenths = Counter(min(9, max(0, int(10 * total / whole))) for total in totals)
    rows = [
        f"<tr><td>{10 * k} to {10 * k + 10} %</td><td>{_bar([(tenths[k], OUTCOMES[PASSED])], max(tenths.values()))}</td>"
        f"<td>{tenths[k]}</td></tr>"
        for k in range(9, -1, -1)
    ]
    return f"<table><tr><th>of all points</th><th></th><th>students</th></tr>{''.join(rows)}</table>"
