"""The command ``train``."""

from __future__ import annotations

import math
from collections.abc import Generator
from contextlib import ExitStack, closing
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from attnbook._internal.validate import check_range
from attnbook.cli.commands.shared import DataOption, DeviceOption, check_device, raise_interrupts
from attnbook.cli.options import BUILT_IN, Options

if TYPE_CHECKING:
    from attnbook.cli.run_folder import Files, RunFolder, TrainingData
    from attnbook.models.base import EncoderDecoder
    from attnbook.training.trainer import Step

NAMED = ("grammar", "tatoeba")
CorpusOption = Annotated[
    list[str] | None,
    typer.Option(
        "--corpus",
        help="Training corpus: grammar (invented sentences, included), tatoeba (sentences of tatoeba.org), or a file "
        "with a source and a target sentence on each line, separated by a tab. Default: grammar.",
    ),
]
SourceOption = Annotated[
    list[Path] | None,
    typer.Option("--source", help="File of source sentences, one per line; use with --target instead of --corpus."),
]
TargetOption = Annotated[
    list[Path] | None,
    typer.Option("--target", help="File of target sentences: line n translates line n of the --source file."),
]
ValidOption = Annotated[
    list[Path] | None,
    typer.Option(
        help="File of sentence pairs for validation; give the option twice for a source file and a target file. "
        "Default: drawn from the training corpus (see --held-out)."
    ),
]
TestOption = Annotated[
    list[Path] | None,
    typer.Option(
        help="File of sentence pairs for `evaluate`; give the option twice for a source file and a target file. "
        "Default: drawn from the training corpus (see --held-out)."
    ),
]
HeldOutOption = Annotated[
    float | None,
    typer.Option(
        help="Fraction of your own source sentences to draw for validation, and again for testing. Default: 0.02, and "
        "at most about 2000 pairs."
    ),
]


def train(
    ctx: typer.Context,
    run: Annotated[str, typer.Argument(help="Folder of the run; created if it does not exist.", show_default=False)],
    corpora: CorpusOption = None,
    sources: SourceOption = None,
    targets: TargetOption = None,
    valid: ValidOption = None,
    test: TestOption = None,
    held_out: HeldOutOption = Options.held_out,
    languages: Annotated[
        str | None,
        typer.Option(
            help="Source and target language, such as en-de; required for your own files. The grammar and tatoeba "
            "corpora have en-fr and en-zh. Default: en-fr."
        ),
    ] = None,
    family: Annotated[str, typer.Option(help="Model: seq2seq, bahdanau, luong or transformer.")] = Options.family,
    size: Annotated[
        int, typer.Option(help="Size of the embeddings and hidden states; d_model of the transformer.")
    ] = Options.size,
    layers: Annotated[int, typer.Option(help="Number of encoder layers and of decoder layers.")] = Options.layers,
    dropout: Annotated[float, typer.Option(help="Dropout probability.")] = Options.dropout,
    pairs: Annotated[
        int | None, typer.Option(help="Number of training pairs. Default: 20000 of grammar, all of other corpora.")
    ] = Options.pairs,
    subwords: Annotated[
        int | None, typer.Option(help="Size of the byte-pair vocabularies. Default: vocabularies of words.")
    ] = Options.subwords,
    min_count: Annotated[
        int, typer.Option(help="Replace words that occur less often in the training pairs by <unk>.")
    ] = Options.min_count,
    max_length: Annotated[
        int | None,
        typer.Option(help="Leave out longer sentences, in tokens. Default: 200 for your own files, otherwise none."),
    ] = Options.max_length,
    batch_size: Annotated[int, typer.Option(help="Sentence pairs per batch.")] = Options.batch_size,
    accumulate: Annotated[
        int, typer.Option(help="Batches per optimizer step; with torchrun the processes share them.")
    ] = Options.accumulate,
    epochs: Annotated[int, typer.Option(help="Number of passes over the training pairs.")] = Options.epochs,
    lr: Annotated[
        float, typer.Option(help="Peak learning rate; after the warmup it decreases linearly to zero.")
    ] = Options.lr,
    warmup: Annotated[
        int, typer.Option(help="Steps until the peak learning rate, at most a tenth of all steps.")
    ] = Options.warmup,
    label_smoothing: Annotated[
        float, typer.Option(help="Label smoothing; Vaswani et al. (2017) use 0.1.")
    ] = Options.label_smoothing,
    seed: Annotated[
        int, typer.Option(help="Seed of the initial weights, the dropout and the order of the batches.")
    ] = Options.seed,
    bf16: Annotated[bool, typer.Option("--bf16", help="Compute in bfloat16 where possible.")] = Options.bf16,
    data: DataOption = None,
    device: DeviceOption = "auto",
    checkpoint_every: Annotated[int, typer.Option(min=1, help="Steps between two checkpoints.")] = 200,
) -> None:
    """Train a model. If the run was interrupted, the same command resumes it."""
    check_range("run", run, bool(run.strip()), "the name of a folder")
    corpus, source, target = _once("corpus", corpora), _once("source", sources), _once("target", targets)
    given = {field.name: ctx.params[field.name] for field in fields(Options) if field.name != "corpus"}
    own = source is not None or target is not None or corpus not in (None, *NAMED)
    fits = data is None or corpus == "tatoeba"
    check_range("data", data and str(data), fits, "used with --corpus tatoeba; your own sentences are --corpus FILE")
    fits = subwords is None or min_count == 1
    check_range("min_count", min_count, fits, "omitted with --subwords, whose size limits the vocabulary")
    held_out_files = {"valid": valid or [], "test": test or []}
    if own:
        files = _files(corpus, source, target, held_out_files)
        check_range("languages", languages, languages is not None, "given for your own files, such as en-de")
        options = Options(**{**given, "corpus": "files"})
    else:
        for name, paths in held_out_files.items():
            fits = not paths
            check_range(name, list(map(str, paths)), fits, f"omitted: the {corpus or 'grammar'} corpus has its own")
        files = None
        known = {"corpus": corpus or Options.corpus, "languages": languages or next(iter(BUILT_IN))}
        options = Options(**{**given, **known})
    _train(run, options, files, data, device, checkpoint_every)


