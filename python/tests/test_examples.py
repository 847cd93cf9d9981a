import re
import runpy
import sys
from pathlib import Path

PYTHON = Path(__file__).parent.parent


def test_what_the_readme_says(monkeypatch):
    monkeypatch.chdir(PYTHON.parent)
    simulations, environments = re.findall(r"```python\n(.*?)```", (PYTHON / "README.md").read_text(), re.DOTALL)
    told = {}
    exec(simulations.replace("seconds=2.0", "seconds=0.02").replace("advance(100)", "advance(5)"), told)
    assert told["picture"].shape == (720, 1280, 3)
    assert told["sim"].joint_state("bucket").speed == 20.0
    exec(environments.replace("num_envs=16", "num_envs=2"), told)
    assert told["envs"].num_envs == 2


def test_the_tour(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tour.py", str(tmp_path)])
    told = runpy.run_path(str(PYTHON / "examples" / "tour.py"))
    said = capsys.readouterr().out
    assert "frictoin; did you mean friction?" in said
    assert "the same bits: True" in said and "another end: True" in said
    assert told["pictures"]["tour.png"].shape == (540, 960, 3)
    assert told["forces"][:, 1].min() < -2.0  # N
