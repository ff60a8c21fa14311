"""The roster in a real browser: `python3 Tests/Page/browser/roster_test.py`."""
import pathlib, sys, time, unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from pagecase import PageCase, fake_gateway

DUTY = "document.querySelector('.list-screen .duty')"


class RosterTest(PageCase):
    def refresh(self): self.browser.run("document.querySelector('.screen button[aria-label=Refresh]').click()")

    def until_shown(self, what, *texts):
        self.browser.until(what, f"arguments.length > 0 && [...arguments].every((one) => {DUTY}.innerText.includes(one))", *texts)

    def test_it_stands_at_the_top_and_the_keyboard_leads_to_the_rest(self):
        self.log_in()
        self.assertTrue(self.browser.run(f"return {DUTY}.hidden"))
        self.fleet.plan(("Kari", -3600, 3600), ("Ola", 3600, 7200), ("Per", 7200, 9000), message="Mind the step.\nReally.",
                        name="Hotel", isEnforced=True)
        self.refresh()
        self.until_shown("who is on duty", "On duty now: Kari until ", "Mind the step.\nReally.")
        self.browser.run(f"{DUTY}.querySelector('a').focus()")
        self.browser.press("Enter")
        # A row's text exists once it was drawn: `content-visibility` omits the others.
        self.browser.until("the roster", "['Ola', 'Per'].every((who) => "
                           "document.querySelector('.roster-screen .shifts')?.innerText.includes(who))")
        text = self.browser.run("return document.querySelector('.roster-screen').innerText")
        for expected in ["Hotel", "On duty now: Kari until ", "Mind the step.", "Only owners and people on duty", "Ola", "Per"]:
            self.assertIn(expected, text)
        self.assertEqual(self.browser.run("return document.activeElement.textContent"), "Roster")
        self.browser.run("history.back()")
        self.browser.until("the list", "document.querySelector('.list-screen') !== null")

    def test_it_changes_by_itself_when_a_shift_ends(self):
        self.log_in()
        self.fleet.plan(("Kari", -3600, 8), ("Ola", 8, 3600))
        self.refresh()
        self.until_shown("the first", "On duty now: Kari until ")
        self.browser.until("the second", f"{DUTY}.innerText.includes('On duty now: Ola until ')", within=20)
        self.assertLessEqual(self.fleet.rosters_asked, 2, "once at the login, and once for the refresh")

    def test_a_refresh_during_an_older_request_shows_the_current_roster(self):
        self.log_in()
        self.fleet.roster_pause = 1
        self.refresh()
        end = time.monotonic() + 10
        while self.fleet.rosters_asked < 2 and time.monotonic() < end: time.sleep(0.02)
        self.assertEqual(self.fleet.rosters_asked, 2)
        self.fleet.plan(("Kari", -3600, 3600))
        self.refresh()
        self.until_shown("who is on duty", "Kari")

    def test_the_roster_is_stored_and_stays_after_an_error(self):
        self.log_in()
        self.fleet.plan(("Kari", -3600, 3600), message="Mind the step.")
        self.refresh()
        self.until_shown("who is on duty", "Kari")
        self.fleet.strange["/page/roster"] = (200, {"version": "none"})
        self.refresh()
        self.browser.until("three more tries", f"{DUTY}.innerText.includes('Couldn’t load the roster')", within=40)
        self.until_shown("the previous roster", "On duty now: Kari", "Mind the step.")
        self.network(offline=True)
        try:
            self.assertIn("Kari", self.browser.run("return localStorage.getItem('sensibus.roster')"))
        finally:
            self.network(offline=False)
        self.log_out()
        self.browser.until("the login", "document.querySelector('.login') !== null && localStorage.getItem('sensibus.roster') === null")

    def test_the_stored_roster_is_shown_first_at_the_next_start(self):
        self.log_in()
        self.fleet.plan(("Kari", -3600, 3600))
        self.refresh()
        self.until_shown("who is on duty", "Kari")
        self.fleet.strange["/page/roster"] = (503, {})
        self.browser.run("location.reload()")
        self.browser.until("the stored roster", f"{DUTY}?.innerText.includes('On duty now: Kari')")

    def test_names_and_messages_are_text(self):
        self.log_in()
        self.browser.run("window.alert = () => { window.hasRun = true; }; window.hasRun = false")
        self.fleet.plan(*[(payload, -60, 3600 + n) for n, payload in enumerate(fake_gateway.PAYLOADS)],
                        *[(payload, 60 + n, 3600 + n) for n, payload in enumerate(fake_gateway.PAYLOADS)],
                        message="\n".join(fake_gateway.PAYLOADS), name=fake_gateway.PAYLOADS[0])
        self.refresh()
        self.until_shown("all of them", fake_gateway.PAYLOADS[0].strip())
        self.browser.visit("#/roster", "the roster", "document.querySelectorAll('.roster-screen .shifts li').length === arguments[0]",
                           len(fake_gateway.PAYLOADS))
        self.assertFalse(self.browser.run("return window.hasRun"))
        found = "return document.querySelectorAll('.roster-screen :is(img, script, iframe, form, style)').length"
        self.assertEqual(self.browser.run(found), 0)
        self.browser.size(360, 700)
        self.assertTrue(self.browser.run("return document.documentElement.scrollWidth <= innerWidth"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
