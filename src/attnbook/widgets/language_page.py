"""Export a language model to a page, in the format of `page_model`, and compute the distributions that widgets use."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attnbook._internal.validate import check_range, check_tensors, check_type
from attnbook.attention.causal import GroupedAttention
from attnbook.data import BOS, PAD, UNK, Vocabulary
from attnbook.models.base import uncompiled
from attnbook.models.language_model import Block, LanguageModel, SwiGLU
from attnbook.models.transformer import FeedForward
from attnbook.widgets.page_model import DAMAGE, PageError, pack, unpack

NORMS: dict[str, type[nn.Module]] = {"layer": nn.LayerNorm, "rms": nn.RMSNorm}
FEED_FORWARDS: dict[str, type[nn.Module]] = {"relu": FeedForward, "swiglu": SwiGLU}
DRAFT = "draft"
NEVER_WRITTEN = (PAD, BOS, UNK)  # tokens that a widget never samples


class LanguagePage(NamedTuple):
    """A language model read from a page, with the rounded weights that the page has.

    Args:
        model: in eval mode.
        vocabulary: of the model.
        draft: ``(vocab_size, vocab_size)``, or None.
    """

    model: LanguageModel
    vocabulary: Vocabulary
    draft: Tensor | None


def export_language_model(
    model: LanguageModel, vocabulary: Vocabulary, *, draft: Tensor | None = None, precision: str = "int8"
) -> bytes:
    """Export a language model for a page; the same model gives the same bytes.

    Args:
        model: a model whose blocks have `GroupedAttention`, `FeedForward` or `SwiGLU`, and norms of one kind.
        vocabulary: of the model.
        draft: ``(vocab_size, vocab_size)``, a bigram model: row ``i`` is the distribution of the token after ``i``.
        precision: of the matrices, "int8" or "fp16"; the draft is always in fp16.

    Returns:
        the file: about one byte per parameter for int8, two for fp16.

    Raises:
        ValueError: the blocks differ in kind, ``vocabulary`` has another size, ``draft`` has another shape, a
            negative or non-finite value or a row of zeros, the precision is unknown, or a weight is too large for fp16.
        TypeError: ``model`` is not a `LanguageModel` of these parts, or ``vocabulary`` is not a `Vocabulary`.
    """
    inner: Any = uncompiled(model)
    check_type("model", inner, isinstance(inner, LanguageModel), "a LanguageModel")
    check_type("vocabulary", vocabulary, isinstance(vocabulary, Vocabulary), "a Vocabulary")
    size = inner.embedding.num_embeddings
    check_range("vocabulary", len(vocabulary), len(vocabulary) == size, f"of the model's size, {size}")
    state = dict(inner.state_dict())
    if draft is not None:
        check_tensors(draft=draft)
        check_range("draft", tuple(draft.shape), draft.shape == (size, size), f"of shape {(size, size)}")
        written = [i for i in range(size) if i not in NEVER_WRITTEN]
        valid = torch.isfinite(draft).all() and (draft >= 0).all() and (draft[:, written].sum(1) > 0).all()
        check_range("draft", draft, bool(valid), "probabilities, with a token to write in each row")
        state[DRAFT] = draft
    return pack("LanguageModel", describe(inner), [vocabulary], state, precision, halves=(DRAFT,))


def read_language_model(content: bytes) -> LanguagePage:
    """Read what `export_language_model` wrote, with the rounded weights that the page has.

    Raises:
        PageError: the bytes are damaged, or not such a file.
    """
    try:
        header, (vocabulary,), state = unpack(content)
        if header["model"] != "LanguageModel" or not isinstance(vocabulary, Vocabulary):
            raise PageError(f"content must be a LanguageModel, got {header['model']}")
        draft = state.pop(DRAFT, None)
        model = build(len(vocabulary), header["config"])
        model.load_state_dict(state)
    except DAMAGE as error:
        raise PageError(f"content is damaged, or not a language model for a page: {error}") from error
    return LanguagePage(model.eval(), vocabulary, draft)


def describe(model: LanguageModel) -> dict[str, Any]:
    """Return the options with which `build` creates a model of the same architecture.

    Raises:
        ValueError: the blocks differ.
        TypeError: the page's engine does not support the type of a part.
    """
    layers = [_describe_block(block) for block in model.blocks]
    check_range("model", len(layers), len(layers) > 0, "a model with one or more blocks")
    alike = all(layer == layers[0] for layer in layers) and layers[0]["norm"] == _kind("norm", model.norm, NORMS)
    check_range("model", layers, alike, "a model with blocks and norms of one kind")
    return layers[0] | {"num_layers": len(layers), "sinusoidal": model.positions is not None}


def build(vocab_size: int, config: dict[str, Any]) -> LanguageModel:
    """Create a model with new weights from what `describe` returned."""
    d_model, norm = config["d_model"], NORMS[config["norm"]]
    blocks = (
        Block(
            d_model,
            GroupedAttention(
                d_model,
                config["num_heads"],
                config["num_groups"],
                rotary=config["rotary"],
                qk_norm=config["qk_norm"],
            ),
            FEED_FORWARDS[config["feed_forward"]](d_model, config["d_ff"]),
            norm,
        )
        for _ in range(config["num_layers"])
    )
    return LanguageModel(vocab_size, d_model, blocks, sinusoidal=config["sinusoidal"], norm=norm)


@torch.no_grad()
def next_distribution(model: LanguageModel, ids: list[int]) -> Tensor:
    """Compute the distribution of the token after ``ids``, ``(vocab_size,)``; of the special tokens only ``<eos>``."""
    logits: Tensor = model(torch.tensor([ids]))[0][0, -1]
    logits[list(NEVER_WRITTEN)] = -torch.inf
    return logits.softmax(-1)


def _describe_block(block: nn.Module) -> dict[str, Any]:
    check_type("model", block, isinstance(block, Block), "a LanguageModel whose blocks are Block")
    attention: Any = block.attention
    check_type("model", attention, type(attention) is GroupedAttention, "a LanguageModel with GroupedAttention")
    norms: Any = (block.norm_1, block.norm_2)
    first, second = (_kind("norm", norm, NORMS) for norm in norms)
    check_range("model", (first, second), first == second, "a model with norms of one kind")
    feed_forward: Any = block.feed_forward
    return {
        "d_model": attention.W_q.in_features,
        "num_heads": attention.num_heads,
        "num_groups": attention.num_groups,
        "rotary": attention.rotary is not None,
        "qk_norm": isinstance(attention.norm_q, nn.RMSNorm),
        "norm": first,
        "feed_forward": _kind("feed_forward", feed_forward, FEED_FORWARDS),
        "d_ff": feed_forward.W_1.out_features,
    }


def _kind(part: str, module: nn.Module, kinds: dict[str, type[nn.Module]]) -> str:
    name = next((name for name, kind in kinds.items() if type(module) is kind), None)
    check_type(part, module, name is not None, f"one of {[kind.__name__ for kind in kinds.values()]}")
    return str(name)
