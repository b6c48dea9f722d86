"""The rulebook on the page: the answers of `referee rules`, found by words, in the reader's language."""

from __future__ import annotations

from referee.core.model.registry import rulebook
from referee.language.display import display_text
from referee.language.words import speaking
from tests.page.lines import Client, read, table


async def book(client: Client, **query: str) -> str:
    """Return the page for that query."""
    return await read(client, "/rules", params=query)


async def test_every_topic_of_a_preset_stands_on_its_page() -> None:
    async with table() as (client, _):
        for preset in ("racing-demon", "31"):
            text = await book(client, preset=preset)
            for topic in rulebook(preset, {}):
                assert f'id="{topic.topic}"' in text
            assert f'<option value="{preset}" selected>' in text
        assert await book(client, preset="<nothing>") == await book(client)


async def test_a_topic_is_found_by_words_in_the_readers_language() -> None:
    async with table() as (client, _):
        for language in ("en", "de", "it"):
            with speaking(language):
                (first, *_) = rulebook("nna", {})
                title = display_text(first.title)
            text = await book(client, preset="nna", words=title, language=language)
            assert text.count("<section") == 1
            assert f'<section id="{first.topic}">' in text
            assert text.count("<details") == 3
        text = await book(client, words='"><script>x</script>', language="en")
        assert "<section" not in text
        assert text.count("<details") == 3
        assert "Did you mean" in text
        assert "<script" not in text
