"""Hooks of mkdocs.yml: the README is the site's front page, and links to source files become their names."""

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

LINK = re.compile(r"\[([^]]+)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)]*)?\)")
TESTED = re.compile(r"^( *```console) (?:test|e2e)$", re.MULTILINE)
"""How a block is marked whose commands are run by a test (tests/docs)."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The README, which stands above the folder of the pages, is one of them."""
    text = (_root(config) / "README.md").read_text("utf-8")
    files.append(File.generated(config, "index.md", content=LINK.sub(_from_the_root, text)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A link to a file that is no page is shown by the file's name; one to a file that is gone stays, and fails."""
    del files
    folder = PurePosixPath("docs") / PurePosixPath(page.file.src_uri).parent

    def shown(link: re.Match[str]) -> str:
        text, target, _ = link.groups()
        path = normpath(folder / target)
        if path.startswith("docs/") or not (_root(config) / path).exists():
            return link[0]
        return f"`{path}`" if text.strip("`") == path else f"{text} (`{path}`)"

    return TESTED.sub(r"\1", LINK.sub(shown, markdown))


def _from_the_root(link: re.Match[str]) -> str:
    """A link of the README as a page in docs/ has it."""
    text, target, anchor = link.groups(default="")
    if target in {"docs/reference", "docs/decisions"}:
        return f"{text} (`{target}`)"
    inside = target.removeprefix("docs/") if target.startswith("docs/") else f"../{target}"
    return f"[{text}]({inside}{anchor})"


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).parent
