"""talus.fit: from what a user can measure to a material.

Each run is one simulation of one experiment at one point of the parameters, with a seed of its own. What the runs gave is described by a response
surface per quantity, a Gaussian process with a quadratic trend, on which scipy's bounded least squares finds the parameters. The next runs
are placed around these, in a region that shrinks as the estimate becomes certain. Heaps of equal grains but other seeds differ by a few per cent, and no
more alike for close parameters with the same seed (their correlation over 16 seeds was -0.5 to 0.6 for eleven quantities, 0.06 in the mean); a
surface averages over the runs, where an optimiser of single points pays for each average anew.
"""

from __future__ import annotations

import math
import os
import re
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._core import Error, Scene
from ._experiments import EXPERIMENTS, REQUIRED, DataError, Experiment, Table, did_you_mean

Array = NDArray[np.float64]

UNDETERMINED = 0.2  # standard uncertainty from which on a parameter is not determined, in widths of its range
PRIOR = 12.0  # 1 / variance of a value that may be anywhere in its range, by its width
ROUNDS = 5
SHRINK = 0.5  # least factor of the region's size from round to round
SMALLEST = 0.03  # half width of the region in which runs lie, in widths of the range
SIGNIFICANT = 4.0  # a slope counts where its square is so many times its variance
PARAMETERS = ("density", "friction", "friction_static", "friction_kinetic", "rolling_friction", "adhesion", "tensile_strength", "restitution", "stiffness",
              "damping", "young_modulus", "poisson_ratio", "inertia")


class Parameter:
    """What is to be found, in a range. Ranges of more than a factor of 8 are searched by the logarithm."""

    def __init__(self, name: str, low: float, high: float) -> None:
        self.name, self.low, self.high = name, float(low), float(high)
        self.logarithmic = low > 0.0 and high / low > 8.0

    def value(self, u: float) -> float:
        if self.logarithmic:
            return float(self.low * (self.high / self.low) ** u)
        return self.low + (self.high - self.low) * u

    def width(self, u: float) -> float:
        """Derivative of the value."""
        return self.value(u) * math.log(self.high / self.low) if self.logarithmic else self.high - self.low


@dataclass
class Data:
    """A file of data that has been checked."""

    name: str
    fixed: dict[str, Any]
    parameters: list[Parameter]
    solver: dict[str, Any]
    experiments: list[Experiment]

    def material(self, u: Array) -> dict[str, Any]:
        return {**self.fixed, **{p.name: p.value(float(x)) for p, x in zip(self.parameters, u)}}


def load_data(data: str | os.PathLike[str] | dict[str, Any]) -> Data:
    """Reads and checks the data of fit(): a file, or the same as a dict of tables. Raises DataError."""
    if isinstance(data, dict):
        tables, text, name = data, "", "data"
    else:
        name = str(data)
        try:
            text = Path(data).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"{name}: cannot be read: {error}") from None
        tomllib = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
        try:
            tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise DataError(f"{name}: {error}") from None

    def where(path: str) -> str:
        return _place(name, text, path)

    Table(tables, "", where).finish(["material", "measurement", "solver"])
    material = Table(tables.get("material", {}), "material", where)
    ranges = material.take("find", {})
    if not isinstance(ranges, dict) or not ranges:
        material.fail("find", "is missing: the ranges of what is to be found, as find = { friction = [0.1, 1.0] }")
    found = Table(ranges, "material.find", where)
    parameters = []
    for key in PARAMETERS:
        ends = found.take(key, None)
        if ends is None:
            continue
        if not (isinstance(ends, list) and len(ends) == 2 and all(isinstance(e, (int, float)) and math.isfinite(e) for e in ends) and 0.0 <= ends[0] < ends[1]):
            found.fail(key, f"must be [min, max] with 0 <= min < max, not {ends!r}")
        if key in material.keys:
            found.fail(key, "stands in [material] as well: it is either fixed or to be found")
        parameters.append(Parameter(key, *ends))
    found.finish()
    parameters.sort(key=lambda p: list(ranges).index(p.name))
    fixed = {k: v for k, v in material.keys.items() if k != "find"}
    solver = tables.get("solver", {})
    Table(solver, "solver", where)
    name_of_material = fixed.setdefault("name", "grains")
    checked = Data(name, fixed, parameters, solver, [])
    for end in (0.0, 1.0):
        try:
            Scene({"material": [checked.material(np.full(len(parameters), end))], "solver": {"method": "dem", **solver}}, name).materials
        except Error as error:
            what = re.sub(r"\bmaterial\[0\]", "material", str(error))
            path = re.search(r"\b(?:material|solver)\.\w+", what)
            raise DataError(f"{where(path[0] if path else 'material')}: {what}") from None
    measurements = tables.get("measurement", [])
    if not isinstance(measurements, list) or not measurements:
        raise DataError(f"{name}: [[measurement]] is missing: there is nothing to fit to")
    for number, keys in enumerate(measurements):
        table = Table(keys, f"measurement[{number}]", where)
        kind = table.take("type")
        if kind not in EXPERIMENTS:
            table.fail("type", f"must be {', '.join(EXPERIMENTS)}, not {kind!r}" + did_you_mean(str(kind), EXPERIMENTS))
        same = sum(m.get("type") == kind for m in measurements if isinstance(m, dict)) > 1
        checked.experiments.append(EXPERIMENTS[kind](table, f"{kind} {number + 1}" if same else kind))
        checked.experiments[-1].check(checked.material(np.zeros(len(parameters))), partial(table.fail, ""))
    fixed["name"] = name_of_material
    return checked


