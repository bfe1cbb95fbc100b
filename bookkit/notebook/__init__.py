"""A chapter as a notebook that stands alone."""
