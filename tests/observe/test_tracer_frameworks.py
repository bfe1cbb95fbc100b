"""record_attention together with other tools: torch.func, nested tensors, threads, Hugging Face models."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from attnbook.attention.multihead import MultiHeadAttention
from attnbook.observe.recorder import record_attention
from tests.support.foreign_models import BATCH, HEADS, QUERIES, WIDTH, Fused, assert_same_numbers, inputs

SQUARE = (BATCH, HEADS, QUERIES, QUERIES)
PADDING = torch.arange(QUERIES) >= torch.tensor([[3], [4], [2]])  # no sentence is as long as the batch


class OfTorch(nn.TransformerEncoderLayer):
    """A custom layer that calls torch's layer."""

    def forward(self, *args: Any, **kwargs: Any) -> Tensor:
        return super().forward(*args, **kwargs)


class Scaled(nn.Module):
    """A norm that torch does not know."""

    def forward(self, x: Tensor) -> Tensor:
        return 3 * x


def encoder(layer: type[nn.TransformerEncoderLayer], norm: nn.Module | None = None) -> nn.TransformerEncoder:
    torch.manual_seed(0)
    return nn.TransformerEncoder(layer(WIDTH, HEADS, 32, batch_first=True), 2, norm=norm).eval()


@pytest.mark.parametrize("padding", [None, PADDING])
@pytest.mark.parametrize("make", [lambda: encoder(OfTorch), lambda: encoder(nn.TransformerEncoderLayer, Scaled())])
@pytest.mark.filterwarnings("ignore:.*nested tensors:UserWarning", "ignore:enable_nested_tensor:UserWarning")
def test_record_of_encoder_fast_path_with_custom_layers(make: Any, padding: Tensor | None) -> None:
    model, (x, _) = make(), inputs()
    with torch.no_grad():
        seen = assert_same_numbers(model, x, src_key_padding_mask=padding)
        attention = model.layers[0].self_attn
        _, expected = attention(x, x, x, key_padding_mask=padding, average_attn_weights=False)
    assert list(seen) == ["layers.0.self_attn", "layers.1.self_attn"]
    torch.testing.assert_close(seen["layers.0.self_attn"], expected)


@pytest.mark.filterwarnings("ignore:.*nested tensors:UserWarning")
def test_record_of_nested_tensors_equals_padded() -> None:
    model, (x, _) = encoder(nn.TransformerEncoderLayer), inputs()
    lengths = (~PADDING).sum(-1).tolist()
    nested = torch.nested.nested_tensor([row[:length] for row, length in zip(x, lengths, strict=True)])
    with torch.no_grad(), record_attention(model) as record:
        model(x, src_key_padding_mask=PADDING)
        expected = record["layers.1.self_attn"]
        assert model(nested).is_nested
    for i, n in enumerate(lengths):
        torch.testing.assert_close(record["layers.1.self_attn"][i, :, :n, :n], expected[i, :, :n, :n])


