"""record_attention on the models of this package: weights, calls, pauses and probes."""

from __future__ import annotations

import copy
import pickle

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.kernels import Attention
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.data import Batch, Pair, Vocabulary, collate
from attnbook.models.bahdanau import Bahdanau
from attnbook.observe.recorder import join_calls, record_attention

PAIRS = [
    Pair(("the", "cat", "sleeps"), ("le", "chat", "dort", "!")),
    Pair(("a", "cat"), ("un", "chat")),
    Pair(("the", "cat", "sees", "a", "dog"), ("le", "chat", "voit", "un", "chien")),
]
SOURCE = Vocabulary.build([p.source for p in PAIRS])
TARGET = Vocabulary.build([p.target for p in PAIRS])
CROSS = "decoder.cross_attention"


@pytest.fixture
def batch() -> Batch:
    return collate(PAIRS, SOURCE, TARGET)


@pytest.fixture
def model() -> Bahdanau:
    torch.manual_seed(3)
    return Bahdanau(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8, dropout=0.2)


class SelfAttention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(8, 2, dropout=0.3)

    def forward(self, x: Tensor) -> Tensor:
        return self.attention(x, x, x)


def losses(model: Bahdanau, batch: Batch, steps: int, look) -> list[Tensor]:
    torch.manual_seed(5)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    found = []
    for step in range(steps):
        look(step)
        loss = F.cross_entropy(model(batch)[batch.target_mask], batch.target_out[batch.target_mask])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.detach())
    return found


def test_record_has_probabilities_over_real_keys(model, batch):
    with record_attention(model) as record:
        model(batch)
    assert record.names == (CROSS,) and list(record) == [CROSS]
    weights = record[CROSS]
    assert weights.shape == (3, 1, 6, 5) and not weights.requires_grad
    torch.testing.assert_close(weights.sum(-1), torch.ones(3, 1, 6))
    assert not weights[~batch.source_mask[:, None, None, :].expand_as(weights)].any()


def test_record_joins_step_by_step_calls(model, batch):
    model.eval()
    with record_attention(model) as record, torch.no_grad():
        model(batch)
        whole = record[CROSS]
        record.clear()
        state = model.encode(batch.source, batch.source_mask)
        for t in range(batch.target_in.shape[1]):
            _, state = model.decode(batch.target_in[:, t : t + 1], state)
        torch.testing.assert_close(record[CROSS], whole)


def test_join_calls_pads_missing_keys_with_zero():
    first, second = torch.rand(2, 3, 2, 2), torch.rand(2, 3, 1, 4)
    joined = join_calls([first, second])
    assert joined.shape == (2, 3, 3, 4)
    assert torch.equal(joined[:, :, :2, :2], first) and torch.equal(joined[:, :, 2:], second)
    assert not joined[:, :, :2, 2:].any()


def test_record_is_cleared_by_each_call(model, batch):
    small = collate(PAIRS[:1], SOURCE, TARGET)
    with record_attention(model) as record:
        model(batch)
        model(small)
        assert record[CROSS].shape == (1, 1, 5, 3)
        state = model.encode(batch.source, batch.source_mask)
        model.decode(batch.target_in, state)
        with pytest.raises(ValueError, match="cross_attention"):
            record[CROSS]
        record.clear()
        assert len(record) == 0
        with pytest.raises(KeyError, match="has not been called"):
            record[CROSS]
    with pytest.raises(KeyError, match=r"name .*decoder"):
        record["cross"]


@pytest.mark.parametrize("way", ["record", "probe"])
def test_recording_leaves_fifty_losses_bit_identical(model, batch, way):
    silent = losses(copy.deepcopy(model), batch, 50, lambda step: None)
    with record_attention(model) as record:
        if way == "probe":
            record.pause()
        seen = losses(model, batch, 50, lambda step: record.probe(batch) if way == "probe" else None)
    assert all(torch.equal(a, b) for a, b in zip(silent, seen, strict=True))
    assert float(seen[-1]) < 0.7 * float(seen[0])  # it trained, with dropout: the random state was really used


def test_probe_restores_modes_and_random_state():
    model = nn.Sequential(SelfAttention(), nn.Dropout(0.5))
    model.train()
    model[1].eval()
    x = torch.rand(2, 4, 8)
    with record_attention(model) as record:
        record.pause()
        before = torch.get_rng_state()
        first, second = record.probe(x), record.probe(x)
        assert torch.equal(before, torch.get_rng_state())
        assert [module.training for module in model.modules()] == [True, True, True, True, True, True, True, False]
        assert torch.equal(first["0.attention"], second["0.attention"])
        assert not record, "probing must not fill the record"
        assert model[0].attention.observer is None


