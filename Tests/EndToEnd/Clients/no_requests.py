"""Sends invalid requests to a gateway, and ends it while connections send slowly.

usage: no_requests.py GATEWAY RUN-DIRECTORY

It starts its own gateway for the fleet of the run directory, which must have none. Each successful step prints a
line; the first failure ends the program.
"""

import signal
import socket
import sys
import urllib.parse
import urllib.request

from own_gateway import Gateway
from page_client import expect

TIMEOUT_S = 30
DRIPPING = 50

# The answer is 400, or 505 for another protocol version; the gateway waits for the rest of a possible request.
NO_REQUESTS = {
    "bytes of no kind": bytes(range(256)),
    "the beginning of TLS": bytes.fromhex("16030100c4010000c00303") + bytes(32),
    "one line": b"hello\r\n\r\n",
    "an unknown method": b"\x00\x01\x02 / HTTP/1.1\r\n\r\n",
    "a length that is no number": b"POST /o/token/ HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n",
    "a length below zero": b"POST /o/token/ HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    "two lengths": b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "a name without a colon": b"GET / HTTP/1.1\r\nHost a\r\n\r\n",
    "a line feed alone in a name": b"GET / HTTP/1.1\r\nHo\nst: a\r\n\r\n",
    "a chunk of no length": b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "no request behind one": b"GET /healthz HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n\x00\xff\r\n\r\n",
}


def answer(address, request):
    """All bytes until the server closes the connection."""
    with socket.create_connection(address, timeout=TIMEOUT_S) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answered = b""
        try:
            while block := connection.recv(65_536):
                answered += block
        except ConnectionResetError:
            pass
        return answered


def is_well(url):
    """Whether a request is answered normally."""
    with urllib.request.urlopen(url + "healthz", timeout=TIMEOUT_S) as healthy:
        return healthy.status == 200


def reject_malformed(gateway, address, url):
    for name, request in NO_REQUESTS.items():
        answered = answer(address, request)
        last = answered[answered.rfind(b"HTTP/1.1 ") :]
        expect(last.startswith(b"HTTP/1.1 4") or not answered, f"{name}: {last[:12].decode() or 'nothing'}")
        expect(gateway.poll() is None and is_well(url), f"{name}: the gateway continues")
    refused = answer(address, NO_REQUESTS["bytes of no kind"])
    expect(refused.startswith(b"HTTP/1.1 400 "), "random bytes are a bad request")


def stop_with_dripping(gateway, address):
    connections = [socket.create_connection(address, timeout=TIMEOUT_S) for _ in range(DRIPPING)]
    for connection in connections:
        connection.sendall(b"GET /users/me HTTP/1.1\r\nHost: a\r\nX-Slow: ")
    gateway.send_signal(signal.SIGTERM)
    for connection in connections:
        try:
            connection.sendall(b"a")
        except OSError:
            pass
    expect(gateway.wait(timeout=TIMEOUT_S) == 0, f"the gateway ends well among {DRIPPING} that drip")
    for connection in connections:
        connection.close()


def main():
    executable, directory = sys.argv[1:3]
    with Gateway(executable, directory) as gateway:
        place = urllib.parse.urlsplit(gateway.url)
        reject_malformed(gateway.process, (place.hostname, place.port), gateway.url)
        stop_with_dripping(gateway.process, (place.hostname, place.port))


main()
