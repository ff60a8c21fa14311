"""Overlaps and clipped text in a real browser, also with large text: `python3 Tests/Page/browser/layout_test.py`."""
import base64, pathlib, struct, sys, unittest, zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from pagecase import PageCase

# Pairs of overlapping texts, and texts that are cut off at the bottom.
OVERLAPS = """
    const shown = (node) => node.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
    const texts = [];
    const walk = document.createTreeWalker(document.querySelector('.screen'), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const node = walk.currentNode;
        if (node.data.trim() === '' || !shown(node.parentElement) || node.parentElement.closest('svg')) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) {
            // Text that is cut off at the side ends with an ellipsis.
            const right = Math.min(box.right, ...ancestors(node).map((one) => one.getBoundingClientRect().right));
            if (right - box.left > 1) texts.push({ node, box, right, bar: node.parentElement.closest('.bar') });
        }
    }
    function ancestors(node) {
        const found = [];
        for (let one = node.parentElement; one !== null; one = one.parentElement) {
            if (getComputedStyle(one).overflowX !== 'visible') found.push(one);
        }
        return found;
    }
    const wrong = [];
    for (const one of texts) for (const other of texts) {
        if (one.node === other.node || one.bar !== other.bar || texts.indexOf(one) > texts.indexOf(other)) continue;
        const width = Math.min(one.right, other.right) - Math.max(one.box.left, other.box.left);
        const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        // The boxes of lines may overlap a little: a box is higher than its letters.
        if (width > 2 && height > 0.3 * Math.min(one.box.height, other.box.height)) {
            wrong.push(`${one.node.data} / ${other.node.data}`);
        }
    }
    for (const row of document.querySelectorAll('.row, .pill, .primary, .secondary')) {
        if (shown(row) && row.scrollHeight > row.clientHeight + 1) wrong.push(`cut off: ${row.innerText}`);
    }
    const width = document.documentElement.scrollWidth;
    if (width > innerWidth) wrong.push(`${width} pixels wide`);
    return wrong;
    """
# The number of visible switches that a message or the popup covers.
COVERED = """
    const boxes = [...document.querySelectorAll('.notice, .popup.shown')].map((one) => one.getBoundingClientRect());
    return [...document.querySelectorAll('.switch')].map((one) => one.getBoundingClientRect()).filter((one) => boxes.some((box) =>
        box.left < one.right && box.right > one.left && box.top < one.bottom && box.bottom > one.top)).length;
    """