def _place(name: str, text: str, path: str) -> str:
    """File and line of a key of TOML: "data.toml:7". Keys that are not found have the line of their table."""
    parts = re.match(r"(\w+)(?:\[(\d+)\])?(.*)", path)
    if not text or not parts:
        return name
    table, index, keys = parts[1], int(parts[2] or 0), [k for k in parts[3].split(".") if k]
    lines = text.splitlines()
    heads = [i for i, line in enumerate(lines) if re.match(rf"\s*\[+\s*{re.escape(table)}[\s.\]]", line)]
    if index >= len(heads):
        return name
    found = heads[index]
    for i in range(heads[index], len(lines)):
        if i > heads[index] and re.match(r"\s*\[\[?\s*\w+\s*\]", lines[i]):
            break
        while keys and re.search(rf"(^|[\s{{,.])\"?{re.escape(keys[0])}\"?\s*[=.\]]", lines[i]):
            found = i
            keys = keys[1:]
    return f"{name}:{found + 1}"


@dataclass
class Row:
    """A measured value and what the fitted material gives in the simulation, in the unit `unit`."""

    experiment: str
    quantity: str
    unit: str
    measured: float
    uncertainty: float
    fitted: float  # mean over seeds
    fitted_uncertainty: float  # of that mean, since runs are few
    scatter: float  # standard deviation between seeds of a single run
    at: float | None = None  # depth of a force [m]


