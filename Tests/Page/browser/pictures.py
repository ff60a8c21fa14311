"""Makes the pictures of docs/PAGE.md: `pictures.py URL PASSWORD-FILE DEVICE PLACE`, with any fleet behind that gateway."""
import pathlib, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from webdriver import browser


def main():
    url, password_file, device, place = sys.argv[1:]
    with browser() as page:
        def picture(name, width, scheme, phone=False):
            page.size(width, 740, phone=phone)
            page.prefer(scheme)
            page.until("no movement", "document.getAnimations().length === 0")
            page.picture(f"{place}/{name}.png")

        page.open(url)
        page.until("the login", "document.activeElement?.id === 'email'")
        page.press("demo@sensibus.local", "Enter", pathlib.Path(password_file).read_text().strip(), "Enter")
        page.until("the list", "document.querySelectorAll('.row').length > 5")
        picture("page-light", 820, "light")
        picture("page-dark", 820, "dark")
        page.press("/", device)
        page.until("its row first", "document.querySelector('.row:not(.leaves) .name').textContent.includes(arguments[0])",
                   device)
        page.press("ArrowDown", "Enter")
        page.until("the plot", "document.querySelector('.temperature-line') !== null")
        picture("page-phone", 360, "light", phone=True)


if __name__ == "__main__":
    main()
