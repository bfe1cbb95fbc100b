"""The command ``train``."""

from __future__ import annotations

import math
from collections.abc import Generator
from contextlib import closing, nullcontext
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from attnbook._internal.validate import check_range
from attnbook.cli.arguments import DataOption, DeviceOption, check_device, ready
from attnbook.cli.options import BUILT_IN, Options

if TYPE_CHECKING:
    from attnbook.cli.run_folder import Files, RunFolder, TrainingData
    from attnbook.models.base import EncoderDecoder
    from attnbook.training.trainer import Step

CorpusOption = Annotated[
    list[str] | None,
    typer.Option(
        "--corpus", help="grammar, the embedded corpus; tatoeba, real sentences; or a file of pairs, tab between."
    ),
]
SourceOption = Annotated[
    list[Path] | None, typer.Option("--source", help="In place of a file of pairs: sentences, one a line,")
]
TargetOption = Annotated[
    list[Path] | None, typer.Option("--target", help="and their translations in the lines of the same number.")
]
NAMED = ("grammar", "tatoeba")


def train(
    ctx: typer.Context,
    run: Annotated[str, typer.Argument(help="Folder of the run; made if it is not there.", show_default=False)],
    corpora: CorpusOption = None,
    sources: SourceOption = None,
    targets: TargetOption = None,
    valid: Annotated[
        list[Path] | None, typer.Option(help="Held-out file of pairs; given twice: of source and target. Else a share.")
    ] = None,
    test: Annotated[list[Path] | None, typer.Option(help="Likewise, for the figures of `evaluate`.")] = None,
    held_out: Annotated[
        float | None, typer.Option(help="That share, of the source sentences; 0.02 where that is below 2000 pairs.")
    ] = Options.held_out,
    languages: Annotated[
        str | None, typer.Option(help="Source and target, such as en-de; en-fr or en-zh of grammar and tatoeba.")
    ] = None,
    family: Annotated[str, typer.Option(help="seq2seq, bahdanau, luong or transformer.")] = Options.family,
    size: Annotated[int, typer.Option(help="Of embeddings, hidden states and d_model.")] = Options.size,
    layers: Annotated[int, typer.Option(help="In encoder and decoder.")] = Options.layers,
    dropout: Annotated[float, typer.Option(help="Probability of dropping an entry.")] = Options.dropout,
    pairs: Annotated[int | None, typer.Option(help="Training pairs; 20000 of grammar, else all.")] = Options.pairs,
    subwords: Annotated[
        int | None, typer.Option(help="Size of a byte-pair vocabulary; else words.")
    ] = Options.subwords,
    min_count: Annotated[int, typer.Option(help="Rarer words are unknown.")] = Options.min_count,
    max_length: Annotated[
        int | None, typer.Option(help="Leave out longer sentences; of your own those above 200 words or pieces.")
    ] = Options.max_length,
    batch_size: Annotated[int, typer.Option(help="Pairs in a batch.")] = Options.batch_size,
    accumulate: Annotated[
        int, typer.Option(help="Batches in a step, which the processes of torchrun share.")
    ] = Options.accumulate,
    epochs: Annotated[int, typer.Option(help="Times to go through the training pairs.")] = Options.epochs,
    lr: Annotated[float, typer.Option(help="Highest learning rate; it falls linearly to zero.")] = Options.lr,
    warmup: Annotated[int, typer.Option(help="Steps until it is reached, at most a tenth of all.")] = Options.warmup,
    label_smoothing: Annotated[float, typer.Option(help="Vaswani et al. 2017, 5.4: 0.1.")] = Options.label_smoothing,
    seed: Annotated[int, typer.Option(help="Of weights, dropout and batches.")] = Options.seed,
    bf16: Annotated[bool, typer.Option("--bf16", help="Compute in bfloat16.")] = Options.bf16,
    data: DataOption = None,
    device: DeviceOption = "auto",
    checkpoint_every: Annotated[int, typer.Option(min=1, help="Steps between two savings.")] = 200,
) -> None:
    """Train a model. Stopped or killed, it goes on where it was when the same command is given again."""
    check_range("run", run, bool(run.strip()), "the name of a folder")
    corpus, source, target = _only("corpus", corpora), _only("source", sources), _only("target", targets)
    given = {field.name: ctx.params[field.name] for field in fields(Options) if field.name != "corpus"}
    apart = {"valid": valid or [], "test": test or []}
    _check_used(corpus, data, apart)
    wanted = "1, or no --subwords: pieces are counted in their own way"
    check_range("min_count", min_count, subwords is None or min_count == 1, wanted)
    if corpus in (None, *NAMED) and not (source or target or valid or test):
        given |= {"corpus": corpus or Options.corpus, "languages": languages or next(iter(BUILT_IN))}
        _train(run, Options(**given), None, data, device, checkpoint_every)
    else:
        files = _files(corpus, source, target, apart)
        check_range("languages", languages, languages is not None, "the codes of source and target, such as en-de")
        _train(run, Options(**{**given, "corpus": "files"}), files, data, device, checkpoint_every)


