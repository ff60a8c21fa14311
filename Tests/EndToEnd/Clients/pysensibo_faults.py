"""The behaviour of pysensibo, as published, under cloud faults.

usage: pysensibo_faults.py URL KEY DEVICE FLEET

The library is unchanged, except that its session sends requests for home.sensibo.com to URL and counts them, and that
it waits less before retries. FLEET is the program that injects faults. Each successful step prints a line; the first
failure ends the program.
"""

import asyncio
import json
import subprocess
import sys
from unittest import mock

import aiohttp
from pysensibo import SensiboClient
from pysensibo.exceptions import SensiboError

from pysensibo_client import CLOUD, REAL_SLEEP, Redirected, expect

TIMEOUT_S = 20


class Counting(Redirected):
    """A session that counts its requests."""

    sent = 0

    def __getattr__(self, method):
        send = super().__getattr__(method)

        def counted(path, **options):
            self.sent += 1
            return send(path, **options)

        return counted


class Cloud:
    """The fleet's faults, from outside."""

    def __init__(self, fleet, url, key, http):
        self.fleet = fleet
        self.url = url.rstrip("/")
        self.key = key
        self.http = http

    def run(self, *arguments):
        # A gateway without a message for two seconds counts as none.
        for _ in range(3):
            done = subprocess.run([self.fleet, *arguments], capture_output=True, text=True, timeout=60, check=False)
            if done.returncode == 0:
                break
        expect(done.returncode == 0, f"fleet {' '.join(arguments)}")
        return done.stdout

    def inject(self, *arguments):
        self.run("inject", *arguments, "--for", "10m")

    def heal(self):
        self.run("heal", "--cloud")

    async def ask(self, path, method="GET", **options):
        """Status, type and body of the answer to a request that does not ask for JSON."""
        address = f"{self.url}{path}{'&' if '?' in path else '?'}apiKey={self.key}"
        async with self.http.request(method, address, **options) as answer:
            return answer.status, answer.content_type, await answer.read()

    async def status(self, path, method="GET", **options):
        return (await self.ask(path, method, **options))[0]

    async def metrics(self):
        async with self.http.get(f"{self.url}/metrics") as answer:
            return await answer.text()


async def fails(call, error):
    """Whether a call of the library ends with that error, and its message."""
    try:
        await call
    except error as caught:
        return str(caught)
    raise SystemExit(f"did not end with {error}")


async def state(client, device):
    return (await client.async_get_devices_data()).parsed[device]


async def errors(cloud, session, client, device):
    before = (await state(client, device)).device_on
    cloud.inject("cloud-error", "--times", "1", "--only", "writes")
    session.sent = 0
    changed = await client.async_set_ac_state_property(device, "on", not before, (await state(client, device)).ac_states)
    expect(changed["result"]["status"] == "Success" and session.sent == 3, "one 500: the change is sent again, and succeeds")
    cloud.heal()
    cloud.inject("cloud-error", "--status", "429", "--only", "reads")
    session.sent = 0
    message = await fails(client.async_get_devices_data(), SensiboError)
    expect(session.sent == 4 and "429" in message, "429: a read is tried four times, and then fails")
    cloud.heal()
    cloud.inject("cloud-error", "--status", "502")
    status, kind, body = await cloud.ask("/api/v2/users/me/pods")
    expect((status, kind) == (502, "text/html") and b"502 BadGateway" in body, "502: a page")
    expect(await status_of_page(cloud) == [200, 200, 200, 200], "the page and health checks do not fail")
    expect('sensibus_cloud_faults{fault="error"} 1' in await cloud.metrics(), "metrics count it")
    cloud.heal()


async def status_of_page(cloud):
    return [await cloud.status(path) for path in ("/", "/healthz", "/readyz", "/metrics")]


async def answers(cloud, session, client, device):
    cloud.inject("cloud-no-result")
    message = await fails(client.async_get_devices_data(), SensiboError)
    expect("No result" in message, "an answer without a result is an error of the library")
    _, _, body = await cloud.ask(f"/api/v2/pods/{device}?fields=id")
    expect(body == b'{"status":"success"}', "it has a status only")
    cloud.heal()
    pod = await state(client, device)
    cloud.inject("cloud-failed", device)
    failed = await client.async_set_ac_state_property(device, "on", not pod.device_on, pod.ac_states)
    expect(failed["status"] == "success" and failed["result"]["status"] == "Failed", "a failed change returns normally")
    expect(failed["result"]["failureReason"] == "Timeout", "and has the reason")
    cloud.heal()
    cloud.inject("cloud-no-code", device)
    path = f"/api/v2/pods/{device}/acStates"
    asked = {"data": '{"acState":{"mode":"dry"}}', "headers": {"Accept": "application/json"}}
    status, kind, body = await cloud.ask(path, "POST", **asked)
    refusal = json.loads(body)
    expect((status, kind, refusal["reason"]) == (500, "application/json", "NoSuchRemoteCommand"), "a remote may lack a code")
    modes = refusal["result"]["request"]["acState"]["mode"], refusal["result"]["currentAcState"]["mode"]
    expect(modes == ("dry", pod.ac_states["mode"]), "and the error has the requested and the current state")
    corrected = await client.async_set_ac_state_property(device, "on", pod.device_on, pod.ac_states, True)
    expect(corrected["result"]["status"] == "Success", "a correction needs no code")
    message = await fails(client.async_set_ac_state_property(device, "on", not pod.device_on, pod.ac_states), SensiboError)
    expect("NoSuchRemoteCommand" in message, "which the library returns")
    cloud.heal()
    await REAL_SLEEP(0.5)
    expect((await state(client, device)).device_on == pod.device_on, "nothing has changed")


