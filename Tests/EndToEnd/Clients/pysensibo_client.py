"""The functions of pysensibo, as published, with a fleet.

usage: pysensibo_client.py URL KEY DEVICE

The library is unchanged. Its session sends requests for home.sensibo.com to URL, and it waits less before retries; if
URL is Sensibo's own, not even that. Each successful step prints a line; the first failure ends the program.
"""

import asyncio
import contextlib
import functools
import ssl
import subprocess
import sys
from unittest import mock

import aiohttp
import requests
from pysensibo import SensiboClient
from pysensibo.exceptions import AuthenticationError, SensiboError

CLOUD = "https://home.sensibo.com"
TIMEOUT_S = 10
# The certificate checks that Python applies by default from 3.13 on.
STRICT = ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
# Prints the user's name; Node.js ends with an error if it does not trust the certificate.
NODE = """require("https").get(process.argv[1], answer => {
  let text = ""
  answer.on("data", part => text += part).on("end", () => console.log(JSON.parse(text).result.username))
})"""


class Redirected:
    """A session that sends requests for Sensibo's cloud to another URL."""

    def __init__(self, session, url):
        self.session = session
        self.url = url.rstrip("/")

    def __getattr__(self, method):
        def send(path, **options):
            assert path.startswith(CLOUD), path
            return getattr(self.session, method)(self.url + path[len(CLOUD) :], **options)

        return send


def expect(holds, what):
    """Prints a condition that is true; otherwise ends the program."""
    if not holds:
        raise SystemExit(f"not so: {what}")
    print(what)


async def parsed(client, device, holds):
    """The device as the library reads it, once a condition holds: the cloud's view lags behind."""
    for _ in range(TIMEOUT_S * 20):
        pod = (await client.async_get_devices_data()).parsed[device]
        if holds(pod):
            return pod
        await REAL_SLEEP(0.05)
    raise SystemExit(f"never so: {pod}")


async def eventually(read, holds, what):
    """Prints a condition on a value once it is true."""
    for _ in range(TIMEOUT_S * 20):
        if holds(found := (await read())["result"]):
            return expect(True, what)
        await REAL_SLEEP(0.05)
    raise SystemExit(f"never so: {what}; it is {found}")


async def lists(client, device):
    """Every device, with every field that the library reads."""
    me = await client.async_get_me()
    expect("@" in me["result"]["username"], "returns the user")
    data = await client.async_get_devices_data()
    pods = list(data.parsed.values())
    expect(len(pods) == len(data.raw["result"]) > 1, "lists every device")
    expect(len({pod.mac for pod in pods}) == len({pod.serial for pod in pods}) == len(pods), "distinguishes them")
    expect(all(pod.name and pod.available and pod.location_id for pod in pods), "shows all of them online")
    pod = await parsed(client, device, lambda pod: pod.temp is not None)
    expect(-60 <= pod.temp <= 90 and 0 <= pod.humidity <= 100, "has measurements")
    expect(set(pod.hvac_modes) == {"cool", "heat", "fan", "auto", "dry", "off"}, "has modes")
    expect(pod.temp_list == list(range(16, 31)) and pod.temp_step == 1 and pod.temp_unit == "C", "has targets")
    levels = ["quiet", "low", "medium", "medium_high", "high", "auto", "strong"]
    expect(pod.fan_modes == levels, "has fan levels")
    expect("fixedtop" in pod.swing_modes and pod.light_modes == ["on", "off"], "has flaps and a light")
    expect(pod.model == "skyv2" and not pod.update_available, "has firmware")
    expect(pod.smart_on is False and pod.timer_on is False and pod.schedules == {}, "has no active settings")
    one = await client.async_get_device(device, "id,room")
    expect(one["result"] == {"id": device, "room": one["result"]["room"]}, "reads one device's fields")
    return pod


async def switches(client, device, pod):
    """Power, a target, and a change to the current state."""
    for _ in range(2):
        turned = await client.async_set_ac_state_property(device, "on", not pod.device_on, pod.ac_states)
        expect(turned["result"]["status"] == "Success", "is switched")
        expect(turned["result"]["changedProperties"] == ["on"], "names what has changed")
        pod = await parsed(client, device, lambda now, was=pod: now.device_on is not was.device_on)
    target = 17 if pod.target_temp != 17 else 29
    warmer = await client.async_set_ac_state_property(device, "targetTemperature", target, pod.ac_states)
    expect(warmer["result"]["acState"]["targetTemperature"] == target, "accepts a target")
    again = await client.async_set_ac_state_property(device, "targetTemperature", target, pod.ac_states)
    expect(again["result"]["changedProperties"] == [], "accepts the current state")
    pod = await parsed(client, device, lambda pod: pod.target_temp == target)
    state = {key: value for key, value in pod.ac_states.items() if key != "timestamp"}
    fan = await client.async_set_ac_states(device, {**state, "mode": "fan", "on": True})
    expect(fan["result"]["status"] == "Success", "accepts a whole state")
    pod = await parsed(client, device, lambda pod: pod.hvac_mode == "fan")
    expect(pod.target_temp is None and "targetTemperature" not in pod.active_features, "has no target as a fan")
    corrected = await client.async_set_ac_state_property(device, "on", False, pod.ac_states, True)
    expect(corrected["result"]["reason"] == "StateCorrectionByUser", "is corrected")
    await client.async_set_ac_states(device, {**state, "mode": "cool", "on": False})
    return await parsed(client, device, lambda pod: pod.hvac_mode == "cool")


