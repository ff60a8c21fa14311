"""Calls the class of Sensibo's own SDK for Python, as published; the SDK's main program needs Python 2.

usage: sensibo_python_sdk.py SOURCES KEY DEVICE
"""

import pathlib
import sys


def expect(holds, what):
    """Prints a condition that is true; otherwise ends the program."""
    if not holds:
        raise SystemExit(f"not so: {what}")
    print(what)


def main(sources, key, device):
    """Calls every method of the class."""
    source = (pathlib.Path(sources) / "sensibo_client.py").read_text()
    module = {"__name__": "sensibo_client"}
    exec(compile(source.split('if __name__ == "__main__":')[0], "sensibo_client.py", "exec"), module)
    client = module["SensiboClientAPI"](key)
    expect(device in client.devices().values(), "lists devices by room")
    expect("temperature" in client.pod_measurement(device)[0], "measures")
    state = client.pod_ac_state(device)
    expect(isinstance(state["on"], bool), "reads the state of a pod without changes")
    client.pod_change_ac_state(device, state, "on", not state["on"])
    expect(client.pod_ac_state(device)["on"] is not state["on"], "sets a state")


if __name__ == "__main__":
    main(*sys.argv[1:])
