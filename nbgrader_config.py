"""Settings of nbgrader: `nbgrader generate_assignment 04-name` makes exercises/ from solutions/.

The release equals the template that tools/build.py writes, cell for cell: sources, ids and metadata.
tests/grading/test_nbgrader.py compares the two.
"""

from nbgrader import preprocessors as p
from nbgrader.preprocessors import NbGraderPreprocessor

c = get_config()  # noqa: F821  (nbgrader defines it)


class Release(NbGraderPreprocessor):
    """What nbgrader leaves and a learner should not see."""

    def preprocess(self, nb, resources):
        nb.cells = [cell for cell in nb.cells if "explanation" not in cell.metadata.get("tags", [])]
        for cell in nb.cells:
            if cell.metadata.get("nbgrader", {}).get("solution"):
                # Where the starter stands before the solution's region, the stub is one `...` too many.
                cell.source = cell.source.removesuffix("\n...")
            for volatile in ("checksum", "cell_type"):  # kept in the gradebook, where grading reads them
                cell.metadata.get("nbgrader", {}).pop(volatile, None)
        return nb, resources


c.CourseDirectory.course_id = "autograd"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "exercises"
c.ClearSolutions.code_stub = {"python": "..."}
c.GenerateAssignment.preprocessors = [
    p.LockCells,
    p.ClearSolutions,
    p.ClearOutput,
    p.CheckCellMetadata,
    p.ComputeChecksums,
    p.SaveCells,
    p.ClearHiddenTests,
    p.CheckCellMetadata,
    Release,
]
# The answers to the capstone are files; where nbgrader's own autograder runs, it must not put the blank ones in their place.
c.Autograde.exclude_overwriting = {"16-capstone": ["my_engine.py", "my_facts.py"]}
