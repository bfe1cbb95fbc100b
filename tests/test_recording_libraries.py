"""Attention of whole libraries' models equals what each library gives by itself. Nothing is downloaded."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from attnbook.observe.recorder import record_attention

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
def test_weights_are_those_of_output_attentions(family: str, attn: str) -> None:
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
def test_training_computes_the_same_numbers_while_watched(family: str, attn: str) -> None:
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
def test_generation_with_a_cache_gives_the_rows_of_one_pass(family: str) -> None:
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


def test_a_hidden_implementation_is_refused_before_the_first_call() -> None:
    model, _ = gpt2("eager")
    model.config._attn_implementation = "flex_attention"
    hidden = pytest.raises(RuntimeError, match=r"flex_attention.*set_attn_implementation")
    with hidden, record_attention(model):
        pass


@pytest.mark.parametrize("options", [{}, {"attn_flash": True}, {"attn_kv_heads": 2}])
def test_x_transformers(options: dict[str, Any]) -> None:
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
