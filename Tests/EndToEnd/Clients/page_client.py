"""The page's requests, sent by a program that is not a browser."""

import http.client
import json
import pathlib
import time
import urllib.parse
import uuid

TIMEOUT_S = 20
EMAIL = "demo@sensibus.local"


def expect(holds, what):
    """Prints a condition that is true; otherwise ends the program."""
    if not holds:
        raise SystemExit(f"not so: {what}")
    print(what, flush=True)


def request_id():
    """A UUID of version 7."""
    bits = (time.time_ns() // 1_000_000) << 80 | uuid.uuid4().int & ((1 << 80) - 1)
    return str(uuid.UUID(int=bits & ~(0xF << 76) | 7 << 76))


class Page:
    """A browser's session, or none yet."""

    def __init__(self, url, directory):
        self.place = urllib.parse.urlsplit(url)
        self.origin = f"http://{self.place.netloc}"
        self.directory = pathlib.Path(directory)
        self.password = (self.directory / "demo-password").read_text().strip()
        self.cookie = self.csrf = None

    def ask(self, method, path, form=None, **headers):
        """Status, headers and body of an answer; a header's name is written with _ for -."""
        headers = {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
        if self.cookie:
            headers.setdefault("Cookie", self.cookie)
        connection = http.client.HTTPConnection(self.place.hostname, self.place.port, timeout=TIMEOUT_S)
        body = form if form is None or isinstance(form, str) else json.dumps(form)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    def log_in(self, **headers):
        """Logs in, and stores the cookie and the CSRF token; returns the answer in any case."""
        form = {"email": EMAIL, "password": self.password}
        status, answered, body = self.ask("POST", "/page/session", form, **{"Origin": self.origin} | headers)
        if status == 200:
            self.cookie = answered["Set-Cookie"].split(";")[0]
            self.csrf = json.loads(body)["csrf"]
        return status, answered, body

    def devices(self):
        return json.loads(self.ask("GET", "/page/devices")[2])["devices"]
