"""Derivatives of what is measured in a simulation by the settings of its scene, with error bars."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._core import Scene, Simulation, parse_scene


@dataclass
class Sensitivity:
    """A derivative: the mean over seeds, and its standard error."""

    value: Any
    """The derivative: a float, or an array of the shape of what was measured, in its unit per unit of the parameter."""
    error: Any
    """Standard error of the value."""
    mean: Any
    """Mean of what was measured at the parameter's own value."""
    step: float
    """Change of the parameter to either side, in the units of its key."""
    samples: NDArray[np.float64]
    """Derivatives by seed: float64 [seeds, ..], with the axes and the units of what was measured."""
    variance_ratio: Any
    """Variance of the derivative with common random numbers, by that with independent ones."""


def sensitivity(
    scene: Scene,
    parameters: dict[str, float],
    measure: Callable[[Simulation], Any],
    *,
    seconds: float | None = None,
    fork: float = 0.0,
    step: float = 0.05,
    seeds: int = 8,
    device: str = "cpu",
    workers: int | None = None,
) -> dict[str, Sensitivity]:
    """Returns derivatives of measure(sim) by parameters of a scene: central differences with common random numbers.

    scene: the scene. parameters: names as after --set and the values at which derivatives are taken: {"material.sand.friction": 0.5}. measure: is called with a
    simulation after `seconds` [s], by default at the end of the scene; it returns a number or an array. Each seed is simulated with the parameter raised and
    lowered by the share `step` of its value (where that is 0, by `step` itself), with the same grains and the same substeps. fork: the simulated time [s] until
    which both are one simulation; from there on they go on from its state with their own settings, which must then be ones that Simulation.change
    allows. seeds: the number of seeds; the standard error is that of the mean over them. device: as of Simulation. workers: how many simulations at a time, by
    default one per core on the CPU. A chaotic flow forgets its random numbers: variance_ratio is then about 1, and more seeds help, or larger
    steps; near 0, few seeds do.
    """
    if seeds < 2:
        raise ValueError("seeds: at least 2, for an error")
    if not step > 0.0:
        raise ValueError("step: a number above 0")
    text, name = scene.to_toml(), scene.source
    first = scene.seed
    seconds = scene.end if seconds is None else seconds
    if not 0.0 <= fork < seconds:
        raise ValueError(f"fork: a time from 0 to {seconds:g} s")
    threads = 1 if device == "cpu" else 0
    here = [line for key, value in parameters.items() for line in _override(key, value)]
    steps = {key: step * abs(value) if value else step for key, value in parameters.items()}
    # Substeps that Talus chooses depend on the settings; a change of the substep would be taken for one by the parameter.
    substeps = Simulation(parse_scene(text, name, here), device=device, threads=threads, timing=False).scene.substeps
    here.append(f"solver.substeps={substeps}")

    def settings(seed: int, key: str | None = None, change: float = 0.0) -> Scene:
        changed = [] if key is None else _override(key, parameters[key] + change)
        return parse_scene(text, name, [*here, *changed, f"scene.seed={seed}"])

    def of_seed(seed: int) -> list[np.ndarray]:
        """What is measured without a change, and with each parameter lowered and raised."""
        base = Simulation(settings(seed), device=device, threads=threads, timing=False)
        start = None
        if fork:
            base.advance(round(fork / base.scene.dt))
            start = base.checkpoint()
        told = []
        for key, change in [(None, 0.0)] + [(key, sign * steps[key]) for key in parameters for sign in (-1.0, 1.0)]:
            if start is None:
                sim = base if key is None else Simulation(settings(seed, key, change), device=device, threads=threads, timing=False)
            else:
                sim = base
                sim.change(settings(seed))
                sim.resume(start)
                sim.change(settings(seed, key, change))
            sim.advance(round(seconds / sim.scene.dt) - sim.step)
            told.append(np.asarray(measure(sim), float))
        return told

    with ThreadPoolExecutor(workers or ((os.cpu_count() or 1) if device == "cpu" else 1)) as pool:
        values = np.array(list(pool.map(of_seed, range(first, first + seeds))))  # [seeds, 1 + 2 parameters, ...]
    result = {}
    for k, key in enumerate(parameters):
        low, high = values[:, 1 + 2 * k], values[:, 2 + 2 * k]
        samples = (high - low) / (2.0 * steps[key])
        independent = (high.var(axis=0, ddof=1) + low.var(axis=0, ddof=1)) / (2.0 * steps[key]) ** 2
        spread = samples.var(axis=0, ddof=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(independent > 0.0, spread / independent, 0.0)
        result[key] = Sensitivity(_plain(samples.mean(axis=0)), _plain(np.sqrt(spread / seeds)), _plain(values[:, 0].mean(axis=0)), steps[key], samples, _plain(ratio))
    return result


def _override(key: str, value: float) -> list[str]:
    """What --set would have. A scene that is written out has friction as friction_static and friction_kinetic."""
    keys = [f"{key}_static", f"{key}_kinetic"] if key.endswith(".friction") else [key]
    return [f"{k}={value!r}" for k in keys]


def _plain(value: Any) -> Any:
    """A float, where it is a single number."""
    return float(value) if np.ndim(value) == 0 else value
