"""The command talus, which runs the program that is part of the package."""

import os
import subprocess
import sys
from pathlib import Path


def main() -> None:
    windows = sys.platform == "win32"
    program = Path(__file__).parent / "bin" / ("talus.exe" if windows else "talus")
    if not program.exists():
        sys.exit(f"{program} is missing: this package was built against an engine that was installed without the program "
                 "(TALUS_BUILD_PROGRAM was off)")
    command = [str(program), *sys.argv[1:]]
    if windows:  # os.execv would return to the shell before the program ends
        sys.exit(subprocess.call(command))
    os.execv(program, command)
