#!/bin/sh
# Make .venv and install the course into it: tools/setup.sh EXTRA, where EXTRA is course, test or dev.
# Does nothing when that has been done, for this pyproject.toml and in this folder. PYTHON=… chooses the Python.
set -eu
cd "$(dirname "$0")/.."
extra=$1
stamp=".venv/.installed-$extra"
now="$(pwd) $(cksum < pyproject.toml)"
[ "$(cat "$stamp" 2>/dev/null)" = "$now" ] && exit 0

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

python=
for candidate in ${PYTHON:+"$PYTHON"} .venv/bin/python python3 python3.13 python3.12 python3.11 python; do
    if new_enough "$candidate"; then python=$candidate; break; fi
done
if [ -z "$python" ]; then
    found=$(python3 --version 2>/dev/null || python --version 2>/dev/null || echo "no Python at all")
    echo "This course needs Python 3.11 or newer, and found $found: install a newer one, or name it: make lab PYTHON=/path/to/python3" >&2
    exit 1
fi

echo "Setting up .venv for $("$python" --version) (once, about a minute) ..."
with_uv() {
    command -v uv >/dev/null || return 1
    [ -x .venv/bin/python ] || uv venv --quiet --seed --python "$python" .venv || return 1
    uv pip install --quiet --compile-bytecode --python .venv/bin/python --editable ".[$extra]"
}
with_pip() {
    # pip's own message is the clearest there is (on Debian it names the package python3-venv).
    [ -x .venv/bin/python ] || "$python" -m venv .venv
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[$extra]"
}
with_uv || with_pip
printf '%s' "$now" > "$stamp"
