"""The real page of GMiniWoB-v0: a site as one HTML document with the style and script that it brings along.

For people there is a second one around it, which tells the instruction and how it goes.
"""

from procgen_bench.envs.web.page.document import site_document
from procgen_bench.envs.web.page.play_document import play_document

__all__ = ["play_document", "site_document"]
