"""Widgets that stay alive on the static page: one module each."""

from attnbook._internal.optional import needs

with needs("widgets"):
    import anywidget  # noqa: F401  # what every widget is
