"""The page in a real browser, with a real fleet: `journey_test.py URL RUN-DIRECTORY FLEET-EXECUTABLE`.

The fleet has a device of each name in NAMES, and runs in a directory of its own. Everything is done with the keyboard.
"""
import json, os, pathlib, signal, subprocess, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from webdriver import BrowserError, browser

HOSTILE = "<img src=x onerror=alert(1)>"
# Each with the text that is typed to find it, including right-to-left text and characters without a key.
NAMES = {HOSTILE: HOSTILE, "غرفة <b>7</b>": "<b>7", "Café ☕ 🔥": "Café", "\"><script>alert(1)</script>": "</script>"}
ROW = "[...document.querySelectorAll('.row')].find((row) => row.querySelector('.name').textContent === arguments[0])"
SWITCH = f"{ROW}?.querySelector('.switch')"
# A row, not the heading of the device's own screen, which has the same text.
HAS_KEYBOARD = "document.activeElement.matches('.row-link') && document.activeElement.textContent === arguments[0]"
ENABLED = "[...document.querySelectorAll('.switch')].filter((one) => one.ariaDisabled !== 'true').length"
PILL = "document.querySelector('.pill').innerText"


class Journey:
    def __init__(self, page, url, directory, fleet):
        self.page, self.url, self.directory, self.executable = page, url, pathlib.Path(directory), fleet

    def fleet(self, *arguments):
        """Runs a command, as a user in another terminal would."""
        done = subprocess.run([self.executable, *arguments, "--run-dir", str(self.directory)], capture_output=True,
                              text=True, timeout=60)
        return done.stdout

    def device(self, name):
        devices = map(json.loads, self.fleet("devices", "--json").splitlines())
        return next(one for one in devices if one["name"] == name)

    def process(self, name):
        return next(one["pid"] for one in json.loads(self.fleet("status", "--json"))["processes"] if one["name"] == name)

    def find(self, name, typed=None):
        """Types a name, or a part of it, into the search field, and moves down to its row."""
        self.page.press("/")
        self.page.run("document.querySelector('.search').select()")
        self.page.press(typed or name)
        self.page.until(f"{name} is found", f"{ROW}?.ariaPosInSet === '1'", name)
        self.page.press("ArrowDown")
        self.page.until(f"{name} has the keyboard", HAS_KEYBOARD, name)

    def show_all(self):
        self.page.press("/")
        self.page.press("Escape")
        self.page.until("all devices", "document.querySelectorAll('.row').length > 5")

    def shows(self, what, text, tone, within=15):
        """Waits for a message."""
        self.page.until(what, "[...document.querySelectorAll(`.notice[data-tone=${arguments[1]}]`)]"
                        ".some((one) => one.innerText.includes(arguments[0]))", text, tone, within=within)

    def logs_in(self):
        password = (self.directory / "demo-password").read_text().strip()
        self.page.open(self.url)
        self.page.until("the login", "document.activeElement?.id === 'email'")
        self.page.press("demo@sensibus.local", "Enter", "not it", "Enter")
        error = self.page.until("an error", "document.querySelector('.login-error').innerText")
        assert "<" not in error, error
        self.page.run("document.activeElement.select()")
        self.page.press(password, "Enter")
        self.page.until("the list", f"document.querySelectorAll('.row').length > 5 && {PILL} === 'Live'")
        self.page.run("window.isSamePage = true")

    def shows_names_as_text(self):
        for name, typed in NAMES.items():
            self.find(name, typed)
            assert self.page.run("return document.querySelectorAll('.rows img, .rows b, .rows script').length") == 0, name
            assert self.page.run(f"return {ROW}.querySelector('.name').closest('bdi') !== null", name), name
            self.page.press("Enter")
            self.page.until("its screen", "document.querySelector('.device-screen h1')?.innerText === arguments[0]", name)
            assert self.page.run("return document.querySelectorAll('.device-screen h1 *:not(bdi)').length") == 0, name
            self.page.back()
            self.page.until("its row", HAS_KEYBOARD, name)
            self.show_all()

    def filters_as_the_command_does(self):
        """Compares the number of devices with `fleet devices --filter`; the conditions do not change meanwhile."""
        for text in ["on", "site:* and not off", "bedroom*", "device \"Bedroom 2\" online", "node node-1 and target >= 22", "kitchen 2"]:
            count = len(self.fleet("devices", "--json", "--filter", text).splitlines())
            assert 0 < count <= 60, (text, count)
            self.page.press("/")
            self.page.run("document.querySelector('.search').select()")
            self.page.press(text)
            self.page.until(f"{count} devices for {text}", "document.querySelector('.summary').innerText === arguments[0]", f"{count} of 60 devices")
        self.show_all()

    def toggles(self, name="Living Room 2"):
        before = self.device(name)
        self.find(name)
        self.page.press("Tab", "Space")
        self.shows("its outcome", name, "good")
        self.page.until("its new state", f"{SWITCH}.ariaChecked === arguments[1]", name, str(not before["on"]).lower())
        after = self.device(name)
        assert after["on"] is not before["on"] and after["version"] == before["version"] + 1, (before, after)
        self.show_all()

    def shows_changes_by_others(self, name="Bedroom 2"):
        self.find(name)
        was = self.page.run(f"return {SWITCH}.ariaChecked", name)
        self.fleet("toggle", name)
        self.page.until("the other user's change", f"{SWITCH}.ariaChecked !== arguments[1]", name, was)
        self.show_all()

    def continues_after_another_tab(self, name="Bedroom 3"):
        """A hidden tab has no stream; shown again, it continues at its position and fetches no list."""
        lists = "performance.getEntriesByType('resource').filter((one) => one.name.endsWith('/page/devices')).length"
        self.find(name)
        self.fleet("toggle", name)
        self.page.until("a position in the stream", f"{SWITCH}.ariaChecked === arguments[1]", name, str(self.device(name)["on"]).lower())
        was = self.page.run(f"return {SWITCH}.ariaChecked", name)
        self.page.run("performance.clearResourceTimings();"
                      "document.addEventListener('visibilitychange', () => { window.wasHidden ||= document.hidden; })")
        with self.page.another_tab("about:blank"): self.fleet("toggle", name)
        self.page.until("the change made while hidden", f"{SWITCH}.ariaChecked !== arguments[1]", name, was)
        self.page.until("live", f"{PILL} === 'Live'")
        assert self.page.run("return window.wasHidden") is True
        assert self.page.run(f"return {lists}") == 0, "it fetched the list"
        self.show_all()

    def shows_a_failure(self, name="Kitchen 2"):
        self.fleet("inject", "hang", name, "--for", "1m")
        self.find(name)
        was = self.page.run(f"return {SWITCH}.ariaChecked", name)
        self.page.press("Tab", "Space")
        self.page.until("the expected state", f"{SWITCH}.ariaBusy === 'true' && {SWITCH}.ariaChecked !== arguments[1]", name, was)
        self.shows("the reason", "respond in time", "bad")
        self.page.until("the previous state", f"{SWITCH}.ariaChecked === arguments[1]", name, was)
        self.show_all()

    def shows_a_conflict(self, name="Kitchen 3"):
        """The gateway is delayed, and another client changes the device first: the page's toggle has an old version."""
        self.find(name)
        was = self.page.run(f"return {SWITCH}.ariaChecked", name)
        gateway = self.process("gateway")
        os.kill(gateway, signal.SIGSTOP)
        try:
            self.fleet("toggle", name)
            self.page.press("Tab", "Space")
            self.page.until("the expected state", f"{SWITCH}.ariaBusy === 'true'", name)
        finally:
            os.kill(gateway, signal.SIGCONT)
        self.shows("why", "Already changed", "bad")
        self.page.until("the change", f"{SWITCH}.ariaChecked !== arguments[1] && {SWITCH}.ariaBusy !== 'true'", name, was)
        assert self.device(name)["on"] is (was == "false")
        self.show_all()

    def cancels_a_pending_toggle(self, name="Office 2"):
        self.fleet("inject", "hang", name, "--for", "1m")
        self.find(name)
        self.page.press("Enter")
        self.page.until("the device's screen", "document.querySelector('.device-screen h1')?.innerText === arguments[0]", name)
        for _ in range(10):
            if self.page.run("return document.activeElement.classList.contains('large')"): break
            self.page.press("Tab")
        self.page.press("Space")
        self.page.until("it waits", "document.querySelector('.pending-bar.shown') !== null")
        self.page.press("Tab", "Enter")
        self.page.until("an answer", "document.querySelector('.notice') !== null")
        self.page.until("its outcome", "document.querySelector('.pending-bar.shown') === null", within=15)
        self.fleet("heal")
        self.page.back()
        self.page.until("the row it came from", HAS_KEYBOARD, name)
        self.show_all()

    def survives_the_gateway(self):
        os.kill(self.process("gateway"), signal.SIGKILL)
        self.page.until("offline", f"{PILL} === 'Offline' && {ENABLED} === 0")
        assert self.page.text(".summary").startswith("60 devices"), self.page.text(".summary")
        assert self.page.run("return document.querySelectorAll('.row').length") > 5
        assert "last known state" in self.page.text(".banner"), self.page.text(".banner")
        self.page.until("live again", f"{PILL} === 'Live' && {ENABLED} > 5", within=30)
        assert self.page.run("return window.isSamePage") is True

    def logs_out(self):
        self.page.until("a stored list", "localStorage.getItem('sensibus.list') !== null")
        self.page.press("/")
        self.page.chord("Shift", "Tab")
        self.page.until("the button has the keyboard", "document.activeElement.ariaLabel === 'Log out'")
        self.page.press("Enter")
        self.page.until("the login", "document.querySelector('.login') !== null")
        assert self.page.run("return localStorage.getItem('sensibus.list')") is None
        self.page.until("the gateway has received it", "localStorage.length === 0")
        self.page.open(self.url)
        self.page.until("still logged out", "document.querySelector('.login') !== null")


def main():
    url, directory, fleet = sys.argv[1:]
    with browser() as page:
        journey = Journey(page, url, directory, fleet)
        steps = [journey.logs_in, journey.shows_names_as_text, journey.filters_as_the_command_does, journey.toggles, journey.shows_changes_by_others,
                 journey.continues_after_another_tab, journey.shows_a_failure, journey.shows_a_conflict, journey.cancels_a_pending_toggle, journey.survives_the_gateway, journey.logs_out]
        for step in steps:
            step()
            print("done:", step.__name__, flush=True)


if __name__ == "__main__":
    try: main()
    except (AssertionError, BrowserError, StopIteration) as error: sys.exit(f"{type(error).__name__}: {error}")
