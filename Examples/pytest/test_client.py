"""Tests of a client of Sensibo's API with a fleet of Sensibus: `pip install sensibus-*.whl pytest && pytest`."""

import json
import urllib.error
import urllib.request

import pytest


def ask(cloud, method, path, **body):
    """The client: returns the result of a request."""
    url = f"{cloud.url}/api/{path}{'&' if '?' in path else '?'}apiKey={cloud.key}"
    request = urllib.request.Request(url, json.dumps(body).encode() if body else None, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["result"]


def test_switches_a_device(sensibo_cloud):
    bedroom = sensibo_cloud.device("Bedroom 1")
    assert ask(sensibo_cloud, "PATCH", f"v2/pods/{bedroom.id}/acStates/on", newValue=True)["acState"]["on"]
    assert bedroom.is_on
    sensibo_cloud.requests.expect(1, method="PATCH", path="/api/v2/pods/*/acStates/on", body={"newValue": True})


def test_asks_for_another_key(sensibo_cloud):
    sensibo_cloud.run("apikey", "revoke", "test")
    with pytest.raises(urllib.error.HTTPError, match="403"):
        ask(sensibo_cloud, "GET", "v2/pods/VMe9BNPT")


def test_sees_an_offline_device(sensibo_cloud):
    sensibo_cloud.inject("offline", "Bedroom 1", for_="5m")
    assert not ask(sensibo_cloud, "GET", "v2/pods/VMe9BNPT?fields=connectionStatus")["connectionStatus"]["isAlive"]
    sensibo_cloud.clock.advance("5m")
    assert ask(sensibo_cloud, "GET", "v2/pods/VMe9BNPT?fields=connectionStatus")["connectionStatus"]["isAlive"]


def test_waits_for_the_rate_limit(sensibo_cloud):
    sensibo_cloud.inject("cloud-limit")
    with pytest.raises(urllib.error.HTTPError, match="429") as error:
        for _ in range(6):
            ask(sensibo_cloud, "GET", "v2/pods/VMe9BNPT")
    sensibo_cloud.clock.advance(int(error.value.headers["Retry-After"]))
    assert ask(sensibo_cloud, "GET", "v2/pods/VMe9BNPT")


def test_timer_switches_off_after_three_hours(sensibo_cloud):
    bedroom = sensibo_cloud.device("Bedroom 1")
    ask(sensibo_cloud, "PATCH", f"v2/pods/{bedroom.id}/acStates/on", newValue=True)
    ask(sensibo_cloud, "PUT", f"v1/pods/{bedroom.id}/timer/", minutesFromNow=180, acState={"on": False})
    sensibo_cloud.clock.advance("2h")
    assert bedroom.is_on
    sensibo_cloud.clock.advance("1h")
    assert not bedroom.is_on


def test_climate_react_cools_a_warm_room(sensibo_cloud):
    bedroom = sensibo_cloud.device("Bedroom 1")
    high = {"on": True, "mode": "cool", "targetTemperature": 22}
    ask(
        sensibo_cloud, "POST", f"v2/pods/{bedroom.id}/smartmode", enabled=True, type="temperature",
        lowTemperatureThreshold=18, lowTemperatureState={"on": False},
        highTemperatureThreshold=28, highTemperatureState=high,
    )  # fmt: skip
    bedroom.set_room(temperature=31.5)
    assert bedroom.is_on


def test_sees_the_hand_remote(sensibo_cloud):
    sensibo_cloud.device("Bedroom 1").use_remote(on=True, mode="heat", targetTemperature=23)
    assert ask(sensibo_cloud, "GET", "v2/pods/VMe9BNPT?fields=acState")["acState"]["mode"] == "heat"
