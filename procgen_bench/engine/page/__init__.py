"""Self-contained HTML documents: what sites and the pages that a person uses have in common."""

from procgen_bench.engine.page.document import html_document, person_document

__all__ = ["html_document", "person_document"]
