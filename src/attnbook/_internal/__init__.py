"""Internal helpers of the other subpackages: validation, atomic files, optional packages, pytrees."""
