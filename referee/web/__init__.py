"""The web page: what the table's display shows, live in a browser.

Theory of operation. A `Feed` (feed.py) gets snapshots of what the outputs show (snapshot.py) and the sounds they
play; `create_app` (app.py) serves it: pages from templates (render.py), live changes over the WebSocket `/live`
(live.py), the view as JSON under `/api/`. No code here makes a decision of the match. Only at the simulated table,
which has `Controls`, do the page's buttons close contacts (hands.py); otherwise the page only shows.

A phone's request takes one path: phones.py takes it and reads its body (bodies.py), wire.py carries it to the
device's process, desk.py checks what the phone may do and passes the request to the match as a fact.

Only the page's own process (child.py) imports aiohttp and Jinja2: feed.py, desk.py and process.py do not.
"""
