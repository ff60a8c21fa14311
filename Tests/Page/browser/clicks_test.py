"""Double and triple clicks on switches of a real fleet: `clicks_test.py URL RUN-DIRECTORY FLEET OBSERVER BURSTS`.

Clicks BURSTS bursts without latency, and as many with 150 ms of latency. A burst is two or three clicks, each 0 to 300 ms
after the last, on each of eight switches; three of the devices are slow. Then compares what the page showed with what an
observer saw: a settled switch shows a state that the device had since the end of its last request, a pending switch does
not move, and no request ends as a conflict.
"""
import bisect, collections, datetime, json, pathlib, random, subprocess, sys, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from relay import relay
from webdriver import SLOWDOWN, BrowserError, browser

AT_A_TIME, SLOW = 8, 3
LATENCIES_S = 0, 0.150
PAUSE_AT_MOST_MS = 300
SEED = 23
RECORD = """
    const ids = arguments[0];
    const log = window.log = { shown: [], begun: [], requests: [], cancelled: {}, notices: [] };
    const rows = new Map([...document.querySelectorAll(".row")].map((row) =>
        [row.querySelector(".row-link").hash.split("/").at(-1), row.querySelector(".switch")]));
    const shows = (id, one) => log.shown.push({
        id, at: Date.now(), on: one.ariaChecked === "true", isBusy: one.ariaBusy === "true" });
    for (const id of ids) {
        const one = rows.get(id);
        shows(id, one);
        new MutationObserver(() => shows(id, one)).observe(one, { attributeFilter: ["aria-checked", "aria-busy"] });
    }
    new MutationObserver((all) => all.flatMap((one) => [...one.addedNodes]).forEach((one) =>
        one.matches?.(".notice") && log.notices.push(one.textContent))).observe(document.body, { subtree: true, childList: true });
    // The page stores a toggle when it begins; the request may be sent later.
    const setItem = Storage.prototype.setItem;
    Storage.prototype.setItem = function (key, text) {
        if (key.startsWith("sensibus.command.")) log.begun.push({ at: Date.now(), ...JSON.parse(text).command });
        return setItem.call(this, key, text);
    };
    const ask = window.fetch;
    window.fetch = async (path, options) => {
        const id = /^\\/page\\/devices\\/(\\w+)\\/toggle$/.exec(path)?.[1];
        if (id !== undefined) log.requests.push({ id, at: Date.now(), requestId: JSON.parse(options.body).requestId });
        const answer = await ask(path, options);
        const at = Date.now();
        const cancelled = /^\\/page\\/requests\\/(.*)\\/cancel$/.exec(path)?.[1];
        if (cancelled === undefined) return answer;
        if ((await answer.clone().json()).kind === "cancelled") log.cancelled[cancelled] = at;
        return answer;
    };
    window.burst = (id, pauses) => {
        let at = 0;
        for (const pause of pauses) setTimeout(() => rows.get(id).click(), at += pause);
        return new Promise((done) => setTimeout(function look() {
            if (rows.get(id).ariaBusy !== "true") done();
            else requestAnimationFrame(look);
        }, at + 20));
    };
    """


class Truth:
    """The states and the outcomes of requests that an observer saw."""

    def __init__(self, lines, states):
        self.states = {device: [(0, on)] for device, on in states.items()}
        self.outcomes = {}
        for line in map(json.loads, lines):
            at = round(datetime.datetime.fromisoformat(line.get("at", "1970-01-01T00:00:00Z")).timestamp() * 1000)
            if line["kind"] == "reported" and line["device"] in self.states: self.states[line["device"]].append((at, line["on"]))
            if line["kind"] == "outcome": self.outcomes[line["requestID"].replace("-", "")] = (at, line["outcome"])

    def ended_at(self, request, cancelled):
        """When a request ended, or when the page knew that it was cancelled; None for a request that has not ended."""
        times = [at for at in (cancelled.get(request), self.outcomes.get(request.replace("-", ""), (None,))[0]) if at is not None]
        return min(times, default=None)

    def had(self, device, start, end):
        """The states that a device had between two times."""
        states = self.states[device]
        first = max(0, bisect.bisect(states, start, key=lambda one: one[0]) - 1)
        return {on for at, on in states[first:] if at <= end}


def wrong(log, truth):
    """Returns the differences between what the page showed and the truth."""
    found, pending = [], {}
    requests, begun = collections.defaultdict(list), collections.defaultdict(set)
    for one in log["requests"]: requests[one["id"]].append((one["at"], one["requestId"]))
    for one in log["begun"]: begun[one["device"]].add((one["askedAt"], one["requestId"]))
    for one in log["shown"]:
        device, at, on = one["id"], one["at"], one["on"]
        asked = [request for sent, request in requests[device] if sent <= at]
        if one["isBusy"]:
            number = sum(start <= at for start, _ in begun[device])
            before = pending.get(device, (on, number))
            if before[0] != on and before[1] == number: found.append(f"{device} moved to {on} at {at} while it was pending")
            pending[device] = on, number
            continue
        pending.pop(device, None)
        ended = truth.ended_at(asked[-1], log["cancelled"]) if asked else 0
        if ended is None or ended > at: found.append(f"{device} is settled at {at}, and its request ended at {ended}")
        elif on not in truth.had(device, ended, at): found.append(f"{device} showed {on} at {at}, {at - ended} ms after the end of its request")
    found += [notice for notice in log["notices"] if any(term in notice.lower() for term in ("faster", "already"))]
    return found


