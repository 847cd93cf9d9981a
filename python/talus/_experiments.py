"""Experiments that a user can do with a sample of grains, as scenes of Talus and the quantities that are read from them.

An experiment is one [[measurement]] of the data of talus.fit: its geometry, its scene, and what was measured. Its scene holds at most so
many grains; where the sample has more, the grains of the scene are larger, and `warnings` says by how much.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ._core import Error, Scene, Simulation

PACKING = 0.6  # share of the volume that settled grains fill, to count them
LATTICE = 1.1  # spacing of grains at the start, in diameters of the largest
GRAVITY = 9.81  # m/s2
FRICTION = ("friction_static", "friction", "friction_kinetic")  # keys of a material; the first that is given is that of a sticking contact
REQUIRED = object()

Array = NDArray[np.float64]


class DataError(Error):
    """Data of talus.fit that cannot be: the file and the place in it, and what is allowed."""


class Table:
    """A table of the data, whose keys are taken one by one. finish() reports those that nobody took."""

    def __init__(self, keys: Any, path: str, where: Callable[[str], str]) -> None:
        self.where, self.path = where, path
        self.taken: list[str] = []
        if not isinstance(keys, dict):
            raise DataError(f"{where(path)}: {path} must be a table")
        self.keys = keys

    def fail(self, key: str, what: str) -> NoReturn:
        path = ".".join(part for part in (self.path, key) if part)
        raise DataError(f"{self.where(path)}: {path} {what}")

    def take(self, key: str, default: Any = REQUIRED) -> Any:
        self.taken.append(key)
        if key in self.keys:
            return self.keys[key]
        if default is REQUIRED:
            near = difflib.get_close_matches(key, [k for k in self.keys if k not in self.taken], 1)
            self.fail(key, "is missing" + (f"; did you mean it by {near[0]}?" if near else ""))
        return default

    def number(self, key: str, low: float, high: float, unit: str = "", default: Any = REQUIRED) -> Any:
        value = self.take(key, default)
        if key in self.keys and not _is_number(value, low, high):
            self.fail(key, f"must be a number from {low:g} to {high:g} {unit}".rstrip() + f", not {value!r}")
        return value

    def numbers(self, key: str, low: float, high: float, unit: str = "", default: Any = REQUIRED) -> Any:
        """A list of numbers."""
        value = self.take(key, default)
        if key in self.keys and not (isinstance(value, list) and value and all(_is_number(v, low, high) for v in value)):
            self.fail(key, f"must be a list of numbers from {low:g} to {high:g} {unit}".rstrip() + f", not {value!r}")
        return value

    def finish(self, known: list[str] | None = None) -> None:
        """Every key must have been taken, or be among those that are known."""
        known = known or self.taken
        for key in self.keys:
            if key not in known:
                self.fail(key, "is not a key here" + (did_you_mean(key, known) or f"; the keys are {', '.join(known)}"))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: the known one that is most like it, or nothing."""
    near = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {near[0]}?" if near else ""


def _is_number(value: Any, low: float, high: float) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high


@dataclass
class Quantity:
    """What was measured: values, their standard uncertainties, and where a curve has them."""

    name: str
    unit: str
    value: Array
    uncertainty: Array
    at: Array | None = None  # depths of forces [m]


