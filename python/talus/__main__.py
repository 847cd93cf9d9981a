"""python -m talus fit DATA.toml -o material.toml"""

from __future__ import annotations

import argparse
import sys

from . import Error, fit


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit status: 0, or 2 where the data are wrong, as the program talus."""
    parser = argparse.ArgumentParser(prog="talus", description=__doc__)
    verb = parser.add_subparsers(dest="verb", required=True).add_parser("fit", help="from measurements to a material", description="Finds the material whose "
                                                                        "simulated experiments give what was measured (docs/fit.md).")
    verb.add_argument("data", metavar="DATA.toml", help="measurements, and ranges of what is to be found")
    verb.add_argument("-o", "--output", metavar="FILE", help="where the [[material]] goes; default: the terminal")
    verb.add_argument("--plot", metavar="FILE", help="picture of measurements and fit (.png, .svg ..)")
    verb.add_argument("--runs", type=int, default=200, metavar="N", help="simulations at most (default: 200)")
    verb.add_argument("--seed", type=int, default=1, metavar="N", help="of all random numbers (default: 1)")
    verb.add_argument("--device", default="cpu", help="cpu (the default), auto, or index or part of the name as in `talus devices`")
    verb.add_argument("--workers", type=int, metavar="N", help="runs at a time (default: one per core)")
    verb.add_argument("--worlds", type=int, default=1, metavar="N", help="repetitions of a run side by side (default: 1)")
    a = parser.parse_args(arguments)
    try:
        found = fit(a.data, a.output, runs=a.runs, seed=a.seed, device=a.device, workers=a.workers, worlds=a.worlds,
                    progress=lambda line: print(line, file=sys.stderr, flush=True))
        print(found)
        if a.output is None:
            print(found.to_toml(), end="")
        if a.plot:
            found.plot(a.plot)
    except (Error, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