@dataclass
class Fit:
    """What fit() found. str() of it is a table of the parameters and the measured values. Parameters have the units of their keys in a scene."""

    data: str
    """File of the measurements, or "data"."""
    material: dict[str, Any]
    """Keys and values of the [[material]], those that were found among them."""
    uncertainty: dict[str, float]
    """Standard uncertainties of the parameters, by their names, in the units of their keys."""
    correlation: Array
    """Of the parameters, in the order of `uncertainty`: float64 [P, P], numbers from -1 to 1."""
    undetermined: list[list[str]]
    """Parameters, or combinations of parameters, that the data do not determine."""
    rows: list[Row]
    """Each measured value beside the fitted one."""
    chi2: float
    """Squares of the differences of measured and fitted values, by their covariance: a number, about the number of values less that of parameters."""
    runs: int
    """Simulations that were made."""
    seconds: float
    """Time that the fit took [s]."""
    seed: int
    """Of the random numbers of the fit."""
    warnings: list[str]
    """Sentences: what was changed in the experiments, and what the data do not tell."""
    solver: dict[str, Any] = field(default_factory=dict)
    """Keys of [solver] in the simulations."""
    samples: dict[str, Array] = field(default_factory=dict)
    """Parameters of the runs of each experiment, in the order of `uncertainty`: float64 [runs, P], in the units of their keys."""
    results: dict[str, Array] = field(default_factory=dict)
    """Quantities that these runs gave, in the order and the units of `rows`: float64 [runs, Q]."""

    def __str__(self) -> str:
        lines = [f"{self.runs} runs in {self.seconds:.0f} s", "", "| parameter | value | standard uncertainty |", "|---|---|---|"]
        lines += [f"| {name} | {self.material[name]:.4g} | {sigma:.2g}{self._unclear(name)} |" for name, sigma in self.uncertainty.items()]
        lines += ["", "| measurement | measured | fitted | scatter of a run |", "|---|---|---|---|"]
        for row in self.rows:
            depth = "" if row.at is None else f" at {row.at:g} m"
            lines.append(f"| {row.experiment}: {row.quantity}{depth} [{row.unit}] | {row.measured:.4g} +- {row.uncertainty:.2g} | {row.fitted:.4g} +- {row.fitted_uncertainty:.2g} | {row.scatter:.2g} |")
        return "\n".join(lines + [""] + [f"warning: {w}" for w in self.warnings])

    def _unclear(self, name: str) -> str:
        return ", not determined" if any(name in names for names in self.undetermined) else ""

    def to_toml(self) -> str:
        """[[material]] of a scene, with comments on what it was fitted to."""
        lines = [f"# Fitted by talus fit to {Path(self.data).name}: {self.runs} runs, seed {self.seed}. Values are followed by their standard uncertainties."]
        for row in self.rows:
            depth = "" if row.at is None else f" at {row.at:g} m"
            lines.append(f"# {row.experiment}, {row.quantity}{depth}: measured {row.measured:.4g} +- {row.uncertainty:.2g} {row.unit}, fitted {row.fitted:.4g}")
        if self.solver:
            lines.append("# It holds for scenes with " + ", ".join(f"solver.{k} = {_toml(v)}" for k, v in self.solver.items()) + ".")
        lines += [f"# Warning: {w}" for w in self.warnings]
        lines.append("[[material]]")
        for key, value in self.material.items():
            if key in self.uncertainty:
                lines.append(f"{key} = {float(f'{value:.5g}')}  # +- {self.uncertainty[key]:.2g}{self._unclear(key)}")
            else:
                lines.append(f"{key} = {_toml(value)}")
        return "\n".join(lines) + "\n"

    def save(self, file: str | os.PathLike[str]) -> None:
        """Writes to_toml() to a file."""
        Path(file).write_text(self.to_toml(), encoding="utf-8")

    def plot(self, file: str | os.PathLike[str]) -> None:
        """Draws the measurements beside what the material gives, and the parameters of the runs with the estimate, by matplotlib.

        file: .png, .svg or another ending that matplotlib writes.
        """
        _require("matplotlib")
        from matplotlib.figure import Figure

        single = [row for row in self.rows if row.at is None]
        curves = {row.experiment: [r for r in self.rows if r.experiment == row.experiment and r.at is not None] for row in self.rows if row.at is not None}
        panels = bool(single) + len(curves) + 1
        figure = Figure(figsize=(3.6 * panels, 3.2), layout="constrained")
        axes = iter(figure.subplots(1, panels, squeeze=False)[0])
        if single:
            ax, y = next(axes), np.arange(len(single))
            ax.errorbar([1.0] * len(single), y, xerr=[r.uncertainty / abs(r.measured or 1.0) for r in single], fmt="o", color="black", capsize=3, label="measured")
            ax.errorbar([r.fitted / (r.measured or 1.0) for r in single], y + 0.15, xerr=[r.fitted_uncertainty / abs(r.measured or 1.0) for r in single], fmt="D",
                        color="tab:orange", capsize=3, label="fitted")
            ax.set_yticks(y, [f"{r.experiment}\n{r.quantity}" for r in single], fontsize=7)
            ax.set_ylim(-0.7, len(single) - 0.3)
            ax.set_xlabel("value / measured value")
            ax.legend(fontsize=7)
        for name, rows in curves.items():
            ax, at = next(axes), [r.at for r in rows]
            ax.errorbar(at, [r.measured for r in rows], yerr=[r.uncertainty for r in rows], fmt="o", color="black", capsize=3, label="measured")
            fitted, scatter = np.array([r.fitted for r in rows]), np.array([r.scatter for r in rows])
            ax.plot(at, fitted, color="tab:orange", label="fitted")
            ax.fill_between(at, fitted - scatter, fitted + scatter, color="tab:orange", alpha=0.2, lw=0, label="scatter of a run")
            ax.set_xlabel("depth [m]")
            ax.set_ylabel("force [N]")
            ax.set_title(name, fontsize=9)
            ax.legend(fontsize=7)
        ax, names = next(axes), list(self.uncertainty)
        if len(names) == 1:
            for k, (name, points) in enumerate(self.samples.items()):
                ax.plot(points[:, 0], np.full(len(points), k), ".", ms=3, label=name)
            ax.axvline(self.material[names[0]], color="black")
            ax.set_yticks([])
        else:
            for name, points in self.samples.items():
                ax.plot(points[:, 0], points[:, 1], ".", ms=3, label=name)
            spread = np.array([self.uncertainty[n] for n in names[:2]])
            turn = np.linspace(0.0, 2.0 * math.pi, 100)
            root = np.linalg.cholesky(self.correlation[:2, :2] + 1e-9 * np.eye(2))
            ring = (root @ [np.cos(turn), np.sin(turn)]) * spread[:, None] * 2.0
            ax.plot(self.material[names[0]] + ring[0], self.material[names[1]] + ring[1], color="black", lw=1, label="2 standard uncertainties")
            ax.set_ylabel(names[1])
        ax.set_xlabel(names[0])
        ax.set_title("parameters of the runs", fontsize=9)
        ax.legend(fontsize=6)
        figure.savefig(file, dpi=100)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)


