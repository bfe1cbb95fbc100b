"""Widgets that stay alive on the static page."""

from attnbook.extras import needs

with needs("widgets"):
    from attnbook.widgets.attention_map import AttentionMap
    from attnbook.widgets.attention_view import AttentionView
    from attnbook.widgets.from_weights import attention_view
    from attnbook.widgets.translate_view import TranslateView

__all__ = ["AttentionMap", "AttentionView", "TranslateView", "attention_view"]
