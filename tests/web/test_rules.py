"""The rulebook on the page: the answers of `referee rules`, found by words, in the reader's language."""

from __future__ import annotations

from referee.core.model.registry import rulebook
from referee.language.told import display_text
from referee.language.words import speaking
from tests.web.lines import Client, run, table


async def read(client: Client, **query: str) -> str:
    """The page as it answers that."""
    async with client.get("/rules", params=query) as answer:
        assert answer.status == 200
        return await answer.text()


def test_every_topic_of_a_preset_stands_on_its_page() -> None:
    """Without words all of them; a name that is no preset is the first one's book."""

    async def look() -> None:
        async with table() as (client, _):
            for preset in ("racing-demon", "31"):
                text = await read(client, preset=preset)
                for topic in rulebook(preset, {}):
                    assert f'id="{topic.topic}"' in text
                assert f'<option value="{preset}" selected>' in text
            assert await read(client, preset="<nothing>") == await read(client)

    run(look)


def test_a_topic_is_found_by_words_in_the_readers_language() -> None:
    """One topic for its title; the nearest ones for words that nobody knows; what was asked stands there as text."""

    async def look() -> None:
        async with table() as (client, _):
            for language in ("en", "de", "it"):
                with speaking(language):
                    (first, *_) = rulebook("nna", {})
                    title = display_text(first.title)
                text = await read(client, preset="nna", words=title, language=language)
                assert text.count("<section") == 1
                assert f'<section id="{first.topic}">' in text
            text = await read(client, words='"><script>x</script>', language="en")
            assert "<section" not in text
            assert text.count("<details") == 3
            assert "Did you mean" in text
            assert "<script" not in text

    run(look)
