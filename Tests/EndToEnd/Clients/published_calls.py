"""Repeats the calls of published clients of Sensibo's cloud, and checks what the clients need of the answers:
Sensibo's SDK for Python, npm's sensibo-sdk, homebridge-sensibo-sky, homebridge-sensibo-ac, drivers for Hubitat, and
pages in a browser.

usage: published_calls.py URL KEY DEVICE FLEET

FLEET is the executable. The fleet has a pod in the room Cellar whose scenario sets Climate React, and a Pure in the
room Porch. Each successful step prints a line; the first failure ends the program.
"""

import http.client
import json
import re
import subprocess
import sys
import threading
import time
import urllib.parse

from page_client import expect

TIMEOUT_S = 10
WRITERS = 90
RETRIES = 60
JSON = {"Accept": "application/json, text/plain, */*"}
PAGE = "https://dashboard.example"
FIELDS = (
    "id,acState,measurements,location,occupancy,smartMode,motionSensors,filtersCleaning,serial,pureBoostConfig,"
    "homekitSupported,remoteCapabilities,room,temperatureUnit,productModel"
)


class Cloud:
    """The server that replaces Sensibo's cloud."""

    def __init__(self, url, key):
        self.place = urllib.parse.urlsplit(url)
        self.key = key

    def ask(self, method, path, body=None, headers=None, key=None):
        """Sends a request; returns status, headers and the body, parsed if it is JSON."""
        connection = http.client.HTTPConnection(self.place.hostname, self.place.port, timeout=TIMEOUT_S)
        path += ("&" if "?" in path else "?") + f"apiKey={self.key if key is None else key}"
        text = json.dumps(body) if isinstance(body, dict) else body
        connection.request(method, path, text, dict(headers or {}))
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        is_json = (answer.headers["Content-Type"] or "").startswith("application/json")
        return answer.status, answer.headers, json.loads(content) if is_json and content else content

    def result(self, method, path, body=None, headers=None):
        """Returns the result of a request that must succeed."""
        status, _, content = self.ask(method, path, body, headers)
        if status != 200 or content["status"] != "success":
            raise SystemExit(f"not so: {method} {path} is a success; it is {status} {content}")
        return content["result"]

    def eventually(self, path, holds):
        """Repeats a read until a condition holds, because reads lag behind writes; returns its result."""
        end = time.monotonic() + TIMEOUT_S
        while not holds(found := self.result("GET", path)):
            if time.monotonic() > end:
                raise SystemExit(f"never so: {path} is {found}")
            time.sleep(0.05)
        return found


def fresh_pod(cloud, device):
    """Three clients first read the newest record, also of a pod without changes."""
    path = f"/api/v2/pods/{device}/acStates"
    records = cloud.result("GET", f"{path}?limit=1&fields=acState")
    expect(records[0]["acState"].keys() >= {"on", "mode", "targetTemperature"}, "sensibo-python-sdk: reads a fresh pod")
    state = cloud.result("GET", path, headers=JSON)[0]["acState"]
    expect(state["timestamp"]["secondsAgo"] >= 0, "npm sensibo-sdk: reads a fresh pod")
    changes = cloud.result("GET", f"{path}?fields=status,reason,acState&limit=10")
    known = next(change["acState"] for change in changes if change["status"] == "Success")
    # A second may pass between the two answers.
    for found in (known, state):
        found["timestamp"].pop("secondsAgo")
    expect(known == state, "homebridge-sensibo-sky: reads a fresh pod")
    record = cloud.result("POST", path, {"acState": {"on": state["on"]}}, JSON)
    expect(record["changedProperties"] == [], "a command that changes nothing is a success")
    newest = cloud.eventually(f"{path}?limit=1", lambda found: found[0]["id"] == record["id"])[0]
    expect(newest["status"] == "Success" and newest["causedByUser"], "and is listed")


