"""Read the article of a finished page with lxml: Beautiful Soup takes thirty times as long."""

from __future__ import annotations

from html import escape
from typing import Any

from lxml.cssselect import CSSSelector
from lxml.html import document_fromstring, tostring

ARTICLE = CSSSelector("article.bd-article")


def read_article(html: str, without: CSSSelector) -> Any:
    """Return the article of a page as an lxml element, without the elements that a selector matches."""
    article = ARTICLE(document_fromstring(html))[0]
    for element in without(article):
        element.drop_tree()
    return article


def inner_html(element: Any) -> str:
    """Return the HTML between an element's tags."""
    children = (tostring(child, encoding="unicode") for child in element)
    return escape(element.text or "", quote=False) + "".join(children)