class Experiment:
    """What the experiments share. `measures` says the unit of each quantity, its allowed values, and the uncertainty without one, absolute and relative."""

    type = ""
    measures: dict[str, tuple[str, float, float, float, float]] = {}
    exact = False  # whether simulate() is a formula, without scatter, in place of a simulation

    def __init__(self, table: Table, label: str) -> None:
        self.label, self.keys = label, table.keys
        self.warnings: list[str] = []
        self.quantities: list[Quantity] = []
        self.read_grains(table)
        self.read(table)
        for name, (unit, low, high, absolute, relative) in self.measures.items():
            self._read_quantity(table, name, unit, low, high, absolute, relative)
        table.finish()
        if not self.quantities:
            table.fail("", f"has no measured value: give {' or '.join(self.measures)}")
        self.coarsen()

    def read_grains(self, table: Table) -> None:
        """Takes the keys of the grains."""
        radius = table.take("grain_radius")
        ends = radius if isinstance(radius, list) else [radius, radius]
        if len(ends) != 2 or not all(_is_number(r, 1e-6, 10.0) for r in ends) or not ends[0] <= ends[1] <= 5.0 * ends[0]:
            table.fail("grain_radius", f"must be a number from 1e-06 to 10 m, or [min, max] of such with max at most 5 min, not {radius!r}")
        self.radii = [float(r) for r in ends]
        self.most = int(table.number("grains", 100, 1_000_000, "", 1500))

    def _read_quantity(self, table: Table, name: str, unit: str, low: float, high: float, absolute: float, relative: float) -> None:
        value = table.number(name, low, high, unit, None)
        default = None if value is None else absolute + relative * abs(value)
        sigma = table.number(f"{name}_uncertainty", 1e-12, 1e12, unit, default)
        if value is None:
            if sigma is not None:
                table.fail(f"{name}_uncertainty", f"needs {name} beside it")
            return
        self.quantities.append(Quantity(name, unit, np.array([value], float), np.array([sigma], float)))

    def read(self, table: Table) -> None:
        """Takes the keys of the geometry."""

    def check(self, material: dict[str, Any], fail: Callable[[str], Any]) -> None:
        """Calls fail(message) where the experiment cannot be done with a material of these keys."""

    def bulk(self) -> float:
        """Volume that the settled grains fill [m3]."""
        raise NotImplementedError

    def coarsen(self) -> None:
        """Radii of the grains of the scene, so that there are at most so many."""
        volume = PACKING * self.bulk()
        count = volume / self.grain_volume()
        if count > self.most:
            factor = (count / self.most) ** (1.0 / 3.0)
            self.radii = [r * factor for r in self.radii]
            self.warnings.append(f"{self.label}: the sample has some {_rounded(count)} grains; it is simulated by {self.most}, which are {factor:.2g} times "
                                 f"as large (radius {self.mean_radius():.2g} m)")
            count = self.most
        self.count = max(50, round(count))
        self.pace = math.sqrt(self.mean_radius() / 0.005)  # times, by those of grains of 5 mm

    def grain_volume(self) -> float:
        """Mean, of radii that are uniform between two [m3]."""
        a, b = self.radii
        return 4.0 / 3.0 * math.pi * (a + b) * (a * a + b * b) / 4.0

    def mean_radius(self) -> float:
        return 0.5 * sum(self.radii)

    def size(self) -> float | list[float]:
        """The radius of [[grains]] [m]: a number, or [min, max]."""
        return self.radii if self.radii[0] < self.radii[1] else self.radii[0]

    def tables(self, domain: dict[str, Any], material: dict[str, Any], solver: dict[str, Any], end: float, seed: int, worlds: int, **more: Any) -> dict[str, Any]:
        """Tables of a scene."""
        return {"scene": {"title": self.label, "seed": seed, "worlds": worlds}, "time": {"dt": 0.004 * self.pace, "end": end}, "domain": domain,
                "solver": {"method": "dem", **solver}, "material": [{**material, "name": "grains"}], **more}

    def lattice(self, spacing: float = LATTICE, **geometry: Any) -> dict[str, Any]:
        """[[grains]] that fill a geometry from below."""
        return {"material": "grains", "radius": self.size(), "count": self.count, "sampling": "lattice", "spacing": spacing, "velocity_random": 0.1 * self.pace,
                "fill": geometry}

    def lattice_height(self, width: float) -> float:
        """That of the grains in a box of this width, before they settle [m]."""
        cell = 2.0 * LATTICE * self.radii[1]
        return (math.ceil(self.count / int(width / cell + 1e-6) ** 2) + 1) * cell

    def simulation(self, tables: dict[str, Any], device: str, threads: int) -> Simulation:
        return Simulation(Scene(tables, self.label), device=device, threads=threads, timing=False)

    def loose(self, sim: Simulation, fixed: int = 0) -> list[tuple[Array, Array]]:
        """Positions and radii of the grains of each world behind so many that are fixed."""
        grains = sim.grains()
        worlds = []
        for world in range(sim.worlds):
            own = grains.world == world
            worlds.append((grains.position[own][fixed:].astype(float), grains.radius[own][fixed:].astype(float)))
        return worlds

    def simulate(self, material: dict[str, Any], *, seed: int = 1, worlds: int = 1, solver: dict[str, Any] = {}, device: str = "cpu", threads: int = 1) -> dict[str, Array]:
        """Quantities of each world by their names: arrays [worlds, values]. World w has the seed `seed` + w."""
        raise NotImplementedError

    def go(self, sim: Simulation, seconds: float) -> None:
        sim.advance(max(1, round(seconds / sim.scene.dt)))


