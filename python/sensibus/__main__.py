"""The command `sensibus`: replaces the Python process with the program `fleet`."""

from __future__ import annotations

import os
import platform
import signal
import sys
from typing import NoReturn

from sensibus import executable

#: The exit code of shells for a program that exists and cannot be run.
_CANNOT_RUN = 126


def main() -> NoReturn:
    """Runs `fleet` with the arguments of this process. Exits with 126 if the machine cannot run it."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        _fail(f"the programs are for Linux on x86-64, and this is {platform.system()} on {platform.machine()}")
    try:
        program = executable("fleet")
    except FileNotFoundError as error:
        _fail(str(error))
    # Python ignores these signals, and a program inherits that.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execv(program, ["sensibus", *sys.argv[1:]])
    except FileNotFoundError:
        # The program exists: its loader, which is a part of glibc, does not.
        _fail("the programs need glibc, and this system has another C library")
    except OSError as error:
        _fail(f"{program}: {error.strerror}")


def _fail(cause: str) -> NoReturn:
    print(f"sensibus: cannot run: {cause}", file=sys.stderr)
    sys.exit(_CANNOT_RUN)


if __name__ == "__main__":
    main()