def test_probe_runs_in_eval_mode():
    model, x = nn.Sequential(nn.Dropout(0.5), SelfAttention()), torch.rand(2, 4, 8)
    with record_attention(model) as record:
        model.eval()(x)
        assert torch.equal(record["1.attention"], record.probe(x)["1.attention"])
        model.train()
        assert torch.equal(record["1.attention"], record.probe(x)["1.attention"])


def test_probe_restores_random_state_of_a_model_that_draws_in_eval_mode():
    class Noisy(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x + torch.rand_like(x)

    with record_attention(nn.Sequential(Noisy(), SelfAttention())) as record:
        before = torch.get_rng_state()
        record.probe(torch.rand(2, 4, 8, generator=torch.Generator().manual_seed(0)))
        assert torch.equal(torch.get_rng_state(), before)


def test_probe_restores_everything_after_an_error(model):
    model.train()
    with record_attention(model) as record:
        record.pause()
        with pytest.raises(TypeError, match="source"):
            record.probe("no batch")
        assert all(module.training for module in model.modules())
        assert model.decoder.cross_attention.observer is None


def test_probe_leaves_an_open_record_unchanged(model, batch):
    with record_attention(model) as record:
        model(batch)
        before = record[CROSS]
        record.probe(collate(PAIRS[:1], SOURCE, TARGET))
        assert torch.equal(record[CROSS], before)


def test_recording_restores_the_model_after_an_exception(model, batch):
    keys = set(model.state_dict())
    with pytest.raises(KeyboardInterrupt), record_attention(model) as record:
        model(batch)
        assert set(model.state_dict()) == keys
        raise KeyboardInterrupt
    assert all(module.observer is None for module in model.modules() if isinstance(module, Attention))
    assert not model._forward_pre_hooks and set(model.state_dict()) == keys
    assert not any(isinstance(value, Tensor) for module in model.modules() for value in vars(module).values())
    assert record[CROSS].shape == (3, 1, 6, 5)
    with pytest.raises(RuntimeError, match="recording"):
        record.resume()


def test_recording_does_not_observe_copies(model, batch):
    with record_attention(model) as record:
        model(batch)
        copied = copy.deepcopy(model)
        before = record[CROSS]
        copied(collate(PAIRS[:1], SOURCE, TARGET))
        assert record[CROSS] is not None and torch.equal(record[CROSS], before)
        assert copied.decoder.cross_attention.observer is None
        copied.load_state_dict(model.state_dict())
        pickled = pickle.loads(pickle.dumps(model))
        pickled(collate(PAIRS[:1], SOURCE, TARGET))
        assert torch.equal(record[CROSS], before) and pickled.decoder.cross_attention.observer is None


@pytest.mark.slow
def test_recording_supports_compiled_models(model, batch):
    model.eval()
    compiled = torch.compile(model, backend="eager")
    with record_attention(model) as expected:
        model(batch)
    compiled(batch)
    with record_attention(compiled) as record:
        compiled(collate(PAIRS[:1], SOURCE, TARGET))
        compiled(batch)
        probed = record.probe(batch)
    assert record.names == expected.names
    for name in expected:
        assert torch.equal(record[name], expected[name]) and torch.equal(probed[name], expected[name])


def test_nested_recording_takes_over_until_it_ends(model, batch):
    with record_attention(model) as outer:
        model(batch)
        kept = outer[CROSS]
        with record_attention(model) as inner:
            model(collate(PAIRS[:1], SOURCE, TARGET))
        assert inner[CROSS].shape == (1, 1, 5, 3) and torch.equal(outer[CROSS], kept)
        model(collate(PAIRS[:2], SOURCE, TARGET))
        assert outer[CROSS].shape[0] == 2 and inner[CROSS].shape[0] == 1


def test_at_close_callbacks_get_the_exception(model):
    heard: list[BaseException | None] = []
    with record_attention(model) as record:
        record.at_close(heard.append)
    with pytest.raises(ZeroDivisionError), record_attention(model) as record:
        record.at_close(heard.append)
        raise ZeroDivisionError
    with pytest.raises(RuntimeError, match="recording"):
        record.at_close(heard.append)
    assert heard[0] is None and isinstance(heard[1], ZeroDivisionError)


def test_recording_refuses_models_without_attention():
    with pytest.raises(ValueError, match=r"model .*Linear"), record_attention(nn.Linear(2, 2)):
        pass
