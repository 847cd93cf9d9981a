"""Gymnasium environments of granular material (Millard et al. 2023, section III, and beyond).

Each is a vector environment whose sub-environments are worlds; the single one has one world of the same code.
"""

from __future__ import annotations

ENTRIES = {
    "talus/Bulldozing-v0": "talus.envs.bulldozing:Bulldozing",
    "talus/Excavation-v0": "talus.envs.excavation:Excavation",
    "talus/GearTower-v0": "talus.envs.gear_tower:GearTower",
    "talus/SiteExcavation-v0": "talus.envs.site_excavation:SiteExcavation",
}


def register_all() -> None:
    """Registers the environments with Gymnasium; once is enough, more does no harm. Raises ModuleNotFoundError without
    Gymnasium."""
    from gymnasium.envs.registration import register, registry

    for name, entry in ENTRIES.items():
        if name not in registry:
            register(name, entry_point=entry, vector_entry_point=entry + "Vector")
