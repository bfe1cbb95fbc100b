"""Widgets that stay alive on the static page."""
