"""A seven-axis arm scoops sand from a tray into a bin (Millard et al. 2023, section III-C), and feels it."""

from __future__ import annotations

import json
from os import PathLike, fspath
from pathlib import Path
from typing import ClassVar, NamedTuple
from xml.etree import ElementTree

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from .vector import WorldEnv, WorldsEnv
from .worlds import Worlds, scene_text

# Of the Panda's data sheet, joint by joint.
LOWEST = np.radians([-166.0, -101.0, -166.0, -176.0, -166.0, -1.0, -166.0])
HIGHEST = np.radians([166.0, 101.0, 166.0, -4.0, 166.0, 215.0, 166.0])
SPEED = np.radians([124.6, 124.6, 124.6, 124.6, 149.5, 149.5, 149.5])  # rad/s
TORQUE = np.array([87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0])  # N m
LINKS = [f"link{joint}" for joint in range(1, 8)]
START = [0.0, -12.6, 0.0, -108.7, 0.0, 86.1, 0.0]  # degrees, as in excavation_arm.toml
BIN = np.array([[0.005, 0.39, 0.15], [0.285, 0.67, np.inf]])  # m, corners of its inside
SKY = (46, 50)  # height and width of the camera's image [pixels]
SKY_FAR = 1.2  # m


class _Arm(NamedTuple):
    """Seven joints, one after another: the bodies that hang on them, their limits, and what adds them to a scene."""

    links: list[str]
    lowest: np.ndarray  # rad
    highest: np.ndarray
    speed: np.ndarray  # rad/s
    torque: np.ndarray  # N m
    text: str


def _arm_of(urdf: str | PathLike[str] | None) -> _Arm:
    """Returns the arm of the package, or that of a URDF file, without what hangs on the link of its seventh joint.

    Raises ValueError where the file has no chain of seven revolute joints that turn about the z axes of their links and
    have limits, OSError where it cannot be read, and ElementTree.ParseError where it is no XML.
    """
    if urdf is None:
        return _Arm(LINKS, LOWEST, HIGHEST, SPEED, TORQUE, scene_text("excavation_arm.toml"))
    file = Path(fspath(urdf)).resolve()
    all_joints = ElementTree.parse(file).getroot().findall("joint")

    def end(joint: ElementTree.Element, which: str) -> str:
        at = joint.find(which)
        return "" if at is None else at.get("link", "")

    above = {end(joint, "child"): joint for joint in all_joints}
    for joint in all_joints:
        chain: list[ElementTree.Element] = []
        at: ElementTree.Element | None = joint
        while at is not None and len(chain) <= len(all_joints):
            if at.get("type") == "revolute":
                chain.insert(0, at)
            at = above.get(end(at, "parent"))
        if len(chain) == 7 and chain[-1] is joint:
            break
    else:
        raise ValueError(f"urdf: {file} has no chain of seven revolute joints")
    numbers = []
    for joint in chain:
        axis, limit = joint.find("axis"), joint.find("limit")
        name = joint.get("name", "")
        if axis is None or [float(x) for x in axis.get("xyz", "1 0 0").split()] != [0.0, 0.0, 1.0]:
            raise ValueError(f"urdf: joint {name} of {file} must turn about the z axis of its link: xyz = 0 0 1")
        said = {} if limit is None else limit.attrib
        if missing := [key for key in ("lower", "upper", "velocity", "effort") if key not in said]:
            raise ValueError(f"urdf: joint {name} of {file} has no limits of {', '.join(missing)}")
        numbers.append([float(said[key]) for key in ("lower", "upper", "velocity", "effort")])
    links = [end(joint, "child") for joint in chain]
    table = {
        "file": str(file),
        "material": "steel",
        "leave_out": [end(joint, "child") for joint in all_joints if end(joint, "parent") == links[-1]],
    }
    joints = ", ".join(f"{json.dumps(joint.get('name'))} = {start}" for joint, start in zip(chain, START))
    text = '[[robot]]\nname = "arm"\n' + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
    lowest, highest, speed, torque = np.array(numbers).T
    return _Arm([f"arm/{link}" for link in links], lowest, highest, speed, torque, f"{text}joints = {{ {joints} }}\n")


