"""A gateway without a fleet, for working on the page: `python3 Tests/Page/fake_gateway.py --port 8421 --devices 100`.

It serves the page, and devices that answer at once, or as their names indicate: `Slow`, `Silent`, `Offline`, `Refusing`.
Every password is `password`, and `TOKEN` resets the demo user's. The browser tests with hostile answers use it too.
"""
import argparse, contextlib, hashlib, http.server, json, math, pathlib, queue, random, secrets, socket, sys, threading, time, urllib.parse

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/gateway/Page"
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html; charset=utf-8",
         ".svg": "image/svg+xml", ".json": "application/json"}
BEAT = b"event: beat\ndata: {}\n\n"
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; "
          "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
HOSTILE = ["<img src=x onerror=alert(1)>", "Hall \u202egnitaeh\u202c 7", "Café ☕ 🏝️", "\u200b\u200b",
           "A very long name that does not fit on any phone, however wide", "Z̷̢a̸l̵g̶o̴", "غرفة النوم 3", "\"><script>alert(2)</script>"]
ROOMS = ["Bedroom", "Living Room", "Kitchen", "Office", "Nursery", "Studio", "Dining Room", "Hall", "Attic", "Guest Room"]
PAYLOADS = (pathlib.Path(__file__).resolve().parent / "browser/payloads.txt").read_text(encoding="utf-8").splitlines()
TOKEN = "5e" * 32
STATE = ["on", "mode", "targetTemperature", "unit", "fanLevel", "incarnation", "version"]
SPECIAL = ["Slow 1", "Silent 1", "Offline 1", "Refusing 1"]


def now(): return int(time.time() * 1000)


