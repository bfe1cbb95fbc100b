"""Widgets that stay alive on the static page."""

from attnbook.widgets.attention_view import AttentionView

__all__ = ["AttentionView"]