def _once(name: str, values: list[Any] | None) -> Any:
    """Return the value of an option, and reject repetitions, of which all but the last would be ignored."""
    several = list(map(str, values or []))
    check_range(name, several, len(several) <= 1, "given once; to train on several files, concatenate them")
    return values[0] if values else None


def _files(corpus: str | None, source: Path | None, target: Path | None, held_out: dict[str, list[Path]]) -> Files:
    from attnbook.cli.run_folder import Files

    for name, other, path in (("source", "target", source), ("target", "source", target)):
        check_range(name, str(path), path is None or corpus is None, f"omitted with --corpus {corpus}")
        fits = path is not None or corpus is not None
        check_range(name, None, fits, f"given with --{other}")
    train = [Path(corpus)] if corpus is not None else [path for path in (source, target) if path is not None]
    named = [("corpus", train[:1])] if corpus is not None else [("source", train[:1]), ("target", train[1:])]
    for name, paths in (*named, *held_out.items()):
        for path in paths:
            kind = "grammar, tatoeba or an existing file" if name == "corpus" else "an existing file"
            check_range(name, str(path), path.is_file(), kind)
    for name, paths in held_out.items():
        fits = len(paths) <= 2
        check_range(name, list(map(str, paths)), fits, "one file of pairs, or a source and a target file")
    return Files(tuple(train), {name: tuple(paths) for name, paths in held_out.items() if paths})


def _train(
    path: str, options: Options, files: Files | None, data: Path | None, device: str, checkpoint_every: int
) -> None:
    import torch

    from attnbook._internal.files import locked
    from attnbook.cli.run_folder import RunFolder, new_model
    from attnbook.training import loop
    from attnbook.training.distributed import check_accumulate, check_same, first_process_first, rank
    from attnbook.training.optim import linear_decay

    raise_interrupts()
    place = check_device(device)
    check_accumulate(options.accumulate)
    paths = None if files is None else [list(map(str, several)) for several in (files.train, *files.held_out.values())]
    check_same({**asdict(options), "files": paths})
    folder = RunFolder(path)
    with ExitStack() as stack:
        # Process 0 alone owns the folder: it locks it and prepares the corpus, and the others open what it wrote.
        with first_process_first():
            first = rank() == 0
            if first:
                folder.check(options)
                stack.enter_context(locked(folder.path))
            corpus = folder.training_data(options, files=files, data=data, progress=first, prepared=not first)
        if corpus.report:
            typer.echo(corpus.report)
        torch.manual_seed(options.seed)
        model = new_model(options, corpus.vocabularies).to(place)
        total = math.ceil(len(corpus.batches) * options.epochs / options.accumulate)
        steps = loop.train(
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
    """Take all steps and show their progress."""
    from tqdm import tqdm

    from attnbook.training.distributed import rank
    from attnbook.translation.evaluate import held_out_perplexity

    valid = corpus.held_out.get("valid")
    number = 0
    try:
        with closing(steps), tqdm(total=total, unit="step", dynamic_ncols=True, disable=rank() > 0) as bar:
            for step in steps:
                if not number:
                    # After the first step, so that a command that fails earlier does not fix the options of the run.
                    if rank() == 0:
                        folder.create(options, punctuated=corpus.punctuated)
                    bar.initial = bar.n = bar.last_print_n = step.number - 1
                number = step.number
                if bar.update() or number == total:  # the last line has the loss of the last step
                    bar.set_postfix_str(f"loss {step.loss:.3f}, {step.tokens_per_second:,.0f} tokens/s")
                if step.ends_epoch and valid:
                    perplexity = held_out_perplexity(model, valid, *corpus.vocabularies)
                    # A step may also contain the first batches of the next epoch.
                    epoch = min(step.number * options.accumulate // len(corpus.batches), options.epochs)
                    bar.write(f"epoch {epoch}: held-out perplexity {perplexity:.2f}")
            if not number:  # an earlier call has taken all steps
                bar.initial = bar.n = total
    except KeyboardInterrupt:
        where = f"after step {number} of {total}" if number else "before the first step of this call"
        typer.echo(f"stopped {where}; the same command resumes", err=True)
        raise typer.Exit(130) from None
