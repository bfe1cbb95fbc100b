"""The text of references between chapters: "chapter 5", "section 8.3", "chapters 4 and 5"."""

from __future__ import annotations

from bookkit.notebook.index import Index, slug

Piece = str | tuple[str, str]  # plain text, or the text and the target of a link


class UnknownReference(ValueError):
    """The target of a reference has no number."""


def pieces(index: Index, content: str, *, capital: bool) -> list[Piece]:
    """The text of a reference, in pieces.

    Args:
        index: pages and labels of the book.
        content: content of the role: pages such as ``05-luong``, or labels of sections or of figures in them,
            separated by commas.
        capital: begin with a capital letter, as at the start of a sentence.

    Raises:
        UnknownReference: a target has no number, or chapters and sections are mixed.
    """
    targets = [target.strip() for target in content.split(",")]
    found = [_find(index, target) for target in targets]
    kinds = {kind for kind, _, _ in found}
    if len(kinds) != 1:
        raise UnknownReference(f"chap must name chapters or sections, not both, got {content!r}")
    word = kinds.pop().capitalize() if capital else kinds.pop()
    if len(found) == 1:
        return [(f"{word} {found[0][1]}", found[0][2])]
    parts: list[Piece] = [f"{word}s "]
    for place, (_, number, target) in enumerate(found):
        if place:
            parts.append(" and " if place == len(found) - 1 else ", ")
        parts.append((number, target))
    return parts


def _find(index: Index, target: str) -> tuple[str, str, str]:
    """Kind, number and full target of a page or label."""
    for page in index.pages.values():
        if target in (page.name, slug(page.name)) and page.number:
            return "chapter", page.number, page.name
    label = index.labels.get(target)
    if label is not None and label.kind != "formula" and "." in label.section:
        return "section", label.section, target
    raise UnknownReference(f"chap must name a numbered chapter or a label in a section of one, got {target!r}")
