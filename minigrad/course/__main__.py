"""python -m minigrad.course: the course from a terminal."""

from __future__ import annotations

import argparse
import sys


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code is 0 when all is well, 1 when something is not, 2 for a wrong command."""
    parser = argparse.ArgumentParser(prog="python -m minigrad.course", description="The course from a terminal.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    start = commands.add_parser("start", help="copy a chapter's exercises into work/")
    start.add_argument("chapter")
    start.add_argument("--again", action="store_true", help="keep the old copy and put a new one beside it")
    commands.add_parser("status", help="show what is solved")
    check = commands.add_parser("check", help="check your answers to a chapter")
    check.add_argument("chapter")
    check.add_argument("path", nargs="?", help="the notebook (default: your copy in work/)")
    commands.add_parser("hint", help="show the next hint").add_argument("id")
    commands.add_parser("solution", help="show the answer, once you have tried").add_argument("id")
    commands.add_parser("doctor", help="say what is missing on this machine, and what works without it")
    options = parser.parse_args(arguments)

    if options.command == "doctor":  # needs nothing, not even NumPy
        from minigrad.course import doctor

        return doctor.main()
    from minigrad import course
    from minigrad.course import terminal

    if options.command == "start":
        return terminal.start(options.chapter, options.again)
    if options.command == "check":
        return terminal.check(options.chapter, options.path)
    if options.command == "status":
        course.progress()
    else:
        getattr(course, options.command)(options.id)
    return 0


if __name__ == "__main__":
    sys.exit(main())
