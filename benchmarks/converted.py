"""Convert our Transformer for two other programs, which then write the same translations.

The model must be post-norm, as in the paper and in the book's translator of real sentences.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor, nn

from attnbook.attention.positional import sinusoidal_table
from attnbook.data import BOS, EOS, PAD, SPECIALS, TokenizerLike
from attnbook.models.transformer import Transformer

LONGEST = 256  # positions that the tables of the others have


def int8(model: nn.Module) -> nn.Module:
    """A copy in eval mode with int8 linear layers, with one scale per row of the weights."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated, but its successor torchao compiles for minutes
        per_row = {nn.Linear: torch.ao.quantization.per_channel_dynamic_qconfig}
        quantized: nn.Module = torch.ao.quantization.quantize_dynamic(model.eval(), per_row)
    return quantized


def hugging_face(model: Transformer) -> Any:
    """Convert to a ``MarianMTModel`` in eval mode, whose head gets a bias."""
    from transformers import MarianConfig, MarianMTModel

    c = model.config
    config = MarianConfig(
        vocab_size=c["target_vocab_size"],
        d_model=c["d_model"],
        encoder_layers=c["num_layers"],
        decoder_layers=c["num_layers"],
        encoder_attention_heads=c["num_heads"],
        decoder_attention_heads=c["num_heads"],
        encoder_ffn_dim=c["d_ff"],
        decoder_ffn_dim=c["d_ff"],
        max_position_embeddings=LONGEST,
        activation_function="relu",
        scale_embedding=True,
        pad_token_id=PAD,
        bos_token_id=BOS,
        eos_token_id=EOS,
        forced_eos_token_id=None,
        decoder_start_token_id=BOS,
    )
    config._attn_implementation = "sdpa"
    theirs = MarianMTModel(config).eval()
    theirs.lm_head = torch.nn.Linear(c["d_model"], c["target_vocab_size"])
    weights = {_their_name(name): tensor for name, tensor in model.state_dict().items()}
    weights["final_logits_bias"] = theirs.final_logits_bias  # zeros
    for side in ("encoder", "decoder"):
        weights[f"model.{side}.embed_tokens.weight"] = weights["model.shared.weight"]
        weights[f"model.{side}.embed_positions.weight"] = sinusoidal_table(LONGEST, c["d_model"])
    theirs.load_state_dict(weights)
    return theirs


def _their_name(name: str) -> str:
    """Marian's name of one of our parameters, such as decoder.1.cross_attention.W_q.weight."""
    whole = {"source_embedding.weight": "model.shared.weight", "target_embedding.weight": "model.shared.weight"}
    if name in whole:
        return whole[name]
    side, *path, kind = name.split(".")
    if side == "head":
        return f"lm_head.{kind}"
    layer, block, inner = path
    norms = ["self_attn_layer_norm", *(["encoder_attn_layer_norm"] if side == "decoder" else []), "final_layer_norm"]
    if block.startswith("add_norm"):
        their = norms[int(block[-1]) - 1]
    elif block == "feed_forward":
        their = f"fc{inner[-1]}"
    else:
        attention = {"self_attention": "self_attn", "cross_attention": "encoder_attn"}[block]
        their = f"{attention}.{'out' if inner == 'W_o' else inner[-1]}_proj"
    return f"model.{side}.layers.{layer}.{their}.{kind}"


def ctranslate2(
    model: Transformer, vocabulary: TokenizerLike, folder: Path, numbers: Literal["float32", "int8"] = "float32"
) -> Any:
    """Convert to a ``ctranslate2.Translator`` with as many threads as torch.

    Args:
        model: a model with one vocabulary for both languages.
        vocabulary: the vocabulary; CTranslate2's tokens are our ids as text, except for special tokens.
        folder: output folder of the converted model.
        numbers: number type of the matrix products.
    """
    import ctranslate2 as library
    from ctranslate2.specs import TransformerSpec

    config = model.config
    spec = TransformerSpec.from_config(config["num_layers"], config["num_heads"], pre_norm=False)
    weights = {name: tensor.detach().contiguous() for name, tensor in model.state_dict().items()}
    table = sinusoidal_table(LONGEST, config["d_model"])
    for side, ours in ((spec.encoder, "encoder"), (spec.decoder, "decoder")):
        side.position_encodings.encodings = table
        for i, layer in enumerate(side.layer):
            _layer(layer, weights, f"{ours}.{i}")
    spec.encoder.embeddings[0].weight = weights["source_embedding.weight"]
    spec.decoder.embeddings.weight = weights["target_embedding.weight"]
    _linear(spec.decoder.projection, weights, "head")
    tokens = [*SPECIALS, *map(str, range(len(SPECIALS), len(vocabulary)))]
    spec.register_source_vocabulary(tokens)
    spec.register_target_vocabulary(tokens)
    spec.config.bos_token, spec.config.eos_token, spec.config.unk_token = SPECIALS[BOS], SPECIALS[EOS], SPECIALS[-1]
    spec.config.decoder_start_token = SPECIALS[BOS]
    spec.config.add_source_bos = spec.config.add_source_eos = False
    spec.validate()
    spec.save(str(folder))
    return library.Translator(str(folder), compute_type=numbers, intra_threads=torch.get_num_threads())


def _layer(spec: Any, weights: dict[str, Tensor], name: str) -> None:
    cross = hasattr(spec, "attention")
    _attention(spec.self_attention.linear, weights, f"{name}.self_attention", (("W_q", "W_k", "W_v"), ("W_o",)))
    _norm(spec.self_attention.layer_norm, weights, f"{name}.add_norm_1.norm")
    if cross:
        parts = (("W_q",), ("W_k", "W_v"), ("W_o",))
        _attention(spec.attention.linear, weights, f"{name}.cross_attention", parts)
        _norm(spec.attention.layer_norm, weights, f"{name}.add_norm_2.norm")
    _norm(spec.ffn.layer_norm, weights, f"{name}.add_norm_{3 if cross else 2}.norm")
    _linear(spec.ffn.linear_0, weights, f"{name}.feed_forward.W_1")
    _linear(spec.ffn.linear_1, weights, f"{name}.feed_forward.W_2")


def _attention(specs: Any, weights: dict[str, Tensor], name: str, parts: tuple[tuple[str, ...], ...]) -> None:
    for spec, together in zip(specs, parts, strict=True):
        spec.weight = torch.cat([weights[f"{name}.{part}.weight"] for part in together])
        spec.bias = torch.cat([weights[f"{name}.{part}.bias"] for part in together])


def _linear(spec: Any, weights: dict[str, Tensor], name: str) -> None:
    spec.weight, spec.bias = weights[f"{name}.weight"], weights[f"{name}.bias"]


def _norm(spec: Any, weights: dict[str, Tensor], name: str) -> None:
    spec.gamma, spec.beta = weights[f"{name}.weight"], weights[f"{name}.bias"]
