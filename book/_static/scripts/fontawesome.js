// In place of the theme's script of this name: 1.5 MB that draw icons which its web font draws as well.
