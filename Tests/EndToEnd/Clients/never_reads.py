"""A page that requests the live stream and never reads it, beside one that does.

usage: never_reads.py URL RUN-DIRECTORY

The fleet must have many changes. Each successful step prints a line; the first failure ends the program.
"""

import pathlib
import socket
import sys
import time

from page_client import TIMEOUT_S, Page, expect

GIVEN_UP_S = 90
ESTABLISHED = "01"


def listen(page, receive_buffer=None):
    """A connection with a request for the live stream."""
    connection = socket.socket()
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.settimeout(TIMEOUT_S)
    connection.connect((page.place.hostname, page.place.port))
    connection.sendall(f"GET /page/live HTTP/1.1\r\nHost: {page.place.netloc}\r\nCookie: {page.cookie}\r\n\r\n".encode())
    return connection


def is_connected(connection):
    """Whether the kernel has the gateway's end of a connection."""
    near, far = (f"{socket.htonl(int.from_bytes(socket.inet_aton(host), 'big')):08X}:{port:04X}"
                 for host, port in (connection.getpeername(), connection.getsockname()))
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[1:3] == [near, far]:
            return fields[3] == ESTABLISHED
    return False


def main(url, directory):
    page = Page(url, directory)
    page.log_in()
    reading, silent = listen(page), listen(page, receive_buffer=4_096)
    expect(silent.recv(9) == b"HTTP/1.1 ", "gets a first answer")
    expect(is_connected(silent), "has its connection then")
    start, read = time.monotonic(), 0
    while is_connected(silent) and time.monotonic() < start + GIVEN_UP_S:
        read += len(reading.recv(1 << 20))
    expect(not is_connected(silent), "loses it, as it does not read")
    print(f"after {time.monotonic() - start:.0f} s, in which another page read {read / 1e6:.1f} MB", file=sys.stderr)
    expect(read > 1_000_000, "much was sent during that time")
    expect(is_connected(reading) and b"event: " in reading.recv(1 << 20), "a page that reads still gets updates")


main(*sys.argv[1:])
