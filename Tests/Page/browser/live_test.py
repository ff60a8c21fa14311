"""The page's stream and its toggles in a browser: several windows, hidden tabs, reloads, and the start of a page."""
import pathlib, sys, time, unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from pagecase import PageCase
from webdriver import SLOWDOWN

LIVE = "document.querySelector('.pill')?.innerText === 'Live' && document.querySelectorAll('.row').length > 5"
SWITCH = "[...document.querySelectorAll('.row')].find((row) => row.innerText.includes(arguments[0]))?.querySelector('.switch')"
# Records every text that a page shows about its connection, from its start.
RECORD = """
    window.shown = [];
    const record = () => {
        for (const one of document.querySelectorAll(".pill, .banner:not([hidden]), .popup.shown")) {
            const text = `${one.dataset.tone} ${one.textContent}`;
            if (one.textContent !== "" && !window.shown.includes(text)) window.shown.push(text);
        }
    };
    new MutationObserver(record).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
"""


class LiveTest(PageCase):
    def device(self, name): return next(one for one in self.fleet.devices.values() if one["name"] == name)

    def eventually(self, what, holds, within=10):
        end = time.monotonic() + within * SLOWDOWN
        while not holds():
            if time.monotonic() > end: self.fail(f"not within {within} s: {what}")
            time.sleep(0.02)

    def switch(self, name): return self.browser.until(name, f"{SWITCH}?.ariaChecked", name)

    def change(self, name):
        """Switches a device as another client would; returns the state that its switch must show."""
        device = self.device(name)
        self.fleet.change(device["id"], on=not device["on"])
        return str(device["on"]).lower()

    def shows(self, name, checked): self.browser.until(f"{name} is {checked}", f"{SWITCH}?.ariaChecked === arguments[1]", name, checked)

    def test_eight_windows_have_one_stream_and_one_that_closes_hands_it_on(self):
        self.log_in()
        url = self.browser.run("return location.href")
        first = self.browser.windows()[0]
        for number in range(7):
            self.browser.window()
            self.browser.open(url)
            self.browser.until(f"window {number + 2} is live", LIVE)
        self.assertEqual(self.fleet.streams_opened, 1)
        checked = self.change("Attic 1")
        for window in self.browser.windows():
            self.browser.go_to(window)
            self.shows("Attic 1", checked)
        others = [one for one in self.browser.windows() if one != first]
        self.browser.go_to(others[0])
        remaining = self.browser.window()
        asked, opened = self.fleet.lists_asked, self.fleet.streams_opened
        self.browser.go_to(first)
        self.browser.close(remaining)
        self.eventually("another window has the stream", lambda: self.fleet.streams_opened > opened)
        self.eventually("the first stream is closed", lambda: self.fleet.beat() == 1)
        checked = self.change("Attic 1")
        for window in others:
            self.browser.go_to(window)
            self.shows("Attic 1", checked)
        self.assertEqual(self.fleet.streams_opened, opened + 1)
        self.assertEqual(self.fleet.lists_asked, asked, "no message was missed, so no list is fetched")
        for window in self.browser.windows()[1:]:
            self.browser.go_to(window)
            self.browser.close(self.browser.windows()[0])

    def test_a_hidden_tab_has_no_stream_and_misses_nothing(self):
        self.log_in()
        self.browser.until("live", LIVE)
        self.shows("Attic 1", self.change("Attic 1"))
        asked = self.fleet.lists_asked
        with self.browser.another_tab("about:blank"):
            self.eventually("the stream is closed", lambda: self.fleet.beat() == 0)
        self.browser.until("live again", LIVE)
        self.shows("Attic 1", self.change("Attic 1"))
        self.assertEqual(self.fleet.lists_asked, asked, "the stream continued at its position")
        with self.browser.another_tab("about:blank"):
            self.eventually("the stream is closed", lambda: self.fleet.beat() == 0)
            checked = self.change("Attic 1")
        self.shows("Attic 1", checked)
        self.assertEqual(self.fleet.lists_asked, asked + 1)
        self.assertEqual(self.fleet.beat(), 1)

    def test_a_reload_remembers_a_pending_toggle(self):
        self.log_in(12)
        self.fleet.slow_wait = True
        before = self.device("Slow 1")["on"]
        self.browser.run(f"{SWITCH}.click()", "Slow 1")
        self.browser.until("it waits", f"{SWITCH}.ariaBusy === 'true'", "Slow 1")
        self.browser.run("location.reload()")
        self.browser.until("it still waits", f"{SWITCH}?.ariaBusy === 'true' && {SWITCH}.ariaChecked === arguments[1]",
                           "Slow 1", str(not before).lower())
        self.fleet.slow_wait = False
        self.browser.until("its outcome", "document.querySelector('.notice[data-tone=good]')?.innerText.includes('Turned')")
        self.browser.until("no more waiting", f"{SWITCH}.ariaBusy === 'false'", "Slow 1")
        self.assertEqual(self.switch("Slow 1"), str(not before).lower())
        self.assertEqual(len(self.fleet.outcomes), 1)
        stored = "return Object.keys(localStorage).filter((key) => key.startsWith('sensibus.command.'))"
        self.assertEqual(self.browser.run(stored), [])

    def test_a_press_on_a_pending_switch_cancels_it(self):
        self.log_in(12)
        self.fleet.slow_wait = True
        before = self.switch("Slow 1")
        self.browser.run(f"{SWITCH}.click()", "Slow 1")
        self.browser.until("it waits", f"{SWITCH}.ariaBusy === 'true'", "Slow 1")
        self.assertEqual(self.browser.run(f"return {SWITCH}.title", "Slow 1"), "Switching… Press again to cancel.")
        self.browser.run(f"{SWITCH}.click()", "Slow 1")
        self.browser.until("it is cancelled", "document.querySelector('.notice')?.innerText.includes('Cancelled. Nothing changed.')")
        self.browser.until("the old state", f"{SWITCH}.ariaBusy === 'false' && {SWITCH}.ariaChecked === arguments[1]", "Slow 1", before)

    def test_the_row_has_the_state_of_the_reply_while_the_stream_is_late(self):
        self.log_in()
        self.fleet.stream_pause = 0.5
        self.browser.run(f"""
            const one = {SWITCH};
            window.settled = [];
            new MutationObserver(() => one.ariaBusy === "true" || window.settled.push(one.ariaChecked))
                .observe(one, {{ attributes: true }});
            one.click();
            """, "Attic 1")
        self.browser.until("its outcome", "document.querySelector('.notice[data-tone=good]') !== null")
        self.browser.run(f"{SWITCH}.click()", "Attic 1")
        self.browser.until("both outcomes", "document.querySelectorAll('.notice[data-tone=good]').length === 2")
        self.fleet.change(self.device("Attic 1")["id"], temperature=30)
        self.browser.until("the stream", "[...document.querySelectorAll('.row')].some((row) => row.innerText.includes('30.0'))")
        settled = self.browser.run("return window.settled.filter((one, index, all) => one !== all[index - 1])")
        on = str(self.device("Attic 1")["on"]).lower()
        self.assertEqual(settled, ["false" if on == "true" else "true", on])
        self.assertEqual({end["kind"] for end in self.fleet.outcomes.values()}, {"applied"})

    def test_a_condition_filters_live_and_a_mistake_is_shown(self):
        self.log_in()
        help_shown = "getComputedStyle(document.querySelector('.filter-help')).visibility === 'visible'"
        self.browser.press("/")
        self.browser.until("the help of the empty field", help_shown)
        text = "not online and site:home"
        problem = "column 43: unexpected end of the condition; allowed: a number with one decimal at most, such as 26 or 26.5"
        self.fleet.conditions[text] = lambda one: one["presence"] != "online" and one["site"] == "Home"
        self.fleet.problems[f"{text} and temperature >"] = problem
        self.browser.press(text)
        self.browser.until("no help over the list", f"!({help_shown})")
        chosen = [one["name"] for one in self.fleet.devices.values() if one["presence"] != "online" and one["site"] == "Home"]
        self.browser.until("its number", "document.querySelector('.summary').innerText === arguments[0]", f"{len(chosen)} of 40 devices")
        device = next(one for one in self.fleet.devices.values() if one["presence"] == "online" and one["site"] == "Home")
        self.fleet.change(device["id"], presence="offline", presenceReason="disconnected")
        self.browser.until("one more", "document.querySelector('.summary').innerText === arguments[0]", f"{len(chosen) + 1} of 40 devices")
        self.browser.press(" and temperature >")
        self.browser.until("the mistake", "document.querySelector('.filter-problem').innerText === arguments[0]", f"This isn’t a condition: {problem}.")
        self.assertEqual(self.browser.run("return document.querySelector('.search').ariaInvalid"), "true")
        self.browser.press(" 0")
        self.browser.until("no mistake", "document.querySelector('.filter-problem').hidden")
        self.browser.press("Escape")
        self.browser.until("all devices", "document.querySelector('.summary').innerText.startsWith('40 devices')")

    def test_a_loading_page_and_one_without_a_controller_are_not_offline(self):
        self.log_in()
        self.browser.until("the stored list", "localStorage.getItem('sensibus.list') !== null")
        self.fleet.session_pause = 0.3
        script = self.browser.chrome("Page.addScriptToEvaluateOnNewDocument", source=RECORD)
        self.addCleanup(self.browser.chrome, "Page.removeScriptToEvaluateOnNewDocument", **script)
        self.browser.run("location.reload()")
        self.browser.until("live", f"window.shown?.some((one) => one.endsWith('Live')) && {LIVE}")
        shown = self.browser.run("return window.shown")
        self.assertEqual([one for one in shown if one.startswith("bad")], [])
        self.fleet.has_controller = False
        self.browser.run("delete window.shown; location.reload()")
        self.browser.until("no controller", "window.shown?.includes('bad No controller')")
        shown = self.browser.run("return window.shown")
        self.assertTrue(any("The controller isn’t responding. Showing the last known state" in one for one in shown), shown)
        self.assertFalse(any("ffline" in one for one in shown), shown)
        self.fleet.has_controller = True
        self.browser.until("live again", LIVE)


if __name__ == "__main__":
    unittest.main(verbosity=2)
