"""A fleet with a gateway, in its own directory, for benchmarks over HTTP."""
import contextlib, http.client, json, pathlib, re, subprocess, tempfile, urllib.parse


class Fleet:
    def __init__(self, programs, directory, devices):
        self.programs, self.directory = programs, directory
        self.up = json.loads(self.run("up", "--detach", "--json", "--gateway-port", "0", "--devices", str(devices)))
        self.url = urllib.parse.urlsplit(self.up["gateway"]["url"])
        self.key = self.run("apikey", "create", "bench").strip()

    def run(self, *arguments):
        done = subprocess.run([self.programs / "fleet", *arguments], cwd=self.directory, check=True, capture_output=True)
        return done.stdout.decode()

    def connection(self):
        return http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=30)

    def memory(self):
        """The resident memory of the gateway, bytes."""
        status = pathlib.Path(f"/proc/{self.up['gateway']['pid']}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024

    @property
    def password(self):
        return pathlib.Path(self.up["passwordFile"]).read_text().strip()

    def login(self):
        """Logs in to the page, and returns the session's cookie."""
        connection = self.connection()
        connection.request("POST", "/page/session", json.dumps({"email": self.up["email"], "password": self.password}),
                           {"Origin": f"http://{self.url.netloc}"})
        answer = connection.getresponse()
        answer.read()
        return answer.headers["Set-Cookie"].split(";")[0]


@contextlib.contextmanager
def fleet(executables, devices):
    """Runs a fleet with the executables in a directory, until the end of the `with` block."""
    programs = executables.resolve()
    with tempfile.TemporaryDirectory(prefix="sensibus-bench-") as directory:
        try:
            yield Fleet(programs, directory, devices)
        finally:
            subprocess.run([programs / "fleet", "down"], cwd=directory, capture_output=True)


def report(lines):
    """Prints lines of a name, a figure, a limit, and whether it holds; returns 0 if all hold, otherwise 1."""
    for name, figure, limit, holds in lines:
        print(f"  {name:26} {figure:>40}  {limit:10} {'' if holds else 'MISSED'}")
    return 0 if all(holds for *_, holds in lines) else 1
