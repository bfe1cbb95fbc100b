"""Translate a typed sentence with a trained model in the page, and change the model's attention."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import traitlets

from attnbook._internal.validate import check_range
from attnbook.attention.kernels import Attention
from attnbook.data import BOS, EOS, UNK, Vocabulary, grammar, tatoeba
from attnbook.data.languages import Language
from attnbook.models.base import EncoderDecoder
from attnbook.observe.recorder import record_attention
from attnbook.training.checkpoint import LoadedModel
from attnbook.widgets.base import BaseWidget, bundle, plain
from attnbook.widgets.layout import encodable
from attnbook.widgets.page_model import read_page

BEST = 5
LONGEST = 30  # ids of a translation
TIP = "press one of the buttons. Why does the translation change, or stay?"


class TranslateView(BaseWidget):
    """Translators that run in the page, with neither kernel nor network: one model per checkpoint of a training.

    In a built book the models are files next to the page, and each is loaded when a reader first needs it. Until then
    the page shows the translation of ``sentence`` that was recorded when the widget was created.

    Args:
        models: bytes from ``export_page`` by number of training steps; the last model is shown first.
        sentence: initial English sentence.
        target: language of the translation, "french" or "chinese".
        corpus: how text is cut into tokens: "grammar" or "tatoeba", as the models' training pairs were.
        title: of the widget.
        tip: what to try.
        name: key in the page's URL under which the reader's settings are kept; must be unique on a page.

    Raises:
        ValueError: there is no model, ``target`` or ``corpus`` is unknown, or the sentence has no word.
        TypeError: ``models`` is not a mapping.
        PageError: a model is damaged.
    """

    _esm = bundle("translate_view")
    weights = traitlets.List(traitlets.Bytes()).tag(sync=True)
    steps = traitlets.List(traitlets.Int()).tag(sync=True)
    modules = traitlets.List(traitlets.Dict()).tag(sync=True)
    config = traitlets.Dict().tag(sync=True)
    recorded = traitlets.Dict().tag(sync=True)
    sentence = traitlets.Unicode().tag(sync=True)
    target = traitlets.Unicode().tag(sync=True)
    corpus = traitlets.Unicode().tag(sync=True)
    capitals = traitlets.List(traitlets.Unicode()).tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    tip = traitlets.Unicode().tag(sync=True)
    name = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        models: Mapping[int, bytes],
        sentence: str,
        *,
        target: str = "french",
        corpus: str = "grammar",
        title: str = "A translator in your page",
        tip: str = TIP,
        name: str = "translate",
    ) -> None:
        if not isinstance(models, Mapping):
            raise TypeError(f"models must be a mapping from numbers of steps to models, got {type(models).__name__}")
        check_range("models", list(models), len(models) > 0, "a mapping with at least one model")
        tokenize, capitals = text_functions(corpus, target)
        sentence, title, tip, name = map(encodable, (sentence, title, tip, name))
        tokens = tokenize(sentence, "english")
        check_range("sentence", sentence, len(tokens) > 0, "a sentence of at least one word")
        steps = sorted(models)
        loaded = read_page(models[steps[-1]])
        recorded = record_translation(loaded, tokens)
        super().__init__(
            weights=[models[step] for step in steps],
            steps=steps,
            modules=_modules(loaded.model),
            config=loaded.model.config,
            recorded=recorded,
            sentence=sentence,
            target=target,
            corpus=corpus,
            capitals=capitals,
            title=title,
            tip=tip,
            name=name,
            alt=f"“{sentence}” translated: {' '.join(recorded['outcome']['target'])}. Shading: attention weights.",
        )

    def draw(self, axes: Any) -> None:
        rows, source = self.recorded["rows"], self.recorded["outcome"]["sourcePieces"]
        module = next(reversed(rows[0]["attention"]), None)
        if module is not None:
            weights = torch.tensor([row["attention"][module] for row in rows]).mean(1)
            axes.imshow(weights.sqrt(), cmap="Blues", vmin=0, vmax=1, aspect="auto")
        axes.set_xticks(range(len(source)), plain(source), rotation=45)
        axes.set_yticks(range(len(rows)), plain(row["piece"] for row in rows))


def text_functions(corpus: str, target: str) -> tuple[Callable[[str, Language], tuple[str, ...]], list[str]]:
    """Return the tokenizer of a corpus, and the words of the target language that are always capitalized.

    Raises:
        ValueError: ``corpus`` or ``target`` is unknown.
    """
    check_range("target", target, target in ("french", "chinese"), "'french' or 'chinese'")
    check_range("corpus", corpus, corpus in ("grammar", "tatoeba"), "'grammar' or 'tatoeba'")
    if corpus == "tatoeba":
        return tatoeba.tokenize, []
    return grammar.tokenize, sorted(grammar.capitals("french")) if target == "french" else []


def _modules(model: EncoderDecoder) -> list[dict[str, Any]]:
    """Name and number of heads of every attention module."""
    modules = ((name, module) for name, module in model.named_modules() if isinstance(module, Attention))
    return [{"name": name, "heads": getattr(module, "num_heads", 1)} for name, module in modules]


@torch.no_grad()
def record_translation(loaded: LoadedModel, tokens: tuple[str, ...]) -> dict[str, Any]:
    """Translate greedily, in the format of the page's engine: each row has its best tokens and weights."""
    model, source_vocabulary, target_vocabulary = loaded
    ids = source_vocabulary.encode(tokens)
    source = torch.tensor([ids])
    rows: list[dict[str, Any]] = []
    written: list[int] = []
    total = 0.0
    state = model.encode(source, torch.ones_like(source, dtype=torch.bool))
    longest = min(LONGEST, model.max_length or LONGEST)
    while len(written) < longest and EOS not in written:
        logits, state, attention = _decode_step(model, written[-1] if written else BOS, state)
        log_p = logits.log_softmax(-1)
        best = log_p.topk(min(BEST, len(log_p)))
        candidates = [
            {"id": i, "piece": target_vocabulary.pieces([i])[0], "p": round(float(torch.tensor(p).exp()), 5)}
            for p, i in zip(best.values.tolist(), best.indices.tolist(), strict=True)
        ]
        rows.append({**candidates[0], "best": candidates, "attention": attention})
        written.append(candidates[0]["id"])
        total += float(best.values[0])
    of_words = isinstance(source_vocabulary, Vocabulary)
    outcome = {
        "sourcePieces": source_vocabulary.pieces(ids),
        "unknown": [of_words and UNK in source_vocabulary.encode([token]) for token in tokens],
        "ids": written,
        "target": target_vocabulary.decode(written),
        "logP": round(total, 5),
        "judged": None,
    }
    return {"rows": rows, "outcome": outcome}


def _decode_step(model: EncoderDecoder, token: int, state: Any) -> tuple[torch.Tensor, Any, dict[str, Any]]:
    """Decode one step: its logits, the state after it, and the weights of every module by head."""
    if not _modules(model):
        logits, state = model.decode(torch.tensor([[token]]), state)
        return logits[0, -1], state, {}
    with record_attention(model) as seen:
        logits, state = model.decode(torch.tensor([[token]]), state)
    weights = {name: [[round(w, 4) for w in head] for head in seen[name][0, :, 0].tolist()] for name in seen}
    return logits[0, -1], state, weights