def _require(*modules: str) -> None:
    import importlib.util

    missing = [m for m in modules if importlib.util.find_spec(m) is None]
    if missing:
        raise Error(f"talus.fit needs {' and '.join(missing)}: pip install 'talus[fit]'")


def basis(u: Array) -> Array:
    """Rows 1, x_i, x_i x_j of points u [n, d], with x = 2 u - 1."""
    x = 2.0 * u - 1.0
    pairs = [x[:, i] * x[:, j] for i in range(x.shape[1]) for j in range(i, x.shape[1])]
    return np.stack([np.ones(len(x)), *x.T, *pairs], axis=1)


class Response:
    """The quantities of an experiment as Gaussian processes of the parameters (Rasmussen and Williams 2006, sections 2.7 and 5.4).

    A run at u gives y = b(u) beta + g(u) + e: a quadratic polynomial b(u) beta, a smooth deviation g from it with the covariance
    r sigma^2 exp(-|u - u'|^2 / (2 l^2)), and the scatter e of a run, of variance sigma^2. Predictions are means over the pairs (l, r) of MODELS,
    weighted by their likelihoods with sigma integrated out, so that their variances contain the error of the surface: what g can do between the runs, and how uncertain
    l and r are. Scatter varies over the ranges (of a bulk density from 0.5 to 1.3 of its mean); sigma is that at `centre`, since a run counts as one of the variance
    sigma^2 exp(|u - centre|^2 / (2 LOCAL^2)).
    """

    MODELS = [(1.0, 0.0)] + [(length, ratio) for length in (0.2, 0.35, 0.6) for ratio in (1.0, 5.0, 25.0, 125.0)]
    LOCAL = 0.5
    TREND = 1e4  # variance of beta by that of a run, around the estimate by ordinary least squares

    def __init__(self, u: Array, y: Array, centre: Array) -> None:
        self.u, self.b = u, basis(u)
        b, factor = self.b, np.exp(0.5 * ((u - centre) ** 2).sum(axis=1) / self.LOCAL**2)
        root = factor[:, None] ** -0.5
        self.beta = np.linalg.lstsq(root * b, root * y, rcond=None)[0]
        residual = y - b @ self.beta
        freedom = max(len(u) - b.shape[1], 1)
        squares = self._squares(u)
        members, likelihood = [], []
        for length, ratio in self.MODELS:
            covariance = self.TREND * b @ b.T + ratio * np.exp(-0.5 * squares / length**2) + np.diag(factor)
            inverse = np.linalg.inv(covariance)
            alpha = inverse @ residual
            variance = np.maximum((residual * alpha).sum(axis=0) / freedom, 1e-30)
            likelihood.append(-0.5 * np.linalg.slogdet(covariance)[1] - 0.5 * freedom * np.log(variance))
            members.append((length, ratio, inverse, alpha, variance))
        weights = np.exp(np.array(likelihood) - np.max(likelihood, axis=0))
        weights[weights < 0.01] = 0.0
        weights /= weights.sum(axis=0)
        self.members = [(*member, w) for member, w in zip(members, weights) if w.any()]
        noise = sum(w * alpha for _, _, _, alpha, _, w in self.members)  # residuals without the surface
        # The mean over the models is b(u) trend + sum over l of exp(-|u - u_i|^2 / (2 l^2)) deviations[l].
        self.trend = self.beta + self.TREND * b.T @ noise
        self.deviations = {length: np.zeros_like(y) for length, ratio, *_ in self.members if ratio}
        for length, ratio, _, alpha, _, w in self.members:
            if ratio:
                self.deviations[length] += ratio * w * alpha
        spread = np.sqrt(sum(w * variance for _, _, _, _, variance, w in self.members))
        residual = noise / root
        size = np.sqrt((residual**2).mean(axis=0)) + 1e-30
        self.correlation = (residual / size).T @ (residual / size) / len(u)
        self.scatter = self.correlation * np.outer(spread, spread)  # covariance of the quantities between seeds

    def _squares(self, points: Array) -> Array:
        """Squared distances of points and runs."""
        squares: Array = ((points[:, None] - self.u[None]) ** 2).sum(axis=2)
        return squares

    def mean(self, points: Array) -> Array:
        """Predictions [points, quantities]."""
        squares = self._squares(points)
        values: Array = basis(points) @ self.trend + sum(np.exp(-0.5 * squares / length**2) @ a for length, a in self.deviations.items())
        return values

    def covariance(self, points: Array) -> Array:
        """Of the predictions at points, by quantity [quantities, points, points]."""
        trend, squares = basis(points), self._squares(points)
        own = ((points[:, None] - points[None]) ** 2).sum(axis=2)
        mean, total = self.mean(points), np.zeros((self.trend.shape[1], len(points), len(points)))
        for length, ratio, inverse, alpha, variance, w in self.members:
            cross = self.TREND * trend @ self.b.T + ratio * np.exp(-0.5 * squares / length**2)
            posterior = self.TREND * trend @ trend.T + ratio * np.exp(-0.5 * own / length**2) - cross @ inverse @ cross.T
            apart = (trend @ self.beta + cross @ alpha - mean).T
            total = total + w[:, None, None] * (variance[:, None, None] * posterior + apart[:, :, None] * apart[:, None, :])
        return total

    def error(self, u: Array) -> Array:
        """Covariance of the quantities predicted at u."""
        spread = np.sqrt(np.maximum(self.covariance(u[None])[:, 0, 0], 0.0))
        covariance: Array = self.correlation * np.outer(spread, spread)
        return covariance

    def slopes(self, u: Array) -> tuple[Array, Array]:
        """Derivatives by u [quantities, d], and their covariances [quantities, d, d]."""
        d, step = len(u), 0.02
        points = u + step * np.concatenate([np.eye(d), -np.eye(d)])
        change = np.concatenate([np.eye(d), -np.eye(d)], axis=1) / (2.0 * step)
        return (change @ self.mean(points)).T, change @ self.covariance(points) @ change.T


