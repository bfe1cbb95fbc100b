"""The languages of the grammar and of the Tatoeba corpus."""

from __future__ import annotations

from typing import Literal

Target = Literal["french", "chinese"]
Language = Literal["english", "french", "chinese"]
