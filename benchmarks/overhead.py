"""What an attention view costs a training loop: ``python -m benchmarks.overhead``.

The same training runs three times per round, in random order: with a view, without, and without again. The two runs
without a view show how much equal runs differ on this machine; a smaller cost cannot be distinguished from noise.
Both wall time and this process's CPU time are measured; other processes disturb the second less.
The messages to the page are packed as a kernel would, although there is no receiver.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from attnbook.data import Batches, Vocabulary, collate
from attnbook.data.grammar import sample
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.transformer import Transformer
from attnbook.observe.recorder import Record, record_attention
from attnbook.training.loop import train
from attnbook.widgets.attention_view import AttentionView
from benchmarks.harness import RESULTS, Settings, contest, spread, threads, write

REACH = 0.02
PROBE = 4
ARMS = ("on", "off", "off again")


class Packed(AttentionView):
    """A view that packs its messages, as a kernel does before it sends them."""

    def send(self, content: Any, buffers: Any = None) -> None:
        json.dumps(content).encode()
        b"".join(buffers or ())


@dataclass(frozen=True)
class Case:
    """A model, a training loop over it that yields its steps, and a view of it."""

    model: nn.Module
    steps: Callable[[Any, int], Iterable[Any]]
    view: Callable[[Record], AttentionView]


def ours(seed: int) -> dict[str, Case]:
    """Translation models of the package, small and middle-sized."""
    pairs = sample(4000, seed=seed)
    source, target = (Vocabulary.build([getattr(pair, side) for pair in pairs]) for side in ("source", "target"))
    batches = Batches(pairs[PROBE:], source, target, batch_size=64)
    probe = collate(pairs[:PROBE], source, target)
    sizes = len(source), len(target)
    models = {
        "Bahdanau, small": Bahdanau(*sizes, embed_size=64, num_hiddens=64),
        "Transformer, small": Transformer(*sizes, d_model=64, num_heads=4, d_ff=128, num_layers=2),
        "Transformer, middle": Transformer(*sizes, d_model=256, num_heads=8, d_ff=1024, num_layers=3),
    }
    return {
        name: Case(model, lambda model, steps: train(model, batches, steps=steps, lr=1e-3), lambda r: Packed(r, probe))
        for name, model in models.items()
    }


def gpt2(device: str) -> Case:
    """A Hugging Face language model of 20 million parameters, in a plain loop."""
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(vocab_size=10_000, n_positions=64, n_embd=384, n_layer=9, n_head=8)
    ids = torch.randint(0, config.vocab_size, (8, 64), device=device)
    probe = ids[:1, :24]

    def steps(model: Any, count: int) -> Iterator[dict[str, Any]]:
        model.train()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
        for number in range(1, count + 1):
            loss = model(input_ids=ids, labels=ids).loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield {"number": number, "loss": loss}

    return Case(GPT2LMHeadModel(config), steps, lambda r: Packed(r, probe, tokens=[str(i) for i in range(24)]))


def run_once(case: Case, steps: int, look: bool) -> dict[str, float]:
    """Train a copy; time the loop alone, without making and closing the view."""
    model = copy.deepcopy(case.model)
    looks = 0
    with record_attention(model) if look else nullcontext() as record:
        view = case.view(record) if look else None
        wall, processor = time.perf_counter(), time.process_time()
        for step in case.steps(model, steps):
            if view is not None:
                view.update(step)
        taken = {"wall": time.perf_counter() - wall, "processor": time.process_time() - processor}
        if view is not None:
            looks = len(view.frame_log.frames)
    return taken | {"looks": looks}


def run(settings: Settings, seconds: float) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    torch.manual_seed(settings.seed)
    cases = ours(settings.seed) | {"GPT-2 of Hugging Face": gpt2(settings.device)}
    rows = [measure(name, case, settings, seconds) for name, case in cases.items()]
    return rows, {"sentences_looked_at": PROBE, "seconds_a_turn": seconds}


def measure(name: str, case: Case, settings: Settings, seconds: float) -> dict[str, Any]:
    """The row of one model."""
    case.model.to(settings.device)
    least = 4 if settings.quick else 20
    trial = run_once(case, least, look=False)
    steps = least if settings.quick else max(least, round(least * seconds / trial["wall"]))
    found: dict[str, list[dict[str, float]]] = {arm: [] for arm in ARMS}

    def arm(which: str) -> Callable[[], None]:
        return lambda: found[which].append(run_once(case, steps, look=which == "on"))

    contest({which: arm(which) for which in ARMS}, settings, rounds=settings.rounds(12), warmup=1)
    row: dict[str, Any] = {
        "model": name,
        "parameters": sum(parameter.numel() for parameter in case.model.parameters()),
        "steps": steps,
        "rounds": len(found["on"]) - 1,
        "looks": spread([one["looks"] for one in found["on"][1:]]),
        "reach": REACH,
    }
    for clock in ("wall", "processor"):
        on, off, again = ([one[clock] for one in found[which][1:]] for which in ARMS)
        row[clock] = {
            "seconds_off": spread(off),
            "cost": spread([2 * a / (b + c) - 1 for a, b, c in zip(on, off, again, strict=True)]),
            "off_against_off": spread([b / c - 1 for b, c in zip(off, again, strict=True)]),
        }
    row["reached"] = row["wall"]["cost"]["median"] <= REACH
    return row


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overhead", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two short rounds, to see that everything runs")
    parser.add_argument("--seconds", type=float, default=6.0, help="of training in a turn")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="of torch")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where the figures are written")
    options = parser.parse_args()
    settings = Settings(quick=options.quick, device=options.device, threads=options.threads)
    with threads(settings.threads):
        rows, more = run(settings, options.seconds)
    command = " ".join(["python -m benchmarks.overhead", *sys.argv[1:]])
    path = write("overhead", settings, rows, folder=options.folder, command=command, **more)
    print(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
