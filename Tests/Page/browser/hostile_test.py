"""The page in a real browser, with a misbehaving gateway: `python3 Tests/Page/browser/hostile_test.py`."""
import pathlib, sys, time, unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from pagecase import PageCase, fake_gateway

SWITCH = "[...document.querySelectorAll('.row')].find((row) => row.innerText.includes(arguments[0]))?.querySelector('.switch')"


class HostileTest(PageCase):
    def device(self, name): return next(one for one in self.fleet.devices.values() if one["name"] == name)

    def find(self, text):
        """Types into the search field, as a user would."""
        self.browser.run("document.querySelector('.search').focus(); document.querySelector('.search').select()")
        self.browser.press(text)
        self.browser.until(f"{text} is found", SWITCH, text)

    def test_errors_of_the_gateway_are_text(self):
        self.serve()
        self.browser.press("demo@sensibus.local", "Enter", "wrong", "Enter")
        text = self.browser.until("an error", "document.querySelector('.login-error').innerText")
        self.assertIn("Wrong email or password.", text)
        self.assertNotIn("alert", text)
        self.assertEqual(self.browser.run("return document.querySelectorAll('.login-error *').length"), 0)

    def test_errors_of_sign_up_and_reset_are_text_and_fit_a_phone(self):
        self.serve()
        self.browser.size(360, 740, phone=True)
        for place, typed, message in (("signup", ("ann@example.com", "Enter", "wrong words", "Enter", "wrong words", "Enter"), "Wrong email"),
                                      ("reset", ("0" * 64, "Enter", "new words", "Enter", "new words", "Enter"), "This code is invalid")):
            self.browser.visit(f"#/{place}", place, "document.activeElement?.id.startsWith(arguments[0])", place)
            self.browser.until("the notice", "document.querySelector('.bulletin.shown')?.innerText.startsWith('Connected: the gateway answered in ')")
            self.browser.press(*typed)
            self.browser.until("that it was sent", "document.querySelector('.popup.shown')?.innerText === 'Message sent'")
            self.browser.until("an error", "document.querySelector('.login-error').innerText.startsWith(arguments[0])", message)
            self.assertNotIn("alert", self.browser.text(".login-error"))
            self.assertEqual(self.browser.run("return document.querySelectorAll('.login-error *').length"), 0)
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 360)
            self.browser.visit("#/", "the login", "document.querySelector('.login .logo') !== null")

    def test_names_are_text_and_isolated(self):
        self.log_in(len(fake_gateway.SPECIAL + fake_gateway.HOSTILE))
        for name in fake_gateway.HOSTILE:
            if not name.strip("\u200b"): continue
            device = self.device(name)
            shown = self.browser.until(name, "[...document.querySelectorAll('.row-link .name')]"
                                       ".find((one) => one.textContent === arguments[0])?.textContent", name)
            self.assertEqual(shown, name)
            self.assertTrue(self.browser.run(
                "return document.querySelector(`a[href$='${arguments[0]}'] bdi`).matches('bdi')"
                " && getComputedStyle(document.querySelector(`a[href$='${arguments[0]}'] bdi`)).unicodeBidi === 'isolate'",
                device["id"]), name)
        self.assertEqual(self.browser.run("return document.querySelectorAll('.rows img, .rows script').length"), 0)
        unseen = next(one for one in self.fleet.devices.values() if one["name"] == "\u200b\u200b")
        self.assertEqual(self.browser.text(f"a[href$='{unseen['id']}']"), unseen["id"])

    def test_hostile_names_fit_a_narrow_screen(self):
        self.serve()
        self.browser.size(360, 740, phone=True)
        wide = "return document.documentElement.scrollWidth"
        self.assertLessEqual(self.browser.run(wide), 360)
        self.browser.press("demo@sensibus.local", "Enter", "password", "Enter")
        self.browser.until("the list", "document.querySelectorAll('.row').length > 5")
        self.assertLessEqual(self.browser.run(wide), 360)
        long = self.device(fake_gateway.HOSTILE[4])
        self.browser.visit(f"#/devices/{long['id']}", "the plot", "document.querySelector('.temperature-line') !== null")
        self.assertLessEqual(self.browser.run(wide), 360)
        self.browser.until("all of the bar", "document.querySelector('.pill').getBoundingClientRect().right <= 360")

    def test_ten_thousand_devices_stay_usable(self):
        self.log_in(10_000)
        self.assertIn("10,000 devices", self.browser.text(".summary"))
        self.assertLess(self.browser.run("return document.querySelectorAll('.row').length"), 60)
        self.browser.press_at(".row-link", "End")
        last = sorted(self.fleet.devices.values(), key=lambda one: (one["name"].startswith("غ"), one["name"]))[-1]["name"]
        self.browser.until("the last row has the keyboard", "document.activeElement.textContent === arguments[0]", last)
        self.assertLess(self.browser.run("return document.querySelectorAll('.row').length"), 60)
        self.browser.press("Home")
        self.browser.until("the first row has it", "document.activeElement.closest('.row')?.ariaPosInSet === '1'")
        searches = iter(["office 77", "bedroom 5", "kitchen 3"])
        self.quickly("10,000 devices filtered and drawn", 500, lambda: self.browser.run("""
            const search = document.querySelector('.search');
            const start = performance.now();
            search.value = arguments[0];
            search.dispatchEvent(new Event('input', { bubbles: true }));
            return new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now() - start))));
            """, next(searches)))
        self.assertIn("of 10,000 devices", self.browser.text(".summary"))

    def test_a_key_is_drawn_before_the_next_key(self):
        self.log_in()
        type_into = """
            const field = document.querySelector(arguments[0]);
            field.focus();
            field.value = arguments[1];
            field.dispatchEvent(new Event('input', { bubbles: true }));
            """
        found = self.browser.run(type_into + """
            field.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
            return document.activeElement.textContent;
            """, ".search", "Silent 1")
        self.assertEqual(found, "Silent 1")
        deeper = self.browser.run("""
            document.activeElement.click();
            await new Promise((done) => window.addEventListener('hashchange', done, { once: true }));
            return document.activeElement.matches('.device-screen h1');
            """)
        self.assertTrue(deeper)
        self.browser.back()
        self.open_logbook()
        cannot_send = "return field.form.querySelector('.primary').disabled;"
        self.assertFalse(self.browser.run(type_into + cannot_send, ".writing-title", "A leak"))
        self.browser.press("Tab", "Tab", "Enter")
        self.browser.until("the post", "document.querySelector('.post-title')?.innerText === 'A leak'")

    def test_enter_in_a_title_moves_to_the_text_and_sends_nothing(self):
        self.log_in()
        self.open_logbook()
        self.write_title("A leak")
        self.browser.press("Enter")
        self.browser.until("the focus in the text", "document.activeElement.matches('.writing textarea')")
        self.browser.press("in the hall", "Tab", "Enter")
        self.browser.until("the post", "document.querySelector('.post-title')?.innerText === 'A leak'")
        self.assertEqual([(post["title"], post["body"]) for post in self.fleet.posts], [("A leak", "in the hall")])

    def test_a_toggle_with_a_lost_answer_is_retried_and_applied_once(self):
        self.log_in()
        self.find("Attic 1")
        before = self.device("Attic 1")["version"]
        self.gateway.lost_answers = 2
        self.fleet.listeners.clear()  # So that the stream does not report it either.
        self.browser.run(f"{SWITCH}.click()", "Attic 1")
        self.browser.until("its outcome", "document.querySelector('.notice[data-tone=good]') !== null")
        self.assertEqual(self.gateway.lost_answers, 0)
        self.assertEqual(self.device("Attic 1")["version"], before + 1)
        self.assertEqual(len(self.fleet.outcomes), 1)

    def test_a_pending_toggle_can_be_cancelled(self):
        self.log_in()
        self.find("Silent 1")
        self.browser.run(f"{SWITCH}.click()", "Silent 1")
        self.browser.until("it waits", f"{SWITCH}.ariaBusy === 'true'", "Silent 1")
        self.browser.until("that it was sent", "document.querySelector('.popup.shown')?.innerText === 'Message sent'")
        self.browser.press("ArrowDown", "Enter")
        self.browser.until("the device's screen", "document.querySelector('.pending-bar.shown') !== null")
        self.browser.click(".pending-bar .secondary")
        self.browser.until("the cancel", "document.querySelector('.notice')?.innerText.includes('Nothing changed')")
        self.browser.until("no more waiting", "document.querySelector('.pending-bar.shown') === null")
        self.browser.back()
        self.browser.until("the row it came from", "document.activeElement.matches('.row-link')")
        self.assertEqual(self.browser.run("return document.activeElement.textContent"), "Silent 1")

    def test_a_log_out_cancels_a_toggle_that_waits_for_its_device(self):
        self.log_in()
        self.find("Silent 1")
        self.browser.run(f"{SWITCH}.click()", "Silent 1")
        self.browser.until("it waits", f"{SWITCH}.ariaBusy === 'true'", "Silent 1")
        self.log_out()
        self.browser.until("the log-in", "document.querySelector('.login') !== null")
        end = time.monotonic() + 10
        while self.gateway.sessions and time.monotonic() < end: time.sleep(0.02)
        self.assertEqual((self.gateway.sessions, len(self.fleet.cancelled)), ({}, 1))

    def test_a_rehearsed_connection_is_seen_on_every_screen(self):
        self.log_in()
        popup = "document.querySelector('.popup.shown')?.innerText"
        for place in "", "#/posts":
            self.browser.open("about:blank")
            self.browser.open(f"http://127.0.0.1:{self.gateway.server_port}/?rehearse=7{place}")
            for text, live in (("Connecting…", False), ("Connection established", True), ("Connection error", False)):
                self.browser.until(text, f"{popup} === '{text} (rehearsed)'"
                                   f" && (document.querySelector('.pill').innerText === 'Live') === {str(live).lower()}", within=40)

    def test_the_bulletin_is_short_and_on_one_screen(self):
        self.log_in()
        shown = "document.querySelector('.bulletin.shown')?.innerText"
        height = self.browser.run("return document.querySelector('.rows').getBoundingClientRect().top")
        self.browser.until("how many are online", f"{shown}?.includes(' of 40 online')")
        self.assertEqual(self.browser.run("return document.querySelector('.rows').getBoundingClientRect().top"), height)
        self.browser.until("it leaves", f"{shown} === undefined")
        hostile = self.device(fake_gateway.HOSTILE[0])
        self.fleet.change(hostile["id"], on=not hostile["on"])
        self.browser.until("the bulletin of the change", f"{shown}?.includes(arguments[0])", fake_gateway.HOSTILE[0])
        self.assertEqual(self.browser.run("return document.querySelectorAll('.bulletin img, .bulletin script').length"), 0)
        self.browser.visit("#/posts", "another screen, without it", f"document.querySelector('.logbook-screen') !== null && {shown} === undefined")

    def test_a_rejected_toggle_is_reverted_and_shows_the_reason(self):
        self.log_in()
        self.find("Refusing 1")
        was = self.browser.run(f"return {SWITCH}.ariaChecked", "Refusing 1")
        self.browser.run(f"{SWITCH}.click()", "Refusing 1")
        self.browser.until("why", "document.querySelector('.notice[data-tone=bad]')?.innerText.includes('lacks this code')")
        self.assertEqual(self.browser.run(f"return {SWITCH}.ariaChecked", "Refusing 1"), was)

    def test_without_a_network_a_user_cannot_log_in(self):
        self.serve()
        self.browser.press("demo@sensibus.local", "Enter", "password")
        self.browser.until("the button", "!document.querySelector('.primary').disabled")
        self.network(offline=True)
        self.browser.until("offline", "document.querySelector('.primary').innerText === 'You are offline'")
        self.assertTrue(self.browser.run("return document.querySelector('.primary').disabled"))
        self.network(offline=False)
        self.browser.until("online again", "!document.querySelector('.primary').disabled")

    def test_a_stored_list_survives_the_gateway_but_not_the_session(self):
        self.log_in()
        self.browser.until("it is stored", "localStorage.getItem('sensibus.list') !== null")
        self.go_offline()
        self.assertRegex(self.browser.text(".banner"), r"You’re offline\. Showing the last known state \((just now|. s ago)\)\.")
        enabled = "[...document.querySelectorAll('.switch')].filter((one) => one.ariaDisabled !== 'true').length"
        self.browser.until("switches off", f"{enabled} === 0")
        self.network(offline=False)
        self.browser.until("live", f"document.querySelector('.pill').innerText === 'Live' && {enabled} > 5")
        self.gateway.sessions.clear()
        # A pending toggle may be refused before that, which is fine.
        self.browser.run("document.querySelector('button[aria-label=Refresh]')?.click()")
        self.browser.until("the login", "document.querySelector('.login') !== null")
        self.assertEqual(self.browser.run("return localStorage.length"), 0)
        self.assertEqual(self.browser.run("return document.querySelectorAll('.row').length"), 0)

    def test_pulling_the_list_down_fetches_it(self):
        self.log_in()
        self.browser.size(360, 740, phone=True)
        with self.fleet.lock: self.fleet.devices[self.device("Attic 1")["id"]]["name"] = "A new name"
        self.touch("touchStart", 200)
        for y in range(220, 420, 20): self.touch("touchMove", y)
        self.touch("touchEnd")
        self.browser.until("the list is new", "document.querySelector('.rows').innerText.includes('A new name')")

    def open_logbook(self):
        self.browser.visit("#/posts", "the logbook", "(document.querySelector('.logbook-screen .summary')?.innerText ?? '') !== ''")

    def test_posts_and_comments_are_text(self):
        payloads = fake_gateway.PAYLOADS
        self.assertGreaterEqual(len(payloads), 40)
        self.log_in()
        self.browser.run("window.alert = () => { window.hasRun = true; }; window.hasRun = false")
        for n, payload in enumerate(payloads):
            self.fleet.write(f"{n}", title=payload, body=payload, deviceName=payload, site=payload, author=payload)
            self.fleet.comment(n + 1, f"comment {n}", payload)
        self.open_logbook()
        while self.browser.run("return !document.querySelector('.older').hidden"):
            count = self.browser.run("return document.querySelectorAll('.post-row').length")
            self.browser.click(".older")
            self.browser.until("older posts", "document.querySelectorAll('.post-row').length > arguments[0]", count)
        shown = self.browser.run("return [...document.querySelectorAll('.post-title')].map((one) => one.textContent)")
        self.assertEqual(sorted(shown), sorted(payloads))
        for number, payload in enumerate(payloads, 1):
            self.browser.visit(f"#/posts/{number}", payload, "document.querySelector('.post-screen h1 bdi')?.textContent === arguments[0]", payload)
            self.browser.run("document.querySelector('.post summary').click()")
            comment = self.browser.until(f"the comment {payload}",
                                         "document.querySelector('.comments .post-body')?.textContent ?? ''")
            self.assertEqual(comment, payload)
            self.assertEqual(self.browser.text(".card > .post-body"), self.browser.run(
                "const p = document.createElement('p'); p.style.whiteSpace = 'pre-wrap'; p.textContent = arguments[0];"
                "document.body.append(p); const text = p.innerText; p.remove(); return text", payload))
        self.assertFalse(self.browser.run("return window.hasRun"))
        self.assertEqual(self.browser.run(
            "return document.querySelectorAll('.post img, .post script, .post iframe, .post style, .post form form').length"), 0)

    def test_a_post_written_by_keyboard_is_stored_once_even_if_the_answer_is_lost(self):
        self.log_in()
        self.open_logbook()
        self.gateway.lost_answers = 50  # A browser repeats requests on each connection that was used before.
        self.write_title("A leak")
        self.browser.press("Tab", "in the hall", "Tab", "Enter")
        self.browser.until("that no answer came", "document.querySelector('.writing .login-error').innerText.includes('posted twice')")
        self.assertEqual(self.browser.run("return document.querySelector('.writing-title').value"), "A leak")
        self.gateway.lost_answers = 0
        self.browser.press("Enter")
        self.browser.until("the post", "document.querySelector('.post-title')?.innerText === 'A leak'")
        self.assertEqual(self.browser.run("return document.querySelector('.writing-title').value"), "")
        self.assertEqual(len(self.fleet.posts), 1)

    def test_a_draft_is_stored_at_once_and_does_not_change_while_it_is_typed(self):
        self.log_in()
        self.open_logbook()
        address = self.browser.run("return location.href")
        title = "document.querySelector('.writing-title')"
        stored = "localStorage.getItem('sensibus.draft.0')"

        def type(*keys):
            self.browser.run(f"{title}.focus()")
            self.browser.press(*keys)

        type("Leak")
        self.browser.until("it is stored", f"{stored}?.includes('\"Leak\"')")
        with self.browser.another_tab(address):
            self.browser.until("the typed title", f"{title}?.value === 'Leak' && !document.querySelector('.writing .primary').disabled")
            type("Tab", "Tab", "Enter")
            self.browser.until("it is written", "document.querySelectorAll('.post-row').length === 1")
        self.browser.until("it is removed here, too", f"{title}.value === '' && {stored} === null")
        type("Fire")
        self.browser.until("it is stored", f"{stored}?.includes('\"Fire\"')")
        with self.browser.another_tab(address):
            self.browser.until("the typed title", f"{title}?.value === 'Fire'")
            type("End", "s")
            self.browser.until("it is stored", f"{stored}?.includes('\"Fires\"')")
        self.assertEqual(self.browser.run(f"return {title}.value"), "Fire")
        self.browser.run("location.reload()")
        self.browser.until("the last typed title", f"{title}?.value === 'Fires'")
        self.assertEqual(len(self.fleet.posts), 1)

    def test_a_post_about_a_device_is_begun_on_its_screen(self):
        self.log_in()
        hostile = self.device(fake_gateway.HOSTILE[0])
        self.browser.visit(f"#/devices/{hostile['id']}", "the link", "document.querySelector('.device-screen .bar a[href^=\"#/posts/about/\"]') !== null")
        self.browser.press_at(".device-screen .bar a[href^=\"#/posts/about/\"]", "Enter")
        self.browser.until("the subject of the post", "document.querySelector('.writing-about bdi')?.textContent === arguments[0]", hostile["name"])
        self.write_title("A leak")
        self.browser.press("Tab", "Tab", "Enter")
        self.browser.until("the post", "document.querySelector('.post-row .line')?.innerText.includes(arguments[0])", hostile["name"])
        self.assertEqual([post["device"] for post in self.fleet.posts], [hostile["id"]])
        self.assertTrue(self.browser.run("return document.querySelector('.writing-about').hidden"))
        about = "document.querySelector('.writing-about')"
        self.browser.visit("#/", "the list", "document.querySelector('.list-screen') !== null")
        self.browser.visit(f"#/posts/about/{hostile['id']}", "the subject of the post", f"{about} !== null && !{about}.hidden")
        self.browser.run(f"{about}.querySelector('button').click()")
        self.browser.until("about nothing", f"{about}.hidden")
        self.browser.run("window.isOld = true; location.reload()")
        self.browser.until("the logbook", "window.isOld === undefined && document.querySelector('.writing')?.hidden === false")
        self.assertTrue(self.browser.run(f"return {about}.hidden"))

    def test_without_a_network_the_loaded_part_of_the_logbook_is_shown(self):
        self.log_in()
        for n in range(3):
            self.fleet.write(f"{n}", title=f"Post {n + 1}", body=f"words of {n + 1}")
            self.fleet.comment(n + 1, f"comment {n}", f"about {n + 1}")
        self.open_logbook()
        self.browser.visit("#/posts/2", "the post", "document.querySelector('.post-screen h1')?.innerText === 'Post 2'")
        self.assertEqual(self.browser.text(".post summary"), "1 comment")
        self.assertFalse(self.browser.run("return document.querySelector('.post details').open"))
        self.browser.run("document.querySelector('.post summary').click()")
        self.browser.until("the comment", "document.querySelector('.comments .post-body')?.innerText === 'about 2'")
        self.go_offline()
        self.browser.visit("#/posts/3", "the other post", "document.querySelector('.card > .post-body')?.innerText === 'words of 3'")
        self.browser.run("document.querySelector('.post summary').click()")
        self.browser.until("that its comments were not read", "document.querySelector('.post').innerText.includes('available offline')")
        self.assertTrue(self.browser.run("return document.querySelector('.writing .primary').disabled"))
        self.network(offline=False)

    def test_without_a_network_an_unread_logbook_is_a_sentence_and_nothing_else(self):
        self.log_in()
        self.go_offline()
        self.browser.visit("#/posts", "a sentence", "document.querySelector('.logbook-screen .nothing')?.innerText.includes('been loaded on this device')")
        parts = ".banner:not([hidden]), .summary:not([hidden]), .writing:not([hidden]), .posts:not([hidden]), .older:not([hidden])"
        self.assertEqual(self.browser.run("return document.querySelectorAll(arguments[0]).length", parts), 0)
        self.network(offline=False)

    def test_five_thousand_posts_open_at_once(self):
        def opened():
            self.log_in()
            for n in range(5_000): self.fleet.write(f"{n}", title=f"Post {n + 1}", body="words " * 20)
            return self.time_to_rows("#/posts")

        self.quickly("the newest of 5,000 posts drawn", 1_000, opened)
        self.assertIn("5,000 posts", self.browser.text(".summary"))

    def test_reduced_motion_is_respected(self):
        self.log_in()
        self.browser.prefer("light", motion="reduce")
        durations = self.browser.run(
            "const style = getComputedStyle(document.querySelector('.row'));"
            "document.querySelector('.screen').classList.add('enters-deeper');"
            "return [style.transitionDuration, getComputedStyle(document.querySelector('.screen')).animationDuration]")
        self.assertEqual(durations, ["0.001s", "0.001s"])

    def touch(self, kind, y=None):
        self.browser.chrome("Input.dispatchTouchEvent", type=kind, touchPoints=[] if y is None else [{"x": 180, "y": y}])


if __name__ == "__main__":
    unittest.main(verbosity=2)
