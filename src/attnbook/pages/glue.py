"""Show numbers that a page computes in its prose."""

from __future__ import annotations

from typing import Any


def glue(name: str, value: Any, spec: str = "") -> None:
    """Store a value under a name; the prose shows it with ``{glue:text}``.

    The output has the format of ``myst_nb.glue``, so that only building a page requires that package, not running it.
    The text of a notebook cannot show the value, so a notebook prints it with its name; a page of the book does not.

    Args:
        name: unique on the page.
        value: a number or a string.
        spec: format specification, as in ``format(value, spec)``.
    """
    from IPython.display import publish_display_data

    # Quoted: MyST-NB would read 2,350 as a tuple and 0.90 as 0.9.
    prefix = "application/papermill.record/"
    text = format(value, spec)
    publish_display_data(  # type: ignore[no-untyped-call]
        {f"{prefix}text/plain": repr(text), "text/plain": f"{name} = {text}"},
        metadata={"scrapbook": {"name": name, "mime_prefix": prefix}},
    )
