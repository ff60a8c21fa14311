"""The screens of the sites in a real browser, with hostile texts: `python3 Tests/Page/browser/sites_test.py`."""
import json, pathlib, sys, unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from pagecase import PageCase, fake_gateway

LINKS = [json.loads(line) for line in (HERE / "links.txt").read_text(encoding="utf-8").splitlines() if line]
#: Descriptions that evade a text filter: each would run code, fetch, leave the page or cover it, if it got through.
DISGUISED = [
    "<p onclick=alert(1) onmouseover=alert(1) style='position:fixed;inset:0' id=screens class=card>x</p>",
    "<b><script>alert(1)//</b></script>", "<scr<script>ipt>alert(1)</scr</script>ipt>", "<script>alert(1)",
    "<svg><style><img src=x onerror=alert(1)></style></svg>", "<svg></p><style><a id='</style><img src=x onerror=alert(1)>'>",
    "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>", "<math><annotation-xml encoding=text/html><script>alert(1)</script>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<svg><foreignObject><iframe srcdoc='<script>alert(1)</script>'></iframe></foreignObject></svg>",
    "<svg><use href='data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg onload=alert(1)/>#x'/></svg>",
    "<svg><set attributeName=href to=javascript:alert(1)><a><text>x</text></a></svg>",
    "<table><caption><svg><title><style><img src=x onerror=alert(1)></style>", "<select><template><img src=x onerror=alert(1)></template></select>",
    "<noscript><style></noscript><img src=x onerror=alert(1)></style>", "<xmp><p title='</xmp><img src=x onerror=alert(1)>'></xmp>",
    "<plaintext><img src=x onerror=alert(1)>", "<iframe src=/page/session></iframe>", "<iframe name=x src='//127.0.0.1/'></iframe>",
    "<img src=/remote.png>", "<img srcset='/remote.png 1x'>", "<picture><source srcset=/remote.png><img></picture>",
    "<video src=/remote.png poster=/remote.png autoplay></video>", "<audio autoplay src=/remote.png></audio>",
    "<object data=/remote.png></object>", "<embed src=/remote.png>", "<link rel=stylesheet href=/remote.png>",
    "<link rel=preload as=image href=/remote.png>", "<style>body { background: url(/remote.png) }</style>",
    "<p style='background: url(/remote.png)'>x</p>", "<table background=/remote.png><td background=/remote.png>x</table>",
    "<body background=/remote.png>x", "<input type=image src=/remote.png>", "<meta http-equiv=refresh content='0;url=/remote.png'>",
    "<base href=//127.0.0.1/><a href=x>x</a>", "<a href=https://example.com ping=/remote.png>x</a>",
    "<a href=https://example.com onclick=alert(1) style='position:fixed;inset:0' target=_self>x</a>",
    "<form action=/page/session method=post><input name=password><button>Log in</button></form>", "<button popovertarget=screens>x</button>",
    "<dialog open>x</dialog>", "<p id=screens name=location>x</p>", "<a id=alert name=alert href=https://example.com>x</a>",
    "<form><input name=childNodes></form>x", "<form><input name=nodeType><input name=localName><b>x</b></form>",
    "<img name=body><img name=body>x", "<form><input name=namespaceURI><script>alert(1)</script></form>",
    "<img name=getElementById><form id=body name=cookie>", "<x-y is=z contenteditable autofocus onfocus=alert(1) tabindex=1>x</x-y>",
    "<div popover=auto hidden>x</div><details ontoggle=alert(1) open>x</details>", "<template shadowrootmode=open><script>alert(1)</script></template>",
    "<p>" * 3_000 + "x", "<b>" * 2_000 + "deep" + "</b>" * 2_000, "\0<script>alert(1)</script>", "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<script>alert(1)</script>]]>", "<?xml-stylesheet href=/remote.png?>", "<p lang=\"x\" dir=rtl>\u202egnitaeh</p>",
]
ALLOWED = ("A B BDI BLOCKQUOTE BR CAPTION CODE DD DL DT EM H3 H4 HR I LI MARK OL P PRE S SMALL STRONG SUB SUP TABLE TBODY TD"
           " TFOOT TH THEAD TR U UL").split()


