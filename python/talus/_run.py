"""A loop that shows how far it is."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ._core import Simulation


def run(
    sim: Simulation,
    seconds: float | None = None,
    *,
    every: float | None = None,
    each: Callable[[Simulation], Any] | None = None,
    progress: bool = True,
) -> list[Any]:
    """Advances a simulation, and returns a list of what `each` returned.

    sim: the simulation. seconds: simulated time to advance by [s], by default to the end of the scene. each: is called
    with the simulation at every multiple of `every` [s of simulated time, by default a hundredth of the run] and at the
    end. progress: shows a bar, where tqdm is installed. Ctrl-C stops it as it does Simulation.advance(), between two steps.
    Raises ValueError unless every is above 0 and both times are finite, and what Simulation.advance() does.
    """
    scene = sim.scene
    if seconds is None:
        seconds = scene.end - sim.time
    if not math.isfinite(seconds):
        raise ValueError(f"seconds: a finite time [s], not {seconds}")
    if every is not None and not 0.0 < every < math.inf:
        raise ValueError(f"every: a finite time above 0 [s], not {every}")
    total = max(0, round(seconds / scene.dt))
    chunk = max(1, round((seconds / 100.0 if every is None else every) / scene.dt))
    results = []
    done = 0
    shown = "{l_bar}{bar}| {n:.2f}/{total:.2f} s [{elapsed}<{remaining}{postfix}]"
    with progress_bar(progress, total=total * scene.dt, unit="s", bar_format=shown) as bar:
        while done < total:
            steps = min(chunk, total - done)
            sim.advance(steps)
            done += steps
            if bar is not None:
                bar.update(done * scene.dt - bar.n)
                bar.set_postfix_str(f"{sim.grain_count} grains", refresh=False)
            if each is not None:
                results.append(each(sim))
    return results


def progress_bar(wanted: bool, **options: Any) -> AbstractContextManager[Any]:
    """A bar of tqdm with its options, or None where it is not wanted or tqdm is not installed."""
    if not wanted:
        return nullcontext()
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:
        return nullcontext()
    bar: AbstractContextManager[Any] = tqdm(**options)
    return bar
