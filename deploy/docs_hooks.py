"""Hooks of MkDocs.

Links to files outside docs/ work in the repository only, so the site shows their text. The reference of the command line
gets all help texts.
"""

import pathlib
import posixpath
import re
import subprocess

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown, page, config, files):
    """Replaces links that leave docs/ by their text, and adds the help texts."""

    def replace(match):
        text, target = match[1], match[2]
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        place = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), target))
        return text if place.startswith("..") else match[0]

    text = LINK.sub(replace, markdown)
    return text + reference() if page.file.src_uri == "reference/cli.md" else text


def reference():
    script = pathlib.Path(__file__).with_name("check-docs")
    return subprocess.run([script, "--reference"], check=True, capture_output=True, text=True).stdout
