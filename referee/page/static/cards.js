// The cards of the simulated table: what lies where, as a person at the table sees it.
"use strict";

const SUITS = { S: "♠", H: "♥", C: "♣", D: "♦" };
const MARKS = { r: "●", y: "▲", b: "■", g: "✚" }; // of packs of four colours: nobody need tell them apart by hue
const EMPTY = { sides: [], lake: [], astray: [], mine: [], bots: [], refused: {}, pace: 100, lesson: [], discards: null, deck: 0, turn: [], own: {}, claim: null };
const cards = { ...EMPTY };
const mine = new Map(); // the seats whose cards this page moves, and who sat there when it last looked
const felt = find("felt");
const boards = find("boards");
const NO_CARDS = find("lake-none").textContent;

document.addEventListener("cards", ({ detail }) => lay(detail));
document.addEventListener("table", ({ detail }) => {
  if (table.bots.length) document.body.classList.add("company"); // from now on cards may lie here
  if (!("asks" in detail || "seats" in detail)) return;
  if (inTurns()) layTurns();
  else cards.sides.forEach((_, at) => renew(at));
});

function lay(news) {
  if (news.all) Object.assign(cards, EMPTY, news.all);
  for (const key of Object.keys(EMPTY)) if (key !== "sides" && key in news) cards[key] = news[key];
  for (const [at, side] of Object.entries(news.sides || {})) cards.sides[at] = side;
  const lying = cards.sides.length > 0;
  if (lying) document.body.classList.add("company");
  document.body.classList.toggle("dealt", lying);
  find("turn-keys").hidden = true;
  if (inTurns()) layTurns();
  else {
    if (news.all || "bots" in news || "mine" in news) build();
    else Object.keys(news.sides || {}).forEach((at) => renew(Number(at)));
    if (news.all || news.lake || news.astray || news.claim) middle();
  }
  if (news.all || news.refused) refuse();
  if (news.all || news.lesson) teach();
  document.querySelectorAll("[data-speed]").forEach((button) => {
    button.setAttribute("aria-pressed", String(Math.floor(100 / Number(button.dataset.speed)) === cards.pace));
  });
}

// -- a card ----------------------------------------------------------------------------------------------------------

const made = (tag, kind, text = "") => Object.assign(document.createElement(tag), { className: kind, textContent: text });
const fits = (text, values) => text.replace(/{(\w+)}/g, (_, name) => values[name]);
const called = (signs, texts) => Object.fromEntries(texts.split(", ").map((text, at) => [signs[at], text]));
const RANK_NAMES = called("AJQK", LABELS["cards.ranks"]);
const SUIT_NAMES = called("SHCDrybg", LABELS["cards.suits"]);
const RED = "HD";

function face(card) {
  if (!card) return made("span", "pc back");
  const [joker, shown] = card.startsWith("*") ? ["★", card.slice(2)] : ["", card];
  const suit = shown.slice(-1);
  const kind = suit in SUITS ? (RED.includes(suit) ? "red" : "black") : suit ? `hue ${suit}` : "black";
  const drawn = made("span", `pc ${kind}`);
  drawn.append(made("b", "", joker + shown.slice(0, -1)), made("i", "", SUITS[suit] || MARKS[suit] || ""));
  return drawn;
}

function spoken(card) {
  if (!card) return LABELS["cards.back"];
  if (card === "*") return LABELS["cards.joker"];
  const shown = card.replace("*=", "");
  const told = fits(LABELS["cards.card"], {
    rank: RANK_NAMES[shown.slice(0, -1)] || shown.slice(0, -1),
    suit: SUIT_NAMES[shown.slice(-1)],
  });
  return card.startsWith("*") ? `${LABELS["cards.joker"]} (${told})` : told;
}

// -- a side: what lies before one team -------------------------------------------------------------------------------

function nameOf(at) {
  const side = cards.sides[at];
  return side.seats.map((number) => (table.seats[number - 1] || [])[0] || fill(LABELS.button, number)).join(" + ");
}

// Whose it is without its colour: the number of the first seat, as the display writes it.
const badge = (at) => made("b", "number-of", String(cards.sides[at].seats[0]));
const packOf = (at) => `s${(cards.sides[at].seats[0] - 1) % 12}`; // its colour: its first seat's, as its name is
const seatOf = (at) => cards.sides[at].seats.find((seat) => !cards.bots.includes(seat)); // a person's
const sitting = (seat) => (table.seats[seat - 1] || [])[0];

