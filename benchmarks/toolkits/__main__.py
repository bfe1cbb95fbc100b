"""Install the toolkits, train with each in turn, and score their translations: ``python -m benchmarks.toolkits``."""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from attnbook.data import Example, TokenizerLike
from attnbook.translation.evaluate import scores
from benchmarks.harness import OURS, RESULTS, Settings, compare, threads, write
from benchmarks.sentences import corpus_folder
from benchmarks.toolkits.install import REQUIREMENTS, SIDES, python_of
from benchmarks.toolkits.least import seconds_per_token
from benchmarks.toolkits.setting import TRANSLATIONS, Setting, read_ids, unseen, write_corpus
from benchmarks.training_step import BOUND
from bookkit import ROOT
from experiments.corpora import CORPORA
from experiments.plan import plan

RUN = "tatoeba-french-bpe.transformer.0"  # of the plan: its corpus, sizes, rate and batches
TIMES = 1.5  # as many tokens
MINUTES = 10.0
DIFFERS = {
    "JoeyNMT": "no sorting by length; Adam's epsilon is 1e-8; dropout of attention weights and feed-forward layers too",
    "Eole": "norms before the sublayers, no biases in attention and feed-forward layers; of two equal sources in a "
    "batch it leaves out one",
}

Turns = dict[str, list[dict[str, float]]]


class Contestant:
    """A process that trains during its turns."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        side = SIDES[name]
        (folder / side).mkdir(parents=True, exist_ok=True)
        self.log = (folder / side / "log.txt").open("w", encoding="utf-8")
        path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
        environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        if corpus_folder() is not None:
            environment["ATTNBOOK_DATA"] = str(corpus_folder())
        self.process = subprocess.Popen(
            [python_of(name, folder), "-m", "benchmarks.toolkits.contestant", side, folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=environment,
            text=True,
        )
        self.in_turn = threading.Lock()
        self.hear()  # it is ready

    def hear(self) -> str:
        """Read the next line of its output.

        Raises:
            RuntimeError: the process has ended.
        """
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        if not line:
            raise RuntimeError(f"{self.name} has ended: see {self.log.name}")
        return line

    def turn(self) -> dict[str, float]:
        """Let the process train for a turn, and read its report."""
        with self.in_turn:
            self.go()
            found: dict[str, float] = json.loads(self.hear())
        return found

    def go(self) -> None:
        """Resume the process."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()


def race(setting: Setting, folder: Path, rounds: int, at_once: int = 1) -> Turns:
    """Train with all contestants in turns; when their budgets are spent, translate with each.

    Each round begins with the next contestant. A turn waits until the last one of the same contestant has ended.
    """
    contestants = [Contestant(name, folder) for name in SIDES]
    order = [contestants[(number + place) % len(SIDES)] for number in range(rounds) for place in range(len(SIDES))]
    turns: Turns = {name: [] for name in SIDES}
    with ThreadPoolExecutor(at_once) as pool:
        try:
            for contestant, turn in zip(order, [pool.submit(each.turn) for each in order], strict=True):
                done = turn.result()
                turns[contestant.name].append(done)
                rate = done["tokens"] / (done["step"] + done["loading"])
                print(
                    f"{contestant.name}, turn {len(turns[contestant.name])}: {rate:,.0f} tokens a CPU second",
                    flush=True,
                )
            for contestant in contestants if rounds == full(setting) else []:
                contestant.go()
                contestant.hear()
        finally:
            for contestant in contestants:
                contestant.process.kill()  # turns not yet begun fail at once
                contestant.process.wait()
                contestant.log.close()
    return turns


def full(setting: Setting) -> int:
    """The number of rounds after which the budgets are spent."""
    return math.ceil(setting.budget / setting.turn)