class Clicks:
    def __init__(self, page, directory, fleet):
        self.page, self.directory, self.executable = page, pathlib.Path(directory), fleet
        self.random = random.Random(SEED)

    def fleet(self, *arguments):
        done = subprocess.run([self.executable, *arguments, "--run-dir", str(self.directory)], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def drawn(self):
        """The devices whose switches can be pressed now."""
        devices = {one["id"]: one for one in map(json.loads, self.fleet("devices", "--json").splitlines())}
        ids = self.page.run("""
            return [...document.querySelectorAll(".row")].filter((row) => row.querySelector(".switch").ariaDisabled === "false")
                .map((row) => row.querySelector(".row-link").hash.split("/").at(-1));
            """)
        return [devices[id] for id in ids]

    def log_in(self, url):
        self.page.open(url)
        self.page.until("the login", "document.activeElement?.id === 'email'")
        self.page.press("demo@sensibus.local", "Enter", (self.directory / "demo-password").read_text().strip(), "Enter")
        self.page.until("the list", "document.querySelector('.pill')?.innerText === 'Live' && document.querySelectorAll('.row').length > 8")

    def click(self, ids, bursts):
        """Clicks one burst on each device at the same time, and waits until nothing is pending."""
        while bursts > 0:
            plan = {id: [0] + [self.random.uniform(0, PAUSE_AT_MOST_MS) for _ in range(self.random.choice((1, 2)))]
                    for id in ids[:bursts]}
            self.page.run("return Promise.all(Object.entries(arguments[0]).map(([id, pauses]) => window.burst(id, pauses)))", plan)
            bursts -= len(plan)

    def waits_for_the_stream(self, device):
        """Toggles a device with `fleet`, and waits until the page shows that change."""
        switch = f"document.querySelector(`a[href$='/{device['id']}']`).closest('.row').querySelector('.switch').ariaChecked"
        before = self.page.run(f"return {switch}")
        self.fleet("toggle", device["id"])
        self.page.until("a later change", f"{switch} !== arguments[0]", before)


def seen(observer, directory, since, device):
    """Returns the lines of an observer after it has seen the last change of a device."""
    path = pathlib.Path(directory) / "clicks.jsonl"
    end = time.monotonic() + 10 * SLOWDOWN
    while time.monotonic() < end:
        lines = path.read_text().splitlines()[since:]
        if any(one.get("device") == device and one["kind"] == "reported" for one in map(json.loads, lines)): return lines
        time.sleep(0.02)
    sys.exit("the observer did not see the last change")


def main():
    url, directory, fleet, observer, bursts = sys.argv[1:]
    port = int(url.rstrip("/").rsplit(":", 1)[1])
    counts = collections.Counter()
    with open(pathlib.Path(directory) / "clicks.jsonl", "w") as output:
        recorder = subprocess.Popen([observer, "--json", "--run-dir", directory], stdout=output, stderr=subprocess.DEVNULL)
    try:
        for latency in LATENCIES_S:
            with relay(port, latency) as own_port, browser(height=1200) as page:
                clicks = Clicks(page, directory, fleet)
                clicks.log_in(f"http://127.0.0.1:{own_port}/")
                *all, last = clicks.drawn()[:AT_A_TIME + 1]
                for one in all[:SLOW]: clicks.fleet("inject", "slow", one["id"], "--by", "250ms", "--for", "10m")
                since = len((pathlib.Path(directory) / "clicks.jsonl").read_text().splitlines())
                page.run(RECORD, [one["id"] for one in all])
                clicks.click([one["id"] for one in all], int(bursts))
                clicks.waits_for_the_stream(last)
                log = page.run("return window.log")
                truth = Truth(seen(observer, directory, since, last["id"]), {one["id"]: one["on"] for one in all})
                found = wrong(log, truth)
                for device in all:
                    shown = [one for one in log["shown"] if one["id"] == device["id"]][-1]
                    now = truth.states[device["id"]][-1][1]
                    if shown["isBusy"] or shown["on"] is not now: found.append(f"{device['id']} shows {shown}, and is {now}")
                outcomes = collections.Counter(truth.outcomes[one["requestId"].replace("-", "")][1] for one in log["requests"])
                if outcomes["conflict"]: found.append(f"{outcomes['conflict']} requests ended as a conflict")
                counts += outcomes
                print(f"{bursts} bursts at {latency * 1000:.0f} ms: {dict(outcomes)}, {len(found)} wrong", flush=True)
                assert not found, f"seed {SEED}: " + "; ".join(found[:20])
        assert counts["applied"] and counts["cancelled"], f"the clicks tested too little: {dict(counts)}"
    finally:
        recorder.terminate()
        recorder.wait(timeout=10)


if __name__ == "__main__":
    try: main()
    except (AssertionError, BrowserError, StopIteration) as error: sys.exit(f"{type(error).__name__}: {error}")
