"""The commands on the first screen in a real browser: `python3 Tests/Page/browser/queues_test.py`."""
import pathlib, sys, unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from pagecase import PageCase

IDS = "[...document.querySelectorAll('.queue-ids bdi')].map((one) => one.textContent)"
TITLE = "document.querySelector('.queue-title').innerText"
SEND = "document.querySelector('.queue .primary')"


class QueuesTest(PageCase):
    def send(self):
        """Chooses the first device and presses the button, both with the keyboard."""
        self.browser.press_at(".choice", "ArrowDown", "Tab")
        self.browser.until("it can be sent", f"!{SEND}.disabled")
        self.browser.run(f"{SEND}.focus()")
        self.browser.press("Enter")

    def steer(self, name):
        self.browser.run("document.querySelector(`[data-steer=${arguments[0]}]`).focus()", name)
        self.browser.press("Enter")

    def test_ids_appear_in_their_order_and_the_keyboard_goes_on(self):
        self.log_in()
        self.fleet.pace = 0.05
        self.assertTrue(self.browser.run(f"return {SEND}.disabled"))
        self.assertIn("Choose a device", self.browser.text(".queue-hint"))
        self.send()
        self.browser.until("it runs", f"{TITLE}.includes(' of 10 done')")
        self.browser.until("the focus on the pause button", "document.activeElement.dataset.steer === 'pause'")
        self.browser.until("all ids", f"{IDS}.length === 10", within=30)
        self.assertEqual(self.browser.run(f"return {IDS}"), [str(n) for n in range(1, 11)])
        self.browser.until("it is done", f"{TITLE}.endsWith(': all 10 done')")
        self.browser.until("the focus on the send button", f"document.activeElement === {SEND}")
        self.assertEqual(len(self.fleet.queues), 1)

    def test_it_is_paused_resumed_and_cancelled_with_the_keyboard(self):
        self.log_in()
        self.fleet.pace = 0.3
        self.send()
        self.browser.until("it runs", f"{TITLE}.endsWith(' of 10 done')")
        self.steer("pause")
        self.browser.until("it is paused", f"{TITLE}.endsWith(', paused')")
        self.assertEqual(self.browser.text("[data-steer=pause]"), "Resume")
        self.steer("pause")
        self.browser.until("it runs again", f"{TITLE}.endsWith(' of 10 done')")
        self.steer("cancel")
        self.browser.until("it is cancelled", f"{TITLE}.endsWith(', cancelled')")
        self.browser.until("it cannot be steered any more", "document.querySelector('.queue-steering').hidden")

    def test_a_page_that_is_opened_again_shows_it_still_and_so_does_one_without_a_network(self):
        self.log_in()
        self.fleet.pace = 0.4
        self.send()
        self.browser.until("an id", f"{IDS}.length >= 1", within=20)
        self.browser.run("location.reload()")
        self.browser.until("the same", f"document.querySelector('.queue-title') !== null && {IDS}.length >= 1", within=20)
        self.browser.until("it goes on", f"{IDS}.length >= 3", within=20)
        self.go_offline(within=20)
        self.assertTrue(self.browser.run(f"return {IDS}.length >= 3"))
        self.assertEqual(self.browser.run("return document.querySelector('[data-steer=cancel]').ariaDisabled"), "true")
        self.network(offline=False)
        self.steer("cancel")
        self.assertEqual(len(self.fleet.queues), 1)

    def test_a_click_whose_answer_is_lost_starts_one_queue(self):
        self.log_in()
        self.fleet.pace = 0.3
        self.gateway.lost_answers = 2
        self.send()
        self.browser.until("it runs", f"document.querySelector('.queue-shown')?.hidden === false && {TITLE}.endsWith(' of 10 done')",
                           within=20)
        self.assertEqual(len(self.fleet.queues), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