def _rounded(count: float) -> str:
    return f"{float(f'{count:.1g}'):,.0f}"


def heap(position: Array, floor: float, radius: float) -> tuple[float, float]:
    """Angle of the cone with the moments of the grains above the first layer [degrees], and the radius of the base [m]: that of a cone which has 90 %
    of its volume within the same distance from its axis as the heap."""
    above = position[position[:, 2] > floor + 2.0 * radius]
    if len(above) < 10:
        above = position
    centre = above[:, :2].mean(axis=0)
    height = 4.0 * (above[:, 2].mean() - floor - 2.0 * radius)
    spread = ((above[:, :2] - centre) ** 2).sum(axis=1).mean()
    out = np.quantile(np.hypot(*(position[:, :2] - np.median(position[:, :2], axis=0)).T), 0.9)
    return math.degrees(math.atan2(height, math.sqrt(spread * 10.0 / 3.0))), float(out) / 0.8042


class Heap(Experiment):
    """On a floor of fixed grains. Those above lie in its hollows, so that the first layer is 1.45 radii above the domain's floor."""

    measures = {"angle": ("degrees", 0.0, 89.0, 1.0, 0.0), "run_out": ("m", 1e-6, 1000.0, 0.0, 0.03)}
    FLOOR = 1.45

    def domain(self, half: float, top: float) -> dict[str, Any]:
        return {"min": [-half, -half, 0.0], "max": [half, half, top], "rough": True}

    def figures(self, sim: Simulation, fixed: int) -> dict[str, Array]:
        r = self.mean_radius()
        angles, outs = zip(*(heap(position, self.FLOOR * r, r) for position, _ in self.loose(sim, fixed)))
        return {"angle": np.array(angles)[:, None], "run_out": np.array(outs)[:, None]}