def sensibo_sdk_for_python(cloud, device):
    """github.com/Sensibo/sensibo-python-sdk: no Content-Type, a body of JSON, and the whole state in each change."""
    pods = cloud.result("GET", "/api/v2/users/me/pods?fields=id%2Croom")
    expect(device in {pod["id"] for pod in pods if pod["room"]["name"]}, "sensibo-python-sdk: lists pods with rooms")
    expect(cloud.result("GET", f"/api/v2/pods/{device}/measurements")[0]["temperature"], "sensibo-python-sdk: measures")
    path = f"/api/v2/pods/{device}/acStates"
    is_on = cloud.result("GET", f"/api/v2/pods/{device}?fields=acState")["acState"]["on"]
    cloud.result("PATCH", f"{path}/on", {"newValue": not is_on})
    state = cloud.eventually(f"{path}?limit=1&fields=acState", lambda found: found)[0]["acState"]
    record = cloud.result("PATCH", f"{path}/on", {"currentAcState": state, "newValue": not state["on"]})
    expect(record["status"] == "Success" and record["acState"]["on"] is not state["on"], "sensibo-python-sdk: switches")


def npm_sensibo_sdk(cloud, device):
    """npm's sensibo-sdk: sends a state that it has read, including the timestamp, with some properties changed."""
    expect(cloud.result("GET", "/api/v2/users/me/pods?fields=id,room", headers=JSON), "npm sensibo-sdk: lists pods")
    path = f"/api/v2/pods/{device}/acStates"
    state = cloud.result("GET", path, headers=JSON)[0]["acState"]
    wanted = {**state, "on": not state["on"]}
    record = cloud.result("POST", path, {"acState": wanted}, JSON)
    expect("timestamp" in wanted and record["acState"]["on"] is wanted["on"], "npm sensibo-sdk: sets a state")
    fields = "fields=batteryVoltage,temperature,humidity"
    found = cloud.result("GET", f"/api/v2/pods/{device}/measurements?{fields}", headers=JSON)
    expect(found[0].keys() == {"temperature", "humidity"}, "npm sensibo-sdk: measures")


def homebridge_sensibo_sky(cloud, device):
    """homebridge-sensibo-sky: reads the newest successful one of ten changes, and sends five keys of a state."""
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    path = f"/api/v2/pods/{device}/acStates"
    changes = cloud.result("GET", f"{path}?fields=status,reason,acState&limit=10", headers=headers)
    state = next(change["acState"] for change in changes if change["status"] == "Success")
    wanted = {"on": True, "mode": "cool", "fanLevel": state["fanLevel"], "targetTemperature": 21, "temperatureUnit": "C"}
    record = cloud.result("POST", path, {"acState": wanted}, headers)
    expect(record["status"] == "Success" and record["failureReason"] is None, "homebridge-sensibo-sky: sets a state")
    found = cloud.result("GET", f"/api/v2/pods/{device}/measurements?fields=temperature,humidity,time")
    expect(found[0]["time"]["secondsAgo"] >= 0, "homebridge-sensibo-sky: measures")


def homebridge_sensibo_ac(cloud, device, pure):
    """homebridge-sensibo-ac: switches on a Climate React that was never set, and sends back all its settings."""
    headers = JSON
    pods = cloud.result("GET", f"/api/v2/users/me/pods?integration=homebridge-sensibo-ac%403.0.2&fields={FIELDS}")
    pod = next(pod for pod in pods if pod["id"] == device)
    expect(pod.keys() == set(FIELDS.split(",")) - {"occupancy"}, "homebridge-sensibo-ac: reads its fields")
    path = f"/api/v2/pods/{device}/smartmode"
    cloud.result("POST", path, {"enabled": True}, headers)
    read = cloud.eventually(path, lambda found: found and found["enabled"])
    expect(read["lowTemperatureThreshold"] is None, "homebridge-sensibo-ac: switches on a Climate React that was never set")
    side = {"on": True, "mode": "cool", "targetTemperature": 22, "temperatureUnit": "C", "fanLevel": "auto"}
    wanted = {
        **read, "type": "temperature", "highTemperatureWebhook": None, "lowTemperatureWebhook": None,
        "highTemperatureState": side, "highTemperatureThreshold": 89, "lowTemperatureState": {**side, "on": False},
        "lowTemperatureThreshold": -40.5,
    }
    answered = cloud.result("POST", path, wanted, headers)
    read = cloud.eventually(path, lambda found: found["highTemperatureThreshold"] == 89)
    expect(read["lowTemperatureState"]["on"] is False, "homebridge-sensibo-ac: sets Climate React")
    expect(answered == read and answered["deviceUid"] == device, "homebridge-sensibo-ac: is answered the new settings")
    cloud.result("POST", path, {"enabled": False}, headers)
    read = cloud.eventually(path, lambda found: found["highTemperatureThreshold"] is None)
    cleared = {"highTemperatureState", "lowTemperatureState", "lowTemperatureThreshold"}
    expect(all(read[name] is None for name in cleared), "a POST of smartmode replaces all settings, and clears those that it omits")
    corrected = cloud.result(
        "PATCH", f"/api/v2/pods/{device}/acStates/on", {"newValue": False, "reason": "StateCorrectionByUser"}, headers)
    expect(corrected["reason"] == "StateCorrectionByUser", "homebridge-sensibo-ac: corrects")
    cloud.result("DELETE", f"/api/v2/pods/{device}/cleanFiltersNotification", headers=headers)
    cloud.result("PUT", f"/api/v2/pods/{pure}/pureboost", {"enabled": True}, headers)
    expect(True, "homebridge-sensibo-ac: cleans filters and boosts")


