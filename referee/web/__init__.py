"""The page: the table on a screen, live.

Theory of operation. The daemon fills a `Feed` (feed.py) with what the outputs show and what they sound; `create_app`
(app.py) serves it: the page at `/`, live changes over the WebSocket `/live` (live.py), the view as JSON under `/api/`.
Nothing here decides anything. Where the feed has `Controls`, which only the simulated table gives it, the page's
buttons close contacts (hands.py); everywhere else the page only shows.

Only app.py and what it imports need aiohttp. Import it, or `serve.py`, when the device is ready; `feed` is light.
"""