class LiftedCylinder(Heap):
    """A cylinder on a rough floor, filled with grains, is lifted: the heap that is left."""

    type = "lifted_cylinder"

    def read(self, table: Table) -> None:
        self.radius = table.number("radius", 1e-4, 100.0, "m")
        self.height = table.number("height", 1e-4, 100.0, "m")
        self.speed = table.number("lift_speed", 1e-4, 100.0, "m/s", 0.1)

    def bulk(self) -> float:
        return float(math.pi * self.radius**2 * self.height)

    def coarsen(self) -> None:
        super().coarsen()
        if self.radius < 5.0 * self.mean_radius():
            self.warnings.append(f"{self.label}: the cylinder is only {self.radius / self.mean_radius():.2g} radii of its grains wide; grains = N allows more")

    def simulate(self, material: dict[str, Any], *, seed: int = 1, worlds: int = 1, solver: dict[str, Any] = {}, device: str = "cpu", threads: int = 1) -> dict[str, Array]:
        r, inner, bottom = self.mean_radius(), self.radius, 2.6 * self.mean_radius()
        filled = self.lattice_height(1.6 * inner)
        settle = 0.3 * self.pace + 1.5 * math.sqrt(2.0 * (filled - self.height) / GRAVITY)
        lift = max(self.height, 0.5 * inner) / self.speed
        end = settle + lift + 0.5 * self.pace
        top = bottom + filled + 2.0 * r
        middle, length = 0.5 * (bottom + top), top - bottom
        wall = {"cylinder": {"radius": inner + 2.0 * r, "height": length}}
        tube = {"name": "tube", "parts": [wall, {"cylinder": {"radius": inner, "height": length + 4.0 * r}, "subtract": True}],
                "position": [0, 0, middle], "interpolation": "linear",
                "keyframes": [{"time": t, "position": [0, 0, max(0.0, t - settle) * self.speed]} for t in (0.0, settle, end)]}
        half = 3.5 * max(inner, (3.0 * self.bulk() / math.pi) ** (1.0 / 3.0))
        fill = self.lattice(cylinder={"base": [0, 0, bottom], "radius": inner, "height": filled})
        sim = self.simulation(self.tables(self.domain(half, top + lift * self.speed), material, solver, end, seed, worlds, grains=[fill], body=[tube]),
                              device, threads)
        self.go(sim, end)
        return self.figures(sim, sim.grain_count // worlds - self.count)


class PouredHeap(Heap):
    """Grains trickle on a rough floor out of a funnel: the heap."""

    type = "poured_heap"

    def read(self, table: Table) -> None:
        self.volume = table.number("volume", 1e-12, 1000.0, "m3")
        self.fall = table.number("height", 1e-4, 100.0, "m")
        self.funnel = table.number("funnel_radius", 1e-4, 10.0, "m")
        self.duration = table.number("duration", 0.01, 1000.0, "s", None)

    def bulk(self) -> float:
        return float(self.volume)

    def coarsen(self) -> None:
        super().coarsen()
        if self.funnel < 4.0 * self.radii[1]:
            self.warnings.append(f"{self.label}: the funnel is widened to 4 radii of its grains, {4.0 * self.radii[1]:.2g} m")
            self.funnel = 4.0 * self.radii[1]
        # Grains at random places of the funnel's mouth, a fifth of whose volume they fill, leave it at 0.6 m/s, for grains of 5 mm.
        least = self.count * self.grain_volume() / (0.2 * math.pi * self.funnel**2 * 0.6 * self.pace)
        if self.duration and self.duration < least:
            self.warnings.append(f"{self.label}: pouring takes {least:.2g} s in place of {self.duration:.2g} s, since grains leave the funnel one by one")
        self.duration = max(self.duration or 0.0, least)

    def simulate(self, material: dict[str, Any], *, seed: int = 1, worlds: int = 1, solver: dict[str, Any] = {}, device: str = "cpu", threads: int = 1) -> dict[str, Array]:
        rest = 1.5 * self.pace + math.sqrt(2.0 * self.fall / GRAVITY)
        end = 3.0 * self.duration + rest
        emitter = {"material": "grains", "radius": self.size(), "rate": self.count / self.duration, "count": self.count,
                   "velocity": [0, 0, -0.6 * self.pace],
                   "shape": {"cylinder": {"radius": self.funnel, "height": 3.0 * self.radii[1], "base": [0, 0, self.fall]}}}
        half = 3.5 * (3.0 * self.bulk() / math.pi) ** (1.0 / 3.0)
        sim = self.simulation(self.tables(self.domain(half, self.fall + 8.0 * self.radii[1]), material, solver, end, seed, worlds, emitter=[emitter]),
                              device, threads)
        fixed = sim.grain_count // worlds
        while sim.grain_count < (fixed + self.count) * worlds and sim.time < 3.0 * self.duration:
            self.go(sim, 0.05 * self.duration)
        self.go(sim, rest)
        return self.figures(sim, fixed)


class Drum(Experiment):
    """A slice of a drum with ribs that turns about its lying axis: the slope of the grains' centre of mass, seen from the axis."""

    type = "drum"
    measures = {"angle": ("degrees", 0.0, 89.0, 1.0, 0.0)}
    LENGTH = 12.5  # of the slice, which is periodic, in radii of the largest grain
    PACKING = 0.55  # of grains that flow
    SLOWEST = 0.002  # Froude number of the simulation; slower drums have the same slope

    def read(self, table: Table) -> None:
        self.radius = table.number("radius", 1e-4, 100.0, "m")
        self.rate = table.number("rpm", 1e-3, 1e4, "1/min") * 2.0 * math.pi / 60.0  # rad/s
        self.filling = table.number("fill", 0.1, 0.55, "", 0.5)
        if self.radius < 10.0 * self.radii[1]:
            table.fail("radius", f"must be at least 10 radii of the largest grain, {10.0 * self.radii[1]:g} m")

    def bulk(self) -> float:
        return float(self.filling * math.pi * self.radius**2 * self.LENGTH * self.radii[1])

    def coarsen(self) -> None:
        # The slice is a number of radii long, so that the number of grains goes by the radius squared.
        count = self.PACKING * self.bulk() / self.grain_volume()
        if count > self.most:
            factor = min(math.sqrt(count / self.most), self.radius / (10.0 * self.radii[1]))
            self.radii = [r * factor for r in self.radii]
            self.warnings.append(f"{self.label}: the grains of the simulation are {factor:.2g} times as large (radius {self.mean_radius():.2g} m)")
        self.count = max(50, round(self.PACKING * self.bulk() / self.grain_volume()))
        self.pace = math.sqrt(self.mean_radius() / 0.005)
        slowest = math.sqrt(self.SLOWEST * GRAVITY / self.radius)
        if self.rate < slowest:
            self.warnings.append(f"{self.label}: the drum turns {slowest / self.rate:.2g} times as fast, at {slowest * 30.0 / math.pi:.2g} rpm, where the slope is that of "
                                 "slow drums")
            self.rate = slowest

    def simulate(self, material: dict[str, Any], *, seed: int = 1, worlds: int = 1, solver: dict[str, Any] = {}, device: str = "cpu", threads: int = 1) -> dict[str, Array]:
        r, inner = self.radii[1], self.radius
        far, half, ribs = inner + 4.0 * r, 0.5 * self.LENGTH * r, max(12, round(inner / r))
        lying = {"height": 2.0 * half + 8.0 * r, "rotation": [90, 0, 0]}
        parts = [{"cylinder": {"radius": far, **lying}}, {"cylinder": {"radius": inner, **lying}, "subtract": True}]
        parts += [{"cylinder": {"radius": r, **lying, "position": [inner * math.cos(a), 0, inner * math.sin(a)]}} for a in 2.0 * math.pi * np.arange(ribs) / ribs]
        settle = 0.3 * self.pace + math.sqrt(2.0 * inner / GRAVITY)
        first, turn = 1.2 / self.rate, 2.4 / self.rate  # s: until the flow is steady, and while it is measured
        end = settle + first + turn
        drum = {"name": "drum", "parts": parts, "interpolation": "linear",
                "keyframes": [{"time": t, "rotation": [0, -math.degrees(max(0.0, t - settle) * self.rate), 0]} for t in (0.0, settle, end)]}
        domain = {"min": [-far, -half, -far], "max": [far, half, far], "y": "periodic"}
        fill = self.lattice(1.02, cylinder={"radius": inner - r, "height": 2.0 * half, "rotation": [90, 0, 0]})
        sim = self.simulation(self.tables(domain, material, solver, end, seed, worlds, grains=[fill], body=[drum]), device, threads)
        self.go(sim, settle + first)
        slopes = []
        for _ in range(30):
            self.go(sim, turn / 30)
            middles = np.array([position.mean(axis=0) for position, _ in self.loose(sim)])
            slopes.append(np.degrees(np.arctan2(np.abs(middles[:, 0]), -middles[:, 2])))
        return {"angle": np.mean(slopes, axis=0)[:, None]}


class BulkDensity(Experiment):
    """Grains rain on the bottom of a wide vessel: their mass per volume, away from bottom and surface."""

    type = "bulk_density"
    measures = {"bulk_density": ("kg/m3", 1e-3, 1e6, 0.0, 0.01)}
    LEAST = 400  # grains, of which a layer remains between what bottom and surface disturb

    def coarsen(self) -> None:
        # The vessel is as large as the number of grains allows, and twice as deep as wide. Periodic axes are at least 12 radii wide.
        self.count = max(self.most, self.LEAST)
        self.width = max(13.0 * self.radii[1], (0.5 * self.count * self.grain_volume() / PACKING) ** (1.0 / 3.0))
        self.pace = math.sqrt(self.mean_radius() / 0.005)

    def simulate(self, material: dict[str, Any], *, seed: int = 1, worlds: int = 1, solver: dict[str, Any] = {}, device: str = "cpu", threads: int = 1) -> dict[str, Array]:
        r = self.radii[1]
        half, filled = 0.5 * self.width, self.lattice_height(self.width)
        end = 0.5 * self.pace + 1.5 * math.sqrt(2.0 * filled / GRAVITY)
        domain = {"min": [-half, -half, 0], "max": [half, half, filled + r], "x": "periodic", "y": "periodic"}
        fill = self.lattice(box={"min": [-half, -half, 0], "max": [half, half, filled]})
        sim = self.simulation(self.tables(domain, material, solver, end, seed, worlds, grains=[fill]), device, threads)
        self.go(sim, end)
        density = material.get("density", 1600.0)
        shares = []
        for position, radius in self.loose(sim):
            low, high = 4.0 * r, np.quantile(position[:, 2], 0.99) - 5.0 * r
            volume = _volume_below(position[:, 2], radius, high) - _volume_below(position[:, 2], radius, low)
            shares.append(volume.sum() / ((2.0 * half) ** 2 * (high - low)))
        return {"bulk_density": density * np.array(shares)[:, None]}


def _volume_below(z: Array, radius: Array, level: float) -> Array:
    """Of spheres, below a level [m3]: a cap of height h has the volume pi h^2 (r - h / 3)."""
    h = np.clip(level - z + radius, 0.0, 2.0 * radius)
    return math.pi * h * h * (radius - h / 3.0)


class Penetration(Experiment):
    """A body is pushed into a bed of grains: forces at depths of its lowest point below the surface."""

    WIDTH = 8.0  # of the bed, which is periodic, in radii of the body

    def read(self, table: Table) -> None:
        self.radius = table.number("radius", 1e-4, 10.0, "m")
        self.bed = table.number("bed_depth", 1e-4, 100.0, "m")
        self.speed = table.number("speed", 1e-6, 100.0, "m/s", 0.02)
        depth = table.numbers("depth", 1e-6, 100.0, "m")
        force = table.numbers("force", -1e6, 1e6, "N")
        if len(depth) != len(force) or list(depth) != sorted(set(depth)):
            table.fail("depth", f"must rise, with as many values as force has ({len(force)})")
        if depth[-1] > 0.75 * self.bed:
            table.fail("depth", f"must stay above 0.75 bed_depth, {0.75 * self.bed:g} m: below, the bottom is felt")
        sigma = table.take("force_uncertainty", None)
        if sigma is None:
            sigma = [0.05 * max(map(abs, force))] * len(force)
        elif _is_number(sigma, 1e-12, 1e6):
            sigma = [sigma] * len(force)
        elif not (isinstance(sigma, list) and len(sigma) == len(force) and all(_is_number(s, 1e-12, 1e6) for s in sigma)):
            table.fail("force_uncertainty", f"must be a number above 0 N, or {len(force)} of them, not {sigma!r}")
        self.quantities.append(Quantity("force", "N", np.array(force, float), np.array(sigma, float), np.array(depth, float)))

    def bulk(self) -> float:
        return float((self.WIDTH * self.radius) ** 2 * self.bed)

    def coarsen(self) -> None:
        super().coarsen()
        if self.radius < 2.5 * self.mean_radius():
            self.warnings.append(f"{self.label}: the {self.type} is only {self.radius / self.mean_radius():.2g} radii of its grains wide; grains = N allows more")
        depth = self.depths()
        fastest = depth[-1] / (1.5 * self.pace)
        if self.speed < fastest:
            self.warnings.append(f"{self.label}: it goes in at {fastest:.2g} m/s in place of {self.speed:.2g}, where forces are still those of slow motion")
            self.speed = fastest

    def depths(self) -> Array:
        """Of the forces [m]."""
        at = self.quantities[0].at
        assert at is not None
        return at

    def body(self) -> tuple[dict[str, Any], float]:
        """Its geometry, and how far its lowest point is below its origin [m]."""
        raise NotImplementedError

    def simulate(self, material: dict[str, Any], *, seed: int = 1, worlds: int = 1, solver: dict[str, Any] = {}, device: str = "cpu", threads: int = 1) -> dict[str, Array]:
        r, half = self.radii[1], 0.5 * self.WIDTH * self.radius
        filled = self.lattice_height(2.0 * half)
        settle = 0.5 * self.pace + 1.5 * math.sqrt(2.0 * (filled - self.bed) / GRAVITY)
        geometry, below = self.body()
        away = filled + below + 2.0 * r
        body = {"name": "body", "position": [0, 0, away], "load_filter": 0.0, **geometry}
        domain = {"min": [-half, -half, 0], "max": [half, half, away + below + 2.0 * r], "x": "periodic", "y": "periodic"}
        fill = self.lattice(box={"min": [-half, -half, 0], "max": [half, half, filled]})
        depth = self.depths()
        reach = min(0.5 * r, 0.5 * float(np.diff(depth, prepend=0.0).min()))  # forces are averaged over depths +- this
        dt = 0.004 * self.pace
        steps = math.ceil((depth[-1] + reach + 0.5 * r) / self.speed / dt)
        sim = self.simulation(self.tables(domain, material, solver, settle + steps * dt, seed, worlds, grains=[fill], body=[body]), device, threads)
        self.go(sim, settle)
        for world, (position, _) in enumerate(self.loose(sim)):
            surface = 2.0 * position[:, 2].mean()
            sim.place_body(sim.body("body", world), [0, 0, surface + below + 0.5 * r])
            sim.drive_body(sim.body("body", world), [0, 0, -self.speed])
        sim.advance(steps)
        history = sim.load_history().force[:, [sim.body("body", world) for world in range(worlds)], 2]
        depths = self.speed * dt * (np.arange(steps) + 0.5) - 0.5 * r
        return {"force": np.array([history[np.abs(depths - d) <= max(reach, self.speed * dt)].mean(axis=0) for d in depth]).T}


class Plate(Penetration):
    """A round plate."""

    type = "plate"

    def body(self) -> tuple[dict[str, Any], float]:
        thickness = 0.4 * self.radius
        return {"cylinder": {"radius": self.radius, "height": thickness}}, 0.5 * thickness


class Cone(Penetration):
    """A cone that points down."""

    type = "cone"

    def read(self, table: Table) -> None:
        self.opening = table.number("opening", 10.0, 170.0, "degrees", 60.0)
        super().read(table)

    def body(self) -> tuple[dict[str, Any], float]:
        height = self.radius / math.tan(math.radians(0.5 * self.opening))
        return {"cone": {"radius": self.radius, "height": height, "rotation": [180, 0, 0]}}, 0.5 * height


class SlidingAngle(Experiment):
    """Three grains that are glued to each other, so that none can roll, lie on a plate of the same material, which is tilted: the angle at which they
    start to slide. Coulomb's law has tan(angle) = friction_static, whatever the grains' size and weight."""

    type = "sliding_angle"
    measures = {"angle": ("degrees", 0.0, 84.0, 1.0, 0.0)}
    exact = True

    def read_grains(self, table: Table) -> None:
        pass

    def coarsen(self) -> None:
        pass

    def check(self, material: dict[str, Any], fail: Callable[[str], Any]) -> None:
        if not any(key in material for key in FRICTION):
            fail("sliding_angle sees friction: give it, or find it")

    def simulate(self, material: dict[str, Any], *, seed: int = 1, worlds: int = 1, solver: dict[str, Any] = {}, device: str = "cpu", threads: int = 1) -> dict[str, Array]:
        friction = next(material[key] for key in FRICTION if key in material)
        return {"angle": np.full((worlds, 1), math.degrees(math.atan(friction)))}


EXPERIMENTS: dict[str, type[Experiment]] = {kind.type: kind for kind in (LiftedCylinder, PouredHeap, Drum, Plate, Cone, BulkDensity, SlidingAngle)}
