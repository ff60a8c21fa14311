#!/usr/bin/env python3
"""Many scrapers that request /metrics at the same moment, without a key.

usage: metrics_crowd.py URL COUNT

Opens COUNT connections, sends a request on each, and reads all answers. Ends with an error if one of them is
incomplete.
"""

import selectors
import socket
import sys
import time
import urllib.parse

TIMEOUT_S = 30.0


def connect(address):
    """A connection with its request; the gateway may have to accept others before."""
    link = socket.create_connection(address, timeout=TIMEOUT_S)
    link.setblocking(False)
    return link


def is_whole(answer):
    head, separator, body = answer.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), -1)
    return separator != b"" and lines[0].startswith(b"http/1.1 200 ") and len(body) == length


def main(url, count):
    place = urllib.parse.urlsplit(url)
    address = (place.hostname, place.port)
    request = f"GET /metrics HTTP/1.1\r\nHost: {place.netloc}\r\nConnection: close\r\n\r\n".encode()
    links = [connect(address) for _ in range(count)]
    answers = {link: b"" for link in links}
    start = time.monotonic()
    with selectors.DefaultSelector() as selector:
        for link in links:
            link.send(request)
            selector.register(link, selectors.EVENT_READ)
        while selector.get_map() and time.monotonic() - start < TIMEOUT_S:
            for key, _ in selector.select(timeout=1):
                link = key.fileobj
                try:
                    part = link.recv(1 << 16)
                except ConnectionResetError:
                    part = b""
                answers[link] += part
                if not part:
                    selector.unregister(link)
    whole = sum(is_whole(answer) for answer in answers.values())
    print(f"{whole} of {count} answered in {time.monotonic() - start:.2f} s")
    return 0 if whole == count else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
