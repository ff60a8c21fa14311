"""Sensibo's API from a fleet of its own, for tests: `Cloud.start()` starts one, and `stop` ends it.

The calls wait for the fleet, a tenth of a second at most. In a coroutine, use `asyncio.to_thread`.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import IO, Any, Optional, Union

from sensibus import executable

__all__ = ["Cloud", "Device", "SensibusError"]

#: The longest time until a fleet is ready, in seconds.
_START_TIMEOUT = 60.0
#: The longest time of a command, in seconds.
_COMMAND_TIMEOUT = 30.0
#: The longest time until a fleet has ended after a request, in seconds.
_STOP_TIMEOUT = 10.0

Option = Union[str, int, float, bool]


class SensibusError(Exception):
    """A fleet or a command of Sensibus failed; the text is what it printed."""


@dataclasses.dataclass(frozen=True)
class Device:
    """A device of a fleet."""

    #: The ID of the pod in Sensibo's API.
    id: str
    #: The name of its room in Sensibo's API.
    name: str
    cloud: Cloud = dataclasses.field(repr=False)

    @property
    def state(self) -> Mapping[str, Any]:
        """The device as `fleet devices --json` prints it: `on`, `mode`, `targetTemperature`, `presence` and others.

        It is read over ZeroMQ, so cloud faults do not affect it.
        """
        return self.cloud._rows(self.id)[0]

    @property
    def is_on(self) -> bool:
        """Whether the air conditioner is on."""
        return bool(self.state["on"])

    @property
    def is_online(self) -> bool:
        """Whether the device is connected."""
        return bool(self.state["presence"] == "online")


class Cloud:
    """A running fleet, which serves Sensibo's API on this machine."""

    def __init__(self, process: subprocess.Popen[bytes], talk: IO[bytes], ready: Mapping[str, Any]) -> None:
        self._process = process
        self._talk = talk
        #: The address to use in place of `https://home.sensibo.com`.
        self.url: str = ready["url"]
        #: An API key of the account, which may read and change all devices.
        self.key: str = ready["key"]
        #: The directory with the sockets and logs of the fleet.
        self.run_dir = pathlib.Path(ready["runDir"])

    @classmethod
    def start(cls, *, devices: int = 20, scenario: str = "quiet", seed: int = 1) -> Cloud:
        """Starts a fleet, and returns when all devices are online. It ends with this process, however that ends.

        The names and IDs of the devices are the same for each fleet with the same seed.
        """
        talk = tempfile.TemporaryFile()
        process = subprocess.Popen(
            [str(executable()), "test-server", "--json", "--exit-with", str(os.getpid()), "--devices", str(devices),
             "--scenario", scenario, "--seed", str(seed)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=talk, start_new_session=True)  # fmt: skip
        timer = threading.Timer(_START_TIMEOUT, process.kill)
        timer.start()
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
        finally:
            timer.cancel()
        if not line:
            process.wait()
            raise SensibusError(f"the fleet did not start: {_content(talk)}")
        return cls(process, talk, json.loads(line))

    def stop(self) -> None:
        """Ends the fleet, and removes its directory."""
        if self._process.poll() is None:
            self._process.terminate()
        try:
            self._process.wait(_STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.run_dir, ignore_errors=True)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._talk.close()

    def __enter__(self) -> Cloud:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.stop()

    @property
    def devices(self) -> list[Device]:
        """All devices, in the order of their creation."""
        return [Device(row["id"], row["name"], self) for row in self._rows()]

    def device(self, name: str) -> Device:
        """Returns the device with a name or an ID; raises `KeyError` without one."""
        for device in self.devices:
            if name in (device.name, device.id):
                return device
        names = ", ".join(device.name for device in self.devices)
        raise KeyError(f"no device {name!r}; there are {names}")

    def inject(self, fault: str, *devices: Union[str, Device], **options: Option) -> None:
        """Injects a fault, as `fleet inject` does.

        Arguments are the fault, the devices, and options by name: `inject("offline", "Bedroom 1", for_="30s")`, or
        `inject("cloud-error", status=503, times=1, only="writes")`. A name that Python reserves ends with `_`.
        """
        names = [device.id if isinstance(device, Device) else device for device in devices]
        self.run("inject", fault, *names, **options)

    def heal(self, *devices: Union[str, Device]) -> None:
        """Ends the faults of these devices, or all faults of devices and cloud."""
        self.run("heal", *[device.id if isinstance(device, Device) else device for device in devices])

    def run(self, *words: str, **options: Option) -> str:
        """Runs a command of `sensibus` for this fleet, such as `run("set", "Bedroom 1", mode="heat")`.

        Returns what it printed; raises `SensibusError` if it failed.
        """
        command = [str(executable()), *words, *_arguments(options), "--run-dir", str(self.run_dir)]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_COMMAND_TIMEOUT, check=False
        )
        if done.returncode != 0:
            raise SensibusError((done.stderr or done.stdout).strip())
        return done.stdout

    @property
    def logs(self) -> dict[str, str]:
        """The log of each process by its name, and under `fleet` what the fleet itself printed."""
        logs = {path.stem: path.read_text(errors="replace") for path in sorted(self.run_dir.glob("logs/*.log"))}
        if not self._talk.closed:
            logs["fleet"] = _content(self._talk)
        return {name: text for name, text in logs.items() if text}

    def _rows(self, *devices: str) -> list[Mapping[str, Any]]:
        return [json.loads(line) for line in self.run("devices", *devices, json=True).splitlines()]


def _arguments(options: Mapping[str, Option]) -> list[str]:
    arguments = []
    for name, value in options.items():
        option = f"--{name.rstrip('_').replace('_', '-')}"
        if value is True:
            arguments.append(option)
        elif value is not False:
            arguments += [option, str(value)]
    return arguments


def _content(file: IO[bytes]) -> str:
    """The whole content of a file that another process writes, without moving its position."""
    size = os.fstat(file.fileno()).st_size
    return os.pread(file.fileno(), size, 0).decode(errors="replace").strip()
