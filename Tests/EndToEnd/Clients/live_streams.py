"""Live streams that are left open, at a gateway with 256 descriptors, and so 128 connections.

usage: live_streams.py GATEWAY RUN-DIRECTORY

Each successful step prints a line; the first failure ends the program.
"""

import http.client
import socket
import sys
import time

from own_gateway import Gateway, slowdown
from page_client import TIMEOUT_S, Page, expect

DESCRIPTORS = 256
CONNECTIONS = 128
OF_A_SESSION = 16
ANSWER_S = 1.0


class Stream:
    """A page's stream that has begun, and whose updates are not read."""

    def __init__(self, page, address):
        self.socket = socket.create_connection(
            (page.place.hostname, page.place.port), TIMEOUT_S, source_address=(address, 0))
        head = f"GET /page/live HTTP/1.1\r\nHost: {page.place.netloc}\r\nCookie: {page.cookie}\r\n\r\n"
        self.socket.sendall(head.encode())
        answer = b""
        while b"\r\n\r\n" not in answer and (part := self.receive()):
            answer += part
        self.has_begun = answer.startswith(b"HTTP/1.1 200")
        self.has_ended = False
        self.socket.setblocking(False)

    def receive(self):
        try:
            return self.socket.recv(65_536)
        except ConnectionError:
            return b""

    @property
    def is_open(self):
        try:
            while not self.has_ended:
                part = self.receive()
                # The last chunk of a body has no bytes.
                self.has_ended = not part or part.endswith(b"0\r\n\r\n")
        except BlockingIOError:
            pass
        return not self.has_ended


def eventually(holds, what):
    end = time.monotonic() + TIMEOUT_S
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    expect(holds(), what)


def is_served(page, address):
    place = page.place
    connection = http.client.HTTPConnection(
        place.hostname, place.port, timeout=TIMEOUT_S, source_address=(address, 0))
    start = time.monotonic()
    try:
        connection.request("GET", "/healthz")
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return status == 200 and time.monotonic() - start <= ANSWER_S * slowdown()


def session(gateway, directory):
    page = Page(gateway.url, directory)
    expect(page.log_in()[0] == 200, "a login")
    return page


def opened(streams):
    return sum(stream.is_open for stream in streams)


def main(executable, directory):
    with Gateway(executable, directory, descriptors=DESCRIPTORS) as gateway:
        greedy = session(gateway, directory)
        streams = [Stream(greedy, "127.0.0.1") for _ in range(2 * OF_A_SESSION + 8)]
        expect(all(stream.has_begun for stream in streams), f"a session may open {len(streams)} streams one by one")
        eventually(lambda: opened(streams) == OF_A_SESSION, f"{OF_A_SESSION} of them stay")
        expect(opened(streams[-OF_A_SESSION:]) == OF_A_SESSION, "the newest")
        pages = [session(gateway, directory) for _ in range(CONNECTIONS // OF_A_SESSION)]
        for stream in streams:
            stream.socket.close()
        streams = [
            Stream(page, f"127.0.0.{1 + number % 2}") for number, page in enumerate(pages) for _ in range(OF_A_SESSION)]
        eventually(lambda: opened(streams) >= CONNECTIONS - 2, "streams from two addresses take all places")
        for address in "127.0.0.1", "127.0.0.3":
            expect(is_served(greedy, address), f"a new client from {address} is answered")
        expect(opened(streams) >= CONNECTIONS - 8, f"{opened(streams)} streams continue")
        late = Stream(greedy, "127.0.0.3")
        expect(late.has_begun and late.is_open, "another stream begins")


main(*sys.argv[1:])
