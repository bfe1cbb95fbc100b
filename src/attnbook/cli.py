"""The command line: train, translate, evaluate, attend, export."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from tqdm import tqdm
from typer.core import TyperGroup

from attnbook.checkpoint import read_checkpoint
from attnbook.data import Batches, Pair, collate
from attnbook.decoding import Translation, translate
from attnbook.evaluation import evaluate as score
from attnbook.evaluation import held_out_perplexity
from attnbook.files import atomic_write
from attnbook.metrics import links_from_weights
from attnbook.optim import linear_decay
from attnbook.recording import record_attention
from attnbook.runs import FAMILIES, Options, RunFolder, export_run, load_corpus, load_run
from attnbook.training import train as train_model

EXPECTED = (ValueError, TypeError, OSError, FloatingPointError)


class _Group(TyperGroup):
    """Says what is wrong in one line, without a traceback."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # whoever read our output has left
        except EXPECTED as error:
            typer.echo(f"error: {error}", err=True)
            raise typer.Exit(1) from error


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Train translation models with attention, translate with them, score them, and see where they look.",
)

RunArgument = Annotated[Path, typer.Argument(help="Folder of a run, or a file that `export` made.", show_default=False)]
DeviceOption = Annotated[str, typer.Option(help="cpu, cuda, or auto: a GPU if there is one.")]
DataOption = Annotated[
    Path | None, typer.Option(help="File or folder of the real corpus; else ATTNBOOK_DATA, else it is downloaded once.")
]
BeamOption = Annotated[int, typer.Option(min=1, help="Beam size; 1 is greedy search.")]


