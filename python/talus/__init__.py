"""Talus: granular material on any device with Vulkan 1.3, and on the CPU.

    import talus

    sim = talus.Simulation(talus.load_scene("scenes/pile.toml"), device="cpu")
    talus.run(sim, seconds=2.0)
    print(sim.measure().height, sim.grains().position.mean(axis=0))

SI units, z up. Arrays are NumPy's, read-only; numpy.from_dlpack and its like in other frameworks take them as they are.
"""

import sys as _sys
from importlib import import_module as _import_module
from importlib.abc import MetaPathFinder as _MetaPathFinder
from importlib.machinery import ModuleSpec as _ModuleSpec
from importlib.metadata import version as _version
from importlib.util import find_spec as _find_spec
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING

from ._core import (
    BodyState,
    Checkpoint,
    CheckpointError,
    Cloth,
    Clumps,
    Contacts,
    Device,
    DeviceError,
    DeviceSummary,
    Error,
    ExportError,
    GrainMemory,
    Grains,
    JointLoad,
    JointState,
    Loads,
    Measure,
    MeshError,
    OpenDevices,
    PassTime,
    ResourceError,
    Robot,
    Scene,
    SceneError,
    ShapeState,
    Simulation,
    StateError,
    VerifyError,
    devices,
    keep_devices_open,
    load_robot,
    load_scene,
    parse_scene,
)
from ._experiments import DataError
from ._fit import Fit, fit, simulate_measurements
from ._run import run
from ._sensitivity import Sensitivity, sensitivity
from ._sweep import sweep

__version__ = _version("talus")


__all__ = [
    "BodyState",
    "Checkpoint",
    "CheckpointError",
    "Cloth",
    "Clumps",
    "Contacts",
    "DataError",
    "Device",
    "DeviceError",
    "DeviceSummary",
    "Error",
    "ExportError",
    "Fit",
    "GrainMemory",
    "Grains",
    "JointLoad",
    "JointState",
    "Loads",
    "Measure",
    "MeshError",
    "OpenDevices",
    "PassTime",
    "ResourceError",
    "Robot",
    "Scene",
    "SceneError",
    "Sensitivity",
    "ShapeState",
    "Simulation",
    "StateError",
    "VerifyError",
    "devices",
    "envs",
    "fit",
    "keep_devices_open",
    "load_robot",
    "load_scene",
    "parse_scene",
    "plot",
    "register",
    "run",
    "sensitivity",
    "simulate_measurements",
    "sweep",
]


def register() -> None:
    """Registers the environments talus/... with Gymnasium. That happens by itself where both talus and Gymnasium are
    imported, in any order. Raises ModuleNotFoundError without Gymnasium."""
    from .envs import register_all

    register_all()


if _TYPE_CHECKING:
    from . import envs, plot
else:

    def __getattr__(name: str) -> _ModuleType:
        # Submodules are imported when they are first asked for, since they are large.
        if name in ("envs", "plot"):
            return _import_module(f"talus.{name}")
        raise AttributeError(f"module 'talus' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), "envs", "plot"})


class _RegisterWithGymnasium(_MetaPathFinder):
    """Registers the environments right after Gymnasium has been imported. To import it here would take 0.3 s."""

    _looking = False

    def find_spec(self, name: str, path: object, target: object = None) -> _ModuleSpec | None:
        if name != "gymnasium" or self._looking:
            return None
        self._looking = True
        try:
            spec = _find_spec(name)
        finally:
            self._looking = False
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: _ModuleType) -> None:
                execute(module)
                if self in _sys.meta_path:
                    _sys.meta_path.remove(self)
                    register()

            setattr(spec.loader, "exec_module", exec_module)
        return spec


if _sys.modules.get("gymnasium") is not None:
    register()
else:
    _sys.meta_path.insert(0, _RegisterWithGymnasium())
