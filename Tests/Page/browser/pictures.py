"""Makes the pictures of docs/reference/page.md and docs/tutorial/: `pictures.py URL PASSWORD-FILE DEVICE PLACE`.

The gateway's fleet must have sign-up and password reset enabled, a logbook with a post, a site in Oslo with a
description and a location, and a roster with upcoming shifts; the newest post and that site are opened.
"""
import pathlib, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from webdriver import browser


def main():
    url, password_file, device, place = sys.argv[1:]
    with browser() as page:
        def picture(name, width, scheme, phone=False, messages=False):
            page.size(width, 740, phone=phone)
            page.prefer(scheme)
            if not messages: page.until("no message", "document.querySelector('.notice, .popup.shown') === null", within=20)
            page.until("no movement", "document.getAnimations().length === 0")
            page.picture(f"{place}/{name}.png")

        page.open(url)
        page.until("the login", "document.activeElement?.id === 'email'")
        page.until("the buttons below it", "document.activeElement.closest('.screen')"
                   ".querySelectorAll('.login-links button:not([hidden])').length === 2")
        picture("tour-login", 820, "light")
        page.run("location.hash = '#/signup'")
        page.until("the sign-up", "document.activeElement?.closest('.screen').querySelector('h1').innerText === 'Sign up'")
        picture("tour-signup", 820, "light")
        page.run("history.back()")
        page.until("the login again", "document.activeElement?.closest('.screen').querySelector('h1').innerText === 'Sensibus'")
        page.run("document.activeElement.select?.()")
        page.press("demo@sensibus.local", "Enter", pathlib.Path(password_file).read_text().strip(), "Enter")
        page.until("the list", "document.querySelectorAll('.row').length > 5")
        picture("page-light", 820, "light")
        picture("page-dark", 820, "dark")
        page.press("/", device)
        page.until("its row first", "document.querySelector('.row:not(.leaves) .name').textContent.includes(arguments[0])",
                   device)
        page.press("ArrowDown", "Tab", "Space")
        page.until("the result", "document.querySelector('.notice[data-tone=good]') !== null")
        picture("tour-toggle", 820, "light", messages=True)
        page.chord("Shift", "Tab")
        page.press("Enter")
        page.until("the plot", "document.querySelector('.temperature-line') !== null")
        picture("page-phone", 360, "light", phone=True)
        page.run("location.hash = '#/posts'")
        page.until("a post", "document.querySelector('.post-link') !== null")
        picture("tour-logbook", 820, "light")
        page.run("document.querySelector('.post-link').click()")
        page.until("its text", "document.querySelector('.card > .post-body') !== null")
        page.run("document.querySelector('.post summary').click()")
        page.until("its comments", "document.querySelector('.post details').open")
        picture("tour-post", 820, "light")
        page.run("location.hash = '#/sites'")
        page.until("the sites", "document.querySelector('.sites .post-row') !== null")
        picture("tour-sites", 820, "light")
        page.run("[...document.querySelectorAll('.sites .post-row')].find((row) => row.innerText.includes('Oslo'))"
                 ".querySelector('a').click()")
        page.until("its description", "document.querySelector('.description b') !== null")
        picture("tour-site", 820, "light")
        page.run("location.hash = '#/roster'")
        page.until("the shifts", "document.querySelectorAll('.shifts .post-row').length > 1")
        picture("tour-roster", 820, "light")
        page.open(f"{url}?rehearse=7")
        page.until("an error", "document.querySelector('.popup.shown')?.innerText.startsWith('Connection error')", within=60)
        picture("tour-offline", 360, "dark", phone=True, messages=True)
        page.open(url)
        page.until("the list again", "document.querySelectorAll('.row:not(.leaves)').length > 5")
        page.run("const choice = document.querySelector('.choice'); choice.selectedIndex = 1; choice.dispatchEvent(new Event('change'))")
        page.run("document.querySelector('.queue button').click()")
        page.until("two ids", "document.querySelectorAll('.queue-ids li').length > 1", within=20)
        picture("tour-queue", 820, "light", messages=True)


if __name__ == "__main__":
    main()
