"""What the pages of the book need and nobody else: glued numbers, stored results, plots, colours, D2L."""
