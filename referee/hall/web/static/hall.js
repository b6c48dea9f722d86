// Updates a live page by server-sent events, and turns the pages of the wall.

const RETRY_MS = 2_000; // after a refusal, such as a proxy's 503, browsers do not try again by themselves
const { show } = document.body.dataset;
let { had } = document.body.dataset;
const link = document.getElementById("link");
const language = document.documentElement.lang;

function listen() {
  const source = new EventSource(`/changes?show=${encodeURIComponent(show)}&language=${language}&had=${had}`);
  source.addEventListener("message", (event) => {
    had = event.lastEventId;
    for (const [id, html] of Object.entries(JSON.parse(event.data))) {
      const element = document.getElementById(id);
      if (element) element.innerHTML = html; // made and escaped by the server
    }
  });
  source.addEventListener("open", () => {
    document.body.classList.add("live");
    if (link) link.hidden = true;
  });
  source.addEventListener("error", () => {
    if (link) link.hidden = false;
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, RETRY_MS * (1 + Math.random()));
  });
}

listen();

// -- the wall: each section in turn, a full one page by page ------------------------------------------------------------

const TURN_MS = 12_000;
const turns = [...document.querySelectorAll(".turn")];
let shown = -1;

function overflows(fill) {
  const left = fill.scrollLeft;
  fill.scrollLeft += fill.clientWidth;
  return fill.scrollLeft > left;
}

function turn() {
  const fill = turns[shown]?.querySelector(".fill");
  if (fill && overflows(fill)) return;
  for (let step = 1; step <= turns.length; step++) {
    const next = (shown + step) % turns.length;
    if (!turns[next].querySelector(".fill").childElementCount) continue;
    shown = next;
    break;
  }
  turns.forEach((section, at) => { section.hidden = at !== shown; });
  if (turns[shown]) turns[shown].querySelector(".fill").scrollLeft = 0;
}

if (turns.length) {
  document.body.classList.add("turning");
  turn();
  setInterval(turn, TURN_MS);
}
