"""Eole, the successor of OpenNMT-py, in its own loop: it sorts a bucket of the corpus by length before batching."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.toolkits.meter import Meter
from benchmarks.toolkits.setting import SOURCE, TARGET, TRANSLATIONS, Setting

NEVER = 10**9  # steps


def config(setting: Setting, files: Path, folder: Path) -> dict[str, Any]:
    """The toolkit's configuration."""
    return {
        "seed": setting.seed + 1,  # 0 and less mean none
        "data": {"corpus": {"path_src": str(files / f"train.{SOURCE}"), "path_tgt": str(files / f"train.{TARGET}")}},
        "src_vocab": str(files / f"vocab.{SOURCE}"),
        "tgt_vocab": str(files / f"vocab.{TARGET}"),
        "model": {
            "architecture": "transformer",
            "layers": setting.num_layers,
            "hidden_size": setting.d_model,
            "heads": setting.num_heads,
            "transformer_ff": setting.d_ff,
            "share_decoder_embeddings": True,
            "embeddings": {
                "word_vec_size": setting.d_model,
                "position_encoding": True,
                "position_encoding_type": "SinusoidalInterleaved",
            },
        },
        "training": {
            "model_path": str(folder),
            "world_size": 1,
            "num_workers": 0,
            "optim": "adam",
            "adam_beta2": 0.98,
            "adam_eps": 1e-9,
            "learning_rate": setting.lr,
            "max_grad_norm": 1.0,
            "param_init_method": "xavier_uniform",
            "dropout": [setting.dropout],
            "attention_dropout": [0.0],
            "normalization": "tokens",
            "batch_type": "tokens",
            "batch_size": setting.max_tokens,
            "train_steps": NEVER,
            "valid_steps": NEVER,
            "save_checkpoint_steps": NEVER,
            "log_attention_entropy": False,
        },
    }


class Watched:
    """An iterator of batches, each with the number of its bucket, that go through the meter."""

    def __init__(self, batches: Any, meter: Meter) -> None:
        self.batches = batches
        self.meter = meter

    def __iter__(self) -> Iterator[Any]:
        return self.meter.watch(self.batches, count)


def count(item: Any) -> tuple[int, int, int]:
    """Real target tokens, real positions and all positions; the target's last token is in no input."""
    batch, _ = item
    tokens = int(batch["tgtlen"].sum()) - len(batch["tgtlen"])
    target = batch["tgt"][:, 1:]
    return tokens, int(batch["srclen"].sum()) + tokens, batch["src"].numel() + target.numel()


def run(setting: Setting, files: Path, folder: Path, meter: Meter) -> None:
    """Train until the budget is spent, and translate."""
    from eole import train_single
    from eole.config.run import TrainConfig

    make = train_single.build_dynamic_dataset_iter

    def watched(*args: Any, **options: Any) -> Any:
        found = make(*args, **options)
        return None if found is None else Watched(found, meter)

    train_single.build_dynamic_dataset_iter = watched
    train_single.main(TrainConfig(**config(setting, files, folder)), device_id=-1)
    translate(setting, files, folder)


def translate(setting: Setting, files: Path, folder: Path) -> None:
    """Translate greedily, with the weights saved at the end."""
    from eole.config.run import PredictConfig
    from eole.inference_engine import InferenceEnginePY

    engine = InferenceEnginePY(
        PredictConfig(
            model_path=str(folder),
            src=str(files / f"test.{SOURCE}"),
            output=str(folder / TRANSLATIONS),
            beam_size=1,
            batch_size=setting.batch_size,
            max_length=setting.most_ids,
            world_size=1,
            gpu_ranks=[],
        )
    )
    engine.infer_file()
    engine.terminate()
