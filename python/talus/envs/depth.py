"""Depth images by a map of heights: of what lies on the ground, and no overhangs."""

from __future__ import annotations

import numpy as np


class HeightMap:
    """The highest point of grains over each cell of a grid in x and y, of all worlds."""

    def __init__(self, low: np.ndarray, high: np.ndarray, cells: tuple[int, int]) -> None:
        """low, high: corners of the ground [m]; cells along x and y."""
        self.low = np.asarray(low[:2], dtype=np.float64)
        self.cells = np.asarray(cells)
        self.cell = (np.asarray(high[:2]) - self.low) / self.cells  # m

    def __call__(self, position: np.ndarray, radius: np.ndarray) -> np.ndarray:
        """position [W, n, 3], radius [W, n]; heights [m], float32 [W, y, x]."""
        worlds = position.shape[0]
        heights = np.zeros((worlds, *self.cells[::-1]), dtype=np.float32)
        world = np.broadcast_to(np.arange(worlds)[:, None], radius.shape)
        # A ball as its top and, lower, four places around it.
        for x, y, rise in ((0, 0, 1.0), (0.6, 0, 0.8), (-0.6, 0, 0.8), (0, 0.6, 0.8), (0, -0.6, 0.8)):
            at = position[..., :2] + radius[..., None] * (x, y)
            i, j = np.moveaxis(self.index(at), -1, 0)
            np.maximum.at(heights, (world, j, i), position[..., 2] + np.float32(rise) * radius)
        return heights

    def index(self, at: np.ndarray) -> np.ndarray:
        """Cells along x and y of places [.., 2], the nearest one for places outside."""
        return np.clip(np.floor((at - self.low) / self.cell).astype(np.int64), 0, self.cells - 1)

    def centres(self) -> tuple[np.ndarray, np.ndarray]:
        """x [m] of the columns, y [m] of the rows."""
        x, y = (self.low[a] + (np.arange(self.cells[a]) + 0.5) * self.cell[a] for a in (0, 1))
        return x, y


def sky_depth(heights: np.ndarray, camera_height: float, size: tuple[int, int]) -> np.ndarray:
    """From straight above, orthographic: metres below the camera, float32 [W, h, w], the top row at the greatest y.

    size: width and height [pixels], which divide the cells of the map.
    """
    worlds, rows, columns = heights.shape
    width, height = size
    blocks = heights.reshape(worlds, height, rows // height, width, columns // width).max(axis=(2, 4))
    return (np.float32(camera_height) - blocks[:, ::-1]).astype(np.float32)


def ego_depth(
    ground: HeightMap, heights: np.ndarray, eye: np.ndarray, yaw: np.ndarray, pitch: float, fov: float, size: int, far: float
) -> np.ndarray:
    """Perspective, from an eye [W, 3] that looks along yaw [W] and down by pitch [rad]: metres along the view, float32
    [W, size, size], far where there is nothing. fov [rad]: of height and width."""
    half = np.tan(0.5 * fov)
    across = (np.arange(size) + 0.5) / size * 2.0 - 1.0
    right, up = np.meshgrid(across * half, -across * half)
    # A ray goes on by one along the view for each metre of depth.
    ahead = np.cos(pitch) + np.sin(pitch) * up
    rise = -np.sin(pitch) + np.cos(pitch) * up
    cos, sin = np.cos(yaw)[:, None, None], np.sin(yaw)[:, None, None]
    x, y = cos * ahead + sin * right, sin * ahead - cos * right
    depths = np.geomspace(0.1, far, 48)
    places = eye[:, None, None, :, None] + np.stack(np.broadcast_arrays(x, y, rise[None]), axis=-1)[..., None] * depths
    plan = np.moveaxis(places[..., :2, :], -1, -2)
    i, j = np.moveaxis(ground.index(plan), -1, 0)
    inside = ((plan >= ground.low) & (plan <= ground.low + ground.cells * ground.cell)).all(axis=-1)
    world = np.arange(len(yaw))[:, None, None, None]
    hit = (places[..., 2, :] <= heights[world, j, i]) & inside
    first = hit.argmax(axis=-1)
    return np.where(hit.any(axis=-1), depths[first], far).astype(np.float32)
