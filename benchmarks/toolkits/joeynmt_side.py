"""JoeyNMT in its own loop. Its batches follow the shuffled corpus, without sorting by length."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.toolkits.meter import Meter
from benchmarks.toolkits.setting import SOURCE, TARGET, TRANSLATIONS, Setting

NEVER = 10**9  # steps


def config(setting: Setting, files: Path, folder: Path) -> dict[str, Any]:
    """The toolkit's configuration."""
    side = {
        "type": "transformer",
        "num_layers": setting.num_layers,
        "num_heads": setting.num_heads,
        "embeddings": {"embedding_dim": setting.d_model, "scale": True, "dropout": setting.dropout},
        "hidden_size": setting.d_model,
        "ff_size": setting.d_ff,
        "dropout": setting.dropout,
        "layer_norm": "post",
    }
    languages = {
        key: {"lang": name, "level": "word", "lowercase": False, "voc_file": str(files / f"vocab.{name}")}
        for key, name in (("src", SOURCE), ("trg", TARGET))
    }
    data = {name: str(files / name) for name in ("train", "test")} | {"dev": str(files / "valid")}
    return {
        "name": "beside",
        "model_dir": str(folder),
        "use_cuda": False,
        "num_workers": 0,
        "random_seed": setting.seed,
        "data": {**data, **languages, "dataset_type": "plain"},
        "training": {
            "optimizer": "adam",
            "adam_betas": [0.9, 0.98],
            "learning_rate": setting.lr,
            "learning_rate_min": 0.0,
            "scheduling": "exponential",  # once an epoch; the meter sets the rate
            "clip_grad_norm": 1.0,
            "normalization": "tokens",
            "batch_size": setting.max_tokens,
            "batch_type": "token",
            "epochs": 1000,
            "validation_freq": NEVER,
            "logging_freq": 100,
        },
        "testing": {"beam_size": 1, "batch_size": setting.batch_size, "max_output_length": setting.most_ids},
        "model": {
            "initializer": "xavier_uniform",
            "embed_initializer": "normal",
            "embed_init_weight": setting.d_model**-0.5,
            "tied_embeddings": False,
            "tied_softmax": True,
            "encoder": side,
            "decoder": side,
        },
    }


class Watched:
    """A data loader whose batches pass through the meter."""

    def __init__(self, loader: Any, meter: Meter) -> None:
        self.loader = loader
        self.meter = meter

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)

    def __iter__(self) -> Iterator[Any]:
        return self.meter.watch(self.loader, count)


def count(batch: Any) -> tuple[int, int, int]:
    """Real target tokens, real positions and all positions."""
    real = int(batch.src_mask.sum()) + batch.ntokens
    return batch.ntokens, real, batch.src.numel() + batch.trg_input.numel()


def run(setting: Setting, files: Path, folder: Path, meter: Meter) -> None:
    """Train until the budget is spent, and translate."""
    from joeynmt.config import parse_global_args
    from joeynmt.prediction import predict, prepare
    from joeynmt.training import TrainManager

    args = parse_global_args(config(setting, files, folder), mode="train")
    model, train, valid, test = prepare(args, rank=0, mode="train")
    trainer = TrainManager(
        rank=0,
        model=model,
        model_dir=args.model_dir,
        device=args.device,
        autocast=args.autocast,
        seed=args.seed,
        train_args=args.train,
        dev_args=args.test,
    )
    make = train.make_iter
    train.make_iter = lambda **options: Watched(make(**options), meter)
    trainer.train_and_validate(train_data=train, valid_data=valid)
    found = predict(model, test, args.device, 0, args=args.test, autocast=args.autocast)
    (folder / TRANSLATIONS).write_text("".join(f"{line}\n" for line in found[2]), encoding="utf-8")
