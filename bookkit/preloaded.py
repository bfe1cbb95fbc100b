"""Import what most pages need, in the process from which their kernels are forked."""

import os

os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"  # before Matplotlib is imported

import matplotlib.pyplot  # noqa: F401
import seaborn  # noqa: F401
import torch  # noqa: F401

import attnbook.pages.plots
import attnbook.widgets  # noqa: F401
import bookkit.run_notebook  # noqa: F401