class Fleet:
    """Devices, the outcomes of requests, and open streams."""

    def __init__(self, count, names, seed=1):
        self.lock, self.listeners, self.sequence = threading.RLock(), [], 0
        self.random, self.outcomes, self.cancelled = random.Random(seed), {}, set()
        # The stream's delay after the reply, in seconds, like that of the real gateway; and the number of opened streams.
        self.stream_pause, self.streams_opened = 0, 0
        # The number of requests for the list, the delay of the session's answer, and whether there is a controller.
        self.lists_asked, self.session_pause, self.has_controller = 0, 0, True
        # Whether the stream sends nothing, like that of a frozen gateway.
        self.is_frozen = False
        # Conditions by their text, each with a test of a device; and the errors in texts. Any other text is a part of a name.
        self.conditions = {word: lambda one, word=word: one["presence"] == word for word in ("online", "offline")}
        self.problems = {}
        # Whether requests to slow devices end only by a cancel, until this changes.
        self.slow_wait = False
        names = (names + [f"{ROOMS[n % 10]} {n // 10 + 1}" for n in range(count)])[:count]
        self.devices = {}
        for n, name in enumerate(names):
            device = f"{n:03d}" + "".join(self.random.choice("abcdefghjkmnpqrstuvwxyz") for _ in range(5))
            is_offline = name.startswith("Offline")
            self.devices[device] = {
                "id": device, "name": name, "site": ["Home", "Summer house", ""][n % 3], "model": "skyv2", "node": "node-1", "on": n % 3 == 0,
                "mode": ["cool", "heat", "fan", "auto", "dry", "cool"][n % 6], "targetTemperature": 20 + n % 6,
                "unit": "C", "fanLevel": "auto", "incarnation": "00000000000000a1", "version": 3,
                "presence": "offline" if is_offline else "online",
                "presenceReason": "disconnected" if is_offline else "", "since": now() - 754_000,
                "temperature": round(19 + self.random.random() * 8, 1), "feelsLike": 22.5, "humidity": 44.2,
                "asOf": now() - 20_000}
        self.histories, self.posts, self.written = {}, [], {}
        self.passwords = {}
        # Missing files of the page, files with other content, and whether answers have the release header.
        self.missing, self.files, self.has_release = set(), {}, True
        # Invalid answers about sites, by path: a status and a body.
        self.sites, self.strange = [], {}
        # Queues by id, and the factor between the commands' stated and actual durations.
        self.queues, self.pace = {}, 1
        self.roster = {"version": 0, "name": "", "message": "", "isEnforced": False, "shifts": []}
        # The number of requests for the roster, and the delay of an answer in seconds.
        self.rosters_asked, self.roster_pause = 0, 0

    def add_site(self, name, **more):
        """Adds a site; its devices are those with its name as `site`."""
        with self.lock:
            number = len(self.sites)
            self.sites.append({"id": f"Site{number:06d}", "version": 1, "name": name, "latitude": None, "longitude": None,
                               "address": [], "city": None, "country": None, "timeZone": None, "description": None, **more})
            return self.sites[-1]["id"]

    def plan(self, *shifts, **heading):
        """Replaces the roster by shifts: who, and from and to in seconds from now."""
        with self.lock:
            self.roster = self.roster | heading | {"version": self.roster["version"] + 1, "shiftCount": len(shifts), "shifts": [
                {"who": who, "email": None, "fromMs": now() + round(start * 1000), "toMs": now() + round(end * 1000)}
                for who, start, end in shifts]}

    def shows(self, text, device):
        """Whether a text in the search field shows a device."""
        is_named = any(" ".join(text.split()).lower() in device[key].lower() for key in ("name", "id"))
        return self.conditions[text](device) if text in self.conditions else is_named

    def at_site(self, site): return [one for one in self.devices.values() if one["site"] == site["name"]]

    def listed_site(self, site):
        return site | {"devices": len(self.at_site(site)), "isDescribed": bool(site["description"]), "description": None}

    def start(self, request, device):
        """Starts ten commands; a repeat of the request returns their current state."""
        with self.lock:
            if request not in self.queues:
                commands = [{"id": str(n), "device": device, "takesMs": n * 1000, "do": "toggle", "state": "waiting",
                             "isFailure": False, "explanation": None} for n in range(1, 11)]
                self.queues[request] = {"id": request, "state": "running", "isFinal": False, "list": commands, "due": None}
            return self.queue_now(request)

    def steer(self, request, how):
        with self.lock:
            one = self.queues[request]
            self.queue_now(request)
            if not one["isFinal"] and (how != "resume" or one["state"] == "paused"):
                one["state"] = {"pause": "paused", "resume": "running", "stop": "stopping", "cancel": "cancelling"}[how]
            return self.queue_now(request)

    def queue_now(self, request):
        """The current state of a queue."""
        with self.lock:
            one = self.queues[request]
            while not one["isFinal"]:
                current = next((command for command in one["list"] if command["state"] == "running"), None)
                waiting = next((command for command in one["list"] if command["state"] == "waiting"), None)
                if current is not None:
                    is_cancelling = one["state"] == "cancelling"
                    if not is_cancelling and now() < one["due"]: break
                    current["state"] = "cancelled" if is_cancelling else "applied"
                elif one["state"] == "running" and waiting is not None:
                    waiting["state"], one["due"] = "running", now() + waiting["takesMs"] * self.pace
                elif one["state"] == "paused" and waiting is not None: break
                else:
                    one["isFinal"] = True
                    one["state"] = {"stopping": "stopped", "cancelling": "cancelled"}.get(one["state"], "done")
                    for command in one["list"]:
                        if command["state"] == "waiting": command["state"] = "leftOut"
            return {key: value for key, value in one.items() if key != "due"}

    def write(self, request, **texts):
        """Writes a post; a repeat of the request gets the same answer."""
        with self.lock:
            if request not in self.written:
                self.posts.append({"id": len(self.posts) + 1, "author": "demo@sensibus.local", "writtenAtMs": now(),
                                   "device": None, "deviceName": None, "site": None, "comments": [], "body": "", **texts})
                self.written[request] = self.posts[-1]
            return self.listed(self.written[request])

    def comment(self, number, request, body):
        with self.lock:
            comments = self.posts[number - 1]["comments"]
            if request not in self.written:
                comments.append({"postId": number, "id": sum(len(one["comments"]) for one in self.posts) + 1,
                                 "name": "demo@sensibus.local", "body": body, "writtenAtMs": now()})
                self.written[request] = comments[-1]
            return self.written[request]

    def listed(self, post):
        return {key: value for key, value in post.items() if key != "comments"} | {"commentCount": len(post["comments"])}

    def position(self): return f"7-{self.sequence}"

    def publish(self, event, data):
        with self.lock:
            self.sequence += 1
            text = f"id: {self.position()}\nevent: {event}\ndata: {json.dumps(data)}\n\n".encode()
            for listener in self.listeners: listener.put((time.monotonic() + self.stream_pause, text))

    def beat(self):
        """Sends a heartbeat, which detects closed streams; returns the number of open ones."""
        with self.lock:
            for listener in self.listeners: listener.put((0, BEAT))
            return len(self.listeners)

    def change(self, device, **what):
        with self.lock:
            row = self.devices[device]
            if any(row[key] != value for key, value in what.items() if key in ("on", "mode")):
                what["version"] = row["version"] + 1
            row.update(what, asOf=now())
            self.publish("devices", {"devices": [row]})

    def history(self, device):
        if device not in self.histories:
            row, end, made = self.devices[device], now(), random.Random(device)
            times = range(end - 5 * 3_600_000, end, 90_000)
            on = [{"at": times[0], "on": False, "mode": row["mode"], "targetTemperature": row["targetTemperature"],
                   "cause": "request"}]
            for n in range(1, 6):
                on.append({"at": times[0] + n * 3_000_000, "on": n % 2 == (1 if row["on"] else 0), "mode": row["mode"],
                           "targetTemperature": row["targetTemperature"],
                           "cause": "handRemote" if n == 2 else "request"})
            level, measured = row["temperature"] + 3, []
            for at in times:
                state = [one["on"] for one in on if one["at"] <= at][-1]
                level += ((row["targetTemperature"] - level) * 0.03 if state else (27 - level) * 0.012) \
                    + made.uniform(-0.06, 0.06)
                measured.append({"at": at, "temperature": round(level, 1), "humidity": 45 + 3 * math.sin(at / 4e6)})
            row.update(temperature=measured[-1]["temperature"])
            outcomes = [{"at": one["at"], "requestId": secrets.token_hex(16), "kind": "applied", "actor": "demo@sensibus.local",
                     "words": f"toggled {'on' if one['on'] else 'off'} by demo@sensibus.local in 0.21 ms",
                     "latencyMicroseconds": 210} for one in on[1:] if one["cause"] == "request"]
            self.histories[device] = {"measurements": measured, "changes": on, "outcomes": outcomes}
        return self.histories[device]

    def toggle(self, device, request, incarnation, version):
        """Returns when the request has ended; a repeat of the request gets the same answer."""
        with self.lock:
            if request in self.outcomes: return self.outcomes[request]
            row = self.devices[device]
            name = row["name"]
        for _ in range(100 if name.startswith("Silent") else 12 if name.startswith("Slow") else 1):
            time.sleep(0.1 if name.startswith(("Slow", "Silent")) else 0.0)
            if request in self.cancelled: return self.finish(device, request, "cancelled", "Cancelled. Nothing changed.")
        while self.slow_wait and name.startswith("Slow") and request not in self.cancelled: time.sleep(0.02)
        if name.startswith("Refusing"):
            return self.finish(device, request, "rejected", "rejected: the remote lacks this code; nothing was done")
        if name.startswith("Silent"): return self.finish(device, request, "expired", "expired: the device did not answer")
        if (incarnation, version) != (row["incarnation"], row["version"]): return self.finish(device, request, "conflict", "Already changed. Nothing was sent.", row)
        with self.lock:
            if request in self.cancelled: return self.finish(device, request, "cancelled", "Cancelled. Nothing changed.")
            self.change(device, on=not row["on"])
            return self.finish(device, request, "applied", f"Turned {'on' if row['on'] else 'off'}", row)

    def finish(self, device, request, kind, message, row=None):
        state = row and {key: row[key] for key in STATE}
        with self.lock:
            self.outcomes[request] = {"requestId": request, "kind": kind, "words": message, "state": state}
            self.publish("outcome", {"requestId": request, "device": device, "kind": kind, "words": message, "state": state,
                                     "actor": "demo@sensibus.local", "at": now()})
            return self.outcomes[request]

    def cancel(self, request):
        """Cancels a request if it has not ended."""
        with self.lock:
            outcome = self.outcomes.get(request)
            if outcome is not None and outcome["kind"] != "cancelled":
                return {"requestId": request, "kind": "too-late", "words": f"Too late to cancel: {outcome['words']}", "end": outcome}
            self.cancelled.add(request)
            return {"requestId": request, "kind": "cancelled", "words": "Cancelled. Nothing changed."}


