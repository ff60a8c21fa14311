"""The pods of every model, as pysensibo, as published, reads them.

usage: pysensibo_models.py URL KEY DEVICE

The fleet has pods of each model. The library is unchanged. Each successful step prints a line; the first failure ends
the program.
"""

import asyncio
import logging
import sys

import aiohttp
from pysensibo import SensiboClient
from pysensibo.exceptions import SensiboError

from pysensibo_client import Redirected, expect, parsed

MODELS = {"skyv2", "airq", "pure", "elements"}


class Warnings(logging.Handler):
    """The warnings of pysensibo."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.messages = []

    def emit(self, record):
        self.messages.append(record.getMessage())


async def reads(client, warnings):
    """One pod of each model, once all have measured."""
    while True:
        data = await client.async_get_devices_data()
        pods = list(data.parsed.values())
        if all(pod.temp is not None or pod.pm25_pure is not None for pod in pods):
            break
        await asyncio.sleep(0.1)
    expect(len(pods) == len(data.raw["result"]), "every pod is read")
    expect({pod.model for pod in pods} == MODELS, "of every model")
    expect(all(pod.name and pod.available and pod.mac and pod.serial for pod in pods), "each with its name")
    for model in MODELS - {"pure"}:
        some = [pod for pod in pods if pod.model == model]
        expect(all(-60 <= pod.temp <= 90 and 0 <= pod.humidity <= 100 for pod in some), f"{model}: measures the air")
    pures = [pod for pod in pods if pod.model == "pure"]
    expect(all(pod.temp is None and pod.pm25_pure.value in {1, 2, 3} for pod in pures),
           "pure: has no thermometer, and a step of air")
    for model, names in ("airq", ("tvoc", "co2", "iaq")), ("elements", ("pm25", "tvoc", "co2", "etoh", "iaq")):
        some = [pod for pod in pods if pod.model == model]
        expect(all(getattr(pod, name) > 0 for pod in some for name in names), f"{model}: measures {', '.join(names)}")
    elements = [pod for pod in pods if pod.model == "elements"]
    expect(all(pod.hvac_modes == ["fan", "off"] and pod.fan_modes == ["low", "high"] for pod in elements),
           "elements: has a fan")
    expect(all(pod.light_modes == ["on", "dim", "off"] and pod.light_mode == "on" for pod in elements),
           "elements: has a light")
    expect(all(pod.fw_ver.startswith("ELM") for pod in elements), "elements: has a firmware")
    expect(warnings.messages == [], "pysensibo warns of no device")
    sensors = [sensor for pod in pods for sensor in pod.motion_sensors.values()]
    expect(sensors and all(sensor.alive and sensor.battery_voltage > 2_000 for sensor in sensors), "room sensors are read")
    expect(all((pod.room_occupied is None) is not bool(pod.motion_sensors) for pod in pods), "and report people")
    rooms = {pod.name: pod for pod in pods}
    for room, modes in ("Kitchen", {"cool", "heat", "fan", "off"}), ("Workshop", {"cool", "fan", "dry", "off"}):
        expect(set(rooms[room].hvac_modes) == modes, f"{room}: has the modes of its remote")
    terrace = rooms["Terrace"]
    expect(terrace.temp_unit == "F" and terrace.target_temp == 72, "Terrace: is in degrees Fahrenheit")
    expect(terrace.temp_list == list(range(61, 87)), "Terrace: has every degree of its remote")
    expect(all(pod.pure_boost_enabled is False for pod in pures), "pure: its boost is off")
    return {pod.model: pod.id for pod in pods} | {"window": rooms["Workshop"].id}


async def boosts(client, pure):
    settings = {"enabled": True, "sensitivity": "S", "measurementsIntegration": True, "acIntegration": True,
                "geoIntegration": False, "primeIntegration": False}
    expect((await client.async_set_pureboost(pure, settings))["status"] == "success", "accepts a boost")
    pod = await parsed(client, pure, lambda pod: pod.pure_boost_enabled)
    expect(pod.pure_sensitivity == "s" and pod.pure_ac_integration and pod.pure_measure_integration, "has the new values")
    expect(not pod.pure_geo_integration and not pod.pure_prime_integration, "and no others")
    expect((await client.async_set_pureboost(pure, {"enabled": False}))["status"] == "success", "accepts its end")
    await parsed(client, pure, lambda pod: pod.pure_boost_enabled is False and pod.pure_sensitivity == "s")
    expect(True, "keeps the rest")


async def main(url, key, _):
    async with aiohttp.ClientSession() as session:
        client = SensiboClient(key, Redirected(session, url))
        warnings = Warnings()
        logging.getLogger("pysensibo").addHandler(warnings)
        ids = await asyncio.wait_for(reads(client, warnings), 30)
        await boosts(client, ids["pure"])
        try:
            await client.async_set_ac_state_property(ids["window"], "mode", "heat", {})
        except SensiboError as refusal:
            expect("mode heat" in str(refusal), "window: refuses to heat")
        else:
            raise SystemExit("not so: window: refuses to heat")
        for model in "airq", "pure", "elements":
            pod = (await client.async_get_devices_data()).parsed[ids[model]]
            switched = await client.async_set_ac_state_property(pod.id, "on", not pod.device_on, pod.ac_states)
            expect(switched["result"]["status"] == "Success", f"{model}: is switched")


asyncio.run(main(*sys.argv[1:]))
