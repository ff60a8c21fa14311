"""Sign-up and password reset in a real browser, with a real fleet: `login_test.py URL OUTBOX-DIRECTORY`.

The fleet has sign-up enabled, and writes messages into the directory. Everything is done with the keyboard. Secrets
are written to standard error, a line each, so that a test can look for them in logs.
"""
import pathlib, re, stat, sys, time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from webdriver import SLOWDOWN, BrowserError, browser

EMAIL, FIRST, SECOND = "ann.smith@example.com", "correct horse", "battery staple"
TITLE = "document.querySelector('.login h1')?.innerText"
BUTTON = "document.querySelector('.login .primary')"
POPUP = "document.querySelector('.popup.shown')?.innerText"
PILL = "document.querySelector('.pill')?.innerText"


class Journey:
    def __init__(self, page, url, outbox):
        self.page, self.url, self.outbox = page, url, pathlib.Path(outbox)

    def screen(self, title):
        """Waits for a screen whose first field has the keyboard, and whose button is in the centre."""
        self.page.until(title, f"{TITLE} === arguments[0] && document.activeElement?.tagName === 'INPUT'"
                        " && document.querySelector('.enters-deeper, .enters-back') === null", title)
        box = self.page.run(f"const {{ left, right }} = {BUTTON}.getBoundingClientRect(); return [left, right, innerWidth]")
        assert abs((box[0] + box[1]) / 2 - box[2] / 2) < 1, box

    def presses(self, text):
        """Presses a button that the keyboard reaches."""
        self.page.until("one can go on", "[...document.querySelectorAll('.login-links button')].some((one) => !one.disabled && !one.hidden)")
        for _ in range(8):
            self.page.press("Tab")
            if self.page.run("return document.activeElement.innerText === arguments[0]", text): break
        else: raise AssertionError(f"no {text!r} is reached by the keyboard")
        self.page.press("Enter")

    def shows(self, text):
        self.page.until(text, "[...document.querySelectorAll('.login-success, .login-error, .login-hint')]"
                        ".some((one) => !one.hidden && one.innerText.includes(arguments[0]))", text)

    def logs_out(self):
        """Logs out with the keyboard."""
        self.page.until("it is live", f"{PILL} === 'Live'")
        self.page.press("/")
        self.page.chord("Shift", "Tab")
        self.page.until("the button has the keyboard", "document.activeElement.ariaLabel === 'Log out'")
        self.page.press("Enter")
        self.screen("Sensibus")

    def goes_from_screen_to_screen_and_back(self):
        self.page.open(self.url)
        self.screen("Sensibus")
        self.presses("Sign up")
        self.screen("Sign up")
        self.presses("Forgot password?")
        self.screen("Forgot password")
        self.presses("I have a code")
        self.screen("Reset password")
        for title in "Forgot password", "Sign up", "Sensibus":
            self.page.back()
            self.screen(title)
        self.presses("Forgot password?")
        self.screen("Forgot password")
        self.page.chord("Shift", "Tab")
        self.page.until("the way back has the keyboard", "document.activeElement.ariaLabel === 'Back'")
        self.page.press("Enter")
        self.screen("Sensibus")

    def needs_a_connection_to_move_on(self):
        self.page.open("about:blank")
        self.page.open(f"{self.url}?rehearse=7")
        moves = "document.querySelectorAll('.login-links button:not(:disabled)').length"
        for text, count in (("Connecting…", 0), ("Connection established", 2), ("Connection error", 0)):
            self.page.until(text, f"{POPUP} === '{text} (rehearsed)' && {moves} === {count}", within=30)
        self.page.until("an error", f"{POPUP} === 'Connection error (rehearsed)' && (location.hash = '#/signup')", within=30)
        self.page.until("still the log-in", f"{TITLE} === 'Sensibus' && location.hash === '#/'")
        self.page.until("a connection", f"{moves} === 2", within=30)
        self.page.open("about:blank")

    def signs_up(self):
        self.page.open(self.url)
        self.screen("Sensibus")
        self.page.press(EMAIL)
        self.presses("Sign up")
        self.screen("Sign up")
        self.page.press(FIRST, "Enter", "something else")
        self.shows("don’t match")
        self.page.run("document.activeElement.select()")
        self.page.press(FIRST, "Enter")
        self.page.until("it is in, with no devices", "document.querySelector('.list-screen .nothing')?.innerText"
                        ".includes('no devices yet')")
        account = self.page.text(".account")
        assert re.fullmatch("account-[0-9a-f]{8}", account), account
        assert self.page.run("return location.hash") == "#/"
        self.logs_out()

    def is_refused_a_registered_address(self):
        self.presses("Sign up")
        self.screen("Sign up")
        self.page.run("document.querySelector('#signup-email').value = ''; document.querySelector('#signup-email').focus()")
        self.page.press(EMAIL, "Enter", SECOND, "Enter", SECOND, "Enter")
        self.shows("already registered")

    def asks_for_a_token(self):
        self.presses("Forgot password?")
        self.screen("Forgot password")
        assert self.page.run("return document.querySelector('#forgot-email').value") == EMAIL
        self.page.press("Enter")
        self.screen("Reset password")
        self.shows("If an account exists")
        end = time.monotonic() + 20 * SLOWDOWN
        while not (files := list(self.outbox.glob("*.eml"))):
            assert time.monotonic() < end, "no message came"
        assert len(files) == 1 and stat.S_IMODE(files[0].stat().st_mode) == 0o600, files
        text = files[0].read_text(encoding="utf-8")
        assert f"To: {EMAIL}\n" in text, text
        self.token = re.search("^[0-9a-f]{64}$", text, re.MULTILINE)[0]

    def sets_another_password(self):
        self.page.press("0" * 64, "Enter", SECOND, "Enter", SECOND, "Enter")
        self.shows("This code is invalid")
        self.page.run("document.querySelector('#reset-token').select()")
        self.page.press(self.token, "Enter")
        self.page.press("Enter", "Enter")
        self.screen("Sensibus")
        self.shows("Password changed")
        assert self.page.run("return document.querySelector('#email').value") == EMAIL

    def logs_in_with_it_and_not_with_the_first(self):
        self.page.press(FIRST, "Enter")
        self.shows("Wrong")
        self.page.run("document.activeElement.select()")
        self.page.press(SECOND, "Enter")
        self.page.until("it is in", f"{PILL} === 'Live'")
        stored = self.page.run("return JSON.stringify({ ...localStorage }) + location.href")
        assert not any(secret in stored for secret in (FIRST, SECOND, self.token)), stored


def main():
    with browser() as page:
        journey = Journey(page, *sys.argv[1:])
        for step in [journey.goes_from_screen_to_screen_and_back, journey.needs_a_connection_to_move_on,
                     journey.signs_up, journey.is_refused_a_registered_address, journey.asks_for_a_token,
                     journey.sets_another_password, journey.logs_in_with_it_and_not_with_the_first]:
            step()
            print("done:", step.__name__, flush=True)
        print(FIRST, SECOND, journey.token, sep="\n", file=sys.stderr)


if __name__ == "__main__":
    try: main()
    except (AssertionError, BrowserError) as error: sys.exit(f"{type(error).__name__}: {error}")