class Gateway(http.server.ThreadingHTTPServer):
    daemon_threads = allow_reuse_address = True

    def __init__(self, port, fleet):
        super().__init__(("127.0.0.1", port), Handler)
        self.fleet, self.sessions, self.lost_answers, self.connections = fleet, {}, 0, []

    def get_request(self):
        self.connections.append((found := super().get_request())[0])
        return found

    def handle_error(self, request, address):
        """Ignores the error of a browser that has closed its connection."""
        if not isinstance(sys.exc_info()[1], ConnectionError): super().handle_error(request, address)

    def stop(self):
        """Ends and closes all connections, like a process that exits."""
        self.shutdown()
        self.server_close()
        for one in self.connections:
            with contextlib.suppress(OSError): one.shutdown(socket.SHUT_RDWR)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_): pass

    @property
    def fleet(self): return self.server.fleet

    @property
    def session(self):
        cookie = self.headers.get("Cookie", "")
        return next((value for token, value in self.server.sessions.items() if token in cookie), None)

    def body(self):
        text = self.rfile.read(min(65_536, int(self.headers.get("Content-Length", 0))))
        return json.loads(text) if text else {}

    def answer(self, status, data=b"", kind="application/json", **headers):
        if not isinstance(data, bytes): data = json.dumps(data).encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": len(data), "Cache-Control": "no-store",
                            "Content-Security-Policy": POLICY, **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        try: self.wfile.write(data)
        except OSError: self.close_connection = True  # The page is closed.

    def refuse(self, status, message):
        page = f"<html><head><title>{status}</title></head><body><h>{status}</h><p>{message}</p></body></html>"
        self.answer(status, page.encode(), "text/html; charset=utf-8")

    def do_GET(self):
        path = self.path.split("?")[0]
        name = "index.html" if path == "/" else path.removeprefix("/page/")
        if (PAGE / name).is_file() and ".." not in name and name not in self.fleet.missing: return self.file(name)
        if path == "/page/ways": return self.answer(200, {"signUp": True, "recovery": True})
        if self.session is None: return self.refuse(401, "log in")
        if path == "/page/session":
            time.sleep(self.fleet.session_pause)
            return self.answer(200, self.session) if self.fleet.has_controller else self.refuse(503, "no controller")
        if path == "/page/devices":
            with self.fleet.lock:
                self.fleet.lists_asked += 1
                return self.answer(200, {"position": self.fleet.position(), "settling": False,
                                         "devices": list(self.fleet.devices.values())})
        if path == "/page/live": return self.live()
        parts = path.split("/")
        if path.startswith("/page/requests/"):
            if self.loses_answer(): return None
            outcome = self.fleet.outcomes.get(parts[3])
            return self.refuse(404, "not seen") if outcome is None else self.answer(200, outcome)
        if path == "/page/posts":
            before = int(dict(urllib.parse.parse_qsl(self.path.partition("?")[2])).get("before", 1 << 60))
            found = [self.fleet.listed(one) for one in reversed(self.fleet.posts) if one["id"] < before][:50]
            return self.answer(200, {"posts": found, "total": len(self.fleet.posts)})
        if path.startswith("/page/posts/") and 1 <= int(parts[3]) <= len(self.fleet.posts):
            post = self.fleet.posts[int(parts[3]) - 1]
            return self.answer(200, {"post": self.fleet.listed(post), "comments": post["comments"]})
        if path == "/page/roster": self.fleet.rosters_asked += 1
        if path in self.fleet.strange: return self.answer(*self.fleet.strange[path])
        if path == "/page/queues":
            with self.fleet.lock:
                found = [self.fleet.queue_now(one) for one in sorted(self.fleet.queues, reverse=True)][:20]
            return self.answer(200, {"queues": found})
        if path.startswith("/page/queues/") and parts[3] in self.fleet.queues:
            return self.answer(200, self.fleet.queue_now(parts[3]))
        if path == "/page/roster":
            roster = self.fleet.roster
            time.sleep(self.fleet.roster_pause)
            return self.answer(200, roster)
        if path == "/page/sites":
            query = dict(urllib.parse.parse_qsl(self.path.partition("?")[2]))
            page, size = int(query.get("page", 1)), int(query.get("pageSize", 50))
            ordered = sorted(self.fleet.sites, key=lambda one: one["name"].lower())[(page - 1) * size:page * size]
            return self.answer(200, {"sites": [self.fleet.listed_site(one) for one in ordered], "page": page,
                                     "pageSize": size, "total": len(self.fleet.sites)})
        if path.startswith("/page/sites/"):
            for site in self.fleet.sites:
                if site["id"] != parts[3]: continue
                devices = [{"id": one["id"], "name": one["name"]} for one in self.fleet.at_site(site)]
                whole = self.fleet.listed_site(site) | {"description": site["description"]}
                return self.answer(200, {"site": whole, "devices": devices[:500]})
        if path.startswith("/page/devices/") and parts[3] in self.fleet.devices:
            return self.answer(200, self.fleet.history(parts[3]))
        self.refuse(404, "not found")

    def file(self, name):
        """Sends a file of the page with the release; the worker gets the release and the list of files."""
        files = {str(one.relative_to(PAGE)): one.read_bytes() for one in sorted(PAGE.rglob("*.*"))} | self.fleet.files
        release = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
        data, more = files[name], {"Sensibus_Release": release} if self.fleet.has_release else {}
        if name == "worker.js":
            paths = ["/" if one == "index.html" else f"/page/{one}" for one in files if one != name]
            data = f"const SHELL = {json.dumps({'release': release, 'files': paths})};\n".encode() + data
            more["Service_Worker_Allowed"] = "/"
        self.answer(200, data, TYPES[(PAGE / name).suffix], **more)

    def live(self):
        listener = queue.Queue()
        query = dict(urllib.parse.parse_qsl(self.path.partition("?")[2]))
        with self.fleet.lock:
            self.fleet.streams_opened += 1
            self.fleet.listeners.append(listener)
            was_at = self.headers.get("Last-Event-ID") or query.get("after")
            missed = b"" if was_at == self.fleet.position() else b"event: resync\ndata: {}\n\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.close_connection = True
        try:
            if not self.fleet.is_frozen: self.wfile.write(b"retry: 500\n\n" + BEAT + missed)
            while True:
                try: due, text = listener.get(timeout=10)
                except queue.Empty: due, text = 0, BEAT
                time.sleep(max(0, due - time.monotonic()))
                if not self.fleet.is_frozen: self.wfile.write(text)
        except OSError: pass
        finally:
            with self.fleet.lock:
                self.fleet.listeners = [one for one in self.fleet.listeners if one is not listener]

    def do_POST(self):
        body, parts = self.body(), self.path.split("/")
        if self.path in ("/page/session", "/page/signup"):
            if body.get("password") != self.fleet.passwords.get(body["email"], "password"):
                return self.refuse(401 if self.path == "/page/session" else 403,
                                   "Wrong email or password.<script>alert(3)</script><img src=x onerror=alert(4)>")
            token = secrets.token_hex(16)
            self.server.sessions[token] = {"email": body["email"], "role": "owner", "account": "demo",
                                           "csrf": secrets.token_hex(16)}
            return self.answer(200, self.server.sessions[token],
                               Set_Cookie=f"session={token}; HttpOnly; SameSite=Strict; Path=/")
        if self.path == "/page/forgot": return self.answer(204)
        if self.path == "/page/reset":
            if body["token"] != TOKEN: return self.refuse(403, "This code is invalid or has expired.<script>alert(5)</script>")
            self.fleet.passwords["demo@sensibus.local"] = body["password"]
            return self.answer(200, {"email": "demo@sensibus.local", "sessionsEnded": 0})
        if self.session is None: return self.refuse(401, "log in")
        if self.headers.get("X-CSRF-Token") != self.session["csrf"]: return self.refuse(403, "not from this page")
        if parts[2] == "requests":
            return self.answer(200, self.fleet.cancel(parts[3]))
        if self.path == "/page/devices/filter":
            with self.fleet.lock:
                asked = [self.fleet.devices[one] for one in body.get("devices", self.fleet.devices) if one in self.fleet.devices]
                found = [one["id"] for one in asked if self.fleet.shows(body["condition"], one)]
            return self.answer(200, {"devices": found, "problem": self.fleet.problems.get(body["condition"])})
        if self.path == "/page/posts":
            device = body.get("device")
            result = self.fleet.write(body["requestId"], title=body["title"], body=body["body"], device=device,
                                      deviceName=device and self.fleet.devices[device]["name"], site=body.get("site"))
        elif self.path == "/page/queues": result = self.fleet.start(body["requestId"], body["device"])
        elif parts[2] == "queues": result = self.fleet.steer(parts[3], parts[4])
        elif parts[2] == "posts": result = self.fleet.comment(int(parts[3]), body["requestId"], body["body"])
        else: result = self.fleet.toggle(parts[3], body["requestId"], body["incarnation"], body["version"])
        if not self.loses_answer(): self.answer(200, result)

    def loses_answer(self):
        """Whether the answer to a request for a change, or to a query for its outcome, is lost."""
        if self.server.lost_answers == 0: return False
        self.server.lost_answers -= 1
        self.close_connection = True
        self.connection.close()
        return True

    def do_DELETE(self):
        if self.session is None: return self.refuse(401, "log in")
        if self.headers.get("X-CSRF-Token") != self.session["csrf"]: return self.refuse(403, "not from this page")
        session = self.session
        self.server.sessions = {t: one for t, one in self.server.sessions.items() if one is not session}
        self.answer(204)


