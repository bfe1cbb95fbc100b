"""Translate a file of 10,000 real sentences with one model in three programs: ours, Hugging Face's and CTranslate2.

All have the weights of the book's translator of real sentences (``benchmarks.converted``), in fp32 and in int8. Input
and output of each program are tokens, in batches of sentences of similar length.
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
from benchmarks.converted import ctranslate2, hugging_face, int8
from benchmarks.harness import OURS, Settings, compare, contest
from benchmarks.sentences import corpus_folder
from bookkit import ROOT

PAGE = ROOT / "results" / "pages" / "tatoeba.page"
SENTENCES, PARTS = 10_000, 4  # a turn translates one part of the file, the same for all turns of a round
BATCH, LONGEST = 64, 80
COMPARED = 500  # sentences whose translations by the programs are compared
LENGTH_PENALTY = 0.6

Sentences = Sequence[tuple[str, ...]]
Program = Callable[[Sentences, int], list[tuple[str, ...]]]  # the int: size of the beam


def run(settings: Settings) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Measure the book's translator on English sentences of the real corpus, most of them from its training set."""
    model, vocabulary, _ = read_page(PAGE.read_bytes())
    assert isinstance(model, Transformer)
    train = tatoeba.load("french", path=corpus_folder()).train
    return race(model, vocabulary, list(dict.fromkeys(pair.source for pair in train))[:SENTENCES], settings)


def race(
    model: Transformer, vocabulary: TokenizerLike, file: Sentences, settings: Settings
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Compare greedy search and a beam of four. CTranslate2 is the upper limit; the goal is half its speed.

    Each int8 program is also compared with its fp32 version: the share of equal translations.
    """
    rows, equal = [], {}
    with tempfile.TemporaryDirectory() as folder:
        theirs = hugging_face(model)
        exact = _programs(model, theirs, ctranslate2(model, vocabulary, Path(folder)), vocabulary)
        library = ctranslate2(model, vocabulary, Path(folder), "int8")
        rounded = _programs(int8(model), int8(theirs), library, vocabulary)
        for beam_size in (1, 4):
            work = "greedy" if beam_size == 1 else f"beam of {beam_size}"
            found = {name: program(file[:COMPARED], beam_size) for name, program in exact.items()}
            equal[work] = {name: _equal(found[OURS], found[name]) for name in exact if name != OURS}
            rows.append(_row(work, exact, file, beam_size, settings, {"Marian": 1.0, "CTranslate2": 0.5}))
            row = _row(f"{work}, int8", rounded, file, beam_size, settings, {})
            for name, program in rounded.items():
                row["contestants"][name]["same_as_fp32"] = _equal(found[name], program(file[:COMPARED], beam_size))
            rows.append(row)
    return rows, {"sentences": len(file), "batch": BATCH, "model": model.config, "equal_translations": equal}


def _row(
    work: str,
    programs: dict[str, Program],
    file: Sentences,
    beam_size: int,
    settings: Settings,
    goals: dict[str, float],
) -> dict[str, Any]:
    turns = {name: partial(next, _in_parts(program, file, beam_size)) for name, program in programs.items()}
    seconds = contest(turns, settings, rounds=settings.rounds(PARTS), warmup=0)
    return compare(work, seconds, reach=goals, amounts=len(file) / PARTS, unit="sentences/s")


def _programs(model: Any, theirs: Any, library: Any, vocabulary: TokenizerLike) -> dict[str, Program]:
    return {
        OURS: partial(_ours, model, vocabulary),
        "Marian": partial(_hugging_face, theirs, vocabulary),
        "CTranslate2": partial(_ctranslate2, library, vocabulary),
    }


def _equal(found: Sequence[tuple[str, ...]], other: Sequence[tuple[str, ...]]) -> float:
    """The share of sentences with equal translations."""
    return sum(one == two for one, two in zip(found, other, strict=True)) / len(found)


def _in_parts(program: Program, file: Sentences, beam_size: int) -> Iterator[int]:
    """Translate one part of the file per call, cyclically."""
    size = len(file) // PARTS
    for part in itertools.cycle(range(PARTS)):
        yield len(program(file[part * size : (part + 1) * size], beam_size))


def _ours(model: Transformer, vocabulary: TokenizerLike, sentences: Sentences, beam_size: int) -> list[tuple[str, ...]]:
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
def _hugging_face(model: Any, vocabulary: TokenizerLike, sentences: Sentences, beam_size: int) -> list[tuple[str, ...]]:
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
    library: Any, vocabulary: TokenizerLike, sentences: Sentences, beam_size: int
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
