"""The licences of what an executable has inside: Swift's runtime, and the Swift packages that are linked."""

import pathlib
import re
import shutil
import subprocess
import sys

EXECUTABLES = "controller", "device-sim", "fleet", "gateway", "http-load", "observer"
# Sources with objects of their own; the others are headers, also of the system.
COMPILED = {".swift", ".c", ".cc", ".cpp", ".S"}
# Files that give a licence, and the beginnings of licences that require their text in a binary.
LICENCE = re.compile(r"(licen[sc]e|notice|copying)\b.*", re.I)
TERMS = re.compile(r"redistributions? (of|and use|in)|permission (to use|is hereby granted)|provided \"?as.is", re.I)
COMMENT = re.compile(r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+", re.S | re.M)


def run(*command, **options):
    """The output of a program; what it writes to standard error shows only if it fails."""
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def only(pattern, text, what):
    """The one match of a pattern in a text."""
    found = re.findall(pattern, text, re.M)
    if len(found) != 1:
        sys.exit(f"expected one {what}, found {len(found)}")
    return found[0]


def version(root):
    """The version of the executables."""
    return only(r'static let release = "([^"]+)"', (root / "Sources/UserText/Text/SafeText.swift").read_text(), "version")


def copy_text(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o644)


def write_text(target, text):
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)


def linked_sources(folder):
    """The source files and headers of the executables, from the object files that the build linked."""
    listed = {line.strip("'\"") for name in EXECUTABLES
              for line in (folder / f"{name}.product/Objects.LinkFileList").read_text().splitlines()}
    sources = set()
    for made in map(pathlib.Path, sorted(listed)):
        module = next(path for path in made.parents if path.suffix == ".build")
        if (names := module / "sources").exists():
            sources.update(line.strip("'\"") for line in names.read_text().splitlines())
        else:
            rule = made.with_suffix(".d").read_text().replace("\\\n", " ")
            sources.update(re.split(r"(?<!\\)\s+", rule.partition(": ")[2].strip()))
    return sorted(pathlib.Path(name) for name in sources)


def notice(source):
    """The comment of a C file that has licence terms other than those of its package, if any."""
    if source.suffix == ".swift":
        return None
    text = source.read_text(errors="replace")
    terms = [comment for comment in COMMENT.findall(text) if TERMS.search(comment)]
    return "\n".join(terms) or None


def add_package_licences(folder, target):
    """Copies the licence files of each linked Swift package, and the terms in its C files. Returns the packages."""
    folder = folder.resolve()
    checkouts = folder.parent.parent / "checkouts"
    packages = {}
    for path in linked_sources(folder):
        if path.is_relative_to(checkouts):
            name = path.relative_to(checkouts).parts[0]
            packages.setdefault(name, []).append(path)
        elif path.suffix in COMPILED and not path.is_relative_to(checkouts.parent.parent):
            sys.exit(f"{path} is linked, and neither of Sensibus nor of {checkouts}: its licence is not known")
    for name, sources in packages.items():
        package = checkouts / name
        directories = {parent for path in sources for parent in path.parents}
        for directory in sorted(parent for parent in directories if parent.is_relative_to(package)):
            for path in sorted(directory.iterdir()):
                if path.is_file() and LICENCE.fullmatch(path.name):
                    # In one directory for each package, because hatchling does not find files at any depth.
                    copy_text(path, target / name / "-".join(path.relative_to(package).parts))
        if not (target / name).exists():
            sys.exit(f"{package} has no licence file")
        notices = {}
        for path in sources:
            if text := notice(path):
                notices.setdefault(text, []).append(str(path.relative_to(package)))
        if notices:
            parts = [f"{', '.join(paths)}:\n\n{text}\n" for text, paths in notices.items()]
            write_text(target / name / "NOTICES-IN-SOURCES.txt", "\n".join(parts))
    if not packages:
        sys.exit(f"no package in {checkouts} is linked into {folder}: build there first")
    return sorted(packages)


def add_swift_licence(target):
    """Copies the licence of the Swift runtime, which is linked statically."""
    resources = only(r'"runtimeResourcePath": "([^"]+)"', run("swift", "-print-target-info"), "path of Swift's libraries")
    path = pathlib.Path(resources).parent.parent / "share/swift/LICENSE.txt"
    if not path.exists():
        sys.exit(f"{path} is missing: it belongs to the executables")
    copy_text(path, target / "LICENSE.txt")
