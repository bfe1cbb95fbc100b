"""Numbers that a page computes, for its prose."""

from __future__ import annotations

from typing import Any


def glue(name: str, value: Any, spec: str = "") -> None:
    """Store a value under a name; the prose shows it with ``{glue:text}``.

    The output has the form of ``myst_nb.glue``, so that a page needs that package to be built and not to be run. A
    notebook, whose text cannot show it, prints it under its name; a page of the book does not.

    Args:
        name: unique on the page.
        value: a number or a text.
        spec: how it is written, as in ``format(value, spec)``.
    """
    from IPython.display import publish_display_data

    # As a quoted text: MyST-NB would read 2,350 as a tuple and 0.90 as 0.9.
    prefix = "application/papermill.record/"
    text = format(value, spec)
    publish_display_data(  # type: ignore[no-untyped-call]
        {f"{prefix}text/plain": repr(text), "text/plain": f"{name} = {text}"},
        metadata={"scrapbook": {"name": name, "mime_prefix": prefix}},
    )
