"""The real page of GMiniWoB-v0: a site as one HTML document, with the style and script that it brings along."""

from procgen_bench.envs.web.page.document import site_document

__all__ = ["site_document"]