async def plans(client, device, pod):
    """Climate React, a timer, the filters."""
    expect((await client.async_get_climate_react(device))["result"] is None, "has no Climate React at first")
    state = {**pod.ac_states, "on": True}
    settings = {
        "enabled": True,
        "deviceUid": device,
        "highTemperatureState": {**state, "mode": "cool"},
        "highTemperatureThreshold": 89.5,
        "lowTemperatureState": {**state, "mode": "heat"},
        "lowTemperatureThreshold": -50,
        "type": "temperature",
    }
    expect((await client.async_set_climate_react(device, settings))["status"] == "success", "sets Climate React")
    pod = await parsed(client, device, lambda pod: pod.smart_on)
    expect((pod.smart_low_temp_threshold, pod.smart_high_temp_threshold) == (-50, 89.5), "has its thresholds")
    expect(pod.smart_type == "temperature" and pod.smart_low_state["mode"] == "heat", "has its states")
    flipped = await client.async_enable_climate_react(device, {"enabled": False})
    expect(flipped["status"] == "success", "has it disabled")
    await parsed(client, device, lambda pod: pod.smart_on is False)
    read = (await client.async_get_climate_react(device))["result"]
    expect(read["enabled"] is False and read["highTemperatureThreshold"] == 89.5, "reads it")

    plan = {"minutesFromNow": 1440, "acState": {**pod.ac_states, "on": True}}
    expect((await client.async_set_timer(device, plan))["status"] == "success", "accepts a timer")
    pod = await parsed(client, device, lambda pod: pod.timer_on)
    expect(pod.timer_id and pod.timer_state_on is True, "has it")
    expect((await client.async_get_timer(device))["result"]["isEnabled"] is True, "reads it separately")
    expect((await client.async_del_timer(device))["status"] == "success", "has deleted it")
    await parsed(client, device, lambda pod: pod.timer_on is False)
    await refused(client.async_get_timer(device), SensiboError, "This pod does not have a timer")

    plan = {
        "targetTimeLocal": "22:15",
        "timezone": "Europe/Oslo",
        "acState": {"on": False},
        "recurOnDaysOfWeek": ["sunday", "wednesday"],
    }
    expect((await client.async_set_schedule(device, plan))["status"] == "success", "accepts a schedule")
    pod = await parsed(client, device, lambda pod: pod.schedules)
    (schedule,) = pod.schedules.values()
    expect(set(schedule.days) == {"sunday", "wednesday"} and schedule.time == "22:15", "has it")
    expect(schedule.enabled and schedule.state_on is False, "has enabled it")
    disabled = await client.async_enable_schedule(device, schedule.id, {"isEnabled": False})
    expect(disabled["status"] == "success", "has disabled it")
    read = functools.partial(client.async_get_schedule, device, schedule.id)
    await eventually(read, lambda found: found["isEnabled"] is False, "reads it alone")
    expect((await client.async_del_schedule(device, schedule.id))["status"] == "success", "has deleted it")
    await eventually(functools.partial(client.async_get_schedules, device), lambda found: found == [], "has none")

    expect((await client.async_set_calibration(device, {"temperature": -1.5}))["status"] == "success", "is calibrated")
    pod = await parsed(client, device, lambda pod: pod.calibration_temp == -1.5)
    expect(pod.calibration_hum == 0, "has no other calibration")

    expect((await client.async_reset_filter(device))["status"] == "success", "has its filters cleaned")
    pod = await parsed(client, device, lambda pod: pod.filter_last_reset is not None)
    expect(not pod.filter_clean, "does not need it any more")


async def refused(call, error, message):
    """Expects a call to end with that error and that message."""
    try:
        await call
    except error as caught:
        expect(message in str(caught), f"is refused: {message}")
        return
    raise SystemExit(f"not refused: {message}")


async def refuses(client, stranger, device, pod):
    """Requests that are not allowed, or that no device supports."""
    far = client.async_set_ac_state_property(device, "targetTemperature", 99, pod.ac_states)
    gale = client.async_set_ac_state_property(device, "fanLevel", "gale", pod.ac_states)
    # The unmodified library retries each for up to 21 s.
    await asyncio.gather(
        refused(far, SensiboError, "99"),
        refused(gale, SensiboError, "gale"),
        refused(client.async_get_device("zzzzzzzz"), SensiboError, "No such device"),
        refused(stranger.async_get_devices(), AuthenticationError, "Invalid API key"),
    )


def trusts(key):
    """Checks that clients with their own CA certificates (requests and Node.js) trust the certificate authority."""
    path = f"{CLOUD}/api/v1/users/me?apiKey={key}"
    name = requests.get(path, timeout=TIMEOUT_S).json()["result"]["username"]
    node = subprocess.run(["node", "-e", NODE, path], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    expect("@" in name and node.stdout.strip() == name, f"is trusted by requests and Node.js: {node.stderr}")


async def main(url, key, device):
    """Runs all steps."""
    context = ssl.create_default_context()
    context.verify_flags |= STRICT
    if url == CLOUD:
        trusts(key)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=context)) as session:
        if url != CLOUD:
            session = Redirected(session, url)
        client = SensiboClient(key, session)
        pod = await lists(client, device)
        pod = await switches(client, device, pod)
        await plans(client, device, pod)
        await refuses(client, SensiboClient("0" * 64, session), device, pod)


REAL_SLEEP = asyncio.sleep

if __name__ == "__main__":
    hurry = contextlib.nullcontext()
    if sys.argv[1] != CLOUD:
        hurry = mock.patch("pysensibo.asyncio.sleep", lambda _: REAL_SLEEP(0.05))
    with hurry:
        asyncio.run(main(*sys.argv[1:]))
