"""The page's process: what the table's display shows, live in a browser.

Theory of operation. A `Feed` (feed.py) gets snapshots of what the outputs show (`protocol/snapshot.py`) and the sounds
they play; `create_app` (app.py) serves it: pages from templates (render.py), live changes over the WebSocket `/live`
(live.py), the view as JSON under `/api/`. No code here makes a decision of the match. Only at the simulated table,
which has `Controls`, do the page's buttons close contacts (simulated.py); otherwise the page only shows.

A phone's request takes one path: phone_requests.py takes it. The device
checks what the phone may do (`device/phones/desk.py`) and passes the request to the match as a fact.

Only this process (child.py) imports aiohttp and Jinja2.
"""