def rows(
    setting: Setting, turns: Turns, found: Mapping[str, Mapping[str, Any]], least: float, at_once: int = 1
) -> list[dict[str, Any]]:
    """Rates of the whole loop and of the steps alone, and the scores of the translations if there are any.

    The first turn warms up the process and does not count for the rates. Rivals that are too close have a bound: how
    many times as fast we were if a token took only ``least`` seconds. Contestants that train at the same time slow each
    other down, so their rates have no goal.
    """
    whole = {name: [(t["step"] + t["loading"]) / t["tokens"] for t in own[1:]] for name, own in turns.items()}
    alone = {name: [t["step"] / t["tokens"] for t in own[1:]] for name, own in turns.items()}
    unit, rivals = "tokens/CPU s", [name for name in turns if name != OURS]
    row = compare("whole loop", whole, reach=dict.fromkeys(rivals, TIMES) if at_once == 1 else {}, unit=unit)
    close = [name for name, reached in row["reached"].items() if not reached]
    row["bound"] = {name: row["contestants"][name]["seconds"]["median"] / least for name in close}
    for name, own in turns.items():
        total = {key: sum(turn[key] for turn in own) for key in own[0]}
        row["contestants"][name].update(
            real_positions=total["real"] / total["positions"],
            tokens=total["tokens"],
            steps=total["steps"],
            cpu_seconds=total["step"] + total["loading"],
            **found.get(name, {}),
        )
    if found:
        row["measured_minutes"] = setting.budget / 60
        row["bleu_reach"] = {name: found[name]["bleu"] for name in rivals}
        row["bleu_reached"] = {name: found[OURS]["bleu"] >= found[name]["bleu"] for name in rivals}
    return [row, compare("training step alone", alone, reach={}, unit=unit)]


def translations(folder: Path, target: TokenizerLike, examples: Sequence[Example]) -> dict[str, dict[str, Any]]:
    """Scores of all translations, by sacrebleu with all references."""
    references = [example.references for example in examples]
    found = {}
    for name, side in SIDES.items():
        outputs = [tuple(target.decode(ids)) for ids in read_ids(folder / side / TRANSLATIONS)]
        found[name] = scores(outputs, references)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.toolkits", description=__doc__)
    parser.add_argument("--minutes", type=float, default=MINUTES, help="CPU minutes of training, of each")
    parser.add_argument("--turn", type=float, default=30.0, help="CPU seconds of a turn")
    parser.add_argument(
        "--at-once", type=int, choices=(1, 2), default=1, help="contestants that train at the same time"
    )
    parser.add_argument("--rounds", type=int, help="of turns, fewer than the minutes hold: rates alone, no BLEU")
    parser.add_argument("--files", type=Path, default=ROOT / "runs" / "toolkits", help="environments, corpus, logs")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where the figures are written")
    options = parser.parse_args()
    (experiment,) = (experiment for experiment in plan() if experiment.name == RUN)
    setting = Setting(
        corpus=experiment.corpus,
        budget=60 * options.minutes,
        turn=options.turn,
        lr=experiment.lr,
        warmup=experiment.warmup,
        max_tokens=experiment.max_tokens,
        seed=experiment.seed,
        **experiment.options,
    )
    corpus, vocabularies = CORPORA[experiment.corpus]()
    options.files.mkdir(parents=True, exist_ok=True)
    setting.write(options.files)
    write_corpus(options.files, corpus, *vocabularies)
    rounds = min(options.rounds or full(setting), full(setting))
    turns = race(setting, options.files, rounds, options.at_once)
    whole = rounds == full(setting)
    found = translations(options.files, vocabularies[1], unseen(corpus)) if whole else {}
    with threads(1):
        least = seconds_per_token(setting)
    path = write(
        "toolkits" if options.minutes == MINUTES else f"toolkits-{options.minutes:g}",
        Settings(threads=1),
        rows(setting, turns, found, least, options.at_once),
        folder=options.folder,
        command=" ".join(["python -m benchmarks.toolkits", *sys.argv[1:]]),
        toolkits=REQUIREMENTS,
        setting=vars(setting),
        at_once=options.at_once,
        bound=BOUND,
        differs=DIFFERS,
    )
    print(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
