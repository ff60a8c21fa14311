"""Sensibo's API from a fleet of its own, for tests: `Cloud.start()` starts one, and `stop` ends it.

Each call returns when Sensibo's API shows its effect, and takes some milliseconds; `run` takes a tenth of a second. In a
coroutine, use `asyncio.to_thread`.
"""

from __future__ import annotations

import dataclasses
import datetime
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import urllib.parse
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import IO, Any, Optional, Union

from sensibus import executable

__all__ = ["Clock", "Cloud", "Device", "Request", "Requests", "SensibusError"]

#: The longest time until a fleet is ready, in seconds.
_START_TIMEOUT = 60.0
#: The longest time of a call, in seconds: a month of a large fleet passes in less.
_CALL_TIMEOUT = 120.0
#: The longest time of a command, in seconds.
_COMMAND_TIMEOUT = 30.0
#: The longest time until a fleet has ended after a request, in seconds.
_STOP_TIMEOUT = 10.0

Option = Union[str, int, float, bool]
Span = Union[str, int, float, datetime.timedelta]


class SensibusError(Exception):
    """A fleet, a call or a command of Sensibus failed; the text says why."""


@dataclasses.dataclass(frozen=True)
class Device:
    """A device of a fleet."""

    #: The ID of the pod in Sensibo's API.
    id: str
    #: The name of its room in Sensibo's API.
    name: str
    cloud: Cloud = dataclasses.field(repr=False, compare=False)

    @property
    def state(self) -> Mapping[str, Any]:
        """The state of the device: `on`, `mode`, `targetTemperature`, `temperature`, `humidity`, `presence` and others.

        Cloud faults do not affect it.
        """
        for row in self.cloud._rows():
            if row["id"] == self.id:
                return row
        raise KeyError(f"no device {self.id!r}")

    @property
    def is_on(self) -> bool:
        """Whether the air conditioner is on."""
        return bool(self.state["on"])

    @property
    def is_online(self) -> bool:
        """Whether the device is connected."""
        return bool(self.state["presence"] == "online")

    def use_remote(self, **state: Option) -> None:
        """Switches the air conditioner on or off with its hand remote, or sets it: `use_remote(on=True, mode="heat")`.

        The members are those of `acState` in Sensibo's API.
        """
        self.cloud._call("POST", f"/devices/{self.id}/remote", {"acState": state} if state else None)

    def set_room(
        self,
        *,
        temperature: Optional[float] = None,
        humidity: Optional[float] = None,
        motion: Optional[bool] = None,
        occupied: Optional[bool] = None,
        co2: Optional[float] = None,
        tvoc: Optional[float] = None,
        pm25: Optional[float] = None,
    ) -> None:
        """Sets air and people of the room, which the pod's sensors report at once.

        Temperature (°C) and humidity (percent) change from then on as the room's do, and Climate React follows. The others stay until the next reset:
        motion and occupied need a room sensor; co2 (ppm), tvoc (ppb) and pm25 (µg/m³) a model that measures them.
        """
        room = {"temperature": temperature, "humidity": humidity, "motion": motion, "occupied": occupied}
        self.cloud._call("PUT", f"/devices/{self.id}/room", {**room, "co2": co2, "tvoc": tvoc, "pm25": pm25})


class Clock:
    """The clock of a fleet: of its devices, and of all times in Sensibo's API. It runs until `freeze` is called."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    @property
    def now(self) -> datetime.datetime:
        """The time that it shows, UTC."""
        return _time(self._cloud._call("GET", "/clock")["time"])

    @property
    def is_frozen(self) -> bool:
        return bool(self._cloud._call("GET", "/clock")["held"])

    def freeze(self) -> None:
        """Stops the clock; devices still answer."""
        self._cloud._call("PATCH", "/clock", {"held": True})

    def resume(self) -> None:
        """Lets the clock run on from the time that it shows."""
        self._cloud._call("PATCH", "/clock", {"held": False})

    def advance(self, time: Span) -> None:
        """Lets time pass at once, with all timers, schedules and measurements: seconds, `"3h"`, or a `timedelta`."""
        self._cloud._call("PATCH", "/clock", {"advance": _span(time)})

    def set(self, time: datetime.datetime) -> None:
        """Lets the time pass until the clock shows another one, up to a month ahead. A naive time is UTC."""
        self._cloud._call("PATCH", "/clock", {"time": _text(time)})


@dataclasses.dataclass(frozen=True)
class Request:
    """A request that Sensibo's API has answered."""

    #: The position among all requests of the test, from 1.
    number: int
    #: The time of the fleet's clock.
    time: datetime.datetime
    method: str
    path: str
    #: The parameters of the query, without the key.
    query: Mapping[str, str]
    #: The JSON of the body; a string if it is not JSON, and `None` without one.
    body: Any
    #: The status of the answer.
    status: int
    #: The cloud faults that affected it.
    faults: Sequence[str]