def hubitat(cloud, device):
    """Drivers for Hubitat: the newest change contains the pod."""
    query = "integration=0.2&type=json&limit=1&fields=status,acState,device"
    (change,) = cloud.result("GET", f"/api/v2/pods/{device}/acStates?{query}")
    pod = change["device"]
    expect(change["status"] == "Success" and pod["productModel"] == "skyv2", "Hubitat: has the model with a change")
    expect(pod["temperatureUnit"] == "C" and pod["measurements"]["temperature"], "Hubitat: has its temperature")
    expect(cloud.result("GET", "/api/v1/users/me/pods?fields=id"), "lists pods below v1, too")


def scenario(cloud, cellar):
    """Reads a Climate React that the scenario sets."""
    react = cloud.result("GET", f"/api/v2/pods/{cellar}/smartmode")
    expect(react["enabled"] is True and react["highTemperatureThreshold"] == 40, "shows a scenario's Climate React")
    expect(react["lowTemperatureState"]["mode"] == "heat", "shows the state that it sets")


def refuses(cloud, device):
    """Sends unknown keys and bodies that are too large."""
    for method, path, body, name in (
        ("POST", "acStates", {"acState": {"on": True, "targetTemprature": 22}}, "targetTemprature"),
        ("POST", "smartmode", {"enabled": True, "sync_with_ac_power": True}, "sync_with_ac_power"),
    ):
        status, _, content = cloud.ask(method, f"/api/v2/pods/{device}/{path}", body, JSON)
        expect(status == 400 and name in content["message"], f"refuses {name}, which it does not support")
    for size in 9_000, 70_000:
        status, _, content = cloud.ask("POST", f"/api/v2/pods/{device}/acStates", "0" * size, JSON)
        expect(status == 413 and content["reason"] == "RequestEntityTooLarge", f"refuses {size} bytes in JSON")
        status, _, content = cloud.ask("POST", f"/api/v2/pods/{device}/acStates", "0" * size)
        expect(status == 413 and b"<title>413" in content, f"refuses {size} bytes with a page")


def pages(cloud, device):
    """Sends the requests that a browser sends for a page of another origin."""
    path = f"/api/v2/pods/{device}/acStates/on"
    asks = {"Origin": PAGE, "Access-Control-Request-Method": "PATCH",
            "Access-Control-Request-Headers": "authorization,content-type"}
    status, headers, _ = cloud.ask("OPTIONS", path, headers=asks, key="")
    expect(status == 204 and headers["Access-Control-Allow-Origin"] == "*", "a page of another origin may send requests")
    expect("PATCH" in headers["Access-Control-Allow-Methods"].split(", "), "a page of another origin may change a property")
    allowed = headers["Access-Control-Allow-Headers"].lower().split(", ")
    expect({"authorization", "content-type", "idempotency-key"} <= set(allowed), "a page of another origin may send its key")
    sent = {"Origin": PAGE, "Sec-Fetch-Site": "cross-site", "Content-Type": "application/json"}
    status, headers, content = cloud.ask("PATCH", path, {"newValue": True}, sent)
    expect(status == 200 and content["result"]["status"] == "Success", "a page with a key switches")
    expect(headers["Access-Control-Allow-Origin"] == "*" and not headers["Access-Control-Allow-Credentials"],
           "a page reads the answer, and sends no cookie")
    status, headers, _ = cloud.ask("PATCH", path, {"newValue": True}, sent, key="0" * 64)
    expect(status == 403 and headers["Access-Control-Allow-Origin"] == "*", "a page with a wrong key reads why")
    expect(cloud.ask("OPTIONS", "/api/v2/nothing", key="")[0] == 404, "an unknown path has no methods")


