"""The pages that a newcomer reads first: everything they say is done."""

import pytest

from doc_commands import run_page

PAGES = ("README.md", "docs/tutorial.md", "CONTRIBUTING.md")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_what_the_page_says_works(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(page, tmp_path)
