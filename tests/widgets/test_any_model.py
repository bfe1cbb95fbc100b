"""A view of a model from another library: in a plain loop, a Trainer and Lightning; its tokens and frames."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from PIL import Image
from torch import Tensor, nn

from attnbook.observe.attribution import attribute, rollout
from attnbook.observe.recorder import Record, record_attention
from attnbook.widgets import any_model
from attnbook.widgets.any_model import frame_reducer, kinds_of_any_model, sentences_of, token_axes
from attnbook.widgets.attention_view import AttentionView
from attnbook.widgets.encoding import decode, dequantize

WIDTH, HEADS = 16, 2
SOURCE, TARGET = ["the", "cat", "sleeps"], ["<bos>", "le", "chat", "dort"]


def eager(view: AttentionView) -> AttentionView:
    view._budget.due = lambda: True  # type: ignore[method-assign]
    return view


class Copier(nn.Module):
    """A small model of one sequence, for a batch of ids ``(batch, length)``."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, HEADS, 32, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, 10)

    def forward(self, ids: Tensor, labels: Tensor | None = None) -> dict[str, Tensor]:
        logits = self.head(self.encoder(self.embedding(ids)))
        return {"logits": logits} | ({} if labels is None else {"loss": F.cross_entropy(logits.mT, labels)})


def data() -> Tensor:
    return torch.randint(0, 10, (16, 5), generator=torch.manual_seed(1))


def frames(view: AttentionView) -> list[int]:
    return [frame.step for frame in decode(view.data).frames]


def test_attention_view_records_plain_loop_over_torch_transformer() -> None:
    torch.manual_seed(0)
    model = nn.Transformer(WIDTH, HEADS, 2, 2, 32, batch_first=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    probe = {"src": torch.randn(1, 3, WIDTH), "tgt": torch.randn(1, 4, WIDTH)}
    with record_attention(model) as record:
        view = eager(AttentionView(record, probe, tokens={"source": SOURCE, "target": TARGET}))
        for step in range(1, 5):
            loss = model(**probe).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            view.update(step=step, loss=loss)
        expected = record.probe(**probe)
    assert frames(view) == [0, 1, 2, 3, 4] and list(decode(view.data).series) == ["loss"]
    assert [(kind.label, kind.query, kind.key, len(kind.layers)) for kind in view.frame_layout.kinds] == [
        ("cross-attention", "target_in", "source", 2),
        ("encoder self-attention", "source", "source", 2),
        ("decoder self-attention", "target_in", "target_in", 2),
    ]
    shown = dequantize(decode(view.data).frames[-1].codes)
    assert np.abs(shown - view.frame_layout.pack(expected).numpy()).max() < 0.004


def test_attention_view_works_in_hugging_face_trainer_callback(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="it is not installed: pip install transformers")
    pytest.importorskip("accelerate", reason="make test installs it from requirements-bench.txt")

    class Watch(transformers.TrainerCallback):
        def __init__(self, view: AttentionView) -> None:
            self.view = view

        def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any], **_: Any) -> None:
            if "loss" in logs:
                self.view.update(step=state.global_step, loss=logs["loss"])

    model = Copier()
    arguments = transformers.TrainingArguments(
        str(tmp_path), max_steps=3, logging_steps=1, report_to=[], use_cpu=True, save_strategy="no", disable_tqdm=True
    )
    rows = [{"ids": row, "labels": row} for row in data()]
    with record_attention(model) as record:
        trainer = transformers.Trainer(model, arguments, train_dataset=rows)
        view = eager(AttentionView(record, data()[:2], tokens=[list("abcde"), list("fghij")]))
        trainer.add_callback(Watch(view))
        trainer.train()
    assert frames(view) == [0, 1, 2, 3] and len(decode(view.data).points) == 3