@app.command()
def train(
    run: Annotated[Path, typer.Argument(help="Folder of the run; made if it is not there.", show_default=False)],
    corpus: Annotated[
        str, typer.Option(help="grammar, the embedded corpus, or tatoeba, real sentences.")
    ] = Options.corpus,
    target: Annotated[str, typer.Option(help="Translate English into french or chinese.")] = Options.target,
    family: Annotated[str, typer.Option(help="seq2seq, bahdanau, luong or transformer.")] = Options.family,
    size: Annotated[int, typer.Option(help="Of embeddings, hidden states and d_model.")] = Options.size,
    layers: Annotated[int, typer.Option(help="In encoder and decoder.")] = Options.layers,
    dropout: Annotated[float, typer.Option(help="Probability of dropping an entry.")] = Options.dropout,
    pairs: Annotated[int | None, typer.Option(help="Training pairs; 20000 of grammar, all of tatoeba.")] = None,
    subwords: Annotated[int | None, typer.Option(help="Size of a byte-pair vocabulary; else words.")] = None,
    min_count: Annotated[int, typer.Option(help="Rarer words are unknown.")] = Options.min_count,
    max_length: Annotated[int | None, typer.Option(help="Leave out longer sentences of tatoeba.")] = None,
    batch_size: Annotated[int, typer.Option(help="Pairs in a batch.")] = Options.batch_size,
    epochs: Annotated[int, typer.Option(help="Times to go through the training pairs.")] = Options.epochs,
    lr: Annotated[float, typer.Option(help="Highest learning rate; it falls linearly to zero.")] = Options.lr,
    warmup: Annotated[int, typer.Option(help="Steps until it is reached, at most a tenth of all.")] = Options.warmup,
    label_smoothing: Annotated[float, typer.Option(help="Vaswani et al. 2017, 5.4: 0.1.")] = Options.label_smoothing,
    seed: Annotated[int, typer.Option(help="Of weights, dropout and batches.")] = Options.seed,
    bf16: Annotated[bool, typer.Option("--bf16", help="Compute in bfloat16.")] = Options.bf16,
    data: DataOption = None,
    device: DeviceOption = "auto",
    checkpoint_every: Annotated[int, typer.Option(help="Steps between two savings.")] = 200,
) -> None:
    """Train a model. Stopped or killed, it goes on where it was when the same command is given again."""
    options = Options(
        corpus=corpus,
        target=target,
        family=family,
        size=size,
        layers=layers,
        dropout=dropout,
        pairs=pairs,
        subwords=subwords,
        min_count=min_count,
        max_length=max_length,
        batch_size=batch_size,
        epochs=epochs,
        lr=lr,
        warmup=warmup,
        label_smoothing=label_smoothing,
        seed=seed,
        bf16=bf16,
    )
    place = _device(device)
    folder = RunFolder(run)
    folder.check(options)
    sentences = load_corpus(options, data=data, progress=True)
    vocabularies = sentences.vocabularies(subwords=subwords, min_count=min_count)
    torch.manual_seed(seed)
    model = FAMILIES[family](len(vocabularies[0]), len(vocabularies[1]), size, layers, dropout).to(place)
    batches = Batches(sentences.train, *vocabularies, batch_size=batch_size, seed=seed)
    total = len(batches) * epochs
    folder.create(options)
    steps = train_model(
        model,
        batches,
        epochs=epochs,
        lr=linear_decay(lr, warmup=min(warmup, total // 10), total=total),
        label_smoothing=label_smoothing,
        bf16=bf16,
        seed=seed,
        checkpoint=folder.checkpoint,
        checkpoint_every=checkpoint_every,
        vocabularies=vocabularies,
    )
    weights = sum(parameter.numel() for parameter in model.parameters())
    typer.echo(f"{family} with {weights:,} weights, {len(batches.pairs):,} sentence pairs")
    valid = sentences.held_out.get("valid")
    number = 0
    try:
        with closing(steps), tqdm(total=total, unit="step", dynamic_ncols=True) as bar:
            for step in steps:
                if not number:
                    bar.initial = bar.n = bar.last_print_n = step.number - 1
                number = step.number
                if bar.update():
                    bar.set_postfix_str(f"loss {step.loss:.3f}, {step.tokens_per_second:,.0f} tokens/s")
                if step.ends_epoch and valid:
                    perplexity = held_out_perplexity(model, valid, *vocabularies)
                    bar.write(f"epoch {step.epoch}: held-out perplexity {perplexity:.2f}")
    except KeyboardInterrupt:
        typer.echo(f"stopped after step {number} of {total}; the same command goes on from there", err=True)
        raise typer.Exit(130) from None
    typer.echo(f'trained; now try: attnbook translate {run} "..."')


@app.command("translate")
def translate_sentences(
    run: RunArgument,
    sentences: Annotated[
        list[str] | None, typer.Argument(help="English; without any, lines of standard input.")
    ] = None,
    beam: BeamOption = 4,
    max_length: Annotated[int, typer.Option(min=1, help="Longest translation, in ids.")] = 100,
    device: DeviceOption = "auto",
) -> None:
    """Translate sentences, one line each."""
    options, (model, source, target) = load_run(run, _device(device))
    lines = sentences or [line.strip() for line in sys.stdin if line.strip()]
    found = translate(
        model, [options.tokenize(line) for line in lines], source, target, beam_size=beam, max_length=max_length
    )
    for line, translation in zip(lines, found, strict=True):
        _warn(line, translation)
        typer.echo(options.join(translation.target))


@app.command()
def evaluate(
    run: RunArgument,
    split: Annotated[str, typer.Option(help="valid, test, or composition of the embedded corpus.")] = "test",
    beam: BeamOption = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first sentences of the split.")] = None,
    data: DataOption = None,
    device: DeviceOption = "auto",
    out: Annotated[Path | None, typer.Option("--json", help="Write the figures into this file too.")] = None,
) -> None:
    """Score the translations of sentences that were not trained on."""
    options, (model, source, target) = load_run(run, _device(device))
    held_out = load_corpus(options, data=data, progress=True).held_out
    if split not in held_out:
        raise ValueError(f"split is {split!r}: wanted one that this corpus has, {', '.join(held_out)}")
    found = score(model, held_out[split][:limit], source, target, beam_size=beam)
    figures = {"split": split, "beam": beam, **found.figures}
    typer.echo(f"{figures['sentences']} sentences of {split}")
    typer.echo(f"BLEU {figures['bleu']:.2f}   chrF {figures['chrf']:.2f}   exact {100 * figures['exact']:.1f} %")
    typer.echo(f"perplexity {figures['perplexity']:.2f}")
    for name, rate in figures.get("alignment_error_rate", {}).items():
        typer.echo(f"alignment error rate {rate:.3f}   {name}")
    if figures["cut_at_the_longest"]:
        typer.echo(f"{figures['cut_at_the_longest']} translations did not end")
    if out is not None:
        atomic_write(out, json.dumps(figures, indent=2) + "\n")


@app.command()
def attend(
    run: RunArgument,
    sentence: Annotated[str, typer.Argument(help="English.", show_default=False)],
    html: Annotated[Path | None, typer.Option(help="Write a page to explore; it needs no network.")] = None,
    beam: BeamOption = 4,
) -> None:
    """Translate a sentence and show where each word looked."""
    options, (model, source, target) = load_run(run)
    (found,) = translate(model, [options.tokenize(sentence)], source, target, beam_size=beam, attention=True)
    _warn(sentence, found)
    typer.echo(options.join(found.target))
    if not found.attention:
        raise ValueError(f"{run} is a model without attention: wanted another family")
    for name, weights in found.attention.items():
        looked = {j: i for i, j in links_from_weights(weights)}
        typer.echo(f"\n{name}")
        for j, piece in enumerate(found.target_pieces):
            if j in looked:
                weight = float(weights.mean(0)[j, looked[j]])
                typer.echo(f"  {piece:<16} {found.source_pieces[looked[j]]:<16} {weight:.2f}")
    if html is not None:
        from attnbook.widgets import AttentionView

        if not found.target:
            raise ValueError("the translation is empty: there is nothing to draw")
        probe = collate([Pair(found.source, found.target)], source, target)
        with record_attention(model) as record:
            view = AttentionView(
                record, probe, source_vocabulary=source, target_vocabulary=target, title=options.join(found.target)
            )
        typer.echo(f"\n{view.save_html(html)}")


@app.command()
def export(
    run: RunArgument,
    out: Annotated[Path, typer.Argument(help="File to write.", show_default=False)],
) -> None:
    """Write weights, vocabularies and options into one safetensors file, without what only training needs.

    The other commands read it in place of a run's folder. Any program that reads safetensors finds the weights as
    model.<name> and the rest as JSON in the file's metadata.
    """
    export_run(run, out)
    typer.echo(f"{out}: {out.stat().st_size / 1e6:.1f} MB, {len(read_checkpoint(out).tensors)} tensors")


def _device(name: str) -> str:
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise ValueError(f"device is {name!r}: wanted 'cpu', torch finds no GPU here")
    try:
        torch.zeros(1, device=name).item()  # a device may have a name and not be there
    except (RuntimeError, AssertionError) as error:
        raise ValueError(f"device is {name!r}: wanted 'cpu', 'cuda' or 'auto', one that is here") from error
    return name


def _warn(line: str, translation: Translation) -> None:
    if not translation.finished:
        typer.echo(f"the translation of {line!r} did not end and was cut", err=True)
