"""The command talus, which comes with the package."""

import json
import subprocess
import sysconfig
from pathlib import Path

import talus
from conftest import SCENE

COMMAND = Path(sysconfig.get_path("scripts")) / "talus"


def run(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True)


def test_program_has_the_version_of_the_package():
    answer = run("--version")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines()[0] == f"talus {talus.__version__}"


def test_program_and_package_compute_the_same_bits(tmp_path):
    scene_file = tmp_path / "box.toml"
    scene_file.write_text(SCENE)
    report = tmp_path / "report.json"
    answer = run("run", scene_file, "--device", "cpu", "--steps", 20, "--report", report)
    assert answer.returncode == 0, answer.stderr
    sim = talus.Simulation(talus.load_scene(scene_file), device="cpu")
    sim.advance(20)
    assert json.loads(report.read_text())["state_hash"] == f"{sim.state_hash():016x}"


def test_the_exit_status_is_that_of_the_program(tmp_path):
    answer = run("check", tmp_path / "missing.toml")
    assert answer.returncode == 2
    assert "missing.toml" in answer.stderr