class Law:
    """The quantities of an experiment that are a formula, which has no scatter."""

    def __init__(self, law: Callable[[Array], Array], quantities: int) -> None:
        self.law = law
        self.scatter = np.zeros((quantities, quantities))

    def mean(self, points: Array) -> Array:
        return np.array([self.law(u) for u in points])

    def error(self, u: Array) -> Array:
        return self.scatter

    def slopes(self, u: Array) -> tuple[Array, Array]:
        step = 1e-4 * np.eye(len(u))
        return (self.mean(u + step) - self.mean(u - step)).T / 2e-4, np.zeros((len(self.scatter), len(u), len(u)))


class Estimate:
    """Parameters that fit best, and how certain they are, from the responses of all experiments."""

    def __init__(self, data: Data, responses: list[Response | Law], start: Array) -> None:
        from scipy.optimize import least_squares
        from scipy.stats import qmc

        self.responses = responses
        self.measured = np.concatenate([q.value for e in data.experiments for q in e.quantities])
        self.sigma = np.concatenate([q.uncertainty for e in data.experiments for q in e.quantities])

        def nearest(root: Array, start: Array) -> Any:
            return least_squares(lambda u: root @ (self.predict(u) - self.measured), np.clip(start, 1e-9, 1.0 - 1e-9), bounds=(0.0, 1.0))

        root, points = self._root(start), qmc.Sobol(len(start), scramble=False).random(64)
        misfit = (((np.concatenate([r.mean(points) for r in responses], axis=1) - self.measured) @ root.T) ** 2).sum(axis=1)
        starts = [start, *points[np.argsort(misfit)[:2]]]
        self.u = min((nearest(root, s) for s in starts), key=lambda f: f.cost).x
        # The errors of the surfaces depend on u: those at the estimate weigh the quantities.
        self.u = nearest(self._root(self.u), self.u).x
        root = self._root(self.u)
        self.chi2 = float(np.sum((root @ (self.predict(self.u) - self.measured)) ** 2))
        self._certainty(root)

    def predict(self, u: Array) -> Array:
        return np.concatenate([r.mean(u[None])[0] for r in self.responses])

    def covariance(self, errors: list[Array]) -> Array:
        """Of measured minus predicted values, with the covariances of the values predicted for each experiment."""
        c = np.diag(self.sigma**2)
        k = 0
        for error in errors:
            n = len(error)
            c[k : k + n, k : k + n] += error
            k += n
        return c

    def _root(self, u: Array) -> Array:
        """W with W^T W = C^-1."""
        return np.linalg.inv(np.linalg.cholesky(self.covariance([r.error(u) for r in self.responses])))

    def _certainty(self, root: Array) -> None:
        """Covariance (J^T C^-1 J + P)^-1 of the parameters. A direction in which J is no more than its own noise carries no information."""
        slopes, noises = zip(*(r.slopes(self.u) for r in self.responses))
        self.slopes = np.concatenate(slopes)
        j = root @ self.slopes
        total = np.diag(self.covariance([r.error(self.u) for r in self.responses]))
        noise = (np.concatenate(noises) / total[:, None, None]).sum(axis=0)
        _, directions = np.linalg.eigh(j.T @ j)
        self.information, self.directions = [], directions.T
        for v in self.directions:
            seen, chance = float(v @ j.T @ j @ v), float(v @ noise @ v)
            self.information.append(seen - chance if seen > SIGNIFICANT * chance else 0.0)
        precision = directions @ np.diag(self.information) @ directions.T + PRIOR * np.eye(len(self.u))
        self.cov = np.linalg.inv(precision)
        self.std = np.sqrt(np.diag(self.cov))

    def undetermined(self) -> list[Array]:
        """Directions in which the uncertainty exceeds that share of the range."""
        return [v for v, information in zip(self.directions, self.information) if information < UNDETERMINED**-2]

    def spread(self, runs: int, least: int) -> list[int]:
        """How many of the next runs each experiment gets: one by one the experiment that lessens the sum of the parameters' variances most."""
        simulated = [not isinstance(r, Law) for r in self.responses]
        counts = [least * s for s in simulated]
        # The runs near the estimate that would give its error without a surface.
        before = [float(np.trace(r.scatter) / max(np.trace(r.error(self.u)), 1e-6 * np.trace(r.scatter), 1e-300)) for r in self.responses]

        def trace(more: list[int]) -> float:
            c = self.covariance([r.scatter / (b + n) if s else r.scatter for r, b, n, s in zip(self.responses, before, more, simulated)])
            return float(np.trace(np.linalg.inv(self.slopes.T @ np.linalg.solve(c, self.slopes) + PRIOR * np.eye(len(self.u)))))

        while sum(counts) < runs:
            trials = [[c + (i == e) for i, c in enumerate(counts)] for e in range(len(counts)) if simulated[e]]
            counts = min(trials, key=trace)
        return counts


