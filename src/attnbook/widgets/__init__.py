"""Widgets that work on static pages, without a kernel: one module each."""

from attnbook._internal.optional import needs

with needs("widgets"):
    import anywidget  # noqa: F401  # base class of every widget
