"""A corpus prepared from files: built once, memory-mapped, rebuilt or rejected if its sources changed."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attnbook._internal.files import locked, sha256
from attnbook._internal.validate import check_type
from attnbook.data.corpus import Example
from attnbook.data.memmap import SIDES, MemmapBatches
from attnbook.data.pipeline import CLEAN, HASHES, Pipeline, Settings, read_held_out
from attnbook.data.subwords import tokenizer_from_json
from attnbook.data.vocabulary import TokenizerLike

FilePath = str | os.PathLike[str]

FORMAT = "attnbook-corpus-1"
MANIFEST = "corpus.json"
FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # only a write raises these, and it does not name its file
ARRAYS = [f"{side}{part}.npy" for side in SIDES for part in ("", "_starts")]
# Every file that a pipeline may write.
WRITTEN = {MANIFEST, "vocabularies.json", "held_out.json", CLEAN, *HASHES, *ARRAYS}


@dataclass(frozen=True)
class PreparedCorpus:
    """A corpus on disk.

    Args:
        folder: folder of its files.
        facts: see ``Pipeline.run``.
        vocabularies: source and target vocabulary.
        held_out: examples by set name.
    """

    folder: Path
    facts: Mapping[str, Any]
    vocabularies: tuple[TokenizerLike, TokenizerLike]
    held_out: Mapping[str, Sequence[Example]]

    def batches(self, *, batch_size: int, seed: int = 0) -> MemmapBatches:
        """Batches of the training pairs, see ``MemmapBatches``."""
        return MemmapBatches(self.folder, self.facts["digest"], batch_size=batch_size, seed=seed)


def prepare(
    folder: FilePath,
    settings: Settings,
    train: Sequence[FilePath],
    held_out: Mapping[str, Sequence[FilePath]],
    *,
    keep: bool | Callable[[], bool] = False,
    progress: bool = False,
) -> PreparedCorpus:
    """Prepare a corpus, or open it if it is already there.

    An interrupted preparation leaves no valid corpus; the next one starts from the beginning. If two processes ask for
    the same folder, one prepares the corpus and the other waits.

    Args:
        folder: folder of the corpus.
        settings: see ``Settings``.
        train: one file of pairs, or a source and a target file.
        held_out: such files by set name.
        keep: whether an existing corpus made from other files or settings is an error; if False, it is replaced. A
            function is called again just before the corpus is replaced, because a run may depend on it by then.
        progress: whether to draw progress bars.

    Raises:
        ValueError: a file is rejected, see ``reader``, or changes while it is read; or the folder holds another corpus
            or other files.
        TypeError: an argument has a wrong type.
        OSError: a file cannot be read, or the disk is full.
    """
    _check_path("folder", folder)
    check_type("settings", settings, isinstance(settings, Settings), "Settings")
    for name, paths in {"train": train, **held_out}.items():
        check_type(name, paths, isinstance(paths, Sequence) and not isinstance(paths, str), "a sequence of paths")
        for i, path in enumerate(paths):
            _check_path(f"{name}[{i}]", path)
    folder = Path(folder)
    expected: dict[str, Any] = {"format": FORMAT, "settings": json.loads(json.dumps(asdict(settings)))}
    files = {name: [Path(path) for path in paths] for name, paths in {"train": train, **held_out}.items()}
    difference: str | None = None

    def check_kept() -> None:
        if difference is not None and (keep() if callable(keep) else keep):
            raise ValueError(f"{folder} holds another corpus: {difference}")

    with locked(folder.parent, wait=True):
        if (folder / MANIFEST).is_file():
            with _reading(folder):
                manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
                difference = _difference(manifest, expected, files)
            if difference is None:
                return open_prepared(folder)
            check_kept()
        unfinished = folder.with_name(f"{folder.name}.part")
        for place in (folder, unfinished):
            _check_replaceable(place)
        _remove(unfinished)
        unfinished.mkdir(parents=True)
        try:
            manifest = {**expected, **_write(Pipeline(settings, unfinished, progress), files)}
            (unfinished / MANIFEST).write_text(json.dumps(manifest, indent=2), encoding="utf-8")
            check_kept()
        except BaseException as error:
            _remove(unfinished)
            if isinstance(error, OSError) and error.errno in FULL_DISK and error.filename is None:
                raise OSError(error.errno, error.strerror, str(folder)) from error
            raise
        _remove(folder)
        unfinished.rename(folder)
    return open_prepared(folder)


def _write(pipeline: Pipeline, files: Mapping[str, Sequence[Path]]) -> dict[str, Any]:
    """Write all files except the manifest, and return its description of the sources and the facts."""
    before = _times(files)
    held_out = {name: paths for name, paths in files.items() if name != "train"}
    facts = pipeline.run(files["train"], held_out)
    described = {name: [_describe(path) for path in paths] for name, paths in files.items()}
    for path, time in _times(files).items():
        if time != before.get(path):
            raise ValueError(f"{path} changed while it was being read")
    return {"files": described, "facts": facts}


def open_prepared(folder: FilePath) -> PreparedCorpus:
    """Open a corpus made by ``prepare``.

    Raises:
        FileNotFoundError: there is no corpus.
        ValueError: its files are damaged.
        TypeError: ``folder`` is not a path.
    """
    _check_path("folder", folder)
    folder = Path(folder)
    if not (folder / MANIFEST).is_file():
        raise FileNotFoundError(f"{folder} is not a prepared corpus; `attnbook train` makes one")
    with _reading(folder):
        facts = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["facts"]
        lacking = [name for name in ("pairs", "digest", "punctuated", "report") if name not in facts]
        if lacking:
            raise ValueError(f"its facts lack {', '.join(lacking)}")
        for name, digest in facts.get("sha256", {}).items():  # missing in older corpora
            if sha256(folder / name) != digest:
                raise ValueError(f"{name} was changed after it was written")
        source, target = map(
            tokenizer_from_json, json.loads((folder / "vocabularies.json").read_text(encoding="utf-8"))
        )
        return PreparedCorpus(folder, facts, (source, target), read_held_out(folder))


@contextmanager
def _reading(folder: Path) -> Iterator[None]:
    """Turn errors while reading the corpus into a ValueError that names the folder."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{folder} is damaged: its files are not those that `attnbook train` wrote ({error})"
        ) from error


