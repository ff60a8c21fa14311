"""Sets up and uses Home Assistant's own Sensibo integration, as a user does.

usage: home_assistant.py KEY DEVICE

Home Assistant is unmodified, except that it does not search the local network for devices. It sends its requests to
https://home.sensibo.com. Each successful step prints a line.
"""

import asyncio
import logging
import pathlib
import sys
import tempfile
from unittest import mock

from homeassistant import bootstrap, config_entries, const, core, loader
from homeassistant.helpers import entity_registry
from homeassistant.setup import async_setup_component


def expect(holds, what):
    """Prints a condition that is true; otherwise ends the program."""
    if not holds:
        raise SystemExit(f"not so: {what}")
    print(what, flush=True)


class Warnings(logging.Handler):
    """Collects what the integration and its library warn about."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.texts = []
        for name in "homeassistant.components.sensibo", "pysensibo":
            logging.getLogger(name).addHandler(self)

    def emit(self, record):
        self.texts.append(record.getMessage())


async def start(place):
    """Starts Home Assistant with only the parts that an integration needs."""
    hass = core.HomeAssistant(str(place))
    hass.config.skip_pip = True
    loader.async_setup(hass)
    hass.config_entries = config_entries.ConfigEntries(hass, {})
    await bootstrap.async_load_base_functionality(hass)
    for component in "homeassistant", "network":
        await async_setup_component(hass, component, {})
    hass.set_state(core.CoreState.running)
    return hass


async def set_up(hass, key):
    """Goes through the integration's set-up dialogue with the key."""
    flow = await hass.config_entries.flow.async_init("sensibo", context={"source": config_entries.SOURCE_USER})
    expect(flow["type"] == "form" and not flow.get("errors"), "asks for a key")
    wrong = await hass.config_entries.flow.async_configure(flow["flow_id"], {const.CONF_API_KEY: "0" * 64})
    expect(wrong["type"] == "form" and wrong["errors"], "refuses a wrong key")
    done = await hass.config_entries.flow.async_configure(flow["flow_id"], {const.CONF_API_KEY: key})
    expect(done["type"] == "create_entry", f"accepts the key: {done.get('errors')}")
    await hass.async_block_till_done()
    (entry,) = hass.config_entries.async_entries("sensibo")
    expect(entry.state is config_entries.ConfigEntryState.LOADED, f"is set up: {entry.state}")
    return entry


def entities(hass, entry, device):
    """The entities of a device, by their unique ids."""
    known = entity_registry.async_get(hass)
    found = entity_registry.async_entries_for_config_entry(known, entry.entry_id)
    return {one.unique_id: one.entity_id for one in found if one.unique_id.startswith(device)}


async def call(hass, domain, service, entity_id, **data):
    """Calls a service, and waits for its end."""
    await hass.services.async_call(domain, service, {"entity_id": entity_id, **data}, blocking=True)
    await hass.async_block_till_done()


async def use(hass, entry, device):
    """Uses an air conditioner as a user does."""
    known = entities(hass, entry, device)
    expect(len(known) > 5, f"has entities: {sorted(known)}")
    climate = known[device]
    expect(hass.states.get(climate).state not in ("unavailable", "unknown"), "has a thermostat")
    for state in hass.states.async_all():
        if state.entity_id in known.values() and state.state == "unavailable":
            raise SystemExit(f"not so: {state.entity_id} is available")
    await call(hass, "climate", "set_hvac_mode", climate, hvac_mode="cool")
    expect(hass.states.get(climate).state == "cool", "cools")
    await call(hass, "climate", "set_temperature", climate, temperature=21)
    expect(hass.states.get(climate).attributes["temperature"] == 21, "has a target")
    await call(hass, "climate", "set_fan_mode", climate, fan_mode="low")
    expect(hass.states.get(climate).attributes["fan_mode"] == "low", "has a fan level")
    await call(hass, "climate", "turn_off", climate)
    expect(hass.states.get(climate).state == "off", "is switched off")
    state = {"on": True, "mode": "cool", "targetTemperature": 22, "temperatureUnit": "C", "fanLevel": "auto"}
    await call(
        hass, "sensibo", "enable_climate_react", climate, high_temperature_threshold=28.5, high_temperature_state=state,
        low_temperature_threshold=15, low_temperature_state={**state, "mode": "heat"}, smart_type="temperature")
    await entry.runtime_data.async_refresh()
    switch = next(name for id, name in known.items() if "climate_react" in id and name.startswith("switch."))
    expect(hass.states.get(switch).state == "on", "has Climate React")
    await call(hass, "switch", "turn_off", switch)
    expect(hass.states.get(switch).state == "off", "switches Climate React off")
    await call(hass, "sensibo", "enable_timer", climate, minutes=30)
    await entry.runtime_data.async_refresh()
    timer = next(name for id, name in known.items() if "timer_on_switch" in id)
    expect(hass.states.get(timer).state == "on", "has a timer")
    await call(hass, "switch", "turn_off", timer)
    button = next(name for name in known.values() if name.startswith("button."))
    await call(hass, "button", "press", button)
    expect(True, "resets the filter reminder")


async def main(key, device):
    """Runs all steps."""
    with tempfile.TemporaryDirectory() as place:
        hass = await start(pathlib.Path(place))
        entry = await set_up(hass, key)
        warnings = Warnings()
        await entry.runtime_data.async_refresh()
        models = {one.model for one in entry.runtime_data.data.parsed.values()}
        expect({"skyv2", "airq", "pure", "elements"} <= models, f"has every model: {sorted(models)}")
        await use(hass, entry, device)
        expect(not warnings.texts, f"warns about nothing: {warnings.texts}")
        expect(await hass.config_entries.async_unload(entry.entry_id), "unloads the integration")
        await hass.async_stop(force=True)


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    print(f"Home Assistant {const.__version__}")
    with mock.patch("homeassistant.helpers.aiohttp_client.zeroconf.async_get_async_zeroconf", lambda _: None):
        asyncio.run(main(*sys.argv[1:]))
