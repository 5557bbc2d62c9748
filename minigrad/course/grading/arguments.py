"""The arguments of the command, apart from all that needs NumPy."""

from __future__ import annotations

import argparse


def add(commands: argparse._SubParsersAction) -> None:
    """The command's arguments."""
    parser = commands.add_parser(
        "grade",
        help="grade a folder or an archive of submitted notebooks",
        description="Grade submitted notebooks: nbgrader's folders, any folder, or an archive of a learning platform.",
        epilog="Example: python -m minigrad.course grade submitted/ --assignment week4.toml",
    )
    parser.add_argument("place", metavar="FOLDER", help="the folder or the zip file with the submissions; nothing in it is changed")
    parser.add_argument("--assignment", metavar="FILE", help="a TOML file, or a chapter's number (default: that of the notebooks)")
    parser.add_argument("--output", metavar="FOLDER", help="where to write (default: grades/NAME OF THE ASSIGNMENT)")
    parser.add_argument("--roster", metavar="FILE", help="the class as CSV: Moodle's worksheet, Canvas's gradebook, or names")
    layouts = ["nbgrader", "Moodle", "Canvas", "plain"]
    parser.add_argument("--layout", choices=layouts, help="how FOLDER is laid out (default: as the names at its top say)")
    parser.add_argument("--seed", help="the secret from which inputs are drawn (default: a new one, kept in the output folder)")
    parser.add_argument("--seed-file", metavar="FILE", help="the file that holds the secret")
    workers = parser.add_mutually_exclusive_group()
    workers.add_argument("--jobs", type=int, help="how many processes grade (default: one for each core)")
    workers.add_argument("--dask", metavar="ADDRESS", help="grade on the Dask cluster with this scheduler, as tcp://host:8786")
    parser.add_argument("--fresh", action="store_true", help="grade also what was graded before")
    parser.add_argument("--pseudonyms", action="store_true", help="no names on the students' pages")
    parser.add_argument("--gradebook", metavar="FILE", help="write the scores into this gradebook of nbgrader's, as gradebook.db")
    parser.add_argument("--weak-isolation", action="store_true", help="grade also where answers cannot be shut in well")
