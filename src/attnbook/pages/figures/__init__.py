"""Figures on pages: SVG for light and dark themes, and rearranged for narrow screens."""
