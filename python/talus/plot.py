"""Plots of simulations with matplotlib, which `pip install talus[plot]` brings.

Every function draws into the axes that it is given, or into a new figure, and returns what it drew into. Nothing is shown
or saved: notebooks show a figure by themselves, and `axes.figure.savefig(file)` saves one.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import DeviceError, Grains, Loads, Measure, Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["HeapProfile", "forces", "grains", "heap_profile", "metrics", "overview", "png", "profile"]


@dataclass(frozen=True)
class HeapProfile:
    """Heights of a heap along a line or by the distance from its axis, in K bins."""

    place: NDArray[np.float64]
    """Middle of each bin [m], float64 [K]: distance from the axis of the heap, or coordinate along x or y."""
    height: NDArray[np.float64]
    """Mean height of the surface above the floor of the domain in each bin [m], float64 [K]."""
    angle: float
    """Slope of the flank [degrees], fitted by least squares between 20 % and 80 % of the greatest height; NaN along x or y,
    or where the flank has fewer than 3 bins."""


def heap_profile(sim: Simulation, *, along: str = "radius", width: float | None = None, world: int = 0) -> HeapProfile:
    """Measures the profile of a heap.

    The ground plan is divided into squares, and the height of the surface in a square is that of the top of its highest
    grain. The height in a bin is the mean over its squares; squares without a grain count as 0.

    sim: the simulation. along: "radius", distances from the vertical through the centre of the grains that are higher than
    20 % of the heap, or "x" or "y". width: of squares and bins [m], by default four mean radii. world: number of the world.
    Raises ValueError for another `along`, for a width that is not above 0, or if there is no grain.
    """
    if along not in ("radius", "x", "y"):
        raise ValueError(f'along: "radius", "x" or "y", not {along!r}')
    position, radius = _of_world(sim.grains(), world)
    width = 4.0 * float(radius.mean()) if width is None else width
    if not 0.0 < width < np.inf:
        raise ValueError(f"width: a length above 0 [m], not {width}")
    top = position[:, 2] + radius - sim.scene.domain[0][2]
    # Squares are centred on the axis, so that those of a ring lie evenly around it.
    # The axis is not that of what lies about on the floor, nor of a rough floor's own grains.
    centre = position[top - top.min() >= 0.2 * np.ptp(top), :2].mean(axis=0)
    square = np.rint((position[:, :2] - centre) / width).astype(np.int64)
    least = square.min(axis=0)
    heights = np.zeros(square.max(axis=0) - least + 1)
    np.maximum.at(heights, tuple((square - least).T), top)
    x, y = (width * (np.arange(n, dtype=np.float64) + low) for n, low in zip(heights.shape, least))
    if along == "radius":
        bins = np.rint(np.hypot(x[:, None], y[None, :]) / width).astype(np.int64)
        mean = np.bincount(bins.ravel(), heights.ravel()) / np.bincount(bins.ravel())
        place: NDArray[np.float64] = width * np.arange(len(mean), dtype=np.float64)
        return HeapProfile(place, mean, _slope(place, mean))
    axis = "xy".index(along)
    return HeapProfile((x, y)[axis] + centre[axis], heights.mean(axis=1 - axis), np.nan)


def profile(
    sim: Simulation, *, along: str = "radius", width: float | None = None, world: int = 0, axes: Axes | None = None
) -> Axes:
    """Plots the profile of a heap as heap_profile() measures it, with its slope in the legend, and returns the axes.

    sim: the simulation. along: "radius", "x" or "y". width: of bins [m], by default four mean radii. world: number of the
    world. axes: to draw into, by default those of a new figure. Raises what heap_profile() does, and ModuleNotFoundError
    without matplotlib.
    """
    axes = axes or _new_axes()
    heap = heap_profile(sim, along=along, width=width, world=world)
    slope = "" if np.isnan(heap.angle) else f", {heap.angle:.1f}°"
    axes.plot(heap.place, heap.height, label=f"{sim.time:.2f} s{slope}")
    axes.set(xlabel="distance from the axis [m]" if along == "radius" else f"{along} [m]", ylabel="height [m]")
    axes.set_ylim(bottom=0.0)
    axes.legend()
    return axes


def forces(
    times: ArrayLike,
    loads: Loads | ArrayLike,
    *,
    body: int = 0,
    torque: bool = False,
    filtered: bool = False,
    axes: Axes | None = None,
) -> Axes:
    """Plots the force or torque on a body over time, its x, y and z components, and returns the axes.

    times: of T steps [s], [T]. loads: what Simulation.load_history() returned after T steps, or an array [T, 3] of forces
    [N] or torques [N m]. body: number of the body in the loads. torque: plots torques. filtered: plots the values after
    the low-pass filter. axes: to draw into, by default those of a new figure. Raises ValueError where the sizes differ,
    IndexError where there is no such body, and ModuleNotFoundError without matplotlib.
    """
    if isinstance(loads, Loads):
        history = getattr(loads, ("torque" if torque else "force") + ("_filtered" if filtered else ""))
        if history.ndim != 3:
            raise ValueError("loads: those of load_history(), not of the last step alone")
        vectors = history[:, body]
    else:
        vectors = np.asarray(loads, dtype=np.float64)
    times = np.asarray(times, dtype=np.float64)
    if times.ndim != 1 or vectors.shape != (len(times), 3):
        raise ValueError(f"loads: an array [{times.size}, 3] for times {list(times.shape)}, not {list(vectors.shape)}")
    axes = axes or _new_axes()
    for axis, values in zip("xyz", vectors.T):
        axes.plot(times, values, label=axis)
    axes.set(xlabel="time [s]", ylabel="torque [N m]" if torque else "force [N]")
    axes.legend()
    return axes


# Columns of Measure and of metrics.csv, one panel each, and what the panel's axis says.
_METRICS = (
    (("kinetic_energy",), "kinetic energy [J]"),
    (("contacts_mean",), "contacts of a grain"),
    (("penetration_mean", "penetration_max"), "overlap [radii]"),
    (("height",), "height [m]"),
)


def metrics(source: str | PathLike[str] | Sequence[tuple[float, Measure]]) -> Figure:
    """Plots kinetic energy, contacts, overlaps and height over time, and returns the figure.

    source: a file that `talus run --metrics` wrote, or a list of (time [s], Simulation.measure()), as
    `talus.run(sim, each=lambda s: (s.time, s.measure()))` returns it. Raises ValueError where the source is empty or the
    file lacks a column, OSError where it cannot be read, and ModuleNotFoundError without matplotlib.
    """
    names = [name for names, _ in _METRICS for name in names]
    if isinstance(source, (str, PathLike)):
        with open(source, newline="", encoding="utf-8") as file:
            table = csv.DictReader(file)
            lacking = [name for name in ("time", *names) if name not in (table.fieldnames or ())]
            if lacking:
                raise ValueError(f"{source}: has no column {', '.join(lacking)}")
            rows = [[float(row[name]) for name in ("time", *names)] for row in table]
    else:
        rows = [[time, *(getattr(measure, name) for name in names)] for time, measure in source]
    if not rows:
        raise ValueError("source: has no rows")
    times, *columns = np.array(rows, dtype=np.float64).T
    values = dict(zip(names, columns))
    figure, panels = _pyplot().subplots(2, 2, figsize=(8.0, 5.0), layout="constrained", sharex=True)
    for panel, (those, label) in zip(panels.flat, _METRICS):
        for name in those:
            panel.plot(times, values[name], label=name.rpartition("_")[2])
        panel.set_ylabel(label)
        if len(those) > 1:
            panel.legend()
    most = values["kinetic_energy"].max()
    if most > 0.0:  # grains that sleep have exactly 0, which has no logarithm
        panels[0, 0].set(yscale="log", ylim=(1e-8 * most, 3.0 * most))
    for panel in panels[-1]:
        panel.set_xlabel("time [s]")
    result: Figure = figure
    return result


def grains(sim: Simulation, *, world: int = 0, axes: Axes | None = None) -> Axes:
    """Plots the grains as they look from -y, each a disc of its size in the colour of its speed, and returns the axes.

    sim: the simulation. world: number of the world. axes: to draw into, by default those of a new figure. Raises ValueError
    if there is no grain, and ModuleNotFoundError without matplotlib.
    """
    axes = axes or _new_axes()
    from matplotlib.collections import EllipseCollection

    state = sim.grains()
    position, radius = _of_world(state, world)
    speed = np.linalg.norm(state.velocity[state.world == world], axis=1)
    order = np.argsort(-position[:, 1])  # those in front are drawn last
    discs = EllipseCollection(
        2.0 * radius[order], 2.0 * radius[order], 0.0,
        units="xy", offsets=position[order][:, [0, 2]], offset_transform=axes.transData, edgecolor="k", linewidth=0.2,
    )  # fmt: skip
    discs.set_array(speed[order])
    discs.set_clim(0.0, max(float(speed.max()), 1e-3))
    axes.add_collection(discs)
    low, high = sim.scene.domain
    # The part of the domain in which there are grains, with a tenth of its size around them.
    near, far = (position - radius[:, None]).min(axis=0), (position + radius[:, None]).max(axis=0)
    room = 0.1 * (far - near)
    axes.set(
        xlim=(max(low[0], near[0] - room[0]), min(high[0], far[0] + room[0])),
        ylim=(max(low[2], near[2] - room[2]), min(high[2], far[2] + room[2])),
        aspect="equal", xlabel="x [m]", ylabel="z [m]",
    )  # fmt: skip
    axes.figure.colorbar(discs, ax=axes, label="speed [m/s]", location="top")
    return axes


def overview(sim: Simulation, *, world: int = 0) -> Figure:
    """Plots the grains from -y, the profile of the heap and, where there are bodies, the magnitude of the force on each of
    them in the last advance(), and returns the figure. `sim.plot()` does the same.

    sim: the simulation. world: number of the world. Raises ValueError if there is no grain, and ModuleNotFoundError without
    matplotlib.
    """
    bodies = sim.scene.bodies
    history = sim.load_history().force
    panels = 3 if bodies and len(history) else 2
    figure, (left, *right) = _pyplot().subplots(1, panels, figsize=(4.5 * panels, 3.5), layout="constrained")
    grains(sim, world=world, axes=left)
    profile(sim, world=world, axes=right[0])
    if panels == 3:
        times = sim.world_time(world) - sim.scene.dt * np.arange(len(history))[::-1]
        for number, name in enumerate(bodies, world * len(bodies)):
            right[1].plot(times, np.linalg.norm(history[:, number], axis=1), label=name)
        right[1].set(xlabel="time [s]", ylabel="force [N]")
        right[1].legend(fontsize="small")
    figure.suptitle(f"{sim.scene.title or sim.scene.source}: {sim.world_time(world):.2f} s on {sim.device.name}")
    result: Figure = figure
    return result


def png(sim: Simulation, *, width: int = 640, height: int = 360) -> bytes | None:
    """Returns a picture of world 0 as a PNG file, or None where no Vulkan device can draw or matplotlib is missing.

    sim: the simulation. width, height: of the picture, 16 to 8192 [pixels]. Notebooks show a simulation by this.
    """
    try:
        from matplotlib.image import imsave
    except ModuleNotFoundError:
        return None
    try:
        pixels = sim.render(width, height)
    except DeviceError:
        return None
    file = BytesIO()
    imsave(file, pixels, format="png")
    return file.getvalue()


def _of_world(state: Grains, world: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Centres [m], float64 [n, 3], and radii [m], float64 [n], of the grains of a world."""
    there = state.world == world
    if not there.any():
        raise ValueError(f"there is no grain in world {world}")
    return state.position[there].astype(np.float64), state.radius[there].astype(np.float64)


