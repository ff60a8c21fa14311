"""The start without a gateway, and with missing files, in a real browser: `python3 Tests/Page/browser/offline_test.py`."""
import pathlib, sys, threading, unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from pagecase import PageCase, fake_gateway

STORED = """(async () => {
    const names = (await caches.keys()).filter((name) => name.startsWith('sensibus-page-'));
    if (names.length !== 1 || (await navigator.serviceWorker.getRegistrations()).some((one) => one.active?.state !== 'activated')) return null;
    const paths = (await (await caches.open(names[0])).keys()).map((one) => new URL(one.url).pathname);
    return paths.length === 0 ? null : { release: names[0], paths };
})()"""


class OfflineTest(PageCase):
    def stored(self, what="stored files", condition="true"):
        return self.browser.until(what, f"{STORED}.then((stored) => stored !== null && ({condition}) ? stored : null)", within=20)

    def begin_gateway(self, fleet=None, sessions=None):
        """Replaces the gateway by another one at the same address."""
        port = self.gateway.server_port
        self.gateway = fake_gateway.Gateway(port, fleet or self.fleet)
        self.gateway.sessions |= sessions or {}
        threading.Thread(target=self.gateway.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.addCleanup(self.gateway.server_close)
        self.addCleanup(self.gateway.shutdown)

    def reload(self, what, condition):
        self.browser.run("window.isOld = true; location.reload()")
        self.browser.until(what, f"window.isOld === undefined && ({condition})", within=20)

    def test_without_a_gateway_the_page_starts_with_the_last_data(self):
        self.log_in()
        self.fleet.write("1", title="A leak", body="In the hall.")
        site = self.fleet.add_site("Home")
        self.fleet.plan(("Kari", -3600, 3600))
        self.browser.run("document.querySelector('button[aria-label=Refresh]').click()")
        self.browser.until("the roster", "document.querySelector('.duty').innerText.includes('Kari')")
        for place, selector in (("#/posts", ".logbook-screen .post-row"), ("#/sites", ".sites .post-row"), ("#/", ".row")):
            self.browser.visit(place, place, "document.querySelector(arguments[0]) !== null", selector)
        self.stored()
        sessions = dict(self.gateway.sessions)
        self.gateway.stop()
        self.reload("the list", "document.querySelectorAll('.row').length > 5 && document.querySelector('.duty').innerText.includes('Kari')")
        enabled = "[...document.querySelectorAll('.switch')].filter((one) => one.ariaDisabled !== 'true').length"
        self.assertEqual(self.browser.run(f"return {enabled}"), 0)
        self.browser.press("/", "not online")
        by_name = "0 of 40 devices · by name only, without a connection"
        self.browser.until("a filter by name", "document.querySelector('.summary').innerText === arguments[0]", by_name)
        self.browser.visit("#/posts", "the logbook", "document.querySelector('.logbook-screen .post-title')?.innerText === 'A leak'")
        self.reload("the same screen", "document.querySelector('.logbook-screen .post-title')?.innerText === 'A leak'")
        self.browser.visit("#/sites", "the sites", "document.querySelector('.sites .post-title')?.innerText === 'Home'")
        self.begin_gateway(sessions=sessions)
        self.browser.visit("#/", "live again", f"document.querySelector('.pill')?.innerText === 'Live' && {enabled} > 5", within=20)
        self.fleet.conditions["not online"] = lambda one: one["presence"] != "online"
        self.browser.press("/", "not online")
        self.browser.until("a filter by condition", "document.querySelector('.summary').innerText === '1 of 40 devices'")

    def test_after_a_log_out_a_start_without_a_gateway_shows_one_sentence(self):
        self.log_in()
        paths = self.stored()["paths"]
        self.assertEqual([one for one in paths if one != "/" and not (fake_gateway.PAGE / one.removeprefix("/page/")).is_file()], [])
        self.log_out()
        self.browser.until("the log-in", "document.querySelector('.login') !== null && localStorage.length === 0")
        self.gateway.stop()
        self.reload("a sentence", "document.querySelector('.login-hint')?.innerText === 'You’re offline, and nothing is stored on this device yet.'")
        self.assertNotIn("Attic", self.browser.run("return document.body.innerText"))
        self.assertTrue(self.browser.run("return document.querySelector('.primary').disabled"))

    def test_another_release_and_another_fleet_at_the_same_address_replace_the_page(self):
        self.log_in()
        before = self.stored()["release"]
        self.gateway.stop()
        other = fake_gateway.Fleet(8, [])
        other.files["style.css"] = (fake_gateway.PAGE / "style.css").read_bytes() + b"\n/* another */\n"
        self.begin_gateway(other)
        self.reload("the log-in, because the other fleet does not know the session", "document.querySelector('.login') !== null")
        self.assertEqual(self.browser.run("return localStorage.length"), 0)
        self.stored("the other release alone", f"stored.release !== '{before}'")
        other.has_release = False
        self.reload("the log-in", "document.querySelector('.login') !== null")
        self.browser.until("a server without a release header leaves no cache", "caches.keys().then((all) => all.length === 0)")

    def test_without_a_module_the_page_shows_a_sentence_and_a_reload_button(self):
        self.serve()
        self.fleet.missing = {"device/plot.js"}
        self.browser.run("location.reload()")
        self.browser.until("a sentence", "document.querySelector('#loading [role=alert]')?.innerText === 'This page couldn’t be loaded completely.'")
        self.fleet.missing = set()
        self.browser.click("#loading button")
        self.browser.until("the log-in", "document.querySelector('.login') !== null")


if __name__ == "__main__":
    unittest.main(verbosity=2)