async def damage(cloud, session, client, device):
    pod = await state(client, device)
    for fault, error in ("reset", OSError), ("truncated", SensiboError), ("html", SensiboError):
        cloud.inject(f"cloud-{fault}", "--path", "/api/v2/pods/*/acStates/*")
        session.sent = 0
        await fails(client.async_set_ac_state_property(device, "on", not pod.device_on, pod.ac_states), error)
        expect(session.sent == 2, f"{fault}: a change is tried twice, and then fails")
        cloud.heal()
        await REAL_SLEEP(0.5)
        expect((await state(client, device)).device_on != pod.device_on, "although it was made")
        pod = await state(client, device)


async def pods(cloud, session, client, device):
    cloud.inject("cloud-bad-pod", device, "--missing", "room")
    message = await fails(client.async_get_devices_data(), Exception)
    expect("room" in message, "one bad pod makes the whole list fail")
    cloud.heal()
    cloud.inject("cloud-bad-pod", device)
    await fails(client.async_get_devices_data(), Exception)
    expect(True, "and so does one without an acState")
    cloud.heal()
    cloud.inject("cloud-offline", device)
    data = await client.async_get_devices_data()
    dead = [id for id, pod in data.parsed.items() if not pod.available]
    expect(dead == [device], "an offline pod is not available, and all others are")
    failed = await client.async_set_ac_state_property(device, "on", True, data.parsed[device].ac_states)
    expect(failed["result"]["status"] == "Failed", "changes of it fail")
    cloud.heal()
    expect((await state(client, device)).available, "it is available again")


async def lags(cloud, session, client, device):
    before = await state(client, device)
    cloud.inject("cloud-lag", "--by", "10m")
    changed = await client.async_set_ac_state_property(device, "on", not before.device_on, before.ac_states)
    expect(changed["result"]["acState"]["on"] != before.device_on, "a change is made")
    await REAL_SLEEP(0.5)
    cloud_state = (await state(client, device)).device_on
    cloud.heal()
    expect((await state(client, device)).device_on != before.device_on, "it is visible without the lag")
    # Ten minutes ago this fleet had no changes.
    expect(cloud_state is False, "with the lag the list shows the earlier state")


async def times(cloud, session, client, device):
    cloud.inject("cloud-slow", "--by", "1s")
    start = asyncio.get_running_loop().time()
    expect(await cloud.status("/api/v1/users/me") == 200, "a slow answer is correct")
    expect(asyncio.get_running_loop().time() - start >= 1, "and late")
    cloud.heal()
    cloud.inject("cloud-hang", "--only", "writes")
    change = asyncio.create_task(
        cloud.status(f"/api/v2/pods/{device}/acStates", "POST", data='{"acState":{"on":true}}')
    )
    expect(await cloud.status("/api/v1/users/me") == 200, "reads are answered while changes hang")
    await REAL_SLEEP(0.5)
    expect(not change.done(), "a change hangs")
    cloud.heal()
    expect(await asyncio.wait_for(change, TIMEOUT_S) == 504, "until the fault is healed")
    cloud.inject("cloud-limit")
    plain = {"Accept-Encoding": "identity"}
    statuses = [await cloud.status("/api/v1/users/me", headers=plain) for _ in range(200)]
    expect(200 in statuses and 429 in statuses, "a client that asks too often is refused")
    cloud.heal()
    expect("no cloud faults are active" in cloud.run("inject", "--list"), "nothing is left")


async def main(url, key, device, fleet):
    async with aiohttp.ClientSession() as http:
        session = Counting(http, url)
        client = SensiboClient(key, session)
        cloud = Cloud(fleet, url, key, http)
        with mock.patch("pysensibo.asyncio.sleep", lambda _: REAL_SLEEP(0.05)):
            for step in (errors, answers, damage, pods, lags, times):
                await step(cloud, session, client, device)


assert CLOUD
asyncio.run(main(*sys.argv[1:]))
