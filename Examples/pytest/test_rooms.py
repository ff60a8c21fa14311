"""Tests of what happens in rooms: hand remotes, the air, and commands of the client."""
from test_client import ask


def test_switches_a_device(sensibo_cloud):
    bedroom = sensibo_cloud.device("Bedroom 1")
    assert ask(sensibo_cloud, "PATCH", f"v2/pods/{bedroom.id}/acStates/on", newValue=True)["acState"]["on"]
    assert bedroom.is_on
    sensibo_cloud.requests.expect(1, method="PATCH", path="/api/v2/pods/*/acStates/on", body={"newValue": True})


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
    assert ask(sensibo_cloud, "GET", "v2/pods/VMe9BNPT")["acState"]["mode"] == "heat"


def test_a_device_returns(sensibo_cloud):
    sensibo_cloud.inject("offline", "Bedroom 1", for_="5m")
    sensibo_cloud.clock.advance("5m")
    assert ask(sensibo_cloud, "GET", "v2/pods/VMe9BNPT")["connectionStatus"]["isAlive"]
