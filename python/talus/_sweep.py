"""Many runs of a scene over parameters, through any executor of concurrent.futures.

The program that calls sweep() checks all scenes, hands the runs to the executor, and keeps the results. A worker needs no
more than this package and the files that the scene names: it gets the tables of the scene and the overrides of its run.
"""

from __future__ import annotations

import hashlib
import inspect
import itertools
import json
import math
import os
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, as_completed
from contextlib import nullcontext
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ._core import Scene, SceneError, Simulation, parse_scene
from ._run import progress_bar, run

Tables = str | dict[str, Any]  # A scene is the text of a file, or a dict of tables.
# These fields of Measure are columns where no measure is given.
NUMBERS = ("grains", "contacts_mean", "contacts_max", "penetration_mean", "penetration_max", "kinetic_energy", "speed_max", "height")
# Every table has these columns after those of the measure.
LAST = ("state_hash", "wall_s", "error", "report")


def sweep(
    scene: str | os.PathLike[str] | dict[str, Any] | Scene,
    grid: Mapping[str, Iterable[Any]] | Iterable[Mapping[str, Any]],
    *,
    seconds: float | None = None,
    executor: Executor | None = None,
    folder: str | os.PathLike[str] | None = None,
    measure: Callable[[Simulation], Mapping[str, Any]] | None = None,
    device: str = "cpu",
    threads: int = 1,
    progress: bool = True,
) -> Any:
    """Runs a scene over parameters, and returns a table with a row for each run, in the order of the grid.

    The table is a pandas.DataFrame, or a list of dicts where pandas is not installed. Its columns are the parameters, what
    `measure` returned, and then state_hash, wall_s (time spent in advance() [s]), error (why the run failed, else missing)
    and report (what Simulation.report() returned). A run that fails does not stop the others; a RuntimeWarning tells how
    many failed. Runs with equal scenes are done once.

    scene: a file, the text of one (of more than one line), a dict of tables, or a Scene. A Scene that was read from a file
    has all defaults written out, which rules out some overrides, such as friction beside friction_static. grid: a dict of
    lists, such as {"material.sand.friction": [0.2, 0.4], "scene.seed": range(4)}, for all combinations of their values, or
    a list of dicts, one for each run. Keys are those of overrides (`--set`), values are those of scenes, and None leaves a
    key as it is. seconds: simulated time of each run [s], by default to the end of the scene. executor: runs the
    simulations; by default processes of this machine, one per `threads` of its cores, or one on a Vulkan device. They
    import the program anew, which therefore calls sweep() below `if __name__ == "__main__":`.

    folder: keeps the result of each run in a file, so that an interrupted sweep goes on. A file is used again for the same
    scene, with the meshes and heights that it names, and the same seconds, device, measure (by its own source) and version
    of Talus. Failed runs are not kept. measure: returns columns as a dict of numbers, text, lists or arrays of a
    simulation at its end; processes import it by its name, threads take any function. By default the columns are time,
    the numbers of Measure, and momentum_x and so on. device, threads: of each Simulation; threads do not change results.
    progress: shows a bar, where tqdm is installed.

    Raises SceneError if no run has a valid scene, and ValueError for a grid or seconds that cannot be. What the executor
    itself raises, such as BrokenProcessPool, ends the sweep, and so does Ctrl-C; runs that have ended are kept.
    """
    if seconds is not None and not 0.0 <= seconds < math.inf:
        raise ValueError(f"seconds: a time of at least 0 [s], not {seconds}")
    tables, name = _tables_of(scene)
    points = _points_of(grid)
    common = json.dumps([version("talus"), seconds, device, _text_of(measure)])
    # A point has the hash of all that its result depends on as its key, or None where its scene is not valid.
    keys: list[str | None] = []
    results: dict[str, dict[str, Any]] = {}  # by key
    errors: dict[int, SceneError] = {}  # by number of the point
    waiting: dict[str, list[str]] = {}  # overrides of the runs that are still to do, by key
    for index, point in enumerate(points):
        overrides = [f"{key}={_toml(value)}" for key, value in point.items() if value is not None]
        try:
            text = parse_scene(tables, name, overrides).to_toml()
        except SceneError as error:
            errors[index] = error
            keys.append(None)
            continue
        key = hashlib.sha256("\0".join([common, text, *_files_of(text, Path(name).parent)]).encode()).hexdigest()[:24]
        keys.append(key)
        if key in waiting or key in results:
            continue
        kept = None if folder is None else _read(Path(folder) / f"{key}.json")
        if kept is None:
            waiting[key] = overrides
        else:
            results[key] = kept
    if points and len(errors) == len(points):
        raise errors[0]

    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
    names = {key for point in points for key in point}
    with progress_bar(progress, total=len(waiting) + len(results), initial=len(results), unit="run") as bar:
        with _processes(len(waiting), device, threads) if executor is None else nullcontext(executor) as pool:
            futures = {}
            try:
                for key, overrides in waiting.items():
                    task = pool.submit(_simulate, tables, name, overrides, seconds, device, threads, measure, names)
                    futures[task] = key
                for task in as_completed(futures):
                    key = futures.pop(task)
                    results[key] = result = task.result()
                    if folder is not None and "error" not in result:
                        _write(Path(folder) / f"{key}.json", result)
                    if bar is not None:
                        bar.update()
            except BaseException:
                for task in futures:
                    task.cancel()
                raise

    rows = []
    for index, point in enumerate(points):
        own = keys[index]
        result = {"error": f"SceneError: {errors[index]}"} if own is None else results[own]
        report = result.get("report", {})
        last = (report.get("state_hash"), report.get("wall_s"), result.get("error"), report or None)
        rows.append({**point, **result.get("columns", {}), **dict(zip(LAST, last))})
    failed = [row["error"] for row in rows if row["error"] is not None]
    if failed:
        warnings.warn(f"{len(failed)} of {len(rows)} runs failed, the first of them by {failed[0]}", RuntimeWarning, stacklevel=2)
    return _table_of(rows)


