"""python -m minigrad.course: the course from a terminal."""

from __future__ import annotations

import argparse
import sys

from minigrad.course.grading import arguments as arguments_of_grade


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code is 0 when all is well, 1 when something is not, 2 for a wrong command."""
    parser = argparse.ArgumentParser(
        prog="python -m minigrad.course",
        description="The course from a terminal.",
        epilog="Example: python -m minigrad.course start 04",
    )
    subcommands = parser.add_subparsers(dest="command", metavar="COMMAND")
    start = subcommands.add_parser("start", help="copy a chapter's exercises into work/")
    start.add_argument("chapter", help="the number of the chapter, as 04")
    start.add_argument("--again", action="store_true", help="keep your copy under another name, and begin with a new one")
    start.add_argument("--upto", metavar="M3", help="for chapter 16: an engine that can do all up to this milestone; yours is kept")
    check = subcommands.add_parser("check", help="check your answers to a chapter")
    check.add_argument("chapter", help="the number of the chapter, as 04")
    check.add_argument("path", nargs="?", help="the notebook (default: your copy in work/)")
    subcommands.add_parser("status", help="show what is solved")
    subcommands.add_parser("hint", help="show the next hint").add_argument("id", help="the exercise, as 04.2")
    subcommands.add_parser("solution", help="show the answer, once you have tried").add_argument("id")
    explain = subcommands.add_parser("explain", help="say what an error message means")
    explain.add_argument("message", help="its text, a part of it, or the name in the note below it")
    report = subcommands.add_parser("report", help="print what to send when you believe that a check is wrong")
    report.add_argument("id", help="the exercise, as 04.2")
    report.add_argument("path", nargs="?", help="the notebook (default: your copy in work/)")
    facts = subcommands.add_parser("conformance", help="run the facts of the capstone against your engine")
    facts.add_argument("engine", nargs="?", default="my_engine.py", help="the file with your engine (default: %(default)s)")
    facts.add_argument(
        "--milestone", action="append", default=[], metavar="M3", help="only this one, or one fact, as M3.retain; may be given again"
    )
    facts.add_argument("--facts", default="my_facts.py", help="the file with your own facts, for M8 (default: %(default)s)")
    facts.add_argument("--seed", type=int, default=0, help="other random numbers")
    facts.add_argument("--show", metavar="FACT", help="print the program of a fact, as M2.bias, and what it should show")
    facts.add_argument("--bars", metavar="FILE.svg", help="draw the share of green facts by area")
    own = subcommands.add_parser("exercise", help="write the skeleton of an exercise of your own, or try one")
    own.add_argument("id", help="a chapter that the course has not, and a number, as 80.1")
    own.add_argument("title", nargs="?", help="of the new exercise; without one, the exercise is tried")
    own.add_argument("--folder", default=".", help="where its chapter's folder, as ch80, is or shall be (default: here)")
    subcommands.add_parser("doctor", help="say what is missing on this machine, and what works without it")
    arguments_of_grade.add(subcommands)
    options = parser.parse_args(arguments)

    if options.command is None:
        parser.print_help()
        return 2
    if options.command == "doctor":  # needs nothing, not even NumPy
        from minigrad.course.terminal import doctor

        return doctor.main()
    from minigrad import course
    from minigrad.course.notebook.check import find
    from minigrad.course.notebook.resume import next_step
    from minigrad.course.showing.render import say
    from minigrad.course.terminal import commands

    if options.command == "grade":
        from minigrad.course.grading import cli

        return cli.main(options)
    if options.command == "exercise":
        return commands.exercise(options.id, options.title, options.folder)
    if options.command == "start":
        return commands.start(options.chapter, options.again, options.upto)
    if options.command == "check":
        return commands.check(options.chapter, options.path)
    if options.command == "explain":
        course.explain(options.message)
        return 0
    if options.command == "conformance":
        return commands.conformance(options)
    if options.command == "status":
        course.progress()
        say(next_step()[0])
        return 0
    try:
        exercise = find(options.id)
    except LookupError as error:
        say(error.args[0])
        return 1
    if options.command == "report":
        return commands.check(exercise.chapter, options.path, exercise.id)
    (course.hint if options.command == "hint" else course.solution)(exercise.id)
    return 0


if __name__ == "__main__":
    sys.exit(main())
