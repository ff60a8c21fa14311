"""Makes the wheel one of executables, which must be in the package: for any Python 3, and for one platform."""

from __future__ import annotations

import pathlib
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ExecutablesHook(BuildHookInterface[BuilderConfig]):
    """Marks the wheel with the platform of the executables."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Fails in a directory without executables, such as the sources of the package."""
        if not pathlib.Path(self.root, "sensibus/libexec/sensibus/fleet").exists():
            raise FileNotFoundError("the package has no executables here: build the wheel with `make wheel`")
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-linux_x86_64"
