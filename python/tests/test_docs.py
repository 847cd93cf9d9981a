"""The documents: links, anchors and pictures of docs/, of the READMEs and of all pages that they lead to."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def warnings_of(root, site):
    """Whether the site of a copy of the repository is made with --strict, and the warnings on the way."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", root / "docs" / "site" / "mkdocs.yml", "--site-dir", site]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode == 0, [line for line in done.stderr.splitlines() if line.startswith(("WARNING", "ERROR"))]


def test_no_link_is_dead_and_every_page_is_in_the_menu(tmp_path):
    made, warnings = warnings_of(REPOSITORY, tmp_path / "site")
    assert not warnings and made
    assert (tmp_path / "site" / "tutorial" / "1_heap.png").is_file()
    assert (tmp_path / "site" / "scenes" / "index.html").is_file()
    assert 'href="../engine/talus.h"' in (tmp_path / "site" / "library" / "index.html").read_text()


def test_dead_links_are_found(tmp_path):
    shutil.copytree(REPOSITORY / "docs" / "site", tmp_path / "docs" / "site")
    settings = tmp_path / "docs" / "site" / "mkdocs.yml"
    settings.write_text(settings.read_text().split("\nnav:")[0] + "\n")
    (tmp_path / "docs" / "page.md").write_text("# Page\n\n## A heading, of two words\n\n[up](../README.md) [file](../scene.toml)\n")
    (tmp_path / "scene.toml").write_text("")
    readme = tmp_path / "README.md"
    readme.write_text("# All\n\n[page](docs/page.md#a-heading-of-two-words)\n\n    [code](docs/none.md)\n")
    assert warnings_of(tmp_path, tmp_path / "site") == (True, [])
    for dead in ("[page](docs/none.md)", "[anchor](docs/page.md#none)", "![picture](docs/none.png)", "[own anchor](#none)", "[file](none.toml)", "[above](../x.md)"):
        readme.write_text(f"# All\n\n{dead}\n")
        made, warnings = warnings_of(tmp_path, tmp_path / "site")
        assert not made and "README.md" in warnings[0], dead


def test_parameters_of_methods_are_those_of_the_reference():
    keys, table = {}, ""  # unit and default, by table and key
    for line in (REPOSITORY / "docs" / "scene_keys.md").read_text().splitlines():
        if line.startswith("## "):
            table = re.sub(r"\W", "", line)
        elif line.startswith("| "):
            key, _, unit, _, default, *_ = (cell.strip() for cell in line.strip("|").split("|"))
            keys[f"{table}.{key}"] = unit, default
    compared = 0
    for page in sorted((REPOSITORY / "docs" / "methods").glob("[a-z]*.md")):
        for line in page.read_text().splitlines():
            if not line.startswith("| `"):
                continue
            names, unit, defaults, _ = (cell.strip() for cell in line.strip("|").split("|"))
            for name, default in zip(names.split(", "), defaults.split(", ") if ", `" in names else [defaults]):
                of_reference = keys[name.strip("`")]
                assert unit == of_reference[0] and default in of_reference[1], f"{page.name}: {name} is {of_reference}"
                compared += 1
    assert compared > 30
