"""Sensibus, a fleet of simulated Sensibo devices: the paths of its programs.

The package contains the programs and the libraries that they need. The command `sensibus`, or `python -m sensibus`,
runs the main one. A Python program gets the path of each from `executable`.
"""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

__all__ = ["EXECUTABLES", "__version__", "executable"]

#: The names of the programs. `fleet` is the one that `sensibus` runs.
EXECUTABLES = ("fleet", "controller", "device-sim", "observer", "gateway", "http-load")

_FOLDER = pathlib.Path(__file__).parent / "libexec" / "sensibus"


def executable(name: str = "fleet") -> pathlib.Path:
    """Returns the absolute path of a program of Sensibus.

    The programs find each other in their directory, so each must be run from there.

    Raises `ValueError` for a name that is not in `EXECUTABLES`, and `FileNotFoundError` where the package is without
    programs, as in its sources.
    """
    if name not in EXECUTABLES:
        raise ValueError(f"no executable {name!r}: expected one of {', '.join(EXECUTABLES)}")
    path = _FOLDER / name
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist: install Sensibus from its wheel")
    return path


if TYPE_CHECKING:
    #: The version of the programs and of the package.
    __version__: str
else:

    def __getattr__(name: str) -> str:
        """Reads the version when it is used, so that the command does not wait for that."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib.metadata import version

        return version("sensibus")