def _slope(place: NDArray[np.float64], height: NDArray[np.float64]) -> float:
    """Angle of the flank [degrees], beyond the highest bin, by a line through the profile from 80 % down to 20 % of the top.

    Heights count from the least beyond the highest bin, which is that of the grains of a rough floor where there are some.
    Between the middles of bins the profile is straight, so that a heap of few bins has an angle, too.
    """
    peak = int(height.argmax())
    beyond, above = place[peak:], height[peak:] - height[peak:].min()

    def reached(level: float) -> float:
        """Distance from the axis at which the profile first comes down to this height, both [m]."""
        lower = int(np.argmax(above <= level))
        part = (above[lower - 1] - level) / (above[lower - 1] - above[lower])
        return float(beyond[lower - 1] + part * (beyond[lower] - beyond[lower - 1]))

    if above[0] <= 0.0:  # nothing is lower
        return float("nan")
    flank = np.linspace(reached(0.8 * above[0]), reached(0.2 * above[0]), 100)
    return float(np.degrees(np.arctan(-np.polyfit(flank, np.interp(flank, beyond, above), 1)[0])))


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError("plots need matplotlib: pip install talus[plot]", name="matplotlib") from missing
    return pyplot


def _new_axes() -> Axes:
    axes: Axes = _pyplot().subplots(layout="constrained")[1]
    return axes