// Seats have moved on: the cards to be moved are those of the same people.
function follow() {
  for (const [seat, name] of [...mine]) {
    const now = name ? table.seats.findIndex((row) => row && row[0] === name) + 1 : 0;
    if (!now || now === seat) continue;
    if (mine.get(seat) === name) mine.delete(seat);
    mine.set(now, name);
  }
}

const isMine = (at) => mine.has(seatOf(at));

function build() {
  follow();
  if (inTurns()) return layTurns();
  const at = document.activeElement && document.activeElement.dataset.place;
  boards.replaceChildren(...cards.sides.map(board));
  cards.sides.forEach((_, side) => renew(side));
  if (at && boards.querySelector(`.mine [data-place="${at}"]`)) boards.querySelector(`.mine [data-place="${at}"]`).focus();
  find("card-keys").hidden = !boards.querySelector(".mine");
}

function board(side, at) {
  const own = isMine(at);
  const item = made("li", `side ${packOf(at)}${own ? " mine" : ""}`);
  item.dataset.side = at;
  const names = ["reserve", ...side.piles.map((_, pile) => `pile ${pile + 1}`), "stock", "waste"];
  item.append(headOf(at, own));
  item.append(...names.map((name) => {
    const place = made(own ? "button" : "div", `place ${name.split(" ")[0]}`);
    place.dataset.place = name;
    if (own) play(place, at);
    else place.setAttribute("role", "img");
    return place;
  }));
  return item;
}

// Whose cards they are, and the choice to move them oneself.
function headOf(at, own) {
  const head = made("div", "head");
  head.append(made("h3", "whose"));
  if (seatOf(at)) {
    const choice = Object.assign(made("button", "choice", own ? LABELS["cards.leave"] : LABELS["cards.take"]), { type: "button" });
    choice.addEventListener("click", () => take(at, !own));
    head.append(choice);
  }
  return head;
}

function lies(side, name) {
  if (name === "reserve") return side.reserve.length > 2 ? side.reserve.slice(1) : side.reserve[0] > 1 ? ["", side.reserve[1]] : side.reserve.slice(1);
  if (name === "waste") return side.waste;
  if (name === "stock") return Array(side.stock).fill("");
  return side.piles[Number(name.slice(5)) - 1];
}

function told(side, name) {
  const there = lies(side, name);
  const top = there.length ? spoken(there[there.length - 1]) : LABELS["cards.none"];
  if (name === "reserve") return fits(LABELS["cards.reserve"], { count: side.reserve[0], card: top });
  if (name === "waste") return fits(LABELS["cards.waste"], { card: top });
  if (name === "stock") return side.stock ? LABELS["cards.stock"] : LABELS["cards.no_stock"];
  return fits(LABELS["cards.pile"], { number: name.slice(5), cards: there.map(spoken).join(", ") || LABELS["cards.none"] });
}

function renew(at) {
  const side = cards.sides[at];
  const item = boards.children[at];
  const lake = cards.lake.reduce((sum, [, owners]) => sum + owners.filter((owner) => owner === at).length, 0);
  const counts = table.asks === "counting" ? ` · ${fits(LABELS["cards.counts"], { left: side.reserve[0], lake })}` : "";
  const [left, entered] = side.counted || []; // other than what lies there
  const key = entered === undefined ? "cards.counted_left" : "cards.counted";
  const wrong = left === undefined ? "" : ` · ${fits(LABELS[key], { left, lake: entered })}`;
  item.querySelector(".whose").replaceChildren(badge(at), ` ${nameOf(at)}${counts}${wrong}`);
  item.classList.toggle("miscounted", Boolean(wrong));
  item.classList.toggle("mends", side.mends);
  for (const place of item.querySelectorAll(".place")) {
    const name = place.dataset.place;
    const drawn = lies(side, name).map(face);
    if (side.away.includes(name) && drawn.length) drawn[drawn.length - 1].classList.add("lifted");
    if (name === "reserve") drawn.push(made("span", "left", String(side.reserve[0])));
    place.replaceChildren(...drawn);
    if (picked && picked.at === at && picked.name === name) (drawn[picked.index] || drawn[0]).classList.add("picked");
    place.setAttribute("aria-label", told(side, name));
  }
}

