"""Tests of a client of Sensibo's API with a fleet of Sensibus: `pip install sensibus-*.whl pytest && pytest`."""
import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest


def ask(cloud, method, path, **body):  # the client that is tested
    url = f"{cloud.url}/api/{path}?apiKey={cloud.key}&fields=*"
    return json.load(urlopen(Request(url, json.dumps(body).encode() if body else None, method=method)))["result"]


def test_asks_for_another_key(sensibo_cloud):
    sensibo_cloud.run("apikey", "revoke", "test")
    with pytest.raises(HTTPError, match="403"):
        ask(sensibo_cloud, "GET", "v2/users/me/pods")


def test_sees_an_offline_device(sensibo_cloud):
    sensibo_cloud.inject("offline", "Bedroom 1", for_="5m")
    assert not ask(sensibo_cloud, "GET", "v2/pods/VMe9BNPT")["connectionStatus"]["isAlive"]


def test_waits_for_the_rate_limit(sensibo_cloud):
    sensibo_cloud.inject("cloud-limit")
    with pytest.raises(HTTPError, match="429") as error:
        for _ in range(6):
            ask(sensibo_cloud, "GET", "v2/pods/VMe9BNPT")
    sensibo_cloud.clock.advance(int(error.value.headers["Retry-After"]))
    assert ask(sensibo_cloud, "GET", "v2/pods/VMe9BNPT")


def test_timer_switches_off_after_three_hours(sensibo_cloud):
    bedroom = sensibo_cloud.device("Bedroom 1")
    ask(sensibo_cloud, "PATCH", f"v2/pods/{bedroom.id}/acStates/on", newValue=True)
    ask(sensibo_cloud, "PUT", f"v1/pods/{bedroom.id}/timer/", minutesFromNow=180, acState={"on": False})
    sensibo_cloud.clock.advance("3h")
    assert not bedroom.is_on
    sensibo_cloud.requests.expect(1, method="PUT", path="/api/v1/pods/*/timer/")
