"""Answers that are alike: nothing is proved by it, but a person should look."""

from __future__ import annotations

import ast
import hashlib
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable

from minigrad.course.exercise import Exercise
from minigrad.course.grading.grade import Graded
from minigrad.course.grading.names import seen_in
from minigrad.course.judge import NOT_ATTEMPTED, PASSED

SHORTEST = 40  # characters of an answer without its docstring, below which being alike means nothing
MOST_PAIRS = 40


def alike(graded: Iterable[Graded], exercises: dict[str, Exercise]) -> list[str]:
    """Sentences about students whose answers are the same, name by name, where most others' are not."""
    given = {id: _print(_source(exercise), exercise.name) for id, exercise in exercises.items()}
    by_answer: dict[tuple[str, str], list[str]] = defaultdict(list)
    tried: Counter[str] = Counter()
    wrong: dict[tuple[str, str], list[str]] = defaultdict(list)
    published: dict[str, list[str]] = defaultdict(list)
    count = 0
    for one in graded:
        count += 1
        for score in one.scores:
            if score.verdict.outcome == NOT_ATTEMPTED or not score.answer:
                continue
            mark = _print(score.answer, exercises[score.id].name)
            if not mark:
                continue
            if mark == given[score.id]:
                published[one.student].append(score.id)
                continue
            tried[one.student] += 1
            by_answer[score.id, mark].append(one.student)
            if score.verdict.outcome != PASSED and not score.verdict.mistake:
                wrong[score.id, mark].append(one.student)
    told = []
    pairs: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (id, _), students in by_answer.items():
        if 2 <= len(students) <= max(3, count // 2) and len(students) <= 12:
            for pair in itertools.combinations(sorted(set(students)), 2):
                pairs[pair].append(id)
    for (a, b), ids in sorted(pairs.items(), key=lambda p: (-len(p[1]), p[0]))[:MOST_PAIRS]:
        if len(ids) >= 3 and len(ids) >= 0.8 * min(tried[a], tried[b]):
            told.append(f"{a} and {b} have the same answers, word for word: {', '.join(sorted(ids))}.")
    for (id, _), students in sorted(wrong.items()):
        if 2 <= len(set(students)) <= 6:
            told.append(f"{id}: {', '.join(sorted(set(students)))} have the same wrong answer.")
    copied = [(student, ids) for student, ids in sorted(published.items()) if len(ids) >= 3]
    told += [f"{student} has the published solution's answers, word for word: {', '.join(ids)}." for student, ids in copied]
    return told[:MOST_PAIRS]


def _source(exercise: Exercise) -> str:
    """The published answer."""
    try:
        return "" if exercise.is_value or exercise.names_a_file else exercise.reference_source()
    except (OSError, TypeError):
        return ""


def _print(source: str, name: str) -> str:
    """What an answer comes to without layout, comments and docstring; empty where it is none, or too short to tell."""

    def look(tree: ast.Module) -> str:
        found = [s for s in tree.body if getattr(s, "name", "") == name and isinstance(s, ast.FunctionDef | ast.ClassDef)]
        bodies = [one.body[ast.get_docstring(one) is not None :] for one in found[-1:]]
        return "\n".join(ast.unparse(statement) for body in bodies for statement in body)

    text = seen_in(source, look, "")
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() if len(text) >= SHORTEST else ""
