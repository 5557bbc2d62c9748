"""Settings of Sphinx. The pages are put together by tools/site.py, which calls Sphinx; run that, or `make site`."""

import inspect
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import website  # noqa: E402

import minigrad  # noqa: E402

project, author, language = "minigrad", "the authors of minigrad", "en"
copyright = "the authors of minigrad. Code: MIT. Lessons, exercises and pictures: CC BY 4.0"
version = release = minigrad.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.mathjax", "sphinx.ext.napoleon"]
exclude_patterns = ["lite", "static", "Thumbs.db"]
nitpicky = False
default_role = "code"

# The notebooks were executed when they were built, and are shown as they are.
nb_execution_mode = "off"
nb_merge_streams = True
nb_code_prompt_show, nb_code_prompt_hide = "Show the {type}", "Hide the {type}"
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

# Names in signatures as a reader types them; nothing is imported from other hosts, and nothing is mocked.
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
add_module_names = False
python_use_unqualified_type_names = True
toc_object_entries = False

html_theme = "sphinx_book_theme"
html_title = "minigrad: a course on automatic differentiation"
html_static_path = [str(ROOT / "site" / "static"), str(ROOT / ".cache" / "site" / "static")]
html_css_files = ["site.css"]
html_js_files = ["print.js", "messages.js", "enlarge.js", "progress.js"]
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None
html_theme_options = {
    "logo": {"image_light": "_static/favicon.svg", "image_dark": "_static/favicon.svg", "text": "minigrad", "alt_text": "minigrad"},
    "show_toc_level": 2,
    "home_page_in_toc": True,
    "use_download_button": False,
    "use_fullscreen_button": False,
    "use_source_button": False,
    "show_navbar_depth": 1,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "secondary_sidebar_items": ["page-toc"],
    "navbar_persistent": [],
    "navbar_start": [],
    "navbar_center": [],
    "navbar_end": [],
}
html_context = {"default_mode": "auto"}
html_favicon = str(ROOT / "site" / "static" / "favicon.svg")
# MathJax comes with the site, and only to pages that have mathematics.
mathjax_path = "mathjax/tex-svg.js"
mathjax3_config = {"options": {"enableMenu": False}, "svg": {"fontCache": "local"}}

ADDRESS = re.compile(r"<(?:object|function|class)[^<>]*>")
LITERAL = re.compile(r"(``.+?``|`[^`]+`)")


def names_of_parameters(obj):
    try:
        return list(inspect.signature(obj).parameters)
    except (TypeError, ValueError):  # no function, or a class of Python's own
        return []


def plain_docstring(app, what, name, obj, options, lines):
    """Docstrings are plain text with ``code`` and examples: what reStructuredText would read into the rest is escaped."""
    if what == "module":
        lines.clear()
        return
    example = False
    for k, line in enumerate(lines):
        example = line.lstrip().startswith((">>>", "...")) or (example and bool(line.strip()))
        if not example:
            parts = LITERAL.split(line)
            parts[::2] = [re.sub(r"([*|])|(?<=\w)(_)(?!\w)", lambda m: "\\" + m[0], part) for part in parts[::2]]
            lines[k] = "".join(parts)
    lines[:] = website.with_parameters(lines, names_of_parameters(obj))
    if links := website.chapters_that_use(name):
        lines += ["", f"*In the course:* {links}", ""]


def plain_signature(app, what, name, obj, options, signature, return_annotation):
    """No addresses in memory: a default that only marks "not given" is shown as three dots."""
    if what == "class" and signature == "(iterable=(), /)":
        return "", None
    if signature:  # and no fields of our own
        signature = re.sub(r",( \*,)? _\w+(=\(\))?", "", ADDRESS.sub("...", signature))
    return signature, return_annotation


def skip(app, what, name, obj, skipped, options):
    """Members without a docstring of their own are not part of the reference, nor is what every layer says of its repr."""
    return True if not inspect.getdoc(obj) or name == "extra_repr" else None


def setup(app):
    app.connect("autodoc-process-docstring", plain_docstring, priority=900)
    app.connect("autodoc-process-signature", plain_signature)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