def property_list(cloud):
    """Reads the sites and the user under the paths that front ends for property management use."""
    status, _, user = cloud.ask("GET", "/auth/current-user")
    expect(status == 200 and user.keys() == {"email", "role", "account"}, "shows the current user")
    path = "/api/property/list?page=0&pageSize=10&accountId="
    status, _, found = cloud.ask("GET", path)
    expect(status == 200 and (found["page"], found["pageSize"]) == (0, 10), "lists properties from page 0 on")
    first = cloud.ask("GET", "/sites?page=1&pageSize=10")[2]
    expect(found["total"] > 0 and found["sites"] == first["sites"], "lists the sites")
    expect(cloud.ask("GET", path + user["account"])[2] == found, "lists the sites of the own account by its name")
    expect(cloud.ask("GET", path + "another")[0] == 403, "refuses to list another account's sites")
    expect(cloud.ask("GET", "/api/property/list?page=1&pageSize=10&accountId=")[2]["page"] == 1, "shows the page that was requested")
    for path in "/auth/current-user", "/api/property/list":
        expect(cloud.ask("GET", path, key="0" * 64)[0] == 403, f"{path} refuses a wrong key")


def faults(cloud, fleet):
    """Injects faults that make the cloud refuse a valid key."""
    for status, part in (401, b"login_required"), (403, b"Invalid API key"):
        inject(fleet, "cloud-error", "--status", str(status), "--times", "1")
        answered, _, content = cloud.ask("GET", "/api/v2/users/me/pods")
        expect(answered == status and part in content, f"answers {status} while that fault is active")
        expect(cloud.ask("GET", "/api/v2/users/me/pods")[0] == 200, "accepts the key after the fault")


def inject(fleet, *arguments):
    """Injects a fault."""
    subprocess.run([fleet, "inject", *arguments], check=True, capture_output=True, timeout=TIMEOUT_S)


def writers(cloud, device, fleet):
    """Changes one slow pod from many clients at once: the controller refuses none of them as busy."""
    def requests():
        _, _, text = cloud.ask("GET", "/metrics")
        return int(re.search(rb"^sensibus_controller_requests_total (\d+)$", text, re.MULTILINE)[1])

    def requests_now():
        # The gateway measures once a second at most.
        known, end = requests(), time.monotonic() + TIMEOUT_S
        while (found := requests()) == known and time.monotonic() < end:
            time.sleep(0.05)
        return found

    def write(number):
        cloud.result("PATCH", f"/api/v2/pods/{device}/acStates/on", {"newValue": number % 2 == 0})

    inject(fleet, "slow", device, "--by", "25ms", "--for", "1m")
    before = requests_now()
    threads = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # For each write the gateway sends the command, and at most one request to authenticate the client: writes that
    # arrive during one share the next. Other clients send a few more.
    asked = requests_now() - before
    print(f"measured: {WRITERS} writes at once take {asked} requests")
    expect(WRITERS <= asked < 2 * WRITERS + RETRIES, f"{WRITERS} changes of one pod are sent once each")


def main(url, key, device, fleet):
    """Runs all steps."""
    cloud = Cloud(url, key)
    pods = cloud.eventually(
        "/api/v2/users/me/pods?fields=id,room,measurements", lambda pods: all(pod["measurements"] for pod in pods))
    rooms = {pod["room"]["name"]: pod["id"] for pod in pods}
    scenario(cloud, rooms["Cellar"])
    fresh_pod(cloud, device)
    sensibo_sdk_for_python(cloud, device)
    npm_sensibo_sdk(cloud, device)
    homebridge_sensibo_sky(cloud, device)
    homebridge_sensibo_ac(cloud, device, rooms["Porch"])
    hubitat(cloud, device)
    refuses(cloud, device)
    pages(cloud, device)
    property_list(cloud)
    faults(cloud, fleet)
    writers(cloud, device, fleet)
    print("all calls succeeded")


if __name__ == "__main__":
    main(*sys.argv[1:])