// -- the Lake ----------------------------------------------------------------------------------------------------------

function middle() {
  find("lake-none").textContent = cards.claim ? claimed(cards.claim) : NO_CARDS;
  find("lake-none").hidden = cards.lake.length > 0;
  if (cards.claim) return find("lake").replaceChildren(...cards.claim.cards.map(lone));
  find("lake").replaceChildren(...cards.lake.map(([top, owners], at) => {
    const pile = made("li", "foundation");
    pile.dataset.foundation = at + 1;
    const backs = made("span", "backs");
    const parts = [...new Set(owners)].sort((a, b) => a - b).map((owner) => [owner, owners.filter((one) => one === owner).length]);
    backs.append(...parts.map(([owner, count]) => {
      const part = made("i", packOf(owner));
      part.append(badge(owner), String(count));
      return part;
    }));
    backs.setAttribute("aria-hidden", "true"); // the pile's label says it
    pile.append(face(top), backs);
    const wrong = cards.astray.filter(([target]) => target === at);
    pile.append(...wrong.map(([, card]) => Object.assign(face(card), { title: LABELS["cards.astray"] })));
    wrong.forEach(() => pile.lastChild.classList.add("astray"));
    const whose = parts.map(([owner, count]) => `${nameOf(owner)} ${count}`);
    pile.setAttribute("aria-label", fits(LABELS["cards.foundation"], { number: at + 1, card: spoken(top), whose: whose.join(", ") }));
    return pile;
  }));
}

// A game of claims: what lies there, and whether that is a reason to press.
function claimed({ reason, right, said }) {
  return fits(LABELS["claim." + reason + (right ? ".right" : ".wrong")], { said: RANK_NAMES[said] || said });
}

function lone(card) {
  const pile = made("li", "foundation lone");
  pile.setAttribute("aria-label", spoken(card));
  pile.append(face(card));
  return pile;
}

// -- by hand: drag, tap, or keys ---------------------------------------------------------------------------------------

let picked = null; // {at, name, index}: the card that has been tapped
let heard = 0;

function take(at, yes) {
  const seat = seatOf(at);
  if (yes) mine.set(seat, sitting(seat));
  else mine.delete(seat);
  send({ seat, move: yes ? "take" : "leave" });
  build();
  if (yes && !inTurns()) boards.querySelector(`[data-side="${at}"] .place`).focus();
}

function move(at, what) {
  pick(null);
  send({ seat: seatOf(at), move: what });
}

function refuse() {
  for (const [seat, [number, rule]] of Object.entries(cards.refused)) {
    if (!mine.has(Number(seat)) || number <= heard) continue;
    heard = number;
    tellRule(LABELS[`cards.rule.${rule.replaceAll(" ", "_")}`] || rule);
  }
}

function tellRule(text) {
  find("said").textContent = text;
  clearTimeout(tellRule.timer);
  tellRule.timer = setTimeout(() => { find("said").textContent = ""; }, 5000);
}

function pick(card) {
  picked = card;
  boards.querySelectorAll(".picked").forEach((drawn) => drawn.classList.remove("picked"));
  find("lake").classList.toggle("open", Boolean(card));
  if (!card) return;
  renew(card.at);
  find("said").textContent = fits(LABELS["cards.picked"], { card: spoken(lies(cards.sides[card.at], card.name)[card.index]) });
}

// The card that is picked goes to another place of its team, or to the middle.
function put({ at, name, index, any }, target) {
  const length = lies(cards.sides[at], name).length;
  const from = name.startsWith("pile") && target.startsWith("pile") ? (any ? `${name} any` : index < length - 1 ? `${name} card ${index + 1}` : name) : name;
  move(at, `${from} > ${target}`);
}

// A tap, or Enter, on one of the own places.
function touch(at, name, index, any) {
  if (name === "stock") return move(at, "turn");
  const side = cards.sides[at];
  const last = lies(side, name).length - 1;
  if (picked && picked.at === at) {
    if (picked.name === name) return put(picked, "middle");
    if (name.startsWith("pile")) return put(picked, name);
    return pick(null);
  }
  if (last >= 0) pick({ at, name, index: name === "waste" || name === "reserve" ? last : Math.min(index, last), any });
}

