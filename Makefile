# Every target sets up what it needs in .venv; PYTHON=/path/to/python3 chooses the Python.
# All paths are relative: the folder's own path may hold spaces and any letters.
.DEFAULT_GOAL := help
.PHONY: help lab test test-all processors notebooks check-notebooks strict site pictures lint clean
export PYTHON

SETUP := @sh tools/setup.sh
PY := .venv/bin/python

help:  ## Say what there is
	@grep -E '^[a-z-]+: .*##' Makefile | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 24

lab:  ## Open JupyterLab on the first page of the course
	$(SETUP) course
	@$(PY) tools/lab.py $(ARGS)

test:  ## Run the tests, in two minutes
	@start=$$(date +%s); sh tools/setup.sh test && ready=$$(date +%s) && echo "set-up: $$((ready - start)) s" && \
	$(PY) -m pytest -p no:nbval -n 3 --dist worksteal -m "not beyond" $(ARGS); \
	status=$$?; test -z "$$ready" || echo "tests: $$(($$(date +%s) - ready)) s"; exit $$status

test-all:  ## Run every test of a commit; wants torch, nbgrader, distributed, the extra site, playwright, Chromium, bubblewrap, npm and dot too
	$(SETUP) test
	@echo "What is not installed is skipped, and the last lines say what: .venv/bin/python -m pip install \\"
	@echo "  -e '.[instructor,dask,site]' torch==2.13.0 playwright; and from the system chromium, bubblewrap, npm, graphviz."
	$(PY) -m pytest -p no:nbval -n 3 --dist worksteal -m "not weekly" $(ARGS)

PROCESSORS ?= oldest,Haswell
processors:  ## Run the engine's tests as if on other processors: PROCESSORS=oldest,Haswell
	$(SETUP) test
	$(PY) tools/processors.py --only "$(PROCESSORS)" -- $(PY) -m pytest -q -n 2 -m "not beyond" tests/engine

notebooks:  ## Build the notebooks whose sources changed
	$(SETUP) test
	$(PY) tools/build.py $(ARGS)

check-notebooks:  ## Fail when the cells of a committed notebook are not those of its source; runs nothing
	$(SETUP) test
	$(PY) tools/build.py --check

strict:  ## Run every notebook and compare each output and drawing with the stored one
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
	$(PY) -m ruff format --check minigrad/core minigrad/fast.py minigrad/around minigrad/compat
	$(PY) -m mypy

clean:  ## Remove the environment and the caches; your answers in work/ stay
	rm -rf .venv .cache build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
