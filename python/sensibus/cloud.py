"""Sensibo's API from a fleet of its own, for tests: `Cloud.start()` starts one, and `stop` ends it.

Each call runs a command, for about a tenth of a second; `inject("crash", …)` waits up to three seconds until the
controller misses the node. In a coroutine, use `asyncio.to_thread`.
"""

from __future__ import annotations

import contextlib
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
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=talk, env=_environment(),
            start_new_session=True)  # fmt: skip
        late = threading.Event()
        try:
            return cls(process, talk, json.loads(_first_line(process, late)))
        except BaseException as error:
            _end(process)
            text = _content(talk)
            talk.close()
            if not isinstance(error, ValueError):
                raise
            cause = f"it was not ready after {_START_TIMEOUT:.0f} s" if late.is_set() else text
            raise SensibusError(f"the fleet did not start: {cause}") from None

    def stop(self) -> None:
        """Ends the fleet, and removes its directory."""
        _end(self._process)
        shutil.rmtree(self.run_dir, ignore_errors=True)
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

        Returns what it printed; raises `SensibusError` if it failed, or did not end within 30 s.
        """
        command = [str(executable()), *words, *_arguments(options), "--run-dir", str(self.run_dir)]
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=_environment(),
                timeout=_COMMAND_TIMEOUT, check=False)  # fmt: skip
        except subprocess.TimeoutExpired:
            raise SensibusError(f"{words[0]}: no end after {_COMMAND_TIMEOUT:.0f} s") from None
        if done.returncode != 0:
            raise SensibusError((done.stderr or done.stdout).strip())
        return done.stdout

    @property
    def logs(self) -> dict[str, str]:
        """The log of each process by its name, and under `fleet` what the fleet itself printed."""
        logs = {}
        for path in sorted(self.run_dir.glob("logs/*.log")):
            # The fleet may rename a long log at any time.
            with contextlib.suppress(OSError):
                logs[path.stem] = path.read_text(errors="replace")
        if not self._talk.closed:
            logs["fleet"] = _content(self._talk)
        return {name: text for name, text in logs.items() if text}

    def _rows(self, *devices: str) -> list[Mapping[str, Any]]:
        return [json.loads(line) for line in self.run("devices", *devices, json=True).splitlines()]


def _environment() -> dict[str, str]:
    """The environment without variables of Sensibus, which name fleets, addresses and keys of its user."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SENSIBUS_")}


def _first_line(process: subprocess.Popen[bytes], late: threading.Event) -> bytes:
    """Reads the line that a fleet prints when it is ready; empty if it ends first. Ends it after a while."""

    def end() -> None:
        late.set()
        process.terminate()

    assert process.stdout is not None
    timer = threading.Timer(_START_TIMEOUT, end)
    timer.daemon = True
    try:
        timer.start()
        return process.stdout.readline()
    finally:
        timer.cancel()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a fleet, whose processes end with it."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(_STOP_TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


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
