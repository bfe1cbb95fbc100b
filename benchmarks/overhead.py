"""What an attention view costs a training loop: ``python -m benchmarks.overhead``.

Three copies of a model train in one process on the same batches: one with a view, and two without. They take turns
after every step, in random order, so that a temporary slowdown of the machine affects all three equally. The view's
budget counts only the time of its own copy. The two copies without a view show which differences are noise. Intervals
come from resampling blocks of steps. Messages to the page are packed as in a kernel, although there is no receiver.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from attnbook.data import Batches, Vocabulary, collate
from attnbook.data.grammar import sample
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.transformer import Transformer
from attnbook.observe.recorder import Record, record_attention
from attnbook.training.loop import train
from attnbook.widgets.attention_view import AttentionView
from attnbook.widgets.budget import TimeBudget
from benchmarks.harness import RESULTS, Settings, threads, write

REACH = 0.02
PROBE = 4
ARMS = ("on", "off", "off again")
LEAST_STEPS = 20
BLOCK, RESAMPLES = 50, 2000  # steps per resampled block, and number of resamples


class Stopwatch:
    """A clock that is stopped while the other copies train."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._since: float | None = None

    def __call__(self) -> float:
        return self.seconds + (0.0 if self._since is None else time.perf_counter() - self._since)

    @contextmanager
    def running(self) -> Iterator[None]:
        self._since = time.perf_counter()
        yield
        self.seconds, self._since = self(), None


class Packed(AttentionView):
    """A view that packs its messages as a kernel does before sending, and has its own clock."""

    def use_clock(self, clock: Callable[[], float]) -> None:
        """Count the time budget with ``clock``."""
        self._budget = TimeBudget(self._budget.share, least=self._budget.least, clock=clock)

    def send(self, content: Any, buffers: Any = None) -> None:
        json.dumps(content).encode()
        b"".join(buffers or ())


@dataclass(frozen=True)
class Case:
    """A model, a training loop over it that yields its steps, and a view of it."""

    model: nn.Module
    steps: Callable[[Any, int], Iterable[Any]]
    view: Callable[[Record], Packed]


def ours(seed: int) -> dict[str, Case]:
    """Translation models of the package, small and medium."""
    pairs = sample(4000, seed=seed)
    source, target = (Vocabulary.build([getattr(pair, side) for pair in pairs]) for side in ("source", "target"))
    probe = collate(pairs[:PROBE], source, target)
    sizes = len(source), len(target)
    models = {
        "Bahdanau, small": Bahdanau(*sizes, embed_size=64, num_hiddens=64),
        "Transformer, small": Transformer(*sizes, d_model=64, num_heads=4, d_ff=128, num_layers=2),
        "Transformer, middle": Transformer(*sizes, d_model=256, num_heads=8, d_ff=1024, num_layers=3),
    }

    def steps(model: Any, count: int) -> Iterator[Any]:
        return train(model, Batches(pairs[PROBE:], source, target, batch_size=64), steps=count, lr=1e-3)

    return {name: Case(model, steps, lambda record: Packed(record, probe)) for name, model in models.items()}


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


def train_and_watch(case: Case, steps: int, clock: Callable[[], float] | None) -> Iterator[int]:
    """Train a copy, with a view if ``clock`` is given; yield the number of its updates after each step."""
    model = copy.deepcopy(case.model)
    with record_attention(model) if clock else nullcontext() as record:
        view = case.view(record) if clock else None
        if view is not None and clock is not None:
            view.use_clock(clock)
        yield 0  # ready to train
        for step in case.steps(model, steps):
            if view is not None:
                view.update(step)
            yield len(view.frame_log.frames) if view is not None else 0


def take_turns(case: Case, steps: int, settings: Settings) -> tuple[dict[str, Tensor], int]:
    """Train the copies in turns; return the seconds of each step by copy, and the number of the view's updates."""
    order = random.Random(settings.seed)
    watches = {arm: Stopwatch() for arm in ARMS}
    copies = {arm: train_and_watch(case, steps, watches[arm] if arm == "on" else None) for arm in ARMS}
    looks = {arm: next(training) for arm, training in copies.items()}
    seconds: dict[str, list[float]] = {arm: [] for arm in ARMS}
    for _ in range(steps):
        for arm in order.sample(ARMS, len(ARMS)):
            before = watches[arm]()
            with watches[arm].running():
                looks[arm] = next(copies[arm])
                if settings.device == "cuda":
                    torch.cuda.synchronize()
            seconds[arm].append(watches[arm]() - before)
    for training in copies.values():
        training.close()
    return {arm: torch.tensor(values, dtype=torch.float64) for arm, values in seconds.items()}, looks["on"]


def excess(some: Tensor, others: Tensor, seed: int) -> dict[str, float]:
    """By what share ``some`` take longer in total than ``others``, with a 95 % interval.

    The interval is the percentile bootstrap over blocks of consecutive steps (Künsch 1989), because an update of the
    view delays only one step in many.
    """
    block = max(1, min(BLOCK, len(some) // 20))
    count = len(some) // block
    sums = torch.stack([values[: count * block].reshape(count, -1).sum(1) for values in (some, others)])
    drawn = torch.randint(count, (RESAMPLES, count), generator=torch.Generator().manual_seed(seed))
    ratios = sums[0][drawn].sum(1) / sums[1][drawn].sum(1) - 1
    low, high = ratios.quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
    return {"median": (some.sum() / others.sum() - 1).item(), "low": low, "high": high}


def run(settings: Settings, seconds: float) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    torch.manual_seed(settings.seed)
    cases = ours(settings.seed) | {"GPT-2 of Hugging Face": gpt2(settings.device)}
    rows = [measure(name, case, settings, seconds) for name, case in cases.items()]
    return rows, {"sentences_looked_at": PROBE, "seconds_per_model": seconds}


def measure(name: str, case: Case, settings: Settings, seconds: float) -> dict[str, Any]:
    """One row of results: train one model for ``seconds`` in total, after a few warm-up steps."""
    case.model.to(settings.device)
    trial, _ = take_turns(case, LEAST_STEPS, settings)
    fastest = min(values.sum().item() for values in trial.values())
    steps = LEAST_STEPS if settings.quick else max(LEAST_STEPS, round(LEAST_STEPS * seconds / fastest / len(ARMS)))
    taken, looks = take_turns(case, steps, settings)
    plain = (taken["off"] + taken["off again"]) / 2
    cost = excess(taken["on"], plain, settings.seed)
    return {
        "model": name,
        "parameters": sum(parameter.numel() for parameter in case.model.parameters()),
        "steps": steps,
        "looks": looks,
        "milliseconds_per_step": 1e3 * plain.mean().item(),
        "cost": cost,
        "off_against_off": excess(taken["off"], taken["off again"], settings.seed),
        "reach": REACH,
        "reached": cost["median"] <= REACH,
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.overhead", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few steps, to see that everything runs")
    parser.add_argument("--seconds", type=float, default=300.0, help="of training per model, the three copies together")
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
