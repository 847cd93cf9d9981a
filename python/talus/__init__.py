"""Talus: granular material on any device with Vulkan 1.3, and on the CPU.

    import talus

    sim = talus.Simulation(talus.load_scene("scenes/pile.toml"), device="cpu")
    talus.run(sim, seconds=2.0)
    print(sim.measure().height, sim.grains().position.mean(axis=0))

SI units, z up. Arrays are NumPy's, read-only; numpy.from_dlpack and its like in other frameworks take them as they are.
"""

from importlib.metadata import version as _version

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

__version__ = _version("talus")


def register() -> None:
    """Registers the environments talus/... with Gymnasium. Importing talus does so where Gymnasium is installed."""
    from .envs import register_all

    register_all()


try:
    register()
except ModuleNotFoundError as missing:
    if missing.name != "gymnasium":
        raise

__all__ = [name for name in dir() if not name.startswith("_")]
