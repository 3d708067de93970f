"""The documentation's site: ``make docs``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # its extension

from procgen_bench import __version__

project = "procgen_bench"
author = copyright = "the procgen_bench authors"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "generated_pages"]
exclude_patterns = ["_build", "results/*/*.md"]
myst_enable_extensions = ["attrs_inline", "attrs_block", "colon_fence"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"show-inheritance": True}
python_use_unqualified_type_names = True
napoleon_use_ivar = True
strip_signature_backslash = True  # so that arguments whose names end in an underscore are no links
toc_object_entries = False
html_theme = "furo"
html_title = "procgen_bench"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["copy.js"]
html_copy_source = html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
highlight_language = "none"
pygments_style, pygments_dark_style = "tango", "github-dark"
