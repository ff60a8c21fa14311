"""The arguments of a script that measures or checks executables, and what it needs before: packages, and a build."""
import argparse, os, pathlib, subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Help(argparse.RawDescriptionHelpFormatter, argparse.ArgumentDefaultsHelpFormatter):
    """Shows the text as it is written, and the default of each option."""


def whole(text, least=1):
    """A whole number from a least one on."""
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r}: a whole number from {least} on")
    return int(text)


def natural(text):
    """A whole number from 0 on."""
    return whole(text, least=0)


def parser(text, **counts):
    """A parser whose help has a text, the directory of executables, and options with a default and a meaning each."""
    made = argparse.ArgumentParser(description=text.strip(), formatter_class=Help)
    made.add_argument("executables", metavar="EXECUTABLES", nargs="?", type=pathlib.Path, default=argparse.SUPPRESS,
                      help="their directory (default: `make build` makes .build/release)")
    for name, (default, meaning) in counts.items():
        made.add_argument("--" + name.replace("_", "-"), metavar="N", type=whole, default=default,
                          help=f"{meaning}, from 1 on")
    return made


def arguments(made, *packages, products=""):
    """The arguments, with a directory of executables; without one, packages are installed, and all is built."""
    options = made.parse_args()
    options.executables = executables(getattr(options, "executables", None), *packages, products=products)
    return options


def run(text, *packages):
    """The directory of executables for a script that runs them after `--run` only, or nothing."""
    made = argparse.ArgumentParser(description=text.strip(), formatter_class=Help)
    made.add_argument("--run", metavar="EXECUTABLES", nargs="?", const="", default=argparse.SUPPRESS,
                      help="also run what is in this directory (without one, `make build` makes .build/release)")
    options = made.parse_args()
    return executables(options.run, *packages) if "run" in options else None


def executables(given, *packages, products=""):
    """A directory of executables: the given one, or .build/release after its build."""
    if given:
        return pathlib.Path(given).resolve()
    subprocess.run([ROOT / "deploy/install-dependencies", *packages], check=True)
    subprocess.run(["make", "--no-print-directory", "-C", ROOT, "build", f"PRODUCTS={products}"], check=True)
    # Builds that the script starts are the same whatever the shell's last command was.
    os.environ.pop("_", None)
    return ROOT / ".build/release"
