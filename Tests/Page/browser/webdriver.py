"""A browser, controlled by the W3C's WebDriver protocol (https://www.w3.org/TR/webdriver2/) with Python's own library
only.

Every wait has a limit, and the browser ends with its `with`.
"""
import base64, contextlib, json, os, subprocess, tempfile, time, urllib.error, urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Enter": "\ue007", "Tab": "\ue004", "Escape": "\ue00c", "ArrowDown": "\ue015", "ArrowUp": "\ue013",
        "Home": "\ue011", "End": "\ue010", "Space": " ", "Shift": "\ue008"}
SLOWDOWN = int(os.environ.get("SENSIBUS_SLOWDOWN", "1"))
LATE = int(os.environ.get("SENSIBUS_LATE_PAGE", "0"))


class BrowserError(Exception):
    """An action that the driver or the page did not complete."""


@contextlib.contextmanager
def browser(width=900, height=900, dark=False, flags=()):
    """A separate browser: no profile, and only the loopback network."""
    with tempfile.TemporaryDirectory(prefix="sensibus-browser-") as home:
        driver = subprocess.Popen(["chromedriver", "--port=0", "--allowed-ips=127.0.0.1"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  env=os.environ | {"HOME": home, "TMPDIR": home})
        try:
            port = next(line.split()[-1].rstrip(".") for line in driver.stdout if "successfully on port" in line)
            arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                         "--disable-background-networking", "--disable-component-update", "--disable-sync",
                         "--lang=en-GB", f"--window-size={width},{height}", "--hide-scrollbars",
                         f"--user-data-dir={home}/profile", *flags]
            if dark: arguments.append("--blink-settings=preferredColorScheme=0")
            made = call(f"http://127.0.0.1:{port}/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:chromeOptions": {"args": arguments},
                "goog:loggingPrefs": {"browser": "ALL"}}}})
            session = f"http://127.0.0.1:{port}/session/{made['sessionId']}"
            page = Browser(session)
            if LATE > 0: page.is_late(LATE)
            try: yield page
            finally: call(session, method="DELETE")  # A driver that ends leaves its browser running.
        finally:
            driver.terminate()
            driver.wait(timeout=10)
            driver.stdout.close()


def call(url, body=None, method=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer: return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        raise BrowserError(json.load(error)["value"]["message"].split("\n")[0]) from error


class Browser:
    def __init__(self, session): self.session = session

    def open(self, url): call(f"{self.session}/url", {"url": url})

    @contextlib.contextmanager
    def another_tab(self, url):
        """Runs the body in another tab, which is closed at the end."""
        first = self.window("tab")
        try:
            self.open(url)
            yield
        finally: self.close(first)

    def window(self, kind="window"):
        """Opens another window or tab and switches to it; returns the name of the previous one."""
        before = call(f"{self.session}/window")
        self.go_to(call(f"{self.session}/window/new", {"type": kind})["handle"])
        return before

    def windows(self): return call(f"{self.session}/window/handles")

    def go_to(self, window): call(f"{self.session}/window", {"handle": window})

    def close(self, window):
        """Closes the current window and switches to another one."""
        call(f"{self.session}/window", method="DELETE")
        self.go_to(window)

    def run(self, script, *arguments):
        """Runs a function's body in the page; returns its result."""
        return call(f"{self.session}/execute/sync", {"script": script, "args": list(arguments)})

    def chrome(self, command, **parameters):
        """A command of Chrome's own protocol."""
        return call(f"{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def press(self, *keys):
        """Presses keys, one after another, or types a text."""
        actions = []
        for key in keys:
            for letter in [KEYS[key]] if key in KEYS else key:
                actions += [{"type": "keyDown", "value": letter}, {"type": "keyUp", "value": letter}]
        call(f"{self.session}/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def press_at(self, selector, *keys):
        """Gives an element the keyboard, and presses keys."""
        self.run("document.querySelector(arguments[0]).focus()", selector)
        self.press(*keys)

    def chord(self, *keys):
        """Presses keys at the same time."""
        down = [{"type": "keyDown", "value": KEYS[key]} for key in keys]
        up = [{"type": "keyUp", "value": KEYS[key]} for key in reversed(keys)]
        call(f"{self.session}/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": down + up}]})

    def back(self): call(f"{self.session}/back", {})

    def click(self, selector):
        call(f"{self.session}/element/{self.element(selector)}/click", {})

    def element(self, selector):
        return call(f"{self.session}/element", {"using": "css selector", "value": selector})[ELEMENT]

    def text(self, selector): return self.run("return document.querySelector(arguments[0])?.innerText ?? null", selector)

    def until(self, what, condition, *arguments, within=10):
        """Waits until a JavaScript expression holds, and returns its value."""
        end = time.monotonic() + within * SLOWDOWN
        while True:
            value = self.run(f"return {condition}", *arguments)
            if value: return value
            if time.monotonic() > end:
                seen = self.run("return document.body.innerText.slice(0, 600)")
                raise BrowserError(f"not within {within} s: {what}; to be seen: {seen!r}; {self.complaints()}")
            time.sleep(0.02)

    def visit(self, place, what, condition, *arguments, within=10):
        """Opens a screen by its address, and waits for it like `until`."""
        self.run("location.hash = arguments[0]", place)
        return self.until(what, condition, *arguments, within=within)

    def complaints(self):
        """The browser's console messages."""
        return [one["message"] for one in call(f"{self.session}/se/log", {"type": "browser"})]

    def picture(self, path):
        with open(path, "wb") as file: file.write(base64.b64decode(call(f"{self.session}/screenshot")))

    def is_late(self, milliseconds):
        """From the next page on, delays each frame and each request by that time."""
        self.chrome("Page.addScriptToEvaluateOnNewDocument", source=f"""
            const {{ requestAnimationFrame: frame, fetch: ask }} = window;
            window.requestAnimationFrame = (draw) => setTimeout(() => frame(draw), {milliseconds});
            window.fetch = async (...all) => {{
                await new Promise((done) => setTimeout(done, {milliseconds}));
                return ask(...all);
            }};
            """)

    def size(self, width, height, phone=False):
        self.chrome("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def prefer(self, scheme, motion="no-preference"):
        self.chrome("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
                                                            {"name": "prefers-reduced-motion", "value": motion}])
