"""Compare the JavaScript engine of the pages with torch: ``python -m experiments.engine_proof``. Needs Node.

Three comparisons: the logits of every model variant with random weights, with changed attention for half of the
sentences; greedy and beam search with the models in ``results/pages`` on the whole test set; and CPU time per token.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

from attnbook.data import EOS, pad
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.transformer import Transformer
from attnbook.translation.search import Hypothesis, beam_search, greedy
from attnbook.widgets.page_model import export_page, read_page
from experiments.corpora import CORPORA
from experiments.page_models import FOLDER
from experiments.record import provenance, write
from tests.support.js_engine import ask, difference, number_vocabulary, random_ask
from tests.support.small_models import NAMES, SOURCE_VOCABULARY, TARGET_VOCABULARY, build

LIMIT = 1e-4  # for the difference between logits
LONGEST = 40
MILLION: dict[str, tuple[type[EncoderDecoder], dict[str, Any]]] = {
    # About a million parameters each, with vocabularies of 1000.
    "bahdanau": (Bahdanau, {"embed_size": 96, "num_hiddens": 152, "bidirectional": True, "readout": "maxout"}),
    "transformer": (Transformer, {"d_model": 136, "num_heads": 4, "d_ff": 344, "num_layers": 2}),
}


def logits(sentences: int, folder: Path) -> list[dict[str, Any]]:
    """The largest difference between logits, for each variant."""
    generator = random.Random(0)
    vocabularies = number_vocabulary(SOURCE_VOCABULARY), number_vocabulary(TARGET_VOCABULARY)
    rows = []
    for name in NAMES:
        path = folder / f"{name}.page"
        path.write_bytes(export_page(build(name), vocabularies))
        model = read_page(path.read_bytes()).model
        asks = [random_ask(model, generator, changed=i % 2 == 1) for i in range(sentences)]
        (found,) = ask([{"page": str(path), "asks": asks}])
        rows.append({"variant": name, "sentences": sentences, "difference": difference(model, asks, found["answers"])})
        print(f"{name}: {rows[-1]['difference']:.1e}", flush=True)
    return rows


def searches(sentences: int) -> list[dict[str, Any]]:
    """The number of test sentences for which the engine and torch write the same tokens."""
    rows = []
    for path in sorted(FOLDER.glob("*.page")):
        model, source_vocabulary, _ = read_page(path.read_bytes())
        corpus, _ = CORPORA[json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))["corpus"]]()
        sources = [source_vocabulary.encode(example.source) for example in corpus.held_out["test"]][:sentences]
        for search in ("greedy", "beam"):
            asks = [{"source": ids, "search": search, "maxLength": LONGEST, "changes": {}} for ids in sources]
            (found,) = ask([{"page": str(path), "asks": asks}])
            ours = search_here(model, sources, search)
            same = [tuple(a["ids"]) == h.ids for a, h in zip(found["answers"], ours, strict=True)]
            row = {
                "model": path.stem,
                "bytes": path.stat().st_size,
                "search": search,
                "sentences": len(sources),
                "identical": sum(same),
                "cpu_ms_per_token": round(1000 * found["seconds"] / sum(len(h.ids) + 1 for h in ours), 3),
            }
            rows.append(row)
            print(row, flush=True)
    return rows


def search_here(model: EncoderDecoder, sources: list[list[int]], search: str) -> list[Hypothesis]:
    found: list[Hypothesis] = []
    for start in range(0, len(sources), 50):
        source, mask = pad(sources[start : start + 50])
        if search == "greedy":
            found += greedy(model, source, mask, max_length=LONGEST)
        else:
            found += beam_search(model, source, mask, max_length=LONGEST)
    return found


def speed(folder: Path) -> list[dict[str, Any]]:
    """CPU milliseconds per token for models of a million parameters, including encoding a sentence of ten words."""
    vocabulary = number_vocabulary(1000)
    rows = []
    for name, (kind, options) in MILLION.items():
        torch.manual_seed(0)
        model = kind(len(vocabulary), len(vocabulary), **options)
        with torch.no_grad():
            model.head.bias[EOS] -= 100  # so that decoding continues to the maximum length
        path = folder / f"{name}.page"
        path.write_bytes(export_page(model, (vocabulary, vocabulary)))
        question = {"source": list(range(10, 20)), "search": "greedy", "maxLength": 20, "changes": {}}
        (found,) = ask([{"page": str(path), "asks": [question] * 20}])
        parameters = sum(parameter.numel() for parameter in model.parameters())
        milliseconds = round(1000 * found["seconds"] / (20 * 20), 3)
        rows.append({"model": name, "parameters": parameters, "cpu_ms_per_token": milliseconds})
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.engine_proof", description=__doc__)
    parser.add_argument("--sentences", type=int, default=200, help="number of sentences for each variant")
    parser.add_argument("--tests", type=int, default=1000, help="number of test sentences")
    parser.add_argument("--out", type=Path, default=FOLDER / "proof.json")
    options = parser.parse_args()
    torch.set_num_threads(1)
    origin = provenance(" ".join(["python -m experiments.engine_proof", *sys.argv[1:]]))
    with tempfile.TemporaryDirectory() as name:
        agreement, fast = logits(options.sentences, Path(name)), speed(Path(name))
    worst = max(row["difference"] for row in agreement)
    if worst >= LIMIT:
        raise SystemExit(f"logits must differ by less than {LIMIT}, got {worst}")
    found = searches(options.tests)
    write(options.out, {**origin, "largest_difference": worst, "logits": agreement, "searches": found, "speed": fast})
    print(f"{len(agreement)} variants, at most {worst:.1e} apart: {options.out}")


if __name__ == "__main__":
    main()
