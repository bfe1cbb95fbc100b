"""A language model that generates text in the page, and speculative decoding with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import traitlets
from torch import Tensor

from attnbook._internal.validate import check_range, check_type, is_integer, is_number
from attnbook.data import BOS
from attnbook.data.grammar import tokenize
from attnbook.widgets.base import BaseWidget, bundle, plain
from attnbook.widgets.language_page import LanguagePage, next_distribution, read_language_model
from attnbook.widgets.layout import encodable

BARS = 8
TOP_K = (1, 2, 3, 5, 10, 20, 50, 0)
DRAFTS = ("bigram", "uniform", "itself")
TEMPERATURES = (0.1, 2.0)
SEEDS = (1, 50)
MOST_AHEAD = 5


class WriteView(BaseWidget):
    """A language model that generates text in the page, with the next token's distribution and the attention.

    The model runs in the browser, with neither kernel nor network. The reader chooses or types a prompt, changes the
    distribution with temperature, top-k and top-p, samples tokens with a seeded generator, and sees for every token
    the distribution after it and its attention.

    Args:
        content: what `export_language_model` returned.
        prompts: prompts to choose from, words separated by spaces; the first is shown first.
        temperature: initial temperature, from 0.1 to 2.
        top_k: initial number of tokens kept, one of ``TOP_K``; 0 keeps all.
        top_p: initial total probability that the kept tokens reach, from 0.05 to 1.
        seed: initial seed of the sampling, from 1 to 50.

    Raises:
        ValueError: a number is out of range, there is no prompt, or a prompt has a word that the model does not know.
        TypeError: ``content`` is not bytes.
        PageError: ``content`` is damaged.
    """

    _esm = bundle("language_view")
    content = traitlets.Bytes().tag(sync=True)
    prompts = traitlets.List(traitlets.Unicode()).tag(sync=True)
    prompt = traitlets.Unicode().tag(sync=True)
    temperature = traitlets.Float().tag(sync=True)
    top_k = traitlets.Int().tag(sync=True)
    top_p = traitlets.Float().tag(sync=True)
    seed = traitlets.Int().tag(sync=True)

    def __init__(
        self,
        content: bytes,
        prompts: Sequence[str] = ("",),
        *,
        temperature: float = 1.0,
        top_k: int = 0,
        top_p: float = 1.0,
        seed: int = 1,
    ) -> None:
        page = _open(content)
        prompts = [encodable(prompt) for prompt in prompts]
        check_range("prompts", prompts, len(prompts) > 0, "one prompt or more")
        ids = [_encode(page, prompt) for prompt in prompts]
        _check_numbers(temperature=temperature, seed=seed)
        check_range("top_k", top_k, is_integer(top_k) and top_k in TOP_K, f"one of {TOP_K}")
        check_range("top_p", top_p, is_number(top_p) and 0.05 <= top_p <= 1, ">= 0.05 and <= 1")
        self._likeliest = _likeliest(page, next_distribution(page.model, ids[0]))
        names = ", ".join(f"{token} {100 * p:.0f} %" for token, p in self._likeliest[:4])
        super().__init__(
            content=content,
            prompts=prompts,
            prompt=prompts[0],
            temperature=float(temperature),
            top_k=int(top_k),
            top_p=float(top_p),
            seed=int(seed),
            alt=f"What a language model expects after {_quoted(prompts[0])}: {names}.",
        )

    def draw(self, axes: Any) -> None:
        _draw_bars(axes, self._likeliest, f"probability after {_quoted(self.prompt)}")


class SpeculateView(BaseWidget):
    """Speculative decoding in the page: each guess of a small draft model, and whether the large model accepts it.

    A pass shows each guess's probability under the draft and under the large model, the random number, and the result;
    then how many guesses were accepted so far, and the tokens per pass of the large model (Leviathan et al. 2023).

    Args:
        content: what `export_language_model` returned for a model with a draft.
        prompt: words separated by spaces.
        ahead: initial number of guesses per pass, from 1 to 5.
        draft: initial draft: "bigram", the draft in ``content``; "uniform"; or "itself", the large model.
        temperature: initial temperature of both models, from 0.1 to 2.
        seed: initial seed of the sampling, from 1 to 50.

    Raises:
        ValueError: a number is out of range, ``draft`` is unknown, ``prompt`` has a word that the model does not know,
            or ``content`` has no draft.
        TypeError: ``content`` is not bytes.
        PageError: ``content`` is damaged.
    """

    _esm = bundle("language_view")
    content = traitlets.Bytes().tag(sync=True)
    prompt = traitlets.Unicode().tag(sync=True)
    ahead = traitlets.Int().tag(sync=True)
    draft = traitlets.Unicode().tag(sync=True)
    temperature = traitlets.Float().tag(sync=True)
    seed = traitlets.Int().tag(sync=True)

    def __init__(
        self,
        content: bytes,
        prompt: str = "",
        *,
        ahead: int = 4,
        draft: str = "bigram",
        temperature: float = 1.0,
        seed: int = 1,
    ) -> None:
        page = _open(content)
        if page.draft is None:
            raise ValueError("content must be the export of a model with a draft, got one without a draft")
        prompt = encodable(prompt)
        ids = _encode(page, prompt)
        _check_numbers(temperature=temperature, seed=seed)
        check_range("ahead", ahead, is_integer(ahead) and 1 <= ahead <= MOST_AHEAD, f">= 1 and <= {MOST_AHEAD}")
        check_range("draft", draft, draft in DRAFTS, f"one of {DRAFTS}")
        large = next_distribution(page.model, ids)
        guessed = page.draft[ids[-1]] / page.draft[ids[-1]].sum()
        kept = 100 * float(large.minimum(guessed).sum())
        self._large = _likeliest(page, large)
        self._guessed = guessed[large.argsort(descending=True)[:BARS]].tolist()
        guesses = f"A bigram draft guesses the token after {_quoted(prompt)}"
        super().__init__(
            content=content,
            prompt=prompt,
            ahead=int(ahead),
            draft=draft,
            temperature=float(temperature),
            seed=int(seed),
            alt=f"{guesses}; the large model keeps {kept:.0f} % of its guesses.",
        )

    def draw(self, axes: Any) -> None:
        _draw_bars(axes, self._large, f"probability after {_quoted(self.prompt)}")
        axes.plot(self._guessed, range(len(self._guessed)), "k|", markersize=12, label="draft")
        axes.legend()


def _open(content: bytes) -> LanguagePage:
    check_type("content", content, isinstance(content, bytes), "bytes")
    return read_language_model(content)


def _encode(page: LanguagePage, prompt: str) -> list[int]:
    known = {*page.vocabulary.words}
    tokens = [token for word in prompt.split() for token in ([word] if word in known else tokenize(word, "english"))]
    unknown = {*tokens} - known
    check_range("prompt", prompt, not unknown, "words of the vocabulary")
    return [BOS, *page.vocabulary.encode(tokens)]


def _check_numbers(*, temperature: float, seed: int) -> None:
    low, high = TEMPERATURES
    check_range(
        "temperature", temperature, is_number(temperature) and low <= temperature <= high, f">= {low} and <= {high}"
    )
    low, high = SEEDS
    check_range("seed", seed, is_integer(seed) and low <= seed <= high, f">= {low} and <= {high}")


def _likeliest(page: LanguagePage, p: Tensor) -> list[tuple[str, float]]:
    chance, token = p.sort(descending=True)
    return list(zip(page.vocabulary.pieces(token[:BARS].tolist()), chance[:BARS].tolist(), strict=True))


def _quoted(prompt: str) -> str:
    return f"“{prompt}”" if prompt else "the beginning of a text"


def _draw_bars(axes: Any, likeliest: list[tuple[str, float]], label: str) -> None:
    axes.barh(plain(token for token, _ in likeliest), [p for _, p in likeliest], color="tab:blue")
    axes.invert_yaxis()
    axes.set_xlabel(*plain([label]))