def test_recording_refuses_nested_tensors_in_fused_attention() -> None:
    class Ragged(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return F.scaled_dot_product_attention(x, x, x)

    rows = [torch.randn(3, HEADS, 4), torch.randn(5, HEADS, 4)]
    nested = torch.nested.nested_tensor(rows, layout=torch.jagged).transpose(1, 2)
    with record_attention(Ragged()) as record, pytest.raises(RuntimeError, match="Ragged"):
        record.probe(nested)


@pytest.mark.parametrize("name", ["", "layers.0", "layers.1.self_attn"])
def test_user_hooks_run_once_per_call(name: str) -> None:
    model, (x, _) = encoder(nn.TransformerEncoderLayer), inputs()
    calls: list[str] = []
    model.get_submodule(name).register_forward_hook(lambda *_: calls.append(name))
    with torch.no_grad():
        assert len(assert_same_numbers(model, x)) == 2
    assert len(calls) == 3, "alone, watched, and again alone"


# --- checkpoints


@pytest.mark.parametrize("reentrant", [True, False])
def test_record_ignores_recomputation_by_checkpointing(reentrant: bool) -> None:
    class OfThisPackage(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = MultiHeadAttention(WIDTH, HEADS)

        def forward(self, x: Tensor) -> Tensor:
            result: Tensor = checkpoint(self.attention, x, x, x, use_reentrant=reentrant)
            return result

    x = inputs()[0].requires_grad_()
    assert assert_same_numbers(OfThisPackage(), x)["attention"].shape == SQUARE
    whole = nn.Sequential(Fused())
    with record_attention(whole) as record:
        checkpoint(whole, x, use_reentrant=reentrant).sum().backward()
    assert record["0"].shape == SQUARE


# --- other recordings


def test_recording_of_a_submodule_takes_it_over() -> None:
    model, (x, _) = nn.Sequential(Fused(), nn.Sequential(Fused()), nn.Linear(WIDTH, WIDTH), Fused()), inputs()
    with record_attention(model) as whole:
        with record_attention(model[1]) as part:
            model(x)
        assert list(whole) == ["0", "3"] and list(part) == ["0"]
        model(x)
        assert list(whole) == ["0", "1.0", "3"]


def test_recordings_pause_and_end_in_any_order() -> None:
    attention, (x, _) = MultiHeadAttention(WIDTH, HEADS), inputs()
    model = nn.ModuleDict({"attention": attention})
    attention.observer = before = lambda weights: None
    first, second = record_attention(model), record_attention(model)
    outer, inner = first.__enter__(), second.__enter__()
    outer.pause()
    attention(x, x, x)
    assert not outer and inner["attention"].shape == SQUARE
    outer.resume()
    first.__exit__(None, None, None)
    inner.clear()
    attention(x, x, x)
    assert inner["attention"].shape == SQUARE
    second.__exit__(None, None, None)
    assert attention.observer is before


# --- threads, torch.func


def test_recording_covers_one_thread_at_a_time() -> None:
    inside, goes_on = threading.Event(), threading.Event()

    class Waits(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            if threading.current_thread() is not threading.main_thread():
                inside.set()
                assert goes_on.wait(10)
            return x

    model, (x, memory) = nn.Sequential(Fused(), Waits(), Fused()).eval(), inputs()
    with record_attention(model) as record:
        other = threading.Thread(target=model, args=(x,))
        other.start()
        assert inside.wait(10)
        unseen = model(memory)
        goes_on.set()
        other.join()
        assert [weights.shape for weights in record.values()] == [SQUARE, SQUARE]
        model(memory)
        assert record["2"].shape[2] == memory.shape[1]
    torch.testing.assert_close(unseen, model(memory), rtol=0, atol=0)


@pytest.mark.filterwarnings("ignore:.*batching rule:UserWarning")
def test_recording_supports_func_grad_and_refuses_vmap() -> None:
    model, (x, _) = nn.Sequential(Fused()).eval(), inputs()
    parameters = dict(model.named_parameters())

    def loss(parameters: dict[str, Tensor], x: Tensor) -> Tensor:
        return torch.func.functional_call(model, parameters, (x,)).sum()

    with record_attention(model) as record:
        expected = record.probe(x)["0"]
        torch.func.grad(loss)(parameters, x)
        assert torch.equal(record["0"], expected) and not torch._C._functorch.is_functorch_wrapped_tensor(record["0"])
        with pytest.raises(RuntimeError, match=r"^0\b"):
            torch.func.vmap(model)(x.unsqueeze(1))
        record.pause()
        assert torch.func.vmap(model)(x.unsqueeze(1)).shape == (BATCH, 1, QUERIES, WIDTH)


def test_recording_names_what_is_not_a_module() -> None:
    with pytest.raises(TypeError, match="model"), record_attention("bert"):  # type: ignore[arg-type]
        pass


transformers = pytest.importorskip("transformers", reason="it is not installed: pip install transformers")
SOURCE = torch.tensor([[5, 6, 7, 8, 9, 2], [4, 5, 2, 1, 1, 1]])
TARGET = torch.tensor([[1, 3, 4, 5], [1, 6, 7, 8]])
MASK = SOURCE != 1
SIZES = {"attention_dropout": 0.1, "vocab_size": 20}


def marian(attn: str) -> tuple[Any, dict[str, Tensor]]:
    sides = {
        f"{side}_{name}": size
        for side in ("encoder", "decoder")
        for name, size in {"layers": 2, "attention_heads": 2, "ffn_dim": 16}.items()
    }
    config = transformers.MarianConfig(**SIZES, **sides, d_model=16, pad_token_id=1, decoder_start_token_id=1)
    config._attn_implementation = attn
    return transformers.MarianMTModel(config), {
        "input_ids": SOURCE,
        "attention_mask": MASK,
        "decoder_input_ids": TARGET,
    }


def bert(attn: str) -> tuple[Any, dict[str, Tensor]]:
    config = transformers.BertConfig(
        vocab_size=20, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16
    )
    config._attn_implementation = attn
    return transformers.BertModel(config), {"input_ids": SOURCE, "attention_mask": MASK}


def gpt2(attn: str) -> tuple[Any, dict[str, Tensor]]:
    config = transformers.GPT2Config(
        vocab_size=20, n_positions=32, n_embd=16, n_layer=2, n_head=2, bos_token_id=1, eos_token_id=2, pad_token_id=1
    )
    config._attn_implementation = attn
    return transformers.GPT2LMHeadModel(config), {"input_ids": SOURCE, "attention_mask": MASK}


def llama(attn: str) -> tuple[Any, dict[str, Tensor]]:
    """Grouped heads, rotary positions."""
    config = transformers.LlamaConfig(
        vocab_size=20,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    config._attn_implementation = attn
    return transformers.LlamaForCausalLM(config), {"input_ids": SOURCE, "attention_mask": MASK}


def vit(attn: str) -> tuple[Any, dict[str, Tensor]]:
    config = transformers.ViTConfig(
        image_size=8,
        patch_size=4,
        num_channels=1,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
    )
    config._attn_implementation = attn
    return transformers.ViTForImageClassification(config), {
        "pixel_values": torch.rand(2, 1, 8, 8, generator=torch.manual_seed(1))
    }


FAMILIES = {"Marian": marian, "BERT": bert, "GPT-2": gpt2, "Llama": llama, "ViT": vit}
OUTPUTS = ("encoder_attentions", "decoder_attentions", "cross_attentions", "attentions")


@pytest.mark.parametrize("attn", ["sdpa", "eager"])
@pytest.mark.parametrize("family", FAMILIES)
def test_record_equals_output_attentions(family: str, attn: str) -> None:
    torch.manual_seed(0)
    model, given = FAMILIES[family](attn)
    with record_attention(model) as record:
        seen = record.probe(**given)
    model.set_attn_implementation("eager")
    with torch.no_grad():
        output = model.eval()(**given, output_attentions=True)
    expected = [layer for name in OUTPUTS for layer in output.get(name) or ()]
    assert len(seen) == len(expected) >= 2
    left = list(seen.values())
    real = MASK[:, None, :, None] if "input_ids" in given else torch.ones(1, 1, 1, 1, dtype=torch.bool)
    for layer in expected:  # rows of padding apart: what they hold differs between the implementations
        rows = real if layer.shape[2] == real.shape[2] else torch.ones(1, 1, 1, 1, dtype=torch.bool)
        fits = [i for i, one in enumerate(left) if one.shape == layer.shape]
        close = [i for i in fits if torch.allclose(left[i] * rows, layer * rows, atol=1e-5)]
        assert close, f"no module has these weights, {tuple(layer.shape)}"
        left.pop(close[0])
    assert all("Attention" in type(model.get_submodule(name)).__name__ for name in seen)


@pytest.mark.parametrize("attn", ["sdpa", "eager"])
@pytest.mark.parametrize("family", FAMILIES)
def test_recording_leaves_training_unchanged(family: str, attn: str) -> None:
    model, given = FAMILIES[family](attn)
    model.train()

    def numbers() -> list[Tensor]:
        torch.manual_seed(3)
        model.zero_grad()
        output = model(**given)[0]
        output.square().mean().backward()
        return [output, *(p.grad for p in model.parameters() if p.grad is not None), torch.get_rng_state()]

    alone = [each.clone() for each in numbers()]
    with record_attention(model) as record:
        watched = numbers()
    assert len(record) >= 2 and all(torch.equal(a, b) for a, b in zip(alone, watched, strict=True))


@pytest.mark.parametrize("family", ["Marian", "GPT-2", "Llama"])
def test_record_of_generation_with_cache_equals_one_pass(family: str) -> None:
    torch.manual_seed(0)
    model, given = FAMILIES[family]("sdpa")
    model.eval()
    prompt = {name: each[:1] for name, each in given.items() if name != "decoder_input_ids"}
    with record_attention(model) as record, torch.no_grad():
        with record.joined():
            ids = model.generate(**prompt, max_new_tokens=5, min_new_tokens=5, do_sample=False, num_beams=1)
        joined = dict(record)
        whole = record.probe(**prompt | {"decoder_input_ids": ids}) if family == "Marian" else record.probe(ids)
    assert list(joined) == list(whole)
    for name, weights in joined.items():
        rows = weights.shape[2]
        assert rows in (ids.shape[1], ids.shape[1] - 1) or "encoder.layers" in name
        columns = weights.shape[3]
        torch.testing.assert_close(weights, whole[name][:, :, :rows, :columns], atol=1e-5, rtol=1e-4)


def test_recording_refuses_hidden_implementations_at_once() -> None:
    model, _ = gpt2("eager")
    model.config._attn_implementation = "flex_attention"
    hidden = pytest.raises(RuntimeError, match=r"flex_attention.*set_attn_implementation")
    with hidden, record_attention(model):
        pass


@pytest.mark.parametrize("options", [{}, {"attn_flash": True}, {"attn_kv_heads": 2}])
def test_record_of_x_transformers(options: dict[str, Any]) -> None:
    x_transformers = pytest.importorskip("x_transformers", reason="make test installs it from requirements-bench.txt")
    torch.manual_seed(0)
    decoder = {"dim": 16, "depth": 2, "heads": 4, "attn_dim_head": 4}
    model = x_transformers.TransformerWrapper(
        num_tokens=20, max_seq_len=16, attn_layers=x_transformers.Decoder(**decoder, **options)
    ).eval()
    with record_attention(model) as record:
        seen = record.probe(SOURCE)
    plain = x_transformers.TransformerWrapper(
        num_tokens=20,
        max_seq_len=16,
        attn_layers=x_transformers.Decoder(**decoder, **options | {"attn_flash": False}),
    ).eval()
    plain.load_state_dict(model.state_dict())
    with torch.no_grad():
        _, expected = plain(SOURCE, return_attn=True)
    assert len(seen) == 2
    for one, other in zip(seen.values(), expected, strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)
