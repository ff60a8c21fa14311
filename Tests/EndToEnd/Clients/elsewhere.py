"""A gateway for remote access: TLS, a certificate that is renewed, and requests that need a key.

usage: elsewhere.py GATEWAY RUN-DIRECTORY KEY

Each successful step prints a line; the first failure ends the program.
"""

import http.client
import json
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.parse

from own_gateway import Gateway, slowdown
from page_client import TIMEOUT_S, expect

DESCRIPTORS = 256
ANSWER_S = 1.0


def make_certificate(place, name):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(place / "key.pem"),
         "-out", str(place / "chain.pem")], check=True, capture_output=True)


def connected(url, version=None):
    """A connection over that version of TLS only; the caller checks the certificate."""
    place = urllib.parse.urlsplit(url)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if version:
        # OpenSSL would refuse these versions on this side; the gateway must.
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = version
    connection = http.client.HTTPSConnection("127.0.0.1", place.port, timeout=TIMEOUT_S, context=context)
    connection.connect()
    return connection


def ask(connection, path, **headers):
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def certificate_of(connection):
    return connection.sock.getpeercert(binary_form=True)


def versions(url):
    for version in ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1:
        try:
            connected(url, version)
            refused = False
        except (ssl.SSLError, ConnectionError):
            refused = True
        expect(refused, f"{version.name} is refused")
    for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
        expect(ask(connected(url, version), "/healthz")[0] == 200, f"{version.name} is served")


def answers(url, key):
    connection = connected(url)
    status, headers, _ = ask(connection, "/healthz")
    expect(status == 200 and headers["Strict-Transport-Security"] == "max-age=31536000", "browsers keep using TLS")
    for path in "/metrics", "/readyz":
        expect(ask(connection, path)[0] == 401, f"{path} needs a key")
        expect(ask(connection, f"{path}?apiKey={'0' * 64}")[0] == 403, f"{path} needs a known key")
        expect(ask(connection, path, Authorization=f"Bearer {key}")[0] == 200, f"{path} accepts a key with read scope")
    expect(ask(connection, "/healthz", Host="evil.example")[0] == 421, "an unknown host name is refused")
    expect(ask(connection, "/healthz", Host="fleet.example.org")[0] == 200, "the public name is accepted")


def probes(port):
    """The health port answers its two paths without a key, and nothing else."""
    def status(path, **headers):
        return ask(http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S), path, **headers)[0]

    for path in "/healthz", "/readyz":
        expect(status(path, Host="10.0.0.7") == 200, f"{path} at the health port needs no key")
    for path in "/", "/metrics", "/api/v2/users/me/pods", "/page/session":
        expect(status(path) == 404, f"{path} is not served there")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def signs_up(url):
    """The token of a new account."""
    connection = connected(url)
    form = json.dumps({"email": "stranger@example.com", "password": "a long password"})
    origin = f"https://127.0.0.1:{urllib.parse.urlsplit(url).port}"
    connection.request("POST", "/page/signup", form, {"Origin": origin})
    answer = connection.getresponse()
    expect(answer.status == 200, "a new user signs up")
    answer.read()
    return answer.headers["Set-Cookie"].split(";")[0].split("=", 1)[1]


def hides(url, key):
    """The contents of /metrics for an account, without other accounts."""
    stranger = signs_up(url)
    texts = {
        name: ask(connected(url), "/metrics", Authorization=f"Bearer {token}")[2].decode()
        for name, token in (("demo", key), ("stranger", stranger))}
    expect('account="demo"' in texts["demo"] and '"node-1"' in texts["demo"], "an account reads its own metrics")
    foreign = [line for line in texts["stranger"].splitlines() if '"demo"' in line or '"node-1"' in line]
    expect(not foreign, f"another account reads none of its lines: {foreign[:2]}")
    accounts = set(re.findall('account="([^"]*)"', texts["demo"]))
    expect(accounts == {"demo"}, f"and no other account's names: {accounts}")
    for name, text in texts.items():
        expect("sensibus_controller_pending_requests" in text, f"the {name} account reads the controller's metrics")


def crowds(url):
    """Idle connections over TLS are closed at once for new ones, without a TLS closing handshake."""
    idle, waits = [], []
    for _ in range(3 * DESCRIPTORS // 4):
        start = time.monotonic()
        idle.append(connected(url))
        waits.append(time.monotonic() - start)
    start = time.monotonic()
    status = ask(connected(url), "/healthz")[0]
    waits.append(time.monotonic() - start)
    expect(
        status == 200 and max(waits) <= ANSWER_S * slowdown(),
        f"a request beside {len(idle)} idle connections is answered; the slowest of all took {max(waits):.3f} s")


def renews(gateway, place):
    before = connected(gateway.url)
    first = certificate_of(before)
    make_certificate(place, "second")
    gateway.process.send_signal(signal.SIGHUP)
    end = time.monotonic() + TIMEOUT_S
    while certificate_of(connected(gateway.url)) == first:
        expect_in_time(end, "the new certificate is served")
    expect(ask(before, "/healthz")[0] == 200, "a connection from before the renewal continues")
    second = certificate_of(connected(gateway.url))
    (place / "key.pem").write_text("no key")
    gateway.process.send_signal(signal.SIGHUP)
    while not any("not reloaded" in line for line in gateway.log):
        expect_in_time(end, "the log reports an unusable key")
    expect(certificate_of(connected(gateway.url)) == second, "and the previous certificate is still served")
    expect(gateway.is_alive, "SIGHUP does not end a gateway with a certificate")


def expect_in_time(end, what):
    if time.monotonic() > end:
        raise SystemExit(f"not so in time: {what}")


def main(executable, directory, key):
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        make_certificate(place, "first")
        health = free_port()
        options = [
            "--host", "0.0.0.0", "--public-name", "fleet.example.org", "--health-port", str(health),
            "--tls-certificate", str(place / "chain.pem"), "--tls-key", str(place / "key.pem")]
        with Gateway(executable, directory, *options, descriptors=DESCRIPTORS) as gateway:
            versions(gateway.url)
            answers(gateway.url, key)
            probes(health)
            hides(gateway.url, key)
            crowds(gateway.url)
            renews(gateway, place)


main(*sys.argv[1:])