function play(place, at) {
  const name = place.dataset.place;
  let drag = null;
  place.addEventListener("pointerdown", (event) => {
    const card = event.target.closest(".pc");
    if (event.button || !card) return;
    const index = [...place.querySelectorAll(".pc")].indexOf(card);
    drag = { x: event.clientX, y: event.clientY, index, shade: null };
    try { place.setPointerCapture(event.pointerId); } catch { /* the pointer is gone already */ }
  });
  place.addEventListener("pointermove", (event) => {
    if (!drag || name === "stock") return;
    if (!drag.shade) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 6) return;
      drag.shade = shadeOf(place, drag.index, name);
    }
    drag.shade.style.left = `${event.clientX}px`;
    drag.shade.style.top = `${event.clientY}px`;
  });
  place.addEventListener("pointerup", (event) => {
    const { shade, index } = drag || {};
    drag = null;
    if (!shade) return;
    shade.remove();
    place.dataset.dragged = "yes"; // the click that follows is none
    setTimeout(() => delete place.dataset.dragged, 50);
    drop(event, { at, name, index });
  });
  place.addEventListener("pointercancel", () => {
    if (drag && drag.shade) drag.shade.remove();
    drag = null;
  });
  place.addEventListener("click", (event) => {
    if (place.dataset.dragged) return;
    const shown = [...place.querySelectorAll(".pc")];
    const card = event.target.closest(".pc");
    touch(at, name, card ? shown.indexOf(card) : shown.length - 1, !event.detail);
  });
}

function shadeOf(place, index, name) {
  const shade = made("div", "shade");
  const shown = [...place.querySelectorAll(".pc")];
  const taken = name.startsWith("pile") ? shown.slice(index) : shown.slice(-1);
  shade.append(...taken.map((card) => card.cloneNode(true)));
  document.body.append(shade);
  return shade;
}

function drop(event, card) {
  const under = document.elementFromPoint(event.clientX, event.clientY);
  const foundation = under && under.closest(".foundation");
  const place = under && under.closest(".mine .place");
  if (foundation) put(card, `middle ${foundation.dataset.foundation}`);
  else if (under && under.closest("#lake, .felt-top, #lake-none")) put(card, "middle");
  else if (place && Number(place.closest(".side").dataset.side) === card.at && place.dataset.place.startsWith("pile")) put(card, place.dataset.place);
}

find("lake").addEventListener("click", (event) => {
  const foundation = event.target.closest(".foundation");
  if (picked) put(picked, foundation ? `middle ${foundation.dataset.foundation}` : "middle");
});

const KEYS = { KeyQ: "reserve", KeyW: "waste", KeyE: "stock", KeyA: "pile 1", KeyS: "pile 2", KeyD: "pile 3", KeyF: "pile 4", KeyG: "pile 5" };

addEventListener("keydown", (event) => {
  const own = cards.sides.findIndex((_, at) => isMine(at));
  if (own < 0 || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape") return pick(null);
  if (event.code === "KeyR" && picked) return put(picked, "middle");
  const name = KEYS[event.code];
  if (name && boards.querySelector(`.mine [data-place="${name}"]`)) touch(own, name, 99, true);
});

document.querySelectorAll("[data-speed]").forEach((button) => {
  button.addEventListener("click", () => send({ speed: Number(button.dataset.speed) }));
});

// -- the first hand explains itself, in less than a minute ----------------------------------------------------------------

const LESSON_MS = 55000; // all of it
const LINE_MS = 5000; // a line at most
const lesson = { at: {}, timer: 0, skipped: false }; // at: of each phase's lines, how many have been shown

function teach() {
  clearTimeout(lesson.timer);
  const lines = lesson.skipped ? [] : cards.lesson;
  const at = lesson.at[lines] || 0;
  find("lesson").hidden = at >= lines.length;
  if (find("lesson").hidden) return;
  find("lesson-line").textContent = `${lines[at]} (${at + 1}/${lines.length})`;
  lesson.timer = setTimeout(() => { lesson.at[lines] = at + 1; teach(); }, Math.min(LINE_MS, LESSON_MS / lines.length));
}

find("lesson-skip").addEventListener("click", () => { lesson.skipped = true; teach(); });

// A line that was lost, a page that was reloaded: nobody holds those cards any more.
document.addEventListener("online-again", () => mine.forEach((_, seat) => send({ seat, move: "take" })));