class ExcavationVector(WorldsEnv):
    """Observation: "joints" angles [rad], [7]; "torques" that the sand puts on them [N m], [7], cut off at ten times
    the limits; "sky" depth from 1.2 m above the ground [m], float32 [46, 50], the top row at the greatest y, the
    arm within; "bin" share of the sand's mass in the bin, [1].

    Action: speeds of the seven joints, as shares of what the data sheet allows.

    Reward: mass that came into the bin [kg], less what left it. With limits="penalise", less the share by which the
    torque of each joint exceeds its limit; with limits="end" the episode ends there.

    Info: "bin" [kg]; "torques" [N m], [7], not cut off; "exceeded", whether a torque is beyond its limit (87 N m of the
    first four joints, 12 N m of the others; with urdf, the efforts that the file allows).

    The torques are those of the forces of the sand on all links and the scoop, by the transpose of the Jacobian.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        grains: int = 50_000,
        limits: str = "ignore",
        urdf: str | PathLike[str] | None = None,
        episode: float = 10.0,
        control: float = 0.05,
        device: str = "auto",
        threads: int = 0,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        """grains: number of them, 100 to a million; their radius fills the tray alike for any number. limits: "ignore",
        "penalise" or "end", as the class tells. urdf: file of a Franka Panda or FR3, whose links grains touch and whose limits
        hold in place of simple shapes and the data sheet; the scoop is in the place of its hand.

        num_envs: number of environments. episode: its length [s]. control: length of an action [s]. device, threads: as
        of Simulation. render_mode: "rgb_array", "human" or None. autoreset_mode: SAME_STEP or DISABLED. Raises ValueError
        for any other value, and for a file whose arm has no seven joints with limits.
        """
        if not 100 <= grains <= 1_000_000:
            raise ValueError("grains: 100 .. 1000000")
        if limits not in ("ignore", "penalise", "end"):
            raise ValueError('limits: "ignore", "penalise" or "end"')
        radius = 0.0052 * (10_000.0 / grains) ** (1.0 / 3.0)
        overrides = [f"grains.0.count={grains}", f"grains.0.radius=[{0.9 * radius:.6g}, {1.1 * radius:.6g}]"]
        self._arm = arm = _arm_of(urdf)
        overrides.append(f"body.scoop.parent={json.dumps(arm.links[-1])}")
        text = scene_text("excavation.toml") + "\n" + arm.text
        worlds = Worlds(text, "excavation.toml", overrides, num_envs, device, threads)
        torques = (10.0 * arm.torque).astype(np.float32)
        super().__init__(
            num_envs,
            worlds,
            observation_space=spaces.Dict(
                {
                    "joints": spaces.Box(arm.lowest.astype(np.float32) - 0.01, arm.highest.astype(np.float32) + 0.01),
                    "torques": spaces.Box(-torques, torques),
                    "sky": spaces.Box(0.0, SKY_FAR, SKY, dtype=np.float32),
                    "bin": spaces.Box(0.0, 1.0, (1,), dtype=np.float32),
                }
            ),
            action_space=spaces.Box(-1.0, 1.0, (7,), dtype=np.float32),
            control=control,
            episode=episode,
            render_mode=render_mode,
            autoreset_mode=autoreset_mode,
        )
        self._limits = limits
        self._links = np.array([[worlds.body(link, w) for link in arm.links] for w in range(num_envs)])
        self._carried = [worlds.scene.bodies.index(name) for name in [*arm.links, "scoop"]]
        self._scoops = [worlds.body("scoop", w) for w in range(num_envs)]
        self._mass = np.zeros((num_envs, grains), dtype=np.float32)  # kg
        self._in_bin = np.zeros(num_envs)  # kg, at the last observation

    def _kept(self) -> list[np.ndarray]:
        return [self._mass, self._in_bin]

    def _begin(self, worlds: np.ndarray, randoms: list[np.random.Generator]) -> None:
        self._mass = self.worlds.masses()
        self._in_bin[worlds] = 0.0

    def _act(self, actions: np.ndarray) -> None:
        for links, speeds in zip(self._links, np.degrees(actions * self._arm.speed)):
            for link, speed in zip(links, speeds):
                self.worlds.drive_joint(int(link), speed)

    def _observe(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        position = self.worlds.positions()
        joints = np.radians([[self.worlds.joint_state(int(link)).value for link in links] for links in self._links])
        torques = self._torques()
        within = ((position > BIN[0]) & (position < BIN[1])).all(axis=-1)
        mass = (self._mass * within).sum(axis=1, dtype=np.float64)
        observations = {
            "joints": joints.astype(np.float32),
            "torques": np.clip(torques, -10.0 * self._arm.torque, 10.0 * self._arm.torque).astype(np.float32),
            "sky": self.worlds.depth("sky"),
            "bin": (mass / self._mass.sum(axis=1, dtype=np.float64)).astype(np.float32)[:, None],
        }
        excess = np.maximum(np.abs(torques) / self._arm.torque - 1.0, 0.0)
        exceeded = (excess > 0.0).any(axis=1)
        rewards = mass - self._in_bin
        self._in_bin = mass
        if self._limits == "penalise":
            rewards = rewards - excess.sum(axis=1)
        ends = exceeded if self._limits == "end" else np.zeros(self.num_envs, dtype=bool)
        return observations, rewards, ends, {"bin": mass.copy(), "torques": torques, "exceeded": exceeded}

    def _torques(self) -> np.ndarray:
        """Torques about the axis of each joint, of the forces on all that it carries [N m], float64 [W, 7]."""
        forces, torques = (load[:, self._carried].astype(np.float64) for load in self.worlds.loads())
        states = [[self.worlds.body_state(int(b)) for b in (*links, scoop)] for links, scoop in zip(self._links, self._scoops)]
        at = np.array([[state.position for state in states_of] for states_of in states])
        axes = np.array([[axis_of(state.rotation) for state in states_of[:7]] for states_of in states])
        result = np.zeros((self.num_envs, 7))
        for joint in range(7):
            arms = at[:, joint:] - at[:, joint, None]
            about = (torques[:, joint:] + np.cross(arms, forces[:, joint:])).sum(axis=1)
            result[:, joint] = (axes[:, joint] * about).sum(axis=1)
        return result


def axis_of(quaternion: np.ndarray) -> np.ndarray:
    """Returns the direction of the z axis of a frame, a unit vector float64 [3]. quaternion: x, y, z, w of the frame."""
    x, y, z, w = quaternion
    return np.array([2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)])


class Excavation(WorldEnv):
    __doc__ = ExcavationVector.__doc__
    vector: ClassVar[type[WorldsEnv]] = ExcavationVector
