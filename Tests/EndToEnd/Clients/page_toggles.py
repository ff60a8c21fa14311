"""The page's toggles after a device has lost its memory and answers have been lost: all answers are correct.

usage: page_toggles.py URL RUN-DIRECTORY FLEET

FLEET is the program. Each successful step prints a line; the first failure ends the program.
"""

import json
import subprocess
import sys
import time

from page_client import TIMEOUT_S, Page, expect, request_id

NAME = "Bedroom 1"


class Toggler(Page):
    def __init__(self, url, directory, fleet):
        super().__init__(url, directory)
        self.fleet = fleet
        self.log_in()

    @property
    def proof(self): return {"Origin": self.origin, "X-CSRF-Token": self.csrf}

    def device(self):
        return next(one for one in self.devices() if one["name"] == NAME)

    def toggle(self, device, form):
        """The status and the body of an answer, decoded if it is JSON."""
        status, _, body = self.ask("POST", f"/page/devices/{device}/toggle", form, **self.proof)
        return status, json.loads(body) if status == 200 else body.decode()

    def outcome(self, request):
        status, _, body = self.ask("GET", f"/page/requests/{request}")
        return status, json.loads(body) if status == 200 else body.decode()

    def reset(self, before):
        """Resets the device; returns its row with the new incarnation."""
        subprocess.run([self.fleet, "inject", "reset", NAME, "--run-dir", str(self.directory)],
                       check=True, capture_output=True)
        end = time.monotonic() + TIMEOUT_S
        while time.monotonic() < end:
            row = self.device()
            if row.get("incarnation") != before.get("incarnation") or row["on"] != before["on"]: return row
        raise SystemExit("the device has not lost its memory")


def form(row):
    return {"requestId": request_id(), "incarnation": row.get("incarnation"), "version": row["version"]}


def main(url, directory, fleet):
    page = Toggler(url, directory, fleet)
    seen = page.device()
    first = form(seen)
    status, answer = page.toggle(seen["id"], first)
    expect(status == 200 and answer["kind"] == "applied", "a toggle at the version that was seen is applied")
    after = page.reset(page.device())

    status, answer = page.toggle(seen["id"], first)
    expect(status == 200 and answer["kind"] == "applied", f"repeated after a reset it is still applied, {answer}")
    status, answer = page.outcome(first["requestId"])
    expect(status == 200 and answer["kind"] == "applied", f"and so is its outcome, {answer}")
    status, answer = page.outcome(request_id())
    expect(status == 404, "an ID that the controller has not seen has no outcome")

    stale = form(seen)
    expect(stale["version"] == after["version"], "the new incarnation has the version that was seen in the old one")
    status, answer = page.toggle(seen["id"], stale)
    expect(status == 200 and answer["kind"] == "conflict", f"a toggle for the old incarnation is a conflict, {answer}")
    expect(page.device()["on"] == after["on"], "and changes nothing")

    for name, missing in ("no incarnation", "incarnation"), ("no version", "version"):
        part = {key: value for key, value in form(after).items() if key != missing}
        status, answer = page.toggle(seen["id"], part)
        expect(status == 400, f"a toggle with {name} is refused, {status} {answer}")
    expect(page.device()["version"] == after["version"], "so that nothing is switched without a version")


main(*sys.argv[1:])
