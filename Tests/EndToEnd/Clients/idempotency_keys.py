"""A program that uses idempotency keys and repeats requests: the API's answers are correct, and nothing is done twice.

usage: idempotency_keys.py URL KEY DEVICE FLEET RUN-DIRECTORY

FLEET is the program. Each successful step prints a line; the first failure ends the program.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from page_client import expect

TIMEOUT_S = 30


class Client:
    def __init__(self, url, key, device, fleet, directory):
        self.url, self.key, self.device = url.rstrip("/"), key, device
        self.program, self.directory = fleet, directory

    def ask(self, method, path, body=None, name=None):
        """The status and the body of an answer."""
        headers = {"Accept": "application/json"} | ({"Idempotency-Key": name} if name is not None else {})
        request = urllib.request.Request(
            f"{self.url}/api/v2/pods/{self.device}{path}?apiKey={self.key}&fields=*", method=method, headers=headers,
            data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def set(self, on, name=None):
        status, answer = self.ask("PATCH", "/acStates/on", {"newValue": on}, name)
        return answer["result"] if status == 200 else (status, answer["reason"])

    def fleet(self, *arguments):
        return subprocess.run([self.program, *arguments, "--run-dir", self.directory], check=True, capture_output=True,
                              text=True).stdout

    def other(self, name, *options):
        """The client with another API key of the same user."""
        key = self.fleet("apikey", "create", name, *options).strip()
        return Client(self.url, key, self.device, self.program, self.directory)

    def of(self, device):
        return Client(self.url, self.key, device, self.program, self.directory)

    def process(self, name):
        processes = json.loads(self.fleet("status", "--json"))["processes"]
        return next(one["pid"] for one in processes if one["name"] == name)

    def row(self):
        rows = [json.loads(line) for line in self.fleet("devices", "--json").splitlines()]
        return next(row for row in rows if row["id"] == self.device)

    def eventually(self, holds, what):
        end = time.monotonic() + TIMEOUT_S
        while not holds():
            if time.monotonic() > end: raise SystemExit(f"not so in time: {what}")
            time.sleep(0.05)
        print(what, flush=True)

    def gateway_is_back(self):
        try: return self.ask("GET", "")[0] == 200
        except OSError: return False


def main(*arguments):
    client = Client(*arguments)
    before = client.row()
    first = client.set(not before["on"], "evening-1")
    expect(first["status"] == "Success" and first["changedProperties"] == ["on"], "a change with a key is made")
    client.set(before["on"])
    moved = client.row()["version"]
    again = client.set(not before["on"], "evening-1")
    expect(again["status"] == "Success" and again["id"] == first["id"], "a repeat is the same change")
    expect(client.row()["version"] == moved, "and is not made a second time")
    expect(client.set(before["on"], "evening-1") == (422, "IdempotencyKeyReused"), "another change needs another key")
    expect(client.set(before["on"], "two words") == (400, "BadRequest"), "a key has no spaces")
    expect(client.row()["version"] == moved, "and neither of these is made")

    # The file has no request: a refused one is not in it, and neither is its removal.
    stored = os.path.getsize(f"{client.directory}/gateway-keys")
    reader = client.other("reader", "--scope", "read")
    for number, (status, refused) in enumerate([
            (403, lambda name: reader.set(before["on"], name)), (404, lambda name: client.of("11AAbb22").set(True, name)),
            (400, lambda name: client.ask("PATCH", "/acStates/on", {"newValue": "hot"}, name))]):
        expect(refused(f"refused-{number}")[0] == status, f"{status} for a request that is refused")
    expect(os.path.getsize(f"{client.directory}/gateway-keys") == stored, "and takes no place among the keys")
    other = client.other("other")
    theirs = other.set(not before["on"], "evening-1")
    expect(theirs["id"] != first["id"] and client.row()["version"] == moved + 1, "the key of another caller is another key")
    client.set(before["on"])
    moved = client.row()["version"]

    client.fleet("restart", "gateway")
    client.eventually(client.gateway_is_back, "the gateway is back")
    again = client.set(not before["on"], "evening-1")
    expect(again["status"] == "Success" and again["id"] == first["id"], "it still knows the key")
    expect(client.set(before["on"], "evening-1") == (422, "IdempotencyKeyReused"), "and the key's request")
    expect(client.row()["version"] == moved, "and makes no change twice")

    wanted, controller = not client.row()["on"], client.process("controller")
    os.kill(controller, signal.SIGSTOP)
    try: status, answer = client.ask("PATCH", "/acStates/on", {"newValue": wanted}, "evening-2")
    finally: os.kill(controller, signal.SIGCONT)
    client.eventually(lambda: client.row()["version"] == moved + 1, "a controller that continues makes the change")
    expect(answer.get("result", answer)["status"].lower() == "unknown", f"and was unknown before: {status} {answer}")
    client.eventually(lambda: client.set(wanted, "evening-2")["status"] == "Success", "a repeat is a success")
    expect(client.row()["version"] == moved + 1, "of the one change")

    offset = {"temperature": 0.1}
    status, answer = client.ask("POST", "/calibration", offset, "offset")
    expect((status, answer["status"]) == (200, "success"), "settings can have keys too")
    expect(client.ask("POST", "/calibration/", offset, "offset")[1]["status"] == "success", "and known again")


main(*sys.argv[1:])