class Requests:
    """The requests of a test in their order.

    A pattern has any of `method`, `path`, `query`, `body` and `status`. In a path, `*` stands for one part; a query or
    body matches if it has at least the given members.
    """

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    def __call__(self, **pattern: Any) -> list[Request]:
        """Returns the requests that match a pattern; all without one."""
        return [_request(row) for row in self._matching(pattern)["requests"]]

    def __len__(self) -> int:
        return int(self._matching({})["total"])

    def clear(self) -> None:
        """Forgets the requests."""
        self._cloud._call("DELETE", "/requests")

    def expect(self, count: Optional[int] = None, **pattern: Any) -> list[Request]:
        """Returns the requests that match a pattern; fails unless there are `count` of them, or at least one.

        The failure names the request that came nearest, and what it lacks.
        """
        answer = self._matching(pattern)
        found = answer["requests"]
        if count is None and found or len(found) == count:
            return [_request(row) for row in found]
        text = ", ".join(f"{name}={value!r}" for name, value in pattern.items()) or "any"
        wanted = "at least one request" if count is None else f"{count} requests"
        lines = [f"expected {wanted} with {text}, and {len(found)} came"]
        lines += [f"  {row['method']} {row['path']} {json.dumps(row['body'])}" for row in found[:20]]
        if "nearest" in answer:
            near = answer["nearest"]
            lines.append(f"the nearest of {answer['total']} was {near['method']} {near['path']} {json.dumps(near['body'])}")
            lines.append(f"it has {'; '.join(answer['differences'])}")
        raise AssertionError("\n".join(lines))

    def expect_order(self, *patterns: Mapping[str, Any]) -> None:
        """Fails unless requests that match these patterns came in this order, perhaps with others between them."""
        last = 0
        for place, pattern in enumerate(patterns):
            later = [request for request in self.expect(**pattern) if request.number > last]
            if not later:
                raise AssertionError(f"no request {dict(pattern)} came after that of {dict(patterns[place - 1])}")
            last = later[0].number

    def _matching(self, pattern: Mapping[str, Any]) -> Any:
        return self._cloud._call("POST", "/requests/matching", dict(pattern))