def _check_used(corpus: str | None, data: Path | None, held_out: dict[str, list[Path]]) -> None:
    """Refuse what would not be looked at."""
    wanted = "--corpus tatoeba with it; sentences of your own are --corpus FILE"
    check_range("data", data and str(data), data is None or corpus == "tatoeba", wanted)
    for name, several in held_out.items():
        fits = not several or corpus not in NAMED
        check_range(name, list(map(str, several)), fits, f"none, as {corpus} has such sentences itself")


def _only(name: str, given: list[Any] | None) -> Any:
    """The value of an option, which may come once; else the last one would count, and the others silently not."""
    several = list(map(str, given or []))
    check_range(name, several, len(several) <= 1, "one; put files together before, they are read line by line")
    return given[0] if given else None


def _files(corpus: str | None, source: Path | None, target: Path | None, held_out: dict[str, list[Path]]) -> Files:
    from attnbook.cli.run_folder import Files

    both = source is not None and target is not None
    if (corpus is None) is not both:
        given = f"corpus is {corpus}, source is {source} and target is {target}"
        raise ValueError(f"{given}: wanted a corpus alone, or source and target")
    paths = [Path(corpus)] if corpus is not None else [source or Path(), target or Path()]
    if corpus is not None and not paths[0].is_file():
        check_range("corpus", corpus, False, "grammar, tatoeba, or a file of pairs; there is none of this name")
    for path in (*paths, *held_out["valid"], *held_out["test"]):
        if not path.is_file():
            what = "is a folder" if path.is_dir() else "is not there"
            raise FileNotFoundError(f"{path} {what}: wanted a file of sentences")
    for name, several in held_out.items():
        check_range(name, list(map(str, several)), len(several) <= 2, "a file of pairs, or those of source and target")
    return Files(tuple(paths), {name: tuple(several) for name, several in held_out.items() if several})


def _train(
    path: str, options: Options, files: Files | None, data: Path | None, device: str, checkpoint_every: int
) -> None:
    import torch

    from attnbook._internal.files import alone
    from attnbook.cli.run_folder import RunFolder, new_model
    from attnbook.training import loop as training
    from attnbook.training.distributed import first_alone, rank
    from attnbook.training.optim import linear_decay

    ready()
    place = check_device(device)
    folder = RunFolder(path)
    folder.check(options)
    with alone(folder.path) if rank() == 0 else nullcontext():
        with first_alone():
            corpus = folder.training_data(options, files=files, data=data, progress=True)
        if corpus.report:
            typer.echo(corpus.report)
        torch.manual_seed(options.seed)
        model = new_model(options, corpus.vocabularies).to(place)
        total = math.ceil(len(corpus.batches) * options.epochs / options.accumulate)
        steps = training.train(
            model,
            corpus.batches,
            epochs=options.epochs,
            lr=linear_decay(options.lr, warmup=min(options.warmup, total // 10), total=total),
            label_smoothing=options.label_smoothing,
            accumulate=options.accumulate,
            bf16=options.bf16,
            seed=options.seed,
            checkpoint=folder.checkpoint,
            checkpoint_every=checkpoint_every,
            vocabularies=corpus.vocabularies,
        )
        weights = sum(parameter.numel() for parameter in model.parameters())
        sizes = " and ".join(f"{len(vocabulary):,}" for vocabulary in corpus.vocabularies)
        typer.echo(
            f"{options.family} with {weights:,} weights, {corpus.pairs:,} sentence pairs, vocabularies of {sizes}"
        )
        _follow(steps, total, folder, options, corpus, model)
        typer.echo(f'trained; now try: attnbook translate {path} "..."')


def _follow(
    steps: Generator[Step, None, None],
    total: int,
    folder: RunFolder,
    options: Options,
    corpus: TrainingData,
    model: EncoderDecoder,
) -> None:
    """Go through the steps, and say how they go."""
    from tqdm import tqdm

    from attnbook.training.distributed import rank
    from attnbook.translation.evaluate import held_out_perplexity

    valid = corpus.held_out.get("valid")
    number = 0
    try:
        with closing(steps), tqdm(total=total, unit="step", dynamic_ncols=True) as bar:
            for step in steps:
                if not number:
                    # Now that a step has come through: what is refused before must not bind the next command.
                    if rank() == 0:
                        folder.create(options, punctuated=corpus.punctuated)
                    bar.initial = bar.n = bar.last_print_n = step.number - 1
                number = step.number
                if bar.update():
                    bar.set_postfix_str(f"loss {step.loss:.3f}, {step.tokens_per_second:,.0f} tokens/s")
                if step.ends_epoch and valid:
                    perplexity = held_out_perplexity(model, valid, *corpus.vocabularies)
                    bar.write(f"epoch {step.epoch}: held-out perplexity {perplexity:.2f}")
    except KeyboardInterrupt:
        typer.echo(f"stopped after step {number} of {total}; the same command goes on from there", err=True)
        raise typer.Exit(130) from None
