"""Sensibo's own SDK for Python, as it was published: its class, for what runs it is in Python 2.

usage: sensibo_python_sdk.py SOURCES KEY DEVICE
"""

import pathlib
import sys


def expect(holds, what):
    """Tells that something holds, or ends."""
    if not holds:
        raise SystemExit(f"not so: {what}")
    print(what)


def main(sources, key, device):
    """All that the class can do."""
    source = (pathlib.Path(sources) / "sensibo_client.py").read_text()
    module = {"__name__": "sensibo_client"}
    exec(compile(source.split('if __name__ == "__main__":')[0], "sensibo_client.py", "exec"), module)
    client = module["SensiboClientAPI"](key)
    expect(device in client.devices().values(), "lists devices by room")
    expect("temperature" in client.pod_measurement(device)[0], "measures")
    state = client.pod_ac_state(device)
    expect(isinstance(state["on"], bool), "reads a state of a pod that nobody has changed")
    client.pod_change_ac_state(device, state, "on", not state["on"])
    expect(client.pod_ac_state(device)["on"] is not state["on"], "sets a state")


if __name__ == "__main__":
    main(*sys.argv[1:])