def test_attention_view_works_in_lightning_callback() -> None:
    lightning = pytest.importorskip("lightning", reason="make test installs it from requirements-bench.txt")

    class Watch(lightning.Callback):
        view: AttentionView

        def __init__(self, record: Record) -> None:
            self.record = record

        def on_train_start(self, trainer: Any, module: Any) -> None:
            self.view = eager(AttentionView(self.record, data()[:1].to(module.device), tokens=list("abcde")))

        def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
            self.view.update(step=trainer.global_step, loss=outputs["loss"])

    class Module(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.model = Copier()

        def training_step(self, batch: Tensor, batch_idx: int) -> Tensor:
            return self.model(batch, batch)["loss"]

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    module = Module()
    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
    with record_attention(module.model) as record:
        watch = Watch(record)
        trainer = lightning.Trainer(
            max_steps=3, accelerator="cpu", callbacks=[watch], enable_model_summary=False, **quiet
        )
        trainer.fit(module, torch.utils.data.DataLoader(data(), batch_size=4))
    assert frames(watch.view) == [0, 1, 2, 3]


def test_view_names_both_devices_if_the_model_was_moved() -> None:
    model = Copier()
    expected = pytest.raises(RuntimeError, match="must stay on cpu, where the view was made, got meta")
    with expected, record_attention(model) as record:
        view = eager(AttentionView(record, data()[:1], tokens=list("abcde")))
        model.to("meta")
        view.update(step=1, loss=1.0)


def test_view_keeps_its_frames_if_the_model_was_moved_after_training() -> None:
    model = Copier()
    with record_attention(model) as record:
        view = eager(AttentionView(record, data()[:1], tokens=list("abcde")))
        view.update(step=1, loss=1.0)
        model.to("meta")
    assert frames(view) == [0, 1]


def test_tokens_accept_tokenizer_and_function() -> None:
    words = ["<pad>", "the", "cat", "le", "chat"]
    tokenizer = SimpleNamespace(pad_token_id=0, convert_ids_to_tokens=lambda ids: [words[i] for i in ids])
    probe = {"input_ids": torch.tensor([[1, 2], [2, 0]]), "decoder_input_ids": torch.tensor([[3, 4], [4, 0]])}
    expected = {"source": [["the", "cat"], ["cat"]], "target_in": [["le", "chat"], ["chat"]]}
    assert token_axes(tokenizer, probe) == expected
    assert token_axes(lambda given: [words[i] for i in given["input_ids"][0]], probe) == {"tokens": [["the", "cat"]]}
    with pytest.raises(ValueError, match=r"^probe must have input_ids"):
        token_axes(tokenizer, (torch.ones(1),))
    with pytest.raises(TypeError, match=r"^tokens must"):
        token_axes("the cat", probe)
    with pytest.raises(TypeError, match=r"^tokens must .*sentence 'cat'"):
        token_axes([["the", "dog"], "cat"], probe)
    with pytest.raises(ValueError, match=r"^tokens must"):
        token_axes({"source": ["a"], "target": [["a"], ["b"]]}, probe)


@pytest.mark.parametrize("names", [("encoder.layers.0.self_attn", "decoder.layers.0.encoder_attn", "decoder.0.attn")])
def test_kinds_are_inferred_from_shape_then_name(names: tuple[str, ...]) -> None:
    same = {name: torch.zeros(1, 2, 3, 3) for name in names}
    kinds = kinds_of_any_model(same, sentences_of({"source": [SOURCE], "target_in": [SOURCE]}))
    assert [kind.layers for kind in kinds] == [(names[1],), (names[0],), (names[2],)]
    shaped = {"a": torch.zeros(1, 2, 3, 3), "b": torch.zeros(1, 2, 4, 3), "c": torch.zeros(1, 2, 4, 4)}
    kinds = kinds_of_any_model(shaped, sentences_of({"source": [SOURCE], "target_in": [TARGET]}))
    assert [kind.layers for kind in kinds] == [("b",), ("a",), ("c",)]
    with pytest.raises(ValueError, match=r"^a must"):
        kinds_of_any_model(shaped, sentences_of({"tokens": [TARGET]}))


def test_tokens_raise_for_missing_weighted_column_or_sentence() -> None:
    wide = {"cross": torch.tensor([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]]).expand(1, 2, 2, 3)}
    sides = {"source": [["the", "cat"]], "target_in": [["le"]]}
    assert kinds_of_any_model(wide, sentences_of(sides))[0].layers == ("cross",)
    with pytest.raises(ValueError, match=r"^cross must"):
        kinds_of_any_model(wide, sentences_of(sides | {"target_in": [["le", "chat"]]}))
    for count in (1, 3):
        with pytest.raises(ValueError, match=r"^a\b"):
            kinds_of_any_model({"a": torch.ones(2, 2, 1, 1)}, sentences_of({"tokens": [["the"]] * count}))


def test_update_with_repeated_step_counts_once() -> None:
    """As with gradients that are accumulated, where a callback hears of every batch."""
    model = Copier().requires_grad_(False)
    with record_attention(model) as record:
        view = eager(AttentionView(record, data()[:1], tokens=list("abcde")))
        for step in (0, 1, 1, 2, 2, 3, 1, 2):
            view.update(step=step, loss=1.0)
    assert frames(view) == [0, 1, 2, 3, 4, 5], "the last two are of another training"