class SitesTest(PageCase):
    def open(self, site, name):
        self.browser.visit(f"#/sites/{site}", name, "document.querySelector('.site-screen h1 bdi')?.textContent === arguments[0]"
                           " && document.querySelector('.site-screen .facts')?.innerText.includes(arguments[1])", name, site)

    def test_a_description_is_formatted_and_runs_and_fetches_nothing(self):
        payloads = fake_gateway.PAYLOADS + DISGUISED + [f'<a href="{link}">x</a>' for link in LINKS if '"' not in link]
        self.assertGreaterEqual(len(fake_gateway.PAYLOADS), 40)
        self.assertGreaterEqual(len(DISGUISED), 40)
        self.log_in()
        self.browser.run("window.alert = () => { window.hasRun = true; }; window.hasRun = false; "
                         "performance.setResourceTimingBufferSize(5_000); performance.clearResourceTimings()")
        for n, payload in enumerate(payloads):
            self.fleet.add_site(f"Hostile {n}", description=f"<p><b>begins</b></p>{payload}")
        address = self.browser.run("return location.origin")
        for n, payload in enumerate(payloads):
            self.open(f"Site{n:06d}", f"Hostile {n}")
            seen = self.browser.run("""
                const shown = document.querySelector(".description");
                const all = [...shown.querySelectorAll("*")];
                return {
                    begins: shown.querySelector("p > b")?.textContent,
                    tags: [...new Set(all.map((one) => one.tagName))],
                    attributes: [...new Set(all.flatMap((one) => [...one.attributes].map(({ name }) => `${one.tagName} ${name}`)))],
                    links: [...shown.querySelectorAll("a")].map((one) => [one.protocol, one.rel, one.target]),
                    width: document.documentElement.scrollWidth <= innerWidth,
                };
                """)
            self.assertEqual(seen["begins"], "begins", payload)
            self.assertLessEqual(set(seen["tags"]), set(ALLOWED), payload)
            self.assertLessEqual(set(seen["attributes"]), {"A href", "A rel", "A target"}, payload)
            for protocol, rel, target in seen["links"]:
                self.assertIn(protocol, ["http:", "https:", "mailto:"], payload)
                self.assertEqual((rel, target), ("noopener noreferrer nofollow", "_blank"), payload)
            self.assertTrue(seen["width"], payload)
        self.assertFalse(self.browser.run("return window.hasRun"))
        self.assertEqual(self.browser.run("return location.origin"), address)
        fetched = self.browser.run("return performance.getEntriesByType('resource').map((one) => one.name)")
        self.assertEqual([one for one in fetched if not one.startswith(f"{address}/page/")], [])

    def test_a_description_has_its_form(self):
        self.log_in()
        self.fleet.add_site("Mill", description="<h1>The mill</h1><ul><li>one<li><i>two</i></ul><a href=https://example.com/a>there</a>")
        self.open("Site000000", "Mill")
        self.assertEqual(self.browser.run("return document.querySelector('.description').innerHTML"),
                         '<h3>The mill</h3><ul><li>one</li><li><i>two</i></li></ul>'
                         '<a href="https://example.com/a" rel="noopener noreferrer nofollow" target="_blank">there</a>')

    def test_names_and_addresses_are_text(self):
        self.log_in()
        self.browser.run("window.alert = () => { window.hasRun = true; }; window.hasRun = false")
        for n, payload in enumerate(fake_gateway.PAYLOADS):
            self.fleet.add_site(payload, address=[payload], city=payload, timeZone=payload)
            self.browser.visit(f"#/sites/Site{n:06d}", payload, "document.querySelector('.site-screen h1 bdi')?.textContent === arguments[0]"
                               " && document.querySelector('.facts dd bdi')?.textContent === arguments[0]", payload)
        self.assertFalse(self.browser.run("return window.hasRun"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('.facts img, .facts script').length"), 0)

    def test_the_place_is_on_the_map_and_leads_to_the_users_own(self):
        self.log_in()
        self.fleet.add_site("Mill", latitude=59.9139, longitude=10.7522)
        self.fleet.add_site("Nowhere")
        self.open("Site000000", "Mill")
        self.assertEqual(self.browser.run("const here = document.querySelector('.here');"
                                          "return [here.getAttribute('cx'), here.getAttribute('cy')].map((one) => Math.round(one))"), [382, 60])
        self.assertIn("Oslo", self.browser.text(".world-box .state"))
        links = self.browser.run("return [...document.querySelectorAll('.map-links a')].map((one) => [one.href, one.rel])")
        self.assertEqual(links[0][0], "geo:59.9139,10.7522")
        self.assertEqual(links[1], ["https://www.openstreetmap.org/?mlat=59.9139&mlon=10.7522#map=14/59.9139/10.7522",
                                    "noopener noreferrer"])
        self.open("Site000001", "Nowhere")
        self.assertIn("No location set.", self.browser.text(".world-box"))
        self.assertEqual(self.browser.run("return getComputedStyle(document.querySelector('.world')).display"), "none")
        self.assertIn("No description.", self.browser.text(".site-screen"))

    def test_a_thousand_sites_come_page_by_page_with_the_keyboard(self):
        def opened():
            self.log_in(10_000)
            for n in range(1_000): self.fleet.add_site(f"Site {n:04d}", city="Oslo")
            return self.time_to_rows("#/sites")

        self.quickly("the first of 1,000 sites drawn", 1_000, opened)
        self.assertIn("1,000 sites", self.browser.text(".sites-screen .summary"))
        self.assertEqual(self.browser.run("return document.querySelectorAll('.post-row').length"), 50)
        self.assertIn("Page 1 of 20", self.browser.text(".pages"))
        self.browser.press_at(".pages a[rel=next]", "Enter")
        self.browser.until("the second page", "document.querySelector('.post-title')?.textContent === 'Site 0050'")
        self.browser.press_at(".post-link", "Enter")
        self.browser.until("the site", "document.querySelector('.site-screen h1')?.innerText === 'Site 0050'")
        self.browser.back()
        self.browser.until("the row it came from", "document.activeElement.matches('.post-link')")
        self.assertEqual(self.browser.run("return document.activeElement.textContent"), "Site 0050")

    def test_devices_of_a_site_lead_to_their_screens(self):
        self.log_in()
        self.fleet.add_site("Home")
        self.open("Site000000", "Home")
        links = self.browser.until("its devices", "document.querySelectorAll('.site-screen .entries a').length")
        self.assertEqual(links, sum(one["site"] == "Home" for one in self.fleet.devices.values()))
        name = self.browser.run("const link = document.querySelector('.site-screen .entries a'); link.focus(); return link.innerText")
        self.browser.press("Enter")
        self.browser.until("the device", "document.querySelector('.device-screen h1')?.innerText === arguments[0]", name)

    def test_a_post_about_a_site_is_begun_on_its_screen(self):
        self.log_in()
        name = "<b>Ås</b> & 50 % / one?#"
        self.open(self.fleet.add_site(name), name)
        self.browser.until("the link", "document.querySelector('.site-screen .bar a[href^=\"#/posts/about/site/\"]') !== null")
        self.browser.press_at(".site-screen .bar a[href^=\"#/posts/about/site/\"]", "Enter")
        self.browser.until("the subject of the post", "document.querySelector('.writing-about bdi')?.textContent === arguments[0]", name)
        self.write_title("Painters")
        self.browser.press("Tab", "Tab", "Enter")
        self.browser.until("the post", "document.querySelector('.post-row .line')?.innerText.includes(arguments[0])", name)
        self.assertEqual([(post["device"], post["site"]) for post in self.fleet.posts], [(None, name)])

    def test_each_failure_has_its_own_message(self):
        self.log_in()
        self.fleet.add_site("Home")
        messages = set()
        for n, answer in enumerate([(200, b"{", "application/json"), (200, b'{"site":7}'), (404, b"<p>none</p>", "text/html"),
                                    (503, b"<p>busy <script>alert(1)</script></p>", "text/html"), (403, b"<p>not yours</p>", "text/html")]):
            self.fleet.strange[f"/page/sites/Strange00{n}"] = answer
            self.browser.run("location.hash = `#/sites/${arguments[0]}`", f"Strange00{n}")
            messages.add(self.browser.until(f"why {n}", "document.querySelector('.site-screen h1')?.innerText.includes(arguments[0])"
                                        " && document.querySelector('.site-screen .nothing').innerText !== 'Loading…'"
                                        " && document.querySelector('.site-screen .nothing').innerText", f"Strange00{n}"))
        self.assertEqual(len(messages), 4, messages)
        self.assertEqual(self.browser.run("return document.querySelectorAll('.site-screen .nothing *').length"), 0)

    def test_without_a_network_the_loaded_sites_are_shown(self):
        self.log_in()
        self.fleet.add_site("Home", description="<b>ours</b>")
        self.fleet.add_site("Mill")
        self.browser.visit("#/sites", "the list", "document.querySelectorAll('.post-row').length === 2")
        self.open("Site000000", "Home")
        self.go_offline()
        self.browser.visit("#/sites/Site000001", "that it was never opened", "document.querySelector('.site-screen .nothing').innerText.includes('been loaded on this device')")
        self.browser.visit("#/sites/Site000000", "the description", "document.querySelector('.description b')?.innerText === 'ours'")
        self.browser.visit("#/sites", "the list", "document.querySelectorAll('.post-row').length === 2")
        self.network(offline=False)


if __name__ == "__main__":
    unittest.main(verbosity=2)
