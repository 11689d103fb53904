"""The documentation's site is built without a warning, and a page of it needs no other host."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.test_sizes import ROOT

FETCHED = re.compile(r"<(?:script|img|link)\b[^>]*?(?:src|href)=\"?(https?:)?//(?!squidfunk\.github\.io)[^\">\s]+")
"""What a browser loads of itself when a page is opened: scripts, pictures, style sheets, fonts."""


def build(project: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    return subprocess.run(words, cwd=project, text=True, capture_output=True, check=False)


def test_every_page_is_built_and_every_link_leads_somewhere(tmp_path: Path) -> None:
    done = build(ROOT, tmp_path)
    assert done.returncode == 0, done.stderr
    pages = {path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")}
    assert {page for page in pages if not (tmp_path / page / "index.html").exists()} == set()
    assert (tmp_path / "index.html").exists()
    fetched = {hit[0] for page in tmp_path.rglob("*.html") for hit in FETCHED.finditer(page.read_text("utf-8"))}
    assert fetched == set()


def test_a_link_to_nowhere_stops_the_build(tmp_path: Path) -> None:
    links = ["how-to/gone.md", "coverage.md#missing", "../cli/nowhere.py"]
    project = tmp_path / "project"
    project.mkdir()
    for name in ("mkdocs.yml", "README.md"):
        shutil.copy(ROOT / name, project)
    for folder in ("docs", "tools", "lab", "tests"):
        (project / folder).symlink_to(ROOT / folder)
    (project / "docs").unlink()
    (project / "docs").mkdir()
    shutil.copy(ROOT / "docs/coverage.md", project / "docs")
    (project / "README.md").write_text("".join(f"[here](docs/{link})\n" for link in links))
    done = build(project, tmp_path / "site")
    assert done.returncode != 0
    assert [word for word in ("gone.md", "missing", "nowhere.py") if word not in done.stderr + done.stdout] == []


def test_the_front_page_names_every_task() -> None:
    front = (ROOT / "README.md").read_text("utf-8")
    pages = [page.name for page in (ROOT / "docs/how-to").glob("*.md")]
    assert [name for name in pages if f"(docs/how-to/{name})" not in front] == []
