"""Wrong passwords at the rate of their answers, and a user who logs in among them.

usage: wrong_passwords.py GATEWAY RUN-DIRECTORY SECONDS

Each successful step prints a line; the first failure ends the program.
"""

import http.client
import sys
import threading
import time
import urllib.parse

from own_gateway import Gateway, slowdown
from page_client import EMAIL, Page, expect

LOGIN_S = 2.0
# The gateway ends a login after 10 s.
TIMEOUT_S = 15


class Attack:
    """Wrong passwords from many threads at once, until the end of a `with`."""

    def __init__(self, page, sources, email_of):
        self.page, self.email_of = page, email_of
        self.statuses = {}
        self.number = 0
        self.is_over = threading.Event()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self._guess, args=[source], daemon=True) for source in sources]

    def _guess(self, source):
        while not self.is_over.is_set():
            with self.lock:
                self.number += 1
                number = self.number
            form = urllib.parse.urlencode({
                "grant_type": "password", "username": self.email_of(number), "password": f"wrong {number}"})
            connection = http.client.HTTPConnection(
                self.page.place.hostname, self.page.place.port, timeout=TIMEOUT_S, source_address=(source, 0))
            try:
                connection.request("POST", "/o/token/", form)
                status = connection.getresponse().status
            except OSError as error:
                status = type(error).__name__
            finally:
                connection.close()
            with self.lock:
                self.statuses[status] = self.statuses.get(status, 0) + 1

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()


def besiege(page, seconds, name, sources, email_of, bound=None):
    """The user logs in once a second during an attack; a status of 400 is a wrong password that was checked."""
    end = time.monotonic() + seconds
    waits = []
    with Attack(page, sources, email_of) as attack:
        while time.monotonic() < end:
            start = time.monotonic()
            status, _, _ = page.log_in()
            waits.append(time.monotonic() - start)
            expect(
                status == 200 and waits[-1] <= LOGIN_S * slowdown(),
                f"{name}: the user is logged in after {waits[-1]:.3f} s, status {status}")
            attack.is_over.wait(max(0, start + 1 - time.monotonic()))
        checked = attack.statuses.get(400, 0)
        if bound:
            expect(checked <= bound, f"{name}: {checked} passwords were checked in {seconds} s")
        print(f"measured: {name}: login {max(waits) * 1000:.0f} ms at most, answers {attack.statuses}", flush=True)


def main(executable, directory, seconds):
    seconds = float(seconds)
    with Gateway(executable, directory) as gateway:
        page = Page(gateway.url, directory)
        expect(page.log_in()[0] == 200, "the user logs in")
        marks = [one.split(";")[0] for one in page.log_in()[1].get_all("Set-Cookie") if "browser" in one]
        expect(len(marks) == 1, "its browser is known from then on")
        others = [f"127.0.1.{number}" for number in range(1, 51)]
        besiege(page, seconds, "50 sources, the user's address", others, lambda _: EMAIL, seconds + 3)
        besiege(
            page, seconds, "the user's source, any address", ["127.0.0.1"] * 20,
            lambda number: f"user{number}@example.com")
        page.cookie = marks[0]
        log_in = page.log_in

        def log_in_where_one_has_before():
            page.cookie = marks[0]
            return log_in()

        page.log_in = log_in_where_one_has_before
        besiege(
            page, seconds, "the user's source and address", ["127.0.0.1"] * 20, lambda _: EMAIL, seconds + 3)
        expect(gateway.is_alive, "the gateway is the same process")


main(*sys.argv[1:])