def _tables_of(scene: str | os.PathLike[str] | dict[str, Any] | Scene) -> tuple[Tables, str]:
    """Tables of a scene, and the name that stands for its file, with the absolute path of the folder of its meshes."""
    if isinstance(scene, Scene):
        return scene.to_dict(), str(Path(scene.source).absolute())
    if isinstance(scene, dict):
        return scene, str(Path("scene").absolute())
    if isinstance(scene, str) and "\n" in scene:
        return scene, str(Path("scene").absolute())
    try:
        return Path(scene).read_text(encoding="utf-8"), str(Path(scene).absolute())
    except (OSError, UnicodeDecodeError) as error:
        raise SceneError(f"{os.fspath(scene)}: cannot be read: {error}") from None


def _points_of(grid: Mapping[str, Iterable[Any]] | Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Parameters of each run, as what JSON makes of them."""
    if isinstance(grid, Mapping):
        values = {}
        for key, given in grid.items():
            if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
                raise ValueError(f"grid: {key!r} must have a list of values, not {given!r}")
            values[key] = list(given)
            if not values[key]:
                raise ValueError(f"grid: {key!r} has no values")
        grid = [dict(zip(values, point)) for point in itertools.product(*values.values())]
    points = list(grid)
    for number, point in enumerate(points):
        if not isinstance(point, Mapping):
            raise ValueError(f"grid[{number}] must be a dict of overrides, not {point!r}")
        for key, value in point.items():
            if not isinstance(key, str):
                raise ValueError(f"grid[{number}] has the key {key!r}: keys are text, such as 'solver.substeps'")
            if key in LAST:
                raise ValueError(f"grid[{number}] has the key {key!r}, which is a column of every table")
            try:
                _toml({key: _plain(value)})
            except (TypeError, ValueError) as error:
                raise ValueError(f"grid[{number}][{key!r}]: {error}") from None
    return [{key: _plain(value) for key, value in point.items()} for point in points]


def _plain(value: Any) -> Any:
    """A value as JSON gives it back, so that results have the same types from a run and from a file."""

    def without_numpy(part: Any) -> Any:
        if hasattr(part, "tolist"):
            return part.tolist()
        if hasattr(part, "__fspath__"):
            return os.fspath(part)
        raise TypeError(f"{part!r} is no number, text, list, dict or array")

    return json.loads(json.dumps(value, default=without_numpy))


def _toml(value: Any) -> str:
    """What _plain() returned, as the value of a key in TOML."""
    if isinstance(value, dict):
        held = ((json.dumps(key, ensure_ascii=False), part) for key, part in value.items() if part is not None)
        return "{" + ", ".join(f"{key} = {_toml(part)}" for key, part in held) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, float):
        return repr(value)  # JSON writes Infinity, and TOML inf
    if value is None:
        raise ValueError("None has no meaning in a list")
    return json.dumps(value, ensure_ascii=False)


def _text_of(measure: Callable[..., Any] | None) -> str:
    """The source of a function, with the arguments that functools.partial adds."""
    if measure is None:
        return ""
    if isinstance(measure, partial):
        return f"{_text_of(measure.func)}\n{measure.args} {measure.keywords}"
    name = getattr(measure, "__qualname__", repr(measure))
    try:
        return f"{name}\n{inspect.getsource(measure)}"
    except (OSError, TypeError):
        return name


def _files_of(text: str, folder: Path) -> Iterable[str]:
    """Hashes of the files that the text of a scene names."""
    for named in re.findall(r'"([^"\n]+\.\w+)"', text):
        file = folder / named
        if file.is_file():
            yield hashlib.sha256(file.read_bytes()).hexdigest()


def _read(file: Path) -> dict[str, Any] | None:
    try:
        kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(f"{file} is not a result of a sweep: {error}") from None
    return kept


def _write(file: Path, result: dict[str, Any]) -> None:
    """Replaces the file at once, so that no interruption leaves a part of a result."""
    part = file.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(result, indent=1), encoding="utf-8")
    part.replace(file)


def _processes(runs: int, device: str, threads: int) -> Executor:
    """A pool of spawned processes: a fork of a process that has threads or an open Vulkan device is not safe."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    if device == "cpu" and threads > 0:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        workers = max(1, cores // threads)
    else:
        workers = 1
    return ProcessPoolExecutor(max(1, min(workers, runs)), mp_context=get_context("spawn"), initializer=_end_at_interrupts)


def _end_at_interrupts() -> None:
    """Ctrl-C ends a worker process at once. By default the process would go on with the next run."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _simulate(
    tables: Tables,
    name: str,
    overrides: list[str],
    seconds: float | None,
    device: str,
    threads: int,
    measure: Callable[[Simulation], Mapping[str, Any]] | None,
    taken: set[str],
) -> dict[str, Any]:
    """One run, in a worker: "columns" and "report", or "error"."""
    try:
        sim = Simulation(parse_scene(tables, name, overrides), device=device, threads=threads)
        run(sim, seconds, progress=False)
        columns = _numbers_of(sim) if measure is None else measure(sim)
        if not isinstance(columns, Mapping):
            raise TypeError(f"the measure must return a dict of columns, not {columns!r}")
        for column in columns:
            if column in taken or column in LAST:
                raise ValueError(f"the measure returned {column!r}, which the table has for something else")
        return {"overrides": overrides, "columns": _plain(dict(columns)), "report": sim.report()}
    except Exception as error:  # Talus, its memory or the measure may fail, and the other runs go on.
        return {"error": f"{type(error).__name__}: {error}"}


def _numbers_of(sim: Simulation) -> dict[str, Any]:
    """Columns by the names of metrics.csv."""
    measure = sim.measure()
    columns = {"time": sim.time, **{key: getattr(measure, key) for key in NUMBERS}}
    return {**columns, **{f"momentum_{axis}": part for axis, part in zip("xyz", measure.momentum)}}


def _table_of(rows: list[dict[str, Any]]) -> Any:
    """Columns of all rows, with None where a row has none, and the last columns last."""
    columns = [key for key in dict.fromkeys(key for row in rows for key in row) if key not in LAST]
    full = [{key: row.get(key) for key in (*columns, *LAST)} for row in rows]
    try:
        import pandas
    except ModuleNotFoundError:
        return full
    return pandas.DataFrame(full, columns=[*columns, *LAST])
