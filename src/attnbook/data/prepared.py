"""The folder of a corpus that was prepared from files: made once, opened in a moment, refused where it is of others."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attnbook.data.corpus import Example
from attnbook.data.preparation import Preparation, Settings, read_held_out
from attnbook.data.stored import StoredBatches
from attnbook.data.subwords import codec_from_json
from attnbook.data.vocabulary import Codec

FORMAT = "attnbook-corpus-1"
MANIFEST = "corpus.json"


@dataclass(frozen=True)
class PreparedCorpus:
    """A corpus on disk.

    Args:
        folder: of its files.
        facts: see :meth:`attnbook.data.preparation.Preparation.run`.
        vocabularies: of source and target.
        held_out: examples by the name of the set.
    """

    folder: Path
    facts: Mapping[str, Any]
    vocabularies: tuple[Codec, Codec]
    held_out: Mapping[str, Sequence[Example]]

    def batches(self, *, batch_size: int, seed: int = 0) -> StoredBatches:
        """The training pairs, see :class:`attnbook.data.stored.StoredBatches`."""
        return StoredBatches(self.folder, self.facts["digest"], batch_size=batch_size, seed=seed)


def prepare(
    folder: Path,
    settings: Settings,
    train: Sequence[Path],
    held_out: Mapping[str, Sequence[Path]],
    *,
    keep: bool = False,
    progress: bool = False,
) -> PreparedCorpus:
    """Prepare a corpus, or open it where that was done before.

    A preparation that was stopped or killed leaves nothing that counts: the next one starts clean. Where two processes
    ask for the same folder, one prepares and the other waits.

    Args:
        folder: where the corpus is, or will be.
        settings: see :class:`Settings`.
        train: one file of pairs, or the files of source and target.
        held_out: likewise, by the name of the set.
        keep: a corpus that was made of other files or with other settings is an error; else it is made anew.
        progress: draw bars.

    Raises:
        ValueError: a file is refused, see :mod:`attnbook.data.rows`; or the corpus there is another one.
        OSError: a file cannot be read, or the disk is full.
    """
    wanted: dict[str, Any] = {"format": FORMAT, "settings": json.loads(json.dumps(asdict(settings)))}
    files = {"train": train, **held_out}
    with _alone(folder.parent):
        if (folder / MANIFEST).is_file():
            manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            difference = _difference(manifest, wanted, files)
            if difference is None:
                return open_prepared(folder)
            if keep:
                raise ValueError(f"{folder} is another corpus: {difference}")
        unfinished = folder.with_name(f"{folder.name}.part")
        _remove(unfinished)
        unfinished.mkdir(parents=True)
        try:
            facts = Preparation(settings, unfinished, progress).run(train, dict(held_out))
            described = {name: [_describe(path) for path in paths] for name, paths in files.items()}
            content = {**wanted, "files": described, "facts": facts}
            (unfinished / MANIFEST).write_text(json.dumps(content, indent=2), encoding="utf-8")
        except BaseException:
            _remove(unfinished)
            raise
        _remove(folder)
        unfinished.rename(folder)
    return open_prepared(folder)


def open_prepared(folder: Path) -> PreparedCorpus:
    """The corpus that :func:`prepare` has made.

    Raises:
        FileNotFoundError: there is none.
        ValueError: its files are not those that were written.
    """
    if not (folder / MANIFEST).is_file():
        raise FileNotFoundError(f"{folder} is no prepared corpus: wanted a folder that `attnbook train` made")
    try:
        facts = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["facts"]
        source, target = map(codec_from_json, json.loads((folder / "vocabularies.json").read_text(encoding="utf-8")))
        return PreparedCorpus(folder, facts, (source, target), read_held_out(folder))
    except (ValueError, LookupError, TypeError) as error:
        raise ValueError(f"{folder} is damaged: wanted the files that `attnbook train` wrote ({error})") from error


def _describe(path: Path) -> dict[str, Any]:
    status = path.stat()
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return {"name": path.name, "bytes": status.st_size, "time": status.st_mtime_ns, "sha256": digest.hexdigest()}


def _difference(
    manifest: Mapping[str, Any], wanted: Mapping[str, Any], files: Mapping[str, Sequence[Path]]
) -> str | None:
    """In what a prepared corpus is not the one that is wanted."""
    if manifest["format"] != FORMAT:
        return f"its format is {manifest['format']!r}: wanted {FORMAT!r}"
    for name, value in wanted["settings"].items():
        if manifest["settings"].get(name) != value:
            return f"its {name} is {manifest['settings'].get(name)!r}: wanted {value!r}"
    counts = {name: len(paths) for name, paths in manifest["files"].items()}
    if counts != {name: len(paths) for name, paths in files.items()}:
        return f"it was made of {counts} files: wanted { ({name: len(paths) for name, paths in files.items()}) }"
    for name, paths in files.items():
        for path, known in zip(paths, manifest["files"][name], strict=True):
            if not _same(path, known):
                return f"{path} is not the file {known['name']} that it was made of"
    return None


def _same(path: Path, known: Mapping[str, Any]) -> bool:
    """Whether a file is as it was."""
    status = path.stat()
    if (status.st_size, status.st_mtime_ns) == (known["bytes"], known["time"]):
        return True
    return bool(status.st_size == known["bytes"] and _describe(path)["sha256"] == known["sha256"])


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process prepares a corpus in this folder. A process that dies lets go."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl
    except ImportError:  # Windows, where nobody can remove files that another process has open
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
