import runpy
import sys
from pathlib import Path


def test_the_tour(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tour.py", str(tmp_path)])
    told = runpy.run_path(str(Path(__file__).parent.parent / "examples" / "tour.py"))
    said = capsys.readouterr().out
    assert "frictoin; did you mean friction?" in said
    assert "the same bits: True" in said and "another end: True" in said
    assert told["pictures"]["tour.png"].shape == (540, 960, 3)
    assert told["forces"][:, 1].min() < -2.0  # N
