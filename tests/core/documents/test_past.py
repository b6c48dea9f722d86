"""Pages of evenings: every match is on exactly one page, and no evening is split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.documents import past
from referee.core.documents.course import summarize
from referee.core.documents.past import evening_of, page_of, with_summaries
from referee.core.documents.record import RecordError, read_trusted, to_document
from referee.core.documents.summary import ListedMatch
from tests.core.documents.test_figures import a_match, call

HOUR_S = 3600


def listed(*begun_s: int) -> list[ListedMatch]:
    """Return matches of these times, the last one imported."""
    names = [str(n) for n in range(1, len(begun_s))] + ["A1"]
    found = [a_match(("Anna", "Ben"), [call("Anna", 20, Ben=5)], n, s) for n, s in enumerate(begun_s)]
    return [ListedMatch(name, summarize(record)) for name, record in zip(names, found, strict=True)]


@given(st.lists(st.integers(0, 99), min_size=1, max_size=30), st.integers(1, 9))
def test_every_match_is_on_one_page(hours: list[int], size: int) -> None:
    matches = listed(*(HOUR_S * hour for hour in hours))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(past, "PAGE_MATCHES", size)
        pages = [page_of(matches, 1)]
        while pages[-1].number < pages[-1].last:
            pages.append(page_of(matches, pages[-1].number + 1))
        assert (page_of(matches, 0), page_of(matches, 99)) == (pages[0], pages[-1])
    numbers = [number for page in pages for evening in page.evenings for number, _ in evening.matches]
    assert sorted(numbers) == sorted(match.number for match in matches)
    begun = [evening.begun_s or 0 for page in pages for evening in page.evenings]
    assert begun == sorted(begun, reverse=True)
    for page in pages:
        assert page is pages[-1] or sum(len(evening.matches) for evening in page.evenings) >= size
        assert sum(len(evening.matches) for evening in page.evenings[:-1]) < size


def test_matches_without_a_record_are_on_the_first_page() -> None:
    broken = ListedMatch("2", None, "is damaged")
    assert (broken.begun_s, broken.imported) == (None, False)
    matches = [*listed(5), broken]
    page = page_of(matches, 1)
    assert (page.troubles, len(page.evenings), page.last) == ((broken,), 1, 1)
    assert page_of([], 1) == past.PastPage(1, 1, ())
    assert evening_of(matches, "2") is None
    evening = evening_of(matches, "A1")
    assert evening is not None
    assert list(evening.matches) == with_summaries(matches)


def test_a_document_with_a_sound_checksum_is_read_by_its_types_alone() -> None:
    record = a_match(("Anna", "Ben"), [call("Anna", 20, Ben=5)])
    document = to_document(record)
    assert read_trusted(document | {"evening": "2026-11-26_1930", "unfinished": True, "crc32": "0"}) == record
    for broken in ({"version": 2}, {"id": 5}):
        with pytest.raises(RecordError):
            read_trusted(document | broken)
