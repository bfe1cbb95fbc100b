"""Figures of pages: sharp at any size, light and dark, and laid out anew for narrow screens."""
