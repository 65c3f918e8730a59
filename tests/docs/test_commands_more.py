"""The other pages with something to type: everything they say is done."""

import pytest
from test_commands_exports import PAGES as EXPORTS
from test_commands_front import PAGES as FRONT
from test_commands_gallery import PAGES as GALLERY

from doc_commands import run_page
from doc_pages import list_blocks, list_pages

OTHERS = [page for page in list_pages() if page not in (*FRONT, *EXPORTS, *GALLERY)]
PAGES = [page for page in OTHERS if list_blocks(page)]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_what_the_page_says_works(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    assert run_page(page, tmp_path) > 0
