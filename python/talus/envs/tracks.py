"""Tracks that slip."""

from __future__ import annotations

import numpy as np


def slip(resistance: np.ndarray, weight: float, grip: float, length: float, shear: float) -> np.ndarray:
    """Returns the slip of tracks at which they pull as hard as they are held back, a share 0 .. 1, float64 [..] of the
    shape of resistance (Janosi and Hanamoto 1961).

    The ground yields under a track by up to slip * length, and its pull is the mean of weight * grip * (1 -
    exp(-displacement / shear)) along it. resistance: force that holds a track back [N]; negative resistance pushes, and
    costs no slip. weight: on one track [N]. grip: coefficient of friction. length: of the track [m]. shear: shear
    deformation modulus of the ground [m]. With a slip of 1 a track turns on the spot.
    """
    resistance = np.asarray(resistance, dtype=np.float64)
    low, high = np.zeros_like(resistance), np.ones_like(resistance)
    for _ in range(40):
        middle = 0.5 * (low + high)
        j = np.maximum(middle * length / shear, 1e-12)
        pulls = weight * grip * (1.0 + np.expm1(-j) / j) >= resistance
        high = np.where(pulls, middle, high)
        low = np.where(pulls, low, middle)
    return np.where(resistance > 0.0, high, 0.0)