def lively(fleet):
    """A user with a hand remote, and rooms that warm up."""
    while True:
        time.sleep(0.7)
        device = fleet.random.choice(list(fleet.devices))
        row = fleet.devices[device]
        if fleet.random.random() < 0.4: fleet.change(device, on=not row["on"])
        else: fleet.change(device, temperature=round(row["temperature"] + fleet.random.uniform(-0.3, 0.3), 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8421)
    parser.add_argument("--devices", type=int, default=100)
    parser.add_argument("--hostile", action="store_true", help="with hostile names")
    given = parser.parse_args()
    fleet = Fleet(given.devices, SPECIAL + (HOSTILE if given.hostile else []))
    fleet.add_site("Home", latitude=59.9139, longitude=10.7522, address=["Mill Lane 4"], city="Oslo", country="NO",
                   timeZone="Europe/Oslo", description="<h1>Home</h1><p>Ask at the <b>gate</b>.</p>")
    for n in range(120): fleet.add_site(f"Summer house {n}" if n else "Summer house")
    for n in range(120): fleet.write(f"made {n}", title=f"Filters cleaned, round {n + 1}", body="All of them.")
    if given.hostile:
        for n, payload in enumerate(PAYLOADS):
            fleet.write(f"hostile {n}", title=payload, body=payload)
            fleet.add_site(payload[:60], description=payload)
    threading.Thread(target=lively, args=(fleet,), daemon=True).start()
    print(f"http://127.0.0.1:{given.port}/", flush=True)
    Gateway(given.port, fleet).serve_forever()


if __name__ == "__main__":
    main()
