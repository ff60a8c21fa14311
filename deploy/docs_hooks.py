"""Hooks of MkDocs: links to files outside docs/ work in the repository only, so the site shows their text."""

import posixpath
import re

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown, page, config, files):
    """Replaces links that leave docs/ by their text."""

    def replace(match):
        text, target = match[1], match[2]
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        place = posixpath.normpath(posixpath.join(posixpath.dirname(page.file.src_uri), target))
        return text if place.startswith("..") else match[0]

    return LINK.sub(replace, markdown)