def fit(
    data: str | os.PathLike[str] | dict[str, Any],
    output: str | os.PathLike[str] | None = None,
    *,
    runs: int = 200,
    seed: int = 1,
    device: str = "cpu",
    workers: int | None = None,
    worlds: int = 1,
    progress: Callable[[str], Any] | None = None,
) -> Fit:
    """Finds the material whose simulated experiments give what was measured.

    data: a file (docs/fit.md), or its tables as a dict. output: a file for the [[material]]. runs: the number of simulations at most. seed: that of all random
    numbers. device: as of Simulation. workers: how many simulations at a time, by default one per core on the CPU and one on a GPU. worlds: repetitions of
    a run side by side in one simulation, each with its own seed. progress: called with a sentence after each round, such as print. The
    uncertainties of the result contain those of the data, the scatter of the runs and the error of the surfaces. Raises DataError.
    """
    _require("scipy")
    checked = data if isinstance(data, Data) else load_data(data)
    d, experiments = len(checked.parameters), checked.experiments
    terms = 1 + d + d * (d + 1) // 2
    simulated = sum(not e.exact for e in experiments)
    if not simulated:
        runs = 0
    if runs < 2 * terms * simulated:
        raise DataError(f"runs = {runs} are too few: {d} parameters and {simulated} measurements need {2 * terms * simulated}, and better 100 or more")
    started = time.monotonic()
    chance = np.random.default_rng(seed)
    workers = workers or ((os.cpu_count() or 1) if device == "cpu" else 1)
    points: list[list[Array]] = [[] for _ in experiments]
    values: list[list[Array]] = [[] for _ in experiments]
    done = 0

    def formula(e: Experiment) -> Callable[[Array], Array]:
        return lambda u: np.concatenate([e.simulate(checked.material(u))[q.name][0] for q in e.quantities])

    def run(task: tuple[int, Array, int]) -> Array:
        e, u, number = task
        told = experiments[e].simulate(checked.material(u), seed=seed * 1_000_003 + number * worlds, worlds=worlds, solver=checked.solver, device=device,
                                       threads=1 if device == "cpu" else 0)
        return np.concatenate([told[q.name].mean(axis=0) for q in experiments[e].quantities])

    low, high = np.zeros(d), np.ones(d)
    centre, half = np.full(d, 0.5), np.full(d, 0.5)
    first = min(max(terms + 2, runs // (ROUNDS * max(simulated, 1))), runs // max(simulated, 1))
    counts = [0 if e.exact else first for e in experiments]
    with ThreadPoolExecutor(workers) as pool:
        for round_ in range(ROUNDS):
            tasks: list[tuple[int, Array, int]] = []
            for e, count in enumerate(counts):
                if count:
                    # A Latin hypercube: each of `count` slices of a parameter's interval has a point.
                    cells = np.stack([chance.permutation(count) for _ in range(d)], axis=1)
                    tasks += [(e, u, done + len(tasks) + i) for i, u in enumerate(low + (high - low) * (cells + chance.random((count, d))) / count)]
            for (e, u, _), y in zip(tasks, pool.map(run, tasks)):
                points[e].append(u)
                values[e].append(y)
            done += len(tasks)
            responses = [Law(formula(e), sum(len(q.value) for q in e.quantities)) if e.exact else Response(np.array(p), np.array(v), centre)
                         for e, p, v in zip(experiments, points, values)]
            estimate = Estimate(checked, responses, centre)
            # The region in which runs lie shrinks unless the estimate has moved out of it.
            moved = np.abs(estimate.u - centre) > half
            half = np.where(moved, half, np.clip(2.0 * estimate.std, np.maximum(SHRINK * half, SMALLEST), half))
            centre = estimate.u
            low, high = np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
            if progress:
                told = ", ".join(f"{p.name} {p.value(u):.4g} +- {p.width(u) * s:.2g}" for p, u, s in zip(checked.parameters, estimate.u, estimate.std))
                progress(f"{done} of {runs} runs, {time.monotonic() - started:.0f} s: {told}")
            left = runs - done
            if left <= 0:
                break
            batch = left if round_ == ROUNDS - 2 else min(left, math.ceil(left / (ROUNDS - 1 - round_)))
            counts = estimate.spread(batch, min(batch // simulated, max(1, batch // (4 * simulated))))
    result = _result(checked, estimate, done, time.monotonic() - started, seed)
    result.samples = {e.label: np.array([[p.value(x) for p, x in zip(checked.parameters, u)] for u in own]) for e, own in zip(experiments, points) if own}
    result.results = {e.label: np.array(v) for e, v in zip(experiments, values) if v}
    if output is not None:
        result.save(output)
    return result


def simulate_measurements(
    data: str | os.PathLike[str] | dict[str, Any], material: dict[str, Any], *, repeats: int = 8, seed: int = 1, device: str = "cpu", workers: int | None = None
) -> list[dict[str, Any]]:
    """Returns the [[measurement]] tables of fit() with what a material gives in place of what was measured.

    data: a file, or its tables as a dict. material: values of the keys that `find` names, and of others to be replaced. repeats: simulations behind
    each value, which is their mean, with its standard uncertainty. seed: that of the first repetition; the others have `seed` + 1 and so on. device: as
    of Simulation. workers: how many simulations at a time, by default one per core on the CPU. Raises DataError.
    """
    if repeats < 2:
        raise ValueError("repeats: at least 2, for an uncertainty")
    checked = load_data(data)
    workers = workers or ((os.cpu_count() or 1) if device == "cpu" else 1)
    tables = []
    with ThreadPoolExecutor(workers) as pool:
        for experiment in checked.experiments:
            told = list(pool.map(lambda k, e=experiment: e.simulate({**checked.fixed, **material}, seed=seed + k, solver=checked.solver, device=device,
                                                                    threads=1 if device == "cpu" else 0), range(1 if experiment.exact else repeats)))
            table = dict(experiment.keys)
            for quantity in experiment.quantities:
                values = np.array([t[quantity.name][0] for t in told])
                mean = values.mean(axis=0)
                # A formula has no scatter: the uncertainty stays that of the data.
                sigma = quantity.uncertainty if experiment.exact else values.std(axis=0, ddof=1) / math.sqrt(repeats)
                table[quantity.name] = mean.tolist() if quantity.at is not None else float(mean[0])
                table[f"{quantity.name}_uncertainty"] = sigma.tolist() if quantity.at is not None else float(sigma[0])
            tables.append(table)
    return tables


def _result(data: Data, estimate: Estimate, runs: int, seconds: float, seed: int) -> Fit:
    names, width = [p.name for p in data.parameters], np.array([p.width(u) for p, u in zip(data.parameters, estimate.u)])
    warnings = [w for e in data.experiments for w in e.warnings]
    undetermined = []
    for v in estimate.undetermined():
        parts = [i for i in np.argsort(-np.abs(v)) if abs(v[i]) > 0.35]
        undetermined.append([names[i] for i in parts])
        if len(parts) == 1:
            warnings.append(f"the data do not determine {names[parts[0]]}: its uncertainty exceeds {UNDETERMINED:g} of its range")
        else:
            change = ", ".join(f"{names[i]} by {v[i] * np.sign(v[parts[0]]) * width[i]:+.2g}" for i in parts)
            warnings.append(f"the data do not determine {' and '.join(names[i] for i in parts)} one by one: changing {change} together is not seen")
    for name, u, std in zip(names, estimate.u, estimate.std):
        if min(u, 1.0 - u) < 1e-3 and not any(name in group for group in undetermined):
            warnings.append(f"{name} is at the end of its range: widen it")
    freedom = len(estimate.measured) - len(names)
    if freedom > 0 and estimate.chi2 > freedom + 3.0 * math.sqrt(2.0 * freedom):
        warnings.append(f"no material of these ranges gives all of the measured values within their uncertainties (chi2 = {estimate.chi2:.3g} with {freedom} degrees of freedom)")
    predicted = estimate.predict(estimate.u)
    scatter = np.sqrt(np.concatenate([np.diag(r.scatter) for r in estimate.responses]))
    error = np.sqrt(np.concatenate([np.diag(r.error(estimate.u)) for r in estimate.responses]))
    rows, k = [], 0
    for e in data.experiments:
        for q in e.quantities:
            for i in range(len(q.value)):
                rows.append(Row(e.label, q.name, q.unit, float(q.value[i]), float(q.uncertainty[i]), float(predicted[k]), float(error[k]), float(scatter[k]),
                                None if q.at is None else float(q.at[i])))
                k += 1
    return Fit(data.name, data.material(estimate.u), dict(zip(names, (estimate.std * width).tolist())), estimate.cov / np.outer(estimate.std, estimate.std),
               undetermined, rows, estimate.chi2, runs, seconds, seed, warnings, data.solver)