def _check_path(name: str, path: object) -> None:
    check_type(name, path, isinstance(path, str | os.PathLike), "a path")


def _check_replaceable(place: Path) -> None:
    """Raise a ValueError if replacing the folder would remove files that are not part of a corpus."""
    remedy = "and the prepared corpus would replace it; choose another folder for the run"
    if place.is_symlink() or (place.exists() and not place.is_dir()):
        raise ValueError(f"{place} exists and is not a folder, {remedy}")
    foreign = sorted(path.name for path in place.iterdir() if path.name not in WRITTEN) if place.exists() else []
    if foreign:
        raise ValueError(f"{place} contains {foreign[0]}, which is not part of a corpus, {remedy}")


def _times(files: Mapping[str, Sequence[Path]]) -> dict[Path, tuple[int, int]]:
    """Size and modification time of every existing file."""
    found = {path: path.stat() for paths in files.values() for path in paths if path.is_file()}
    return {path: (status.st_size, status.st_mtime_ns) for path, status in found.items()}


def _describe(path: Path) -> dict[str, Any]:
    status = path.stat()
    return {"name": path.name, "bytes": status.st_size, "time": status.st_mtime_ns, "sha256": sha256(path)}


def _difference(
    manifest: Mapping[str, Any], expected: Mapping[str, Any], files: Mapping[str, Sequence[Path]]
) -> str | None:
    """Describe the first difference between a prepared corpus and the requested one; None if there is none."""
    if manifest["format"] != FORMAT:
        return f"its format is {manifest['format']!r}, not {FORMAT!r}"
    for name, value in expected["settings"].items():
        if manifest["settings"].get(name) != value:
            return f"its {name} is {manifest['settings'].get(name)!r}, not {value!r}"
    before, now = ({name: len(paths) for name, paths in each.items()} for each in (manifest["files"], files))
    if before != now:
        return f"it was made from {before} files, not {now}"
    for name, paths in files.items():
        for path, known in zip(paths, manifest["files"][name], strict=True):
            if not _same(path, known):
                return f"{path} is not the file {known['name']} that it was made from"
    return None


def _same(path: Path, known: Mapping[str, Any]) -> bool:
    """Whether a file is the same as when the corpus was prepared."""
    status = path.stat()
    if (status.st_size, status.st_mtime_ns) == (known["bytes"], known["time"]):
        return True
    return bool(status.st_size == known["bytes"] and sha256(path) == known["sha256"])


def _remove(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
