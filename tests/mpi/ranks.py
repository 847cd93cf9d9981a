#!/usr/bin/env python3
"""Runs scenes with several ranks: python3 ranks.py TALUS MPIRUN SCENES FOLDER [TEST...].

What is held: the state hash of a scene is that of the program without ranks, for any number of them; a state saved by some ranks goes
on with others; what cannot be shared is one sentence; a rank that dies ends all of them soon, and leaves what was saved before whole.
Standard library only. Each test is a function whose name begins with test_."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

TALUS, MPIRUN, SCENES, FOLDER = sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])

# More ranks than cores share these, and those that wait let others run. Tests run as root in containers.
ENVIRONMENT = os.environ | {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}

TALL = """
[scene]
title = "Grains in a box"
seed = 3
{scene}
[time]
dt = 0.002
end = 0.2
[domain]
min = [0, 0, 0]
max = [0.2, 0.12, 0.5]
{domain}
[solver]
method = "{method}"
{solver}
[[material]]
name = "grain"
friction = 0.5
rolling_friction = {rolling}
{grains}
{more}
"""

SPHERES = """
[[grains]]
material = "grain"
radius = [0.006, 0.009]
velocity_random = 1.0
{grain}
fill.box = {{ min = [0.02, 0.01, 0.02], max = [0.18, 0.11, 0.3] }}
"""

BODIES = """
[[body]]
name = "paddle"
box = { size = [0.02, 0.1, 0.1] }
motion = { position = ["0.1 + 0.06*sin(20*t)", 0.06, 0.06] }
[[body]]
name = "ball"
sphere = { radius = 0.025 }
density = 500.0
position = [0.05, 0.06, 0.4]
"""

EMITTER_AND_SINK = """
[[emitter]]
material = "grain"
radius = 0.006
rate = 600.0
velocity = [0, 0, -1]
shape.box = { min = [0.05, 0.04, 0.42], max = [0.15, 0.08, 0.48] }
[[sink]]
name = "hole"
position = [0.03, 0.06, 0.01]
box = { size = [0.06, 0.12, 0.02] }
"""


def scene(name, method="dem", rolling=0.1, grain="", more="", solver="", domain="", scene="", grains=SPHERES):
    path = FOLDER / f"{name}.toml"
    text = TALL.format(method=method, rolling=rolling, grains=grains.format(grain=grain) if grains == SPHERES else grains, more=more,
                       solver=solver, domain=domain, scene=scene)
    path.write_text(text)
    return path


# Device 0 of tests of devices is lavapipe, with a thread for each rank.
LAVAPIPE = next((str(file) for folder in ("/usr/share", "/usr/local/share", "/etc")
                 for file in sorted(Path(folder, "vulkan/icd.d").glob("lvp_icd*.json")) if not re.search("i[36]86", file.name)), "no_lavapipe.json")
ON_LAVAPIPE = ENVIRONMENT | {"VK_ICD_FILENAMES": LAVAPIPE, "VK_DRIVER_FILES": LAVAPIPE, "LP_NUM_THREADS": "1"}


def talus(*arguments, ranks=0, timeout=300, environment=ENVIRONMENT):
    command = [TALUS, *map(str, arguments)]
    if ranks:
        command = [MPIRUN, "-n", str(ranks), *command]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=environment)


def report(path, *arguments, ranks=0, device="cpu", environment=ENVIRONMENT):
    """The report of a run, which has to end well."""
    file = FOLDER / f"{path.stem}_{ranks}.json"
    file.unlink(missing_ok=True)
    threads = ["--threads", "1"] if ranks else []
    ended = talus("run", path, "--device", device, *threads, "--report", file, *arguments, ranks=ranks, environment=environment)
    assert "Vulkan: " not in ended.stderr, ended.stderr  # of the validation layer
    assert ended.returncode == 0, f"{path.name}, {ranks} ranks: {ended.stdout}{ended.stderr}"
    return json.loads(file.read_text())


def same_for_all(path, *arguments, ranks=(2, 3), **where):
    alone = report(path, *arguments, **where)
    assert alone["ranks"] is None
    for count in ranks:
        shared = report(path, *arguments, ranks=count, **where)
        assert shared["ranks"]["count"] == count == len(shared["ranks"]["each"])
        for key in ("state_hash", "grains", "rebuilds", "incremental_rebuilds", "grain_updates", "awake", "contacts", "periodic_crossings",
                    "sinks", "bodies", "emitters", "cfl_violations"):
            assert shared[key] == alone[key], f"{path.name}: {key} is {alone[key]} without ranks and {shared[key]} with {count}"
    return alone


def test_hashes_of_dem():
    # At rest at the end: grains sleep, and lists are rebuilt incrementally.
    alone = same_for_all(scene("dem"), "--time", "1.2", ranks=(2, 3, 4, 8))
    assert alone["awake"] < 0.5 * alone["grains"] and alone["incremental_rebuilds"] > 0, (alone["awake"], alone["incremental_rebuilds"])


def test_hashes_of_other_methods():
    for method, solver in (("vts", ""), ("sp", ""), ("p2", ""), ("pbd", ""), ("vts", 'iteration = "improved_jacobi"\ncontact_memory = false')):
        same_for_all(scene(f"{method}_{len(solver)}", method, solver=solver), ranks=(3,))


def test_hashes_with_bodies_emitters_sinks_and_periodic_axes():
    for method in ("dem", "vts"):
        same_for_all(scene(f"all_{method}", method, more=BODIES + EMITTER_AND_SINK, domain='x = "periodic"'), "--time", "0.3", ranks=(2, 4))


def test_hashes_of_clumps_and_cloth():
    same_for_all(scene("clumps", grains=SPHERES.format(grain='clump = "tetrahedron"').replace("[0.006, 0.009]", "0.008")), ranks=(3,))
    same_for_all(SCENES / "cloth_catch.toml", "--steps", "20", ranks=(3,))


def test_hashes_of_worlds():
    same_for_all(scene("worlds", scene="worlds = 5"), "--time", "0.1", ranks=(2, 3, 8))


def test_hashes_of_ground():
    same_for_all(SCENES / "trench.toml", "--steps", "12", ranks=(3,))


def test_hashes_on_vulkan_devices():
    on_device = {"device": "0", "environment": ON_LAVAPIPE}
    # Grains come to rest, so that history goes between ranks, and lists are rebuilt incrementally.
    alone = same_for_all(scene("device_dem"), "--time", "0.1", ranks=(2,), **on_device)
    assert alone["incremental_rebuilds"] > 0, alone["incremental_rebuilds"]
    for method in ("dem", "vts"):
        path = scene(f"device_all_{method}", method, more=BODIES + EMITTER_AND_SINK, domain='x = "periodic"')
        same_for_all(path, "--time", "0.06", ranks=(2, 3), **on_device)
    same_for_all(scene("device_worlds", scene="worlds = 3"), "--time", "0.1", ranks=(2,), **on_device)


def test_ranks_on_vulkan_devices_are_valid():
    path = scene("device_valid", more=BODIES + EMITTER_AND_SINK, domain='x = "periodic"')
    validated = {"device": "0", "environment": ON_LAVAPIPE | {"TALUS_VALIDATION": "1"}}
    assert report(path, "--time", "0.02", **validated)["state_hash"] == report(path, "--time", "0.02", ranks=2, **validated)["state_hash"]


def test_a_state_of_ranks_on_devices_goes_on_without():
    path, state, on_device = scene("device_saved", more=EMITTER_AND_SINK), FOLDER / "device_saved.talus", {"device": "0", "environment": ON_LAVAPIPE}
    alone = report(path, "--time", "0.1", **on_device)
    for saving, going_on in ((2, 0), (0, 3)):
        report(path, "--time", "0.05", "--save", state, ranks=saving, **on_device)
        assert report(path, "--time", "0.1", "--resume", state, ranks=going_on, **on_device)["state_hash"] == alone["state_hash"], (saving, going_on)


def test_which_device_a_rank_has():
    path = scene("device_which")
    shared = report(path, "--steps", "1", ranks=2, device="0,0", environment=ON_LAVAPIPE)
    assert [rank["device"] for rank in shared["ranks"]["each"]] == [0, 0], shared["ranks"]
    assert [rank["device"] for rank in report(path, "--steps", "1", ranks=2)["ranks"]["each"]] == ["cpu", "cpu"]
    # A rank without such a device, and a rank whose device is of another kind, are refused.
    for second, message in ((["VK_ICD_FILENAMES=none.json", "VK_DRIVER_FILES=none.json"], "rank 1: "),
                            (["TALUS_TEST_LIMITS=least"], "whose results differ in their last bits")):
        run = [TALUS, "run", str(path), "--device", "0", "--steps", "1"]
        ended = subprocess.run([MPIRUN, "-n", "1", *run, ":", "-n", "1", "env", *second, *run], capture_output=True, text=True, timeout=60,
                               env=ON_LAVAPIPE)
        assert ended.returncode == 3 and message in ended.stderr, (ended.returncode, ended.stderr)
        assert len(re.findall("^error: ", ended.stderr, re.MULTILINE)) == 1, ended.stderr


def test_migration_across_all_faces():
    # Without gravity and walls a cloud expands through the boxes of all eight ranks.
    cloud = SPHERES.format(grain="").replace("velocity_random = 1.0", "velocity_random = 8.0")
    alone = same_for_all(scene("cloud", grains=cloud, domain='gravity = [0, 0, 0]\nx = "periodic"\ny = "periodic"\nz = "periodic"', rolling=0), ranks=(8,))
    assert sum(axis["up"] + axis["down"] for axis in alone["periodic_crossings"]) > alone["grains"], alone["periodic_crossings"]


def test_ranks_without_grains():
    few = '[[grains]]\nmaterial = "grain"\nradius = 0.01\nfill.points = [[0.05, 0.05, 0.1], [0.052, 0.05, 0.13], [0.15, 0.05, 0.1]]\n'
    same_for_all(scene("few", grains=few), ranks=(8,))


def test_a_state_goes_on_with_another_number_of_ranks():
    path, state = scene("saved", more=BODIES), FOLDER / "saved.talus"
    alone = report(path, "--time", "0.2")
    for saving, going_on in ((3, 2), (0, 3), (2, 0)):
        report(path, "--time", "0.1", "--save", state, ranks=saving)
        resumed = report(path, "--time", "0.2", "--resume", state, ranks=going_on)
        assert resumed["state_hash"] == alone["state_hash"], (saving, going_on)


def test_exports_and_metrics_are_those_of_one_process():
    path = scene("written", more=BODIES)
    written = []
    for ranks in (0, 3):
        out = FOLDER / f"written_{ranks}"
        report(path, "--time", "0.04", "--out", out, "--every", "0.02", "--metrics", out.with_suffix(".csv"), ranks=ranks)
        written.append({file.name: file.read_bytes() for file in [*out.iterdir(), out.with_suffix(".csv")]})
    names = [sorted(name.replace("_0.", "_N.").replace("_3.", "_N.") for name in files) for files in written]
    assert names[0] == names[1] and len(names[0]) > 3, names
    for (name, one), (_, other) in zip(sorted(written[0].items()), sorted(written[1].items())):
        assert one == other, name


def test_what_cannot_be_shared_is_said():
    path = scene("refused")
    for arguments, message in (
        (("--device", "cpu", "--set", "solver.method=vts", "--set", "solver.iteration=gauss_seidel"), "gauss_seidel goes from grain to grain"),
        (("--device", "cpu", "--verify"), "ranks do not compare passes"),
        (("--device", "cpu", "--set", "solver.metod=vts"), "metod"),
    ):
        ended = talus("run", path, *arguments, ranks=2)
        assert ended.returncode != 0 and message in ended.stderr, ended.stderr
        assert len(re.findall("^error: ", ended.stderr, re.MULTILINE)) == 1, ended.stderr


def test_a_rank_that_dies_ends_all():
    path, state = scene("killed"), FOLDER / "killed.talus"
    report(path, "--time", "0.1", "--save", state, ranks=2)
    before = state.read_bytes()
    command = [MPIRUN, "-n", "3", TALUS, "run", str(path), "--device", "cpu", "--threads", "1", "--time", "1000", "--resume", str(state),
               "--save", str(state)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    deadline, ranks = time.monotonic() + 30, []
    while len(ranks) < 3 and time.monotonic() < deadline:
        time.sleep(0.2)
        found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(running.pid)], capture_output=True, text=True)
        ranks = [int(pid) for pid in found.stdout.split()]
    assert len(ranks) == 3, ranks
    time.sleep(1.0)
    os.kill(ranks[1], signal.SIGKILL)
    start = time.monotonic()
    _, errors = running.communicate(timeout=60)
    assert running.returncode != 0 and time.monotonic() - start < 20, errors
    assert "signal 9" in errors, errors
    assert state.read_bytes() == before
    resumed = report(path, "--time", "0.12", "--resume", state)
    assert resumed["state_hash"] == report(path, "--time", "0.12")["state_hash"]


def test_two_machines():
    """Two network namespaces stand for them, joined by a cable; Open MPI starts its daemon in the other one as by ssh."""
    if os.geteuid() != 0:
        print("not run: network namespaces need root")
        return
    agent = FOLDER / "agent.sh"
    agent.write_text('#!/bin/sh\nshift\nexec ip netns exec talus_b sh -c "$*"\n')  # HOST COMMAND..
    agent.chmod(0o755)

    def ip(*arguments, check=True):
        subprocess.run(["ip", *arguments], check=check, capture_output=True)

    def clear():
        for name in ("talus_a", "talus_b"):
            ip("netns", "del", name, check=False)

    path = scene("machines")
    alone = report(path)
    clear()
    try:
        for name in ("talus_a", "talus_b"):
            ip("netns", "add", name)
        ip("link", "add", "talus0", "netns", "talus_a", "type", "veth", "peer", "name", "talus1", "netns", "talus_b")
        for name, link, address in (("talus_a", "talus0", "10.99.0.1/24"), ("talus_b", "talus1", "10.99.0.2/24")):
            ip("-n", name, "addr", "add", address, "dev", link)
            ip("-n", name, "link", "set", link, "up")
            ip("-n", name, "link", "set", "lo", "up")
        file = FOLDER / "machines.json"
        file.unlink(missing_ok=True)
        network = ["--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "10.99.0.0/24", "--mca", "oob_tcp_if_include", "10.99.0.0/24"]
        ended = subprocess.run(
            ["ip", "netns", "exec", "talus_a", MPIRUN, "--mca", "plm_rsh_agent", str(agent), "--host", "10.99.0.1:1,10.99.0.2:1", *network,
             "-n", "2", TALUS, "run", str(path), "--device", "cpu", "--threads", "1", "--report", str(file)],
            capture_output=True, text=True, timeout=300, env=ENVIRONMENT)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert json.loads(file.read_text())["state_hash"] == alone["state_hash"]
        sent = subprocess.run(["ip", "-n", "talus_a", "-s", "-j", "link", "show", "talus0"], check=True, capture_output=True, text=True)
        assert json.loads(sent.stdout)[0]["stats64"]["tx"]["bytes"] > 1e6, sent.stdout  # through the cable
    finally:
        clear()


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[5:]
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_") or (wanted and name not in wanted):
            continue
        start = time.monotonic()
        try:
            test()
        except (AssertionError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"FAILED {name}: {error}")
        print(f"{name} {time.monotonic() - start:.1f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
