"""One sentence on its way through one encoder layer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import traitlets
from torch import Tensor

from attnbook._internal.validate import check_tensors
from attnbook.attention.positional import sinusoidal_table
from attnbook.models.transformer import EncoderLayer
from attnbook.widgets.layout import encodable
from attnbook.widgets.shown import ShownWidget, bundle

MOST_TOKENS, MOST_FEATURES = 8, 12  # more cannot be read on a phone


class LayerView(ShownWidget):
    """A sentence's values in an encoder layer, step by step: from the embedding to the second add & norm.

    The browser gets the layer's weights and computes every step itself, so the reader may switch the positions off.

    Args:
        tokens: the words of the sentence.
        embedding: ``(tokens, d_model)``, their embeddings, not yet scaled.
        layer: a post-norm layer without rotary positions; its dropout is left out, as in eval mode.
        step: which of the nine steps is shown first, from 0.

    Raises:
        ValueError: too many tokens or features, shapes that disagree, another kind of layer, a step outside 0 to 8, or
            a number that is not finite.
        TypeError: ``embedding`` is no tensor.
    """

    _esm = bundle("layer_view")
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    embedding = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    positions = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    num_heads = traitlets.Int().tag(sync=True)
    weights = traitlets.Dict().tag(sync=True)
    step = traitlets.Int().tag(sync=True)

    def __init__(self, tokens: Sequence[str], embedding: Tensor, layer: EncoderLayer, *, step: int = 0) -> None:
        check_tensors(embedding=embedding)
        tokens = list(map(encodable, tokens))
        d_model = layer.self_attention.W_o.out_features
        if not 1 <= len(tokens) <= MOST_TOKENS:
            raise ValueError(f"tokens must have 1 to {MOST_TOKENS} words, got {len(tokens)}")
        if d_model > MOST_FEATURES:
            raise ValueError(f"layer must have d_model <= {MOST_FEATURES}, got {d_model}")
        if embedding.shape != (len(tokens), d_model):
            raise ValueError(f"embedding must have shape {(len(tokens), d_model)}, got {tuple(embedding.shape)}")
        if layer.add_norm_1.pre_norm or layer.self_attention.rotary is not None:
            raise ValueError("layer must be post-norm, without rotary positions")
        if not 0 <= step <= 8:
            raise ValueError(f"step must be between 0 and 8, got {step}")
        state = {name: value.detach().cpu().double() for name, value in layer.state_dict().items()}
        if not all(torch.isfinite(value).all() for value in (embedding, *state.values())):
            raise ValueError("embedding and layer must be finite")
        num_heads = layer.self_attention.num_heads
        alt = (
            f"{' '.join(tokens)}: {len(tokens)} tokens of {d_model} numbers each, on their way through an encoder "
            f"layer with {num_heads} heads. The picture shows their embeddings with positions, which enter the layer."
        )
        super().__init__(
            tokens=tokens,
            embedding=_numbers(embedding.detach().cpu().double()),
            positions=_numbers(sinusoidal_table(len(tokens), d_model)),
            num_heads=num_heads,
            weights={name: _numbers(value) for name, value in state.items()},
            step=step,
            alt=alt,
        )

    def draw(self, axes: Any) -> None:
        embedding, positions = torch.tensor(self.embedding), torch.tensor(self.positions)
        x = embedding * embedding.shape[1] ** 0.5 + positions
        most = float(x.abs().max())
        axes.imshow(x.numpy(), cmap="RdBu", vmin=-most, vmax=most, aspect="auto")
        axes.set_yticks(range(len(self.tokens)), [token.replace("$", r"\$") for token in self.tokens])
        axes.set_xlabel("embedding + position")


def _numbers(values: Tensor) -> Any:
    """Five digits draw the same picture and keep the page small."""
    if values.dim() == 0:
        return round(float(values), 5)
    return [_numbers(value) for value in values]
