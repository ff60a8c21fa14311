"""Tests of a client of Sensibo's API with the fixtures of Sensibus: `pip install sensibus-*.whl pytest && pytest`."""

import json
import urllib.error
import urllib.request

import pytest


def switch(url, key, device, is_on):
    """The client: switches an air conditioner on or off, and returns its state."""
    request = urllib.request.Request(
        f"{url}/api/v2/pods/{device}/acStates/on?apiKey={key}",
        json.dumps({"newValue": is_on}).encode(),
        {"Content-Type": "application/json"},
        method="PATCH",
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["result"]["acState"]


def test_switches_a_device(sensibo_cloud):
    bedroom = sensibo_cloud.device("Bedroom 1")
    assert not bedroom.is_on
    assert switch(sensibo_cloud.url, sensibo_cloud.key, bedroom.id, True)["on"]
    assert bedroom.is_on


def test_sees_the_hand_remote(sensibo_cloud):
    sensibo_cloud.inject("flip", "Bedroom 1")
    assert sensibo_cloud.device("Bedroom 1").is_on


@pytest.mark.parametrize("status", [429, 500, 503])
def test_reports_an_error_of_the_cloud(sensibo_cloud, status):
    sensibo_cloud.inject("cloud-error", status=status, times=1)
    bedroom = sensibo_cloud.device("Bedroom 1")
    with pytest.raises(urllib.error.HTTPError) as error:
        switch(sensibo_cloud.url, sensibo_cloud.key, bedroom.id, True)
    assert error.value.code == status
    assert not bedroom.is_on


def test_needs_a_valid_key(sensibo_cloud):
    sensibo_cloud.run("apikey", "revoke", "test")
    with pytest.raises(urllib.error.HTTPError) as error:
        switch(sensibo_cloud.url, sensibo_cloud.key, "VMe9BNPT", True)
    assert error.value.code == 403
