"""What every room uses and no user imports: validation, atomic files, optional packages, pytrees."""
