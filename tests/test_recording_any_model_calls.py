"""A record of other people's modules in all that they may do: stop halfway, share layers, be compiled, have none."""

from __future__ import annotations

import copy

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention.flex_attention import flex_attention

from attnbook.observe.recorder import record_attention
from tests.support.foreign_models import BATCH, HEADS, KEYS, QUERIES, WIDTH, Fused, assert_same_numbers, inputs


def test_an_interrupt_inside_the_model_leaves_nothing_behind() -> None:
    class Stopped(nn.Module):
        stop = True

        def forward(self, x: Tensor) -> Tensor:
            if self.stop:
                raise KeyboardInterrupt
            return x

    model = nn.Sequential(Fused(), Stopped(), Fused())
    x, _ = inputs()
    with record_attention(model) as record:
        with pytest.raises(KeyboardInterrupt):
            model(x)
        assert list(record) == ["0"] and not torch.overrides._get_current_function_mode_stack()
        model[1].stop = False
        model(x)
        assert list(record) == ["0", "2"]
    assert nn.Module.__call__ is nn.Module._wrapped_call_impl


def test_recordings_of_two_models_and_one_inside_another() -> None:
    teacher, student = nn.Sequential(Fused()), nn.Sequential(Fused())
    x, memory = inputs()
    with record_attention(teacher) as first:
        with record_attention(student) as second, record_attention(teacher) as inner:
            teacher(x)
            student(memory)
        assert inner["0"].shape[2:] == (QUERIES, QUERIES) and second["0"].shape[2:] == (KEYS, KEYS) and not first
        teacher(memory)
        assert first["0"].shape[2:] == (KEYS, KEYS)
        copy.deepcopy(teacher)(x)
        assert first["0"].shape[2:] == (KEYS, KEYS), "a copy is another model"


def test_gradient_checkpointing_is_seen_once() -> None:
    class Checkpointed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = Fused()

        def forward(self, x: Tensor) -> Tensor:
            result: Tensor = torch.utils.checkpoint.checkpoint(self.attention, x, use_reentrant=False)
            return result

    x, _ = inputs()
    assert assert_same_numbers(Checkpointed(), x)["attention"].shape == (BATCH, HEADS, QUERIES, QUERIES)


def test_a_compiled_model_is_probed_uncompiled_and_its_own_calls_are_refused() -> None:
    model = nn.Sequential(Fused(), nn.Linear(WIDTH, WIDTH)).eval()
    x, _ = inputs()
    with record_attention(model) as record:
        expected = record.probe(x)
    compiled = torch.compile(model, backend="eager")
    compiled(x)
    with record_attention(compiled) as record:
        torch.testing.assert_close(record.probe(x), expected)
        with pytest.raises(ValueError, match="model"):
            compiled(x)
        record.pause()
        assert compiled(x).shape == x.shape


def test_what_cannot_be_seen_is_an_error_that_names_the_module() -> None:
    @torch.library.custom_op("flash_attn::_flash_attn_forward", mutates_args=())
    def kernel(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(q, k, v)

    class Hidden(Fused):
        def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]
            return torch.ops.flash_attn._flash_attn_forward(*self.split(x, x))

    x, _ = inputs()
    model = nn.Sequential(nn.Identity(), Hidden())
    hidden = pytest.raises(RuntimeError, match=r"^1 .*flash_attn")
    with hidden, record_attention(model) as record:
        record.probe(x)
    torch.testing.assert_close(model(x), kernel(*model[1].split(x, x)))


def test_flex_attention_is_an_error_that_names_the_module() -> None:
    class Flexible(Fused):
        def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]
            return flex_attention(*self.split(x, x))

    x, _ = inputs()
    model = nn.Sequential(nn.Identity(), Flexible())
    hidden = pytest.raises(RuntimeError, match=r"^1 .*flex_attention")
    with hidden, record_attention(model) as record:
        record.probe(x)


class Shared(nn.Module):
    """One layer, called twice, as in ALBERT and Universal Transformers."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.between = Fused(), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(self.between(self.layer(x)))


def test_every_call_of_a_shared_layer_has_a_name() -> None:
    torch.manual_seed(0)
    x, _ = inputs()
    model = Shared().eval()
    everywhere = torch.ones(1).bool()
    with torch.no_grad():
        expected = [model.layer.weights(each, each, everywhere) for each in (x, model.between(model.layer(x)))]
    seen = assert_same_numbers(model, x)
    assert list(seen) == ["layer", "layer#2"]
    for one, other in zip(seen.values(), expected, strict=True):
        torch.testing.assert_close(one, other)
    with record_attention(model) as record:
        model(x)
        assert list(record.probe(x)) == list(record.names) == ["layer", "layer#2"]
        with record.joined():
            model(x)
            model(x[:, -1:])  # a step of generation: a row of each call
        assert [weights.shape[2] for weights in record.values()] == [QUERIES + 1] * 2


def test_steps_inside_a_model_are_rows_of_one_matrix() -> None:
    class Stepwise(Fused):
        def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]
            return torch.cat([self.core(*self.split(row.unsqueeze(1), x)) for row in x.unbind(1)], 1)

        def core(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
            return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)

    x, _ = inputs()
    model = Stepwise()
    (weights,) = assert_same_numbers(model, x).values()
    torch.testing.assert_close(weights, model.weights(x, x, torch.ones(1).bool()))


def test_a_model_without_attention_is_refused_at_once_or_at_its_first_call() -> None:
    class Mixer(nn.Linear):
        pass

    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    with pytest.raises(ValueError, match=r"model .*Sequential"), record_attention(model):
        pass
    mixer = Mixer(2, 2)
    with pytest.raises(ValueError, match=r"model .*Mixer"), record_attention(mixer):
        mixer(torch.ones(1, 2))


def test_a_query_alone_and_a_text_without_words_have_four_axes() -> None:
    class Pooling(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            scores = x @ x[0] if x.dim() == 2 else x @ x.mT
            return scores.softmax(-1) @ x

    model = nn.Sequential(Pooling())
    for shape, expected in (((5, 4), (1, 1, 1, 5)), ((2, 0, 4), (2, 1, 0, 0))):
        with record_attention(model) as record:
            model(torch.randn(shape))
        assert record["0"].shape == expected
