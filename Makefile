# Every target sets up what it needs in .venv; PYTHON=/path/to/python3 chooses the Python.
# All paths are relative: the folder's own path may hold spaces and any letters.
.DEFAULT_GOAL := help
.PHONY: help lab test notebooks check-notebooks strict site pictures lint clean
export PYTHON

SETUP := @sh tools/setup.sh
PY := .venv/bin/python

help:  ## Say what there is
	@grep -E '^[a-z-]+: .*##' Makefile | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 24

lab:  ## Open JupyterLab on the first page of the course
	$(SETUP) course
	@$(PY) tools/lab.py $(ARGS)

test:  ## Run the tests
	$(SETUP) test
	$(PY) -m pytest -n 2 --dist worksteal $(ARGS)

notebooks:  ## Build the notebooks whose sources changed
	$(SETUP) test
	$(PY) tools/build.py $(ARGS)

check-notebooks:  ## Fail when a committed notebook is not what its source gives
	$(SETUP) test
	$(PY) tools/build.py --check

strict:  ## Run every notebook and compare each output with the stored one
	$(SETUP) test
	$(PY) -m pytest --nbval --nbval-current-env --nbval-sanitize-with tools/scrub.cfg \
		--nbval-cell-timeout=120 -n 2 --dist loadfile notebooks exercises solutions docs

site:  ## Build the website into build/site; PYODIDE=file gives its lab a Pyodide of its own
	$(SETUP) site
	$(PY) tools/website.py $(if $(PYODIDE),--pyodide "$(PYODIDE)") $(ARGS)

pictures:  ## Draw the picture of the README
	$(SETUP) course
	$(PY) tools/readme_picture.py

lint:  ## Check style and types
	$(SETUP) dev
	$(PY) -m ruff check .
	$(PY) -m mypy

clean:  ## Remove the environment and the caches; your answers in work/ stay
	rm -rf .venv .cache build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