def test_update_accepts_model_without_parameters_and_raises_after_the_end() -> None:
    class Plain(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return F.scaled_dot_product_attention(x, x, x)

    with record_attention(Plain()) as record:
        view = eager(AttentionView(record, torch.randn(1, 3, WIDTH), tokens=SOURCE))
        view.update(step=1, loss=1.0)
    with pytest.raises(RuntimeError, match="recording"):
        view.update(step=2, loss=1.0)
    assert frames(view) == [0, 1]


def test_probe_without_tokens_raises_and_record_continues() -> None:
    model = Copier()
    with record_attention(model) as record:
        with pytest.raises(TypeError, match=r"^probe must"):
            AttentionView(record, data()[:1])
        assert record.is_recording


class Large:
    """The weights of 12 layers with 16 heads over 512 tokens, sharper and softer."""

    def __init__(self) -> None:
        scores = torch.randn(1, 16, 512, 512, generator=torch.manual_seed(1))
        self.weights = {f"layers.{i}": (scores * (1 + i / 4)).softmax(-1) for i in range(12)}

    def probe(self, *_: Any) -> dict[str, Tensor]:
        return self.weights


def test_large_model_keeps_means_of_some_modules_below_five_megabytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, large = Copier(), Large()
    with record_attention(model) as record:
        monkeypatch.setattr(Record, "probe_with_output", lambda self, *_: (None, large.probe()))
        with pytest.warns(UserWarning, match="mean over the heads of 4 of 12 modules"):
            view = eager(AttentionView(record, data(), tokens=[str(i) for i in range(512)]))
        for step in range(1, 4):
            view.update(step=step, loss=1.0)
    (kind,) = view.frame_layout.kinds
    assert kind.layers == ("layers.2", "layers.5", "layers.8", "layers.11") and kind.heads == 1
    assert view.frame_layout.size == 4 * 512 * 512 == 1 << 20
    assert view.save_html(tmp_path / "view.html").stat().st_size < 5e6
    small = {"a": torch.rand(1, 16, 64, 64)}
    assert frame_reducer(small)(small) == small, "what fits is kept with all its heads"


def test_patches_form_a_grid_over_the_image() -> None:
    transformers = pytest.importorskip("transformers", reason="it is not installed: pip install transformers")
    config = transformers.ViTConfig(
        image_size=12, patch_size=4, num_channels=1, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=16,
    )  # fmt: skip
    pictures = torch.zeros(2, 1, 12, 12)
    pictures[1, 0, 4:8, 8:] = 3.0  # the patch 2,3
    with record_attention(transformers.ViTForImageClassification(config)) as record:
        view = AttentionView(record, pictures, pictures=pictures, grid=(3, 3))
        for wrong, error in (((4, 4), "^grid must"), (9, "^grid must")):
            with pytest.raises((ValueError, TypeError), match=error):
                AttentionView(record, pictures, pictures=pictures, grid=wrong)
        with pytest.raises(TypeError, match="pictures"):
            AttentionView(record, pictures, pictures=pictures[0, 0], grid=(3, 3))
        with pytest.raises(ValueError, match=r"^pictures must be finite"):
            AttentionView(record, pictures, pictures=pictures * torch.nan, grid=(3, 3))
    (kind,) = view.frame_layout.kinds
    sentence = view.header["sentences"][1]
    assert kind.label == "self-attention" and len(kind.layers) == 2
    assert sentence["axes"]["tokens"][:3] + sentence["axes"]["tokens"][-1:] == ["[class]", "1,1", "1,2", "3,3"]
    assert (sentence["picture"]["grid"], sentence["picture"]["before"]) == ((3, 3), 1)
    png = base64.b64decode(sentence["picture"]["png"].partition(",")[2])
    drawn = np.asarray(Image.open(io.BytesIO(png)))
    assert drawn.shape == (12, 12) and (drawn[4:8, 8:] == 255).all() and drawn.sum() == 16 * 255


def test_measures_are_kinds_in_addition_to_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    model = Copier()
    with record_attention(model) as record:
        view = eager(AttentionView(record, data()[:2], tokens=[list("abcde")] * 2, measures=["gradient", "rollout"]))
        view.update(step=1, loss=1.0)
        with pytest.raises(ValueError, match=r"^measures must"):
            AttentionView(record, data()[:1], tokens=list("abcde"), measures="gradient")
        with pytest.warns(UserWarning, match="the mean over the heads of 2 of 2 modules"):
            monkeypatch.setattr(any_model, "MOST_CELLS", 250)
            means = AttentionView(record, data()[:1], tokens=list("abcde"), measures=["value norms", "rollout"])
    assert [kind.heads for kind in means.frame_layout.kinds] == [1, 1, 1]
    labels = ["self-attention", "self-attention: gradient", "self-attention: rollout"]
    assert [kind.label for kind in view.frame_layout.kinds] == labels and view.frame_layout.kinds[2].heads == 1
    names = ["encoder.layers.0.self_attn", "encoder.layers.1.self_attn"]
    with record_attention(model) as record:
        weights = record.probe(data()[:2])
    gradient = attribute(model, data()[:2])["gradient"]
    wanted = weights | {f"{name}, gradient": gradient[name] for name in names}
    wanted |= {f"{name}, rollout": each for name, each in zip(names, rollout(list(weights.values())), strict=True)}
    for frame in decode(view.data).frames:
        assert np.abs(dequantize(frame.codes) - view.frame_layout.pack(wanted).numpy()).max() < 0.004
