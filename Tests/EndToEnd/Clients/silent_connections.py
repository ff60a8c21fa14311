"""Thousands of silent connections, and then 1,000 scrapers at once, at a gateway with 1,024 descriptors.

usage: silent_connections.py GATEWAY RUN-DIRECTORY COUNT

Each successful step prints a line; the first failure ends the program.
"""

import resource
import selectors
import socket
import sys
import threading
import time

from own_gateway import Gateway, slowdown
from page_client import Page, expect

DESCRIPTORS = 1_024
ANSWER_S = 1.0
LOGIN_S = 2.0
SCRAPERS = 1_000
SCRAPE_S = 5.0


def timed(work):
    start = time.monotonic()
    return work(), time.monotonic() - start


def is_served(page):
    (status, _, _), seconds = timed(lambda: page.ask("GET", "/healthz"))
    return status == 200 and seconds <= ANSWER_S * slowdown(), seconds


class Scrapers(threading.Thread):
    """Requests for metrics, all sent before the first is answered."""

    def __init__(self, place):
        super().__init__(daemon=True)
        self.place = place
        self.answers = {}
        self.seconds = None

    def run(self):
        start = time.monotonic()
        selector = selectors.DefaultSelector()
        for _ in range(SCRAPERS):
            connection = socket.socket()
            connection.setblocking(False)
            connection.connect_ex((self.place.hostname, self.place.port))
            selector.register(connection, selectors.EVENT_WRITE)
        while selector.get_map() and time.monotonic() < start + 4 * SCRAPE_S * slowdown():
            for key, events in selector.select(1):
                self.move(selector, key.fileobj, events)
        self.seconds = time.monotonic() - start

    def move(self, selector, connection, events):
        try:
            if events & selectors.EVENT_WRITE:
                connection.send(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                selector.modify(connection, selectors.EVENT_READ)
                return
            answer = connection.recv(64).split(b" ")[1:2]
            answer = answer[0].decode() if answer else "closed"
        except OSError as error:
            answer = type(error).__name__
        selector.unregister(connection)
        connection.close()
        self.answers[answer] = self.answers.get(answer, 0) + 1


def scrape(page):
    """Honest requests and logins beside the scrapers, as long as these run and a moment longer."""
    scrapers = Scrapers(page.place)
    scrapers.start()
    waits = []
    while scrapers.is_alive() or len(waits) < 10:
        served, seconds = is_served(page)
        waits.append(seconds)
        expect(served, f"a request beside {SCRAPERS} scrapers is answered, after {seconds:.3f} s")
        (status, _, _), seconds = timed(page.log_in)
        expect(status == 200 and seconds <= LOGIN_S * slowdown(), f"and so is a login, after {seconds:.3f} s")
    expect(
        sum(scrapers.answers.values()) == SCRAPERS and scrapers.seconds <= SCRAPE_S * slowdown(),
        f"every scraper is answered, in {scrapers.seconds:.3f} s: {scrapers.answers}")
    print(f"measured: slowest honest request {max(waits) * 1000:.0f} ms beside {SCRAPERS} scrapers: {scrapers.answers}")


def main(executable, directory, count):
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, int(count) + 256), most))
    with Gateway(executable, directory, descriptors=DESCRIPTORS) as gateway:
        page = Page(gateway.url, directory)
        expect(is_served(page)[0], "an honest request is answered")
        silent, waits = [], []
        for number in range(int(count)):
            connection = socket.socket()
            connection.setblocking(False)
            connection.connect_ex((page.place.hostname, page.place.port))
            silent.append(connection)
            if number % 250 == 249:
                served, seconds = is_served(page)
                waits.append(seconds)
                expect(served, f"and is so beside {number + 1} silent connections, after {seconds:.3f} s")
        (status, _, _), seconds = timed(page.log_in)
        expect(status == 200 and seconds <= LOGIN_S * slowdown(), f"a login is, after {seconds:.3f} s")
        for connection in silent:
            connection.close()
        served, seconds = is_served(page)
        expect(served, f"and so is a request right after they were closed, after {seconds:.3f} s")
        scrape(page)
        expect(gateway.is_alive, "the gateway is the same process")
        print(f"measured: slowest honest request {max(waits) * 1000:.0f} ms beside {count} silent connections")


main(*sys.argv[1:])
