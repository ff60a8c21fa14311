"""The plugin for pytest: fixtures with a fleet, and the log of the fleet with a failed test.

pytest finds it by its entry point. Options in the section `[tool.pytest.ini_options]` of `pyproject.toml`:
`sensibus_devices` (20, or those of `sensibus_pods`), `sensibus_pods` (none), `sensibus_scenario` ("quiet"), `sensibus_seed` (1), `sensibus_at` (now) and
`sensibus_frozen` (false). With pytest-xdist each worker has fleets of its own.
"""

from __future__ import annotations

import datetime
from collections.abc import Generator, Iterator
from typing import Any, Optional

import pytest

from sensibus.cloud import Cloud

#: The lines of the log that a failed test shows: the last ones.
_LOG_LINES = 40

_OPTIONS = [
    ("sensibus_devices", "the number of devices of a fleet; by default 20, or those of sensibus_pods", ""),
    ("sensibus_pods", "a file with the pods of a fleet, relative to the directory of the configuration", ""),
    ("sensibus_scenario", "the scenario of a fleet: a name, or the path of a file", "quiet"),
    ("sensibus_seed", "the random seed for the names, IDs and events of a fleet", "1"),
    ("sensibus_at", "the time that the clock of a fleet shows at the start, such as 2026-03-29T00:30:00 (UTC)", ""),
    ("sensibus_frozen", "whether the clock of a fleet stands still at the start: true or false", "false"),
]


def pytest_addoption(parser: pytest.Parser) -> None:
    for name, text, default in _OPTIONS:
        parser.addini(name, text, default=default)


def _start(config: pytest.Config) -> Cloud:
    at = str(config.getini("sensibus_at"))
    devices, pods = str(config.getini("sensibus_devices")), str(config.getini("sensibus_pods"))
    return Cloud.start(
        devices=int(devices) if devices else None,
        pods=config.rootpath / pods if pods else None,
        scenario=str(config.getini("sensibus_scenario")),
        seed=int(config.getini("sensibus_seed")),
        at=datetime.datetime.fromisoformat(at.replace("Z", "+00:00")) if at else None,
        frozen=str(config.getini("sensibus_frozen")).lower() == "true",
    )


@pytest.fixture(scope="session")
def sensibo_fleet(request: pytest.FixtureRequest) -> Iterator[Cloud]:
    """A fleet for the whole run: states and faults that a test leaves stay for the next one."""
    with _start(request.config) as cloud:
        yield cloud


class _Server:
    """The fleet that the tests of this process share, each from the start."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._cloud: Optional[Cloud] = None

    def fresh(self) -> Cloud:
        """Returns the fleet as at its start; a test may have ended the former one."""
        if self._cloud is not None and not self._cloud.is_running:
            self.stop()
        if self._cloud is None:
            self._cloud = _start(self._config)
        else:
            self._cloud.reset()
        return self._cloud

    def stop(self) -> None:
        if self._cloud is not None:
            self._cloud.stop()
        self._cloud = None


@pytest.fixture(scope="session")
def _sensibo_server(request: pytest.FixtureRequest) -> Iterator[_Server]:
    server = _Server(request.config)
    yield server
    server.stop()


@pytest.fixture
def sensibo_cloud(_sensibo_server: _Server) -> Cloud:
    """A fleet for one test, with the same devices and states each time."""
    return _sensibo_server.fresh()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Adds the log of the fleet to the report of a test that failed."""
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    if report.failed:
        fixtures: dict[str, Any] = getattr(item, "funcargs", {})
        for name, cloud in fixtures.items():
            if isinstance(cloud, Cloud) and cloud.log:
                tail = "\n".join(cloud.log.splitlines()[-_LOG_LINES:])
                report.sections.append((f"Sensibus: {name}", tail))
