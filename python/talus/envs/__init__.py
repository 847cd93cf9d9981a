"""Gymnasium environments. Each is a vector environment over worlds of one simulation; the single one has one world."""


def register_all() -> None:
    """Registers talus/... with Gymnasium."""