class Cloud:
    """A running fleet, which serves Sensibo's API on this machine."""

    def __init__(
        self, process: subprocess.Popen[bytes], talk: IO[bytes], ready: Mapping[str, Any], *, frozen: bool = False
    ) -> None:
        self._process = process
        self._frozen = frozen
        self._talk = talk
        self._log_start = 0
        self._control = urllib.parse.urlsplit(ready["controlUrl"]).netloc
        self._token: str = ready["controlToken"]
        #: The address to use in place of `https://home.sensibo.com`.
        self.url: str = ready["url"]
        #: An API key of the account, which may read and change all devices.
        self.key: str = ready["key"]
        #: The directory with the sockets of the fleet.
        self.run_dir = pathlib.Path(ready["runDir"])
        #: The clock of the fleet.
        self.clock = Clock(self)
        #: The requests that came since the start or the last reset.
        self.requests = Requests(self)

    @classmethod
    def start(
        cls,
        *,
        devices: Optional[int] = None,
        scenario: str = "quiet",
        seed: int = 1,
        pods: Union[str, os.PathLike[str], None] = None,
        at: Optional[datetime.datetime] = None,
        frozen: bool = False,
    ) -> Cloud:
        """Starts a fleet, and returns when all devices are online. It ends with this process, however that ends.

        It has 20 devices, or the pods of a file: an answer of Sensibo's API to `users/me/pods?fields=*`, or the
        diagnostics of Home Assistant's integration. The names and IDs of other devices are the same for each fleet with
        the same seed. With `at` its clock begins with another time than now, and with `frozen` it stands still.
        """
        talk = tempfile.TemporaryFile()
        options = ["--scenario", scenario, "--seed", str(seed)]
        if devices is not None:
            options += ["--devices", str(devices)]
        if pods is not None:
            options += ["--pods", os.fspath(pods)]
        if at is not None:
            options += ["--at", _text(at)]
        if frozen:
            options.append("--held")
        process = subprocess.Popen(
            [str(executable()), "test-server", "--json", "--exit-with", str(os.getpid()), *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=talk, env=_environment(),
            start_new_session=True)  # fmt: skip
        late = threading.Event()
        try:
            return cls(process, talk, json.loads(_first_line(process, late)), frozen=frozen)
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
    def is_running(self) -> bool:
        """Whether the fleet's process runs."""
        return self._process.poll() is None

    def reset(self, at: Optional[datetime.datetime] = None, frozen: Optional[bool] = None) -> None:
        """Begins again as at the start: states, history, faults, keys, clock and requests.

        With `at` the clock begins with another time, and `frozen` says whether it stands still then.
        """
        members: dict[str, Any] = {"held": self._frozen if frozen is None else frozen}
        if at is not None:
            members["time"] = _text(at)
        self._call("POST", "/reset", members)
        self._log_start = os.fstat(self._talk.fileno()).st_size

    @property
    def devices(self) -> list[Device]:
        """All devices, in the order of their creation."""
        return [Device(row["id"], row["name"], self) for row in self._rows()]

    def device(self, name: str) -> Device:
        """Returns the device with a name or an ID; raises `KeyError` without one."""
        devices = self.devices
        for device in devices:
            if name in (device.name, device.id):
                return device
        raise KeyError(f"no device {name!r}; there are {', '.join(device.name for device in devices)}")

    def inject(self, fault: str, *devices: Union[str, Device], **options: Option) -> None:
        """Injects a fault, as `fleet inject` does.

        Arguments are the fault, the devices by name, ID or themselves, and options by name: `inject("offline", "Bedroom 1", for_="30s")`, or
        `inject("cloud-error", status=503, times=1, only="writes")`. A name that Python reserves ends with `_`.
        """
        members: dict[str, Any] = {name.rstrip("_"): value for name, value in options.items()}
        members["fault"] = fault
        if devices:
            members["devices"] = _ids(devices)
        self._call("POST", "/faults", members)

    def heal(self, *devices: Union[str, Device]) -> None:
        """Ends the faults of these devices, or all faults of devices and cloud."""
        query = urllib.parse.urlencode([("device", name) for name in _ids(devices)])
        self._call("DELETE", f"/faults?{query}" if query else "/faults")

    def begin(self, scenario: str) -> None:
        """Begins another scenario: a name, or the path of a file."""
        self._call("PUT", "/scenario", {"scenario": scenario})

    def run(self, *words: str, **options: Option) -> str:
        """Runs a command of `sensibus` for this fleet, such as `run("apikey", "revoke", "test")`.

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
    def log(self) -> str:
        """What the fleet has logged since the start or the last reset."""
        return "" if self._talk.closed else _content(self._talk, self._log_start)

    def _rows(self) -> list[Mapping[str, Any]]:
        rows: list[Mapping[str, Any]] = self._call("GET", "/devices")["devices"]
        return rows

    def _call(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None) -> Any:
        """Sends a request to the control API, and returns the JSON of its answer."""
        # Not urllib.request, which sends it to a proxy of the environment.
        connection = http.client.HTTPConnection(self._control, timeout=_CALL_TIMEOUT)
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise SensibusError(f"the fleet does not answer: {error}\n{self.log}".strip()) from None
        finally:
            connection.close()
        if answer.status >= 400:
            raise SensibusError(_message(content) or f"{method} {path}: status {answer.status} {answer.reason}")
        return json.loads(content) if content else None


def _message(content: bytes) -> Optional[str]:
    """The message of an error; none if the answer is not that of the control API."""
    try:
        return str(json.loads(content)["error"])
    except (ValueError, KeyError, TypeError):
        return None


def _ids(devices: Sequence[Union[str, Device]]) -> list[str]:
    return [device.id if isinstance(device, Device) else device for device in devices]


def _request(row: Mapping[str, Any]) -> Request:
    return Request(**{**row, "time": _time(row["time"])})


def _time(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def _text(time: datetime.datetime) -> str:
    if time.tzinfo is not None:
        time = time.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return f"{time.isoformat(timespec='milliseconds')}Z"


def _span(time: Span) -> Union[str, int, float]:
    return time.total_seconds() if isinstance(time, datetime.timedelta) else time


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


def _content(file: IO[bytes], start: int = 0) -> str:
    """The content of a file that another process writes, from a position on, without moving its position."""
    size = os.fstat(file.fileno()).st_size
    return os.pread(file.fileno(), max(0, size - start), start).decode(errors="replace").strip()
