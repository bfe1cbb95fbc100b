"""Train in several processes, for ``tests/training/test_distributed.py``.

``python -m tests.support.distributed_runs FOLDER`` imports everything once, forks every group of processes, and writes
the results of each process to FOLDER as JSON.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

import attnbook.training.loop
from attnbook.models.base import EncoderDecoder
from attnbook.observe.recorder import record_attention
from attnbook.training import distributed
from attnbook.training.loop import train
from attnbook.widgets.attention_view import AttentionView
from tests.support.small_models import build, random_batch

FAMILIES = (
    "seq2seq",
    "bahdanau-paper",
    "luong-concat-local-p-fed",
    "transformer-sinusoidal",
    "transformer-rotary-pre-norm-untied",
)
STEPS = 16
LENGTHS = [((5, 1, 7), (6, 4, 1)), ((2,), (9,)), ((3, 3), (1, 2)), ((4, 6, 1, 2), (3, 3, 8, 1)), ((1,), (1,))]
BATCHES = [random_batch(*lengths, seed=i) for i, lengths in enumerate(LENGTHS)]
ACCUMULATE = 4  # of five batches: steps cross the ends of epochs, and the last step is shorter
Result = dict[str, Any]


def model_of(name: str) -> EncoderDecoder:
    return build(name, dropout=0.3).double()


def run_losses(model: EncoderDecoder, **options: Any) -> list[float]:
    settings = {"steps": STEPS, "lr": 0.003, "label_smoothing": 0.1, "accumulate": ACCUMULATE, **options}
    return [step.loss for step in train(model, BATCHES, **settings)]


def families(folder: Path, names: Sequence[str] = FAMILIES, **options: Any) -> Result:
    """The losses and the final weights of every family."""
    found: Result = {}
    for name in names:
        model = model_of(name)
        losses = run_losses(model, **options)
        found[name] = {
            "losses": losses,
            "weights": {key: value.flatten().tolist() for key, value in model.state_dict().items()},
        }
    return found


def idle(folder: Path) -> Result:
    """Fewer batches per step than processes. train() refuses that, but in a short last step processes are idle."""
    attnbook.training.loop.check_accumulate = lambda accumulate: None  # type: ignore[attr-defined]
    return families(folder, ["transformer-sinusoidal"], accumulate=2)


def too_few(folder: Path) -> Result:
    return {"steps": len(run_losses(model_of(FAMILIES[0]), accumulate=1))}


def watched(folder: Path) -> Result:
    """Process 0 records attention in the first half of the steps and updates an AttentionView in the second."""
    model, probe = model_of("bahdanau-paper"), random_batch((3, 2), (4, 3))
    losses, shapes, view = [], [], None
    with record_attention(model) if distributed.rank() == 0 else contextlib.nullcontext() as record:
        for step in train(model, BATCHES, steps=STEPS, lr=0.003, label_smoothing=0.1, accumulate=ACCUMULATE):
            losses.append(step.loss)
            if record is not None and step.number <= STEPS // 2:
                shapes.append(list(record["decoder.cross_attention"].shape))
                record.clear()
            elif record is not None:
                view = view or AttentionView(record, probe)
                view.update(step)
    return {"losses": losses, "looks": len(view.frame_log.frames) if view is not None else 0, "shapes": shapes}


def resumed(folder: Path, steps: int, every: int = 4) -> Result:
    """Resume from the checkpoint of another number of processes; only process 0 has the file."""
    place = folder / "checkpoint" if distributed.rank() == 0 else folder / "elsewhere" / "checkpoint"
    model = model_of("transformer-sinusoidal")
    done = train(model, BATCHES, steps=STEPS, lr=0.003, accumulate=ACCUMULATE, checkpoint=place, checkpoint_every=every)
    found = [(step.number, step.loss, step.tokens) for step in done if step.number <= steps or not done.close()]
    return {"steps": found, "elsewhere": (folder / "elsewhere").exists()}


def differing(folder: Path, **options: Any) -> Result:
    """Train with another option, other data or other weights in process 1."""
    model = model_of("bahdanau")
    batches = BATCHES
    if distributed.rank() == 1:
        if "data" in options:
            batches = [*BATCHES[:-1], BATCHES[0]]
        if "weights" in options:
            with torch.no_grad():
                next(model.parameters()).view(-1)[-1] += 1e-9
    if distributed.rank() == 0 or "data" in options or "weights" in options:
        options = {}
    list(train(model, batches, **{"steps": 5, "accumulate": 2, **options}))
    return {}


def faulty(folder: Path, what: str) -> Result:
    """Train with a fault in one process at step 3."""
    model = model_of("bahdanau")
    me = distributed.rank()
    if what == "full disk" and me == 0:

        def full(handle: int) -> None:
            raise OSError(28, "No space left on device")

        os.fsync = full
    run = train(model, BATCHES, steps=STEPS, accumulate=2, checkpoint=folder / what, checkpoint_every=3)
    for step in run:
        if step.number == 2 and me == 1:
            if what == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if what == "frozen":
                os.kill(os.getpid(), signal.SIGSTOP)
            if what == "error":
                raise MemoryError("no memory left in process 1")
            if what == "nan":
                model.head.register_forward_hook(lambda module, args, logits: logits * float("nan"))
    return {}


def worker(rank: int, world: int, folder: Path, name: str, action: Callable[..., Result], arguments: Result) -> None:
    torch.set_num_threads(1)
    patience = timedelta(seconds=arguments.pop("patience", 60))
    dist.init_process_group("gloo", f"file://{folder}/{name}.store", timeout=patience, rank=rank, world_size=world)
    (folder / f"{name}.{rank}.connected").touch()
    started = time.monotonic()
    try:
        found = {"result": action(folder, **arguments)}
    except Exception as error:
        found = {"error": type(error).__name__, "message": str(error)}
    found["seconds"] = time.monotonic() - started
    (folder / f"{name}.{rank}.json").write_text(json.dumps(found))
    # A process that ends closes its connections, which the others may still be making.
    while not all((folder / f"{name}.{other}.connected").exists() for other in range(world)):
        time.sleep(0.01)


def together(world: int, folder: Path, name: str, action: Callable[..., Result], **arguments: Any) -> None:
    """Run an action in several processes; those that still run after two minutes are killed."""
    fork = multiprocessing.get_context("fork")
    started = [
        fork.Process(target=worker, args=(rank, world, folder, name, action, arguments)) for rank in range(world)
    ]
    for process in started:
        process.start()
    for process in started:
        if arguments.get("what") != "frozen" or process is started[0]:
            process.join(120)
    for process in started:
        process.kill()


def alone(folder: Path) -> Iterator[tuple[str, Result]]:
    """The results of a single process."""
    yield "alone", families(folder)
    yield "alone-2", families(folder, ["transformer-sinusoidal"], accumulate=2)
    yield "alone-resumed", {"steps": [(s.number, s.loss, s.tokens) for s in resumed_alone()]}


def resumed_alone() -> list[Any]:
    return list(train(model_of("transformer-sinusoidal"), BATCHES, steps=STEPS, lr=0.003, accumulate=ACCUMULATE))


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    for name, result in alone(folder):
        (folder / f"{name}.json").write_text(json.dumps(result))
    for world in (1, 2, 3):
        together(world, folder, f"families-{world}", families)
    together(3, folder, "idle", idle)
    together(3, folder, "too few", too_few)
    together(2, folder, "watched", watched)
    together(2, folder, "resumed-2", resumed, steps=5)
    together(3, folder, "resumed-3", resumed, steps=11)
    together(1, folder, "resumed-1", resumed, steps=STEPS)
    for option, value in {"seed": 1, "clip_norm": None, "lr": 0.01, "steps": 6, "data": 0, "weights": 0}.items():
        together(2, folder, f"differing-{option}", differing, **{option: value})
    for what in ("killed", "error", "nan", "full disk", "frozen"):
        together(2, folder, what, faulty, what=what, patience=3)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
