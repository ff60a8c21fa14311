"""A page that asks to be told what changes and never reads it, beside one that does.

usage: never_reads.py URL RUN-DIRECTORY

Much has to change in the fleet meanwhile. Each step that holds is a line of output; the first that does not
ends the program.
"""

import pathlib
import socket
import sys
import time

from page_client import PATIENCE_S, Page, expect

GIVEN_UP_S = 90
ESTABLISHED = "01"


def listen(page, receive_buffer=None):
    """A connection on which the live stream was asked for."""
    connection = socket.socket()
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.settimeout(PATIENCE_S)
    connection.connect((page.place.hostname, page.place.port))
    connection.sendall(f"GET /page/live HTTP/1.1\r\nHost: {page.place.netloc}\r\nCookie: {page.cookie}\r\n\r\n".encode())
    return connection


def is_kept(connection):
    """Whether the gateway has its end of a connection, by what the kernel says of it."""
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
    expect(silent.recv(9) == b"HTTP/1.1 ", "is told at first")
    expect(is_kept(silent), "has its connection then")
    start, read = time.monotonic(), 0
    while is_kept(silent) and time.monotonic() < start + GIVEN_UP_S:
        read += len(reading.recv(1 << 20))
    expect(not is_kept(silent), "loses it, for it does not read")
    print(f"after {time.monotonic() - start:.0f} s, in which another read {read / 1e6:.1f} MB", file=sys.stderr)
    expect(read > 1_000_000, "much was told meanwhile")
    expect(is_kept(reading) and b"event: " in reading.recv(1 << 20), "one who reads goes on being told")


main(*sys.argv[1:])
