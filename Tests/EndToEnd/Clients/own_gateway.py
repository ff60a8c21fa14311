"""A gateway of the script, beside a fleet without one."""

import os
import re
import resource
import subprocess
import threading


class Gateway:
    """A process that serves the fleet of a run directory, until the end of a `with`."""

    def __init__(self, executable, directory, *options, descriptors=None):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

        self.process = subprocess.Popen(
            [executable, "serve", "--run-dir", directory, "--port", "0", *options],
            stderr=subprocess.PIPE, text=True, preexec_fn=limit if descriptors else None)
        self.log = []
        self.url = self._wait_for(re.compile(r"url=(\S+)"))
        threading.Thread(target=self.log.extend, args=[self.process.stderr], daemon=True).start()

    def _wait_for(self, pattern):
        for line in self.process.stderr:
            self.log.append(line)
            if found := pattern.search(line):
                return found.group(1)
        raise SystemExit(f"the gateway does not serve: {''.join(self.log)}")

    @property
    def is_alive(self):
        return self.process.poll() is None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)


def slowdown():
    """How much longer an answer may take than on an idle machine."""
    return float(os.environ.get("SENSIBUS_SLOWDOWN", "1"))