def luminances(png):
    """The WCAG luminance of each pixel of a PNG with eight bits per channel."""
    at, data = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        if kind == b"IHDR": width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        if kind == b"IDAT": data += body
        at += length + 12
    assert depth == 8 and colour in (2, 6), (depth, colour)
    size = 3 if colour == 2 else 4
    raw, before = zlib.decompress(data), bytes(width * size)
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (n / 255 for n in range(256))]
    for row in range(height):
        start = row * (width * size + 1)
        how, line = raw[start], bytearray(raw[start + 1:start + 1 + width * size])
        for n in range(len(line)):
            left, up, corner = (line[n - size] if n >= size else 0), before[n], (before[n - size] if n >= size else 0)
            nearest = min((left, up, corner), key=lambda one: abs(left + up - corner - one))
            line[n] = (line[n] + (0, left, up, (left + up) // 2, nearest)[how]) % 256
        before = bytes(line)
        for n in range(0, len(line), size): yield 0.2126 * linear[line[n]] + 0.7152 * linear[line[n + 1]] + 0.0722 * linear[line[n + 2]]


class LayoutTest(PageCase):
    def tearDown(self):
        self.browser.chrome("Page.setFontSizes", fontSizes={"standard": 16, "fixed": 13})

    def large_text(self, width, height):
        """Sets the browser's text size to twice the default."""
        self.browser.chrome("Page.setFontSizes", fontSizes={"standard": 32, "fixed": 26})
        self.browser.size(width, height)
        self.browser.until("large text", "getComputedStyle(document.documentElement).fontSize === '32px'")

    def at(self, place, what, condition):
        self.browser.visit(place, what, condition)
        self.browser.until("no movement", "document.getAnimations().length === 0")

    def test_text_of_twice_the_size_overlaps_nothing(self):
        for width, height in (900, 900), (360, 740):
            with self.subTest(width=width):
                self.log_in()
                self.fleet.plan(("Kari", -3600, 3600), ("Ola", 3600, 7200), message="Mind the step.", name="Hotel")
                site = self.fleet.add_site("Mill Lane 2", latitude=59.9, longitude=10.7, city="Oslo", country="NO", description="<p>Ask.</p>")
                for n in range(60): self.fleet.add_site(f"Mill Lane {n}")
                self.fleet.write("1", title="Filters cleaned in every room of the house", body="All of them.")
                device = next(iter(self.fleet.devices))
                self.large_text(width, height)
                self.browser.run("document.querySelector('button[aria-label=Refresh]').click()")
                self.browser.until("the roster", "document.querySelector('.duty').innerText.includes('Kari')")
                self.browser.until("rows of that height", "document.querySelector('.rows').getBoundingClientRect().height === 40 * 144")
                for place, what, condition in (
                        ("#/", "the list", "document.querySelectorAll('.row').length > 3"),
                        (f"#/devices/{device}", "the plot", "document.querySelector('.temperature-line') !== null"),
                        ("#/posts", "a post", "document.querySelector('.logbook-screen .post-row') !== null"),
                        ("#/posts/1", "the post", "document.querySelector('.post-screen h1') !== null"),
                        ("#/sites", "the sites", "document.querySelectorAll('.sites .post-row').length > 5"),
                        (f"#/sites/{site}", "the site", "document.querySelector('.site-screen .description p') !== null"),
                        ("#/roster", "the roster", "document.querySelector('.roster-screen .shifts li') !== null")):
                    self.at(place, what, condition)
                    self.assertEqual(self.browser.run(OVERLAPS), [], f"{place} at {width} pixels")

    def test_text_of_twice_the_size_fits_the_screens_before_the_log_in(self):
        for width, height in (900, 900), (360, 740):
            self.serve()
            self.large_text(width, height)
            for place in "#/", "#/signup", "#/forgot", "#/reset":
                self.at(place, place, "document.querySelector('.login') !== null")
                self.assertEqual(self.browser.run(OVERLAPS), [], f"{place} at {width} pixels")

    def test_messages_and_the_popup_cover_no_switch(self):
        for width, height, is_large in (900, 900, False), (600, 700, False), (360, 740, False), (360, 740, True), (900, 900, True):
            self.log_in()
            if is_large: self.large_text(width, height)
            else: self.browser.size(width, height)
            self.browser.until("rows at the foot", "[...document.querySelectorAll('.switch')]"
                               ".some((one) => one.getBoundingClientRect().bottom > innerHeight - 80)")
            for n in range(4):
                self.browser.run("[...document.querySelectorAll('.switch')].filter((one) => one.ariaDisabled !== 'true')[arguments[0]].click()", n)
            self.browser.until("four messages", "document.querySelectorAll('.notice:not(.leaves)').length === 4")
            self.browser.until("no movement", "document.getAnimations().length === 0")
            self.assertEqual(self.browser.run(COVERED), 0, (width, is_large))

    def test_a_pointer_on_a_row_hides_no_text(self):
        for scheme in "light", "dark":
            self.log_in()
            self.browser.prefer(scheme)
            self.browser.chrome("Emulation.setDeviceMetricsOverride", width=900, height=900, deviceScaleFactor=3, mobile=False)
            box = self.browser.run("""
                const line = document.querySelectorAll('.row .line')[2].getBoundingClientRect();
                return { x: line.left, y: line.top, width: 60, height: line.height };
                """)
            self.browser.chrome("Input.dispatchMouseEvent", type="mouseMoved", x=box["x"] + 20, y=box["y"] + 8)
            self.browser.until("it is lit", "getComputedStyle(document.querySelectorAll('.row-link')[2], '::before').backgroundColor !== 'rgba(0, 0, 0, 0)'")
            self.browser.until("no movement", "document.getAnimations().length === 0")
            shot = self.browser.chrome("Page.captureScreenshot", format="png", clip=box | {"scale": 1})
            seen = list(luminances(base64.b64decode(shot["data"])))
            self.assertGreaterEqual((max(seen) + 0.05) / (min(seen) + 0.05), 4.5, scheme)
            hit = self.browser.run("return document.elementFromPoint(arguments[0], arguments[1]).closest('a') !== null", box["x"] + 20, box["y"] + 8)
            self.assertTrue(hit, "a click on the text opens the device")


if __name__ == "__main__":
    unittest.main(verbosity=2)
