"""What tests of the page in a browser have in common: a gateway for each, and somebody who has logged in."""
import pathlib, sys, threading, unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import fake_gateway
from webdriver import browser


class PageCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(browser())

    def serve(self, devices=40):
        """A gateway of its own, and so an origin of its own: nothing is left of the test before."""
        self.fleet = fake_gateway.Fleet(devices, fake_gateway.SPECIAL + fake_gateway.HOSTILE)
        self.gateway = fake_gateway.Gateway(0, self.fleet)
        threading.Thread(target=self.gateway.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.addCleanup(self.gateway.server_close)
        self.addCleanup(self.gateway.shutdown)
        self.browser.size(900, 900)
        self.browser.prefer("light")
        self.browser.open(f"http://127.0.0.1:{self.gateway.server_port}/")
        self.browser.until("the login", "document.querySelector('.login') !== null")

    def log_in(self, devices=40):
        self.serve(devices)
        self.browser.press("demo@sensibus.local", "Enter", "password", "Enter")
        self.browser.until("the list", "document.querySelectorAll('.row').length > 5")

    def network(self, offline):
        self.browser.chrome("Network.enable")
        self.browser.chrome("Network.emulateNetworkConditions", offline=offline, latency=0, downloadThroughput=-1,
                            uploadThroughput=-1)
