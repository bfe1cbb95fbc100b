"""Translating a file of 10,000 real sentences with one model in three programs: ours, Hugging Face's and CTranslate2.

All have the same weights (`benchmarks.converted`), those of the book's translator of real sentences, in fp32. Each
program starts and ends with tokens, and gets batches of sentences of similar length.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch

from attnbook.data import EOS, SPECIALS, TokenizerLike, pad, tatoeba
from attnbook.models.transformer import Transformer
from attnbook.translation.translate import translate
from attnbook.widgets.page_model import read_page
from benchmarks.converted import ctranslate2, hugging_face
from benchmarks.harness import OURS, Settings, compare, contest
from benchmarks.sentences import corpus_folder
from bookkit import ROOT

PAGE = ROOT / "results" / "pages" / "tatoeba.page"
SENTENCES, PARTS = 10_000, 4  # a turn translates one part of the file, a round's turns the same one
BATCH, LONGEST = 64, 80
COMPARED = 500  # sentences whose translations by the programs are compared
LENGTH_PENALTY = 0.6

Sentences = Sequence[tuple[str, ...]]
Program = Callable[[Sentences], list[tuple[str, ...]]]


def run(settings: Settings) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The book's translator, and English sentences of the real corpus; most of them are those it was trained on."""
    model, vocabulary, _ = read_page(PAGE.read_bytes())
    assert isinstance(model, Transformer)
    train = tatoeba.load("french", path=corpus_folder()).train
    return race(model, vocabulary, list(dict.fromkeys(pair.source for pair in train))[:SENTENCES], settings)


def race(
    model: Transformer, vocabulary: TokenizerLike, file: Sentences, settings: Settings
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Greedy and with a beam of four. CTranslate2 is the upper limit; the goal is half its speed."""
    rows, equal = [], {}
    with tempfile.TemporaryDirectory() as folder:
        theirs, library = hugging_face(model), ctranslate2(model, vocabulary, Path(folder))
        for beam_size in (1, 4):
            programs: dict[str, Program] = {
                OURS: partial(_ours, model, vocabulary, beam_size),
                "Marian": partial(_hugging_face, theirs, vocabulary, beam_size),
                "CTranslate2": partial(_ctranslate2, library, vocabulary, beam_size),
            }
            work = "greedy" if beam_size == 1 else f"beam of {beam_size}"
            equal[work] = _equal(programs, file[:COMPARED])
            turns = {name: partial(next, _in_parts(program, file)) for name, program in programs.items()}
            seconds = contest(turns, settings, rounds=settings.rounds(PARTS), warmup=0)
            goals = {"Marian": 1.0, "CTranslate2": 0.5}
            rows.append(compare(work, seconds, reach=goals, amounts=len(file) / PARTS, unit="sentences/s"))
    return rows, {"sentences": len(file), "batch": BATCH, "model": model.config, "equal_translations": equal}


def _equal(programs: dict[str, Program], file: Sentences) -> dict[str, float]:
    """The share of sentences that another program translates as ours does."""
    ours = programs[OURS](file)
    return {
        name: sum(one == other for one, other in zip(ours, program(file), strict=True)) / len(file)
        for name, program in programs.items()
        if name != OURS
    }


def _in_parts(program: Program, file: Sentences) -> Iterator[int]:
    """Translates one part of the file at each step, and starts again after the last."""
    size = len(file) // PARTS
    for part in itertools.cycle(range(PARTS)):
        yield len(program(file[part * size : (part + 1) * size]))


def _ours(model: Transformer, vocabulary: TokenizerLike, beam_size: int, sentences: Sentences) -> list[tuple[str, ...]]:
    found = translate(
        model,
        sentences,
        vocabulary,
        vocabulary,
        beam_size=beam_size,
        length_penalty=LENGTH_PENALTY,
        max_length=LONGEST,
        batch_size=BATCH,
    )
    return [translation.target for translation in found]


@torch.inference_mode()
def _hugging_face(model: Any, vocabulary: TokenizerLike, beam_size: int, sentences: Sentences) -> list[tuple[str, ...]]:
    ids = [vocabulary.encode(sentence) for sentence in sentences]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    found: dict[int, tuple[str, ...]] = {}
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        source, mask = pad([ids[i] for i in rows])
        written = model.generate(
            input_ids=source,
            attention_mask=mask,
            max_new_tokens=LONGEST,
            do_sample=False,
            num_beams=beam_size,
            length_penalty=LENGTH_PENALTY,
            early_stopping=beam_size > 1,
        )
        for i, row in zip(rows, written[:, 1:].tolist(), strict=True):
            end = row.index(EOS) if EOS in row else len(row)
            found[i] = tuple(vocabulary.decode(row[:end]))
    return [found[i] for i in range(len(ids))]


def _ctranslate2(
    library: Any, vocabulary: TokenizerLike, beam_size: int, sentences: Sentences
) -> list[tuple[str, ...]]:
    tokens = [[str(i) for i in vocabulary.encode(sentence)] for sentence in sentences]
    found = library.translate_batch(
        tokens,
        beam_size=beam_size,
        length_penalty=LENGTH_PENALTY,
        max_batch_size=BATCH,
        max_decoding_length=LONGEST,
    )
    ids = {token: i for i, token in enumerate(SPECIALS)}  # a model may write one of them
    return [
        tuple(vocabulary.decode([ids[token] if token in ids else int(token) for token in result.hypotheses[0]]))
        for result in found
    ]
