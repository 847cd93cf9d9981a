"""Makes the heightmaps of the scenes: python3 make_heightmaps.py DIR writes hillside.png there."""

import math
import struct
import sys
import zlib
from pathlib import Path


def write_png(file, rows):
    """Grey of 16 bit from rows of numbers from 0 to 1, the upper edge first."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 16, 0, 0, 0, 0)
    # Filter 2: each value less the one above it, byte by byte.
    lines, above = b"", bytes(2 * len(rows[0]))
    for row in rows:
        line = b"".join(struct.pack(">H", round(65535 * value)) for value in row)
        lines += b"\2" + bytes((a - b) % 256 for a, b in zip(line, above))
        above = line
    file.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")
    )


def hillside(x, y):
    """Height above the lowest place [m] at x, y [m]: a slope that rises with y, with two mounds and a hollow in it."""
    t = min(max((y - 0.8) / 4.0, 0.0), 1.0)
    height = 0.9 * t * t * (3.0 - 2.0 * t)
    for at, width, rise in (((4.6, 2.6), 0.7, 0.42), ((6.7, 4.7), 0.7, 0.38), ((2.2, 4.6), 0.8, -0.4)):
        height += rise * math.exp(-((x - at[0]) ** 2 + (y - at[1]) ** 2) / (2.0 * width**2))
    return max(height, 0.0)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    edge = 0.125  # m
    columns, rows = 64, 48
    write_png(
        folder / "hillside.png",
        [[hillside(edge * (c + 0.5), edge * (rows - 0.5 - r)) / 1.4 for c in range(columns)] for r in range(rows)],
    )
