// The cards of the simulated table: what lies where, as a person at the table sees it.
"use strict";

const SUITS = { S: "♠", H: "♥", C: "♣", D: "♦" };
const cards = { sides: [], lake: [], astray: [] };
const felt = find("felt");
const boards = find("boards");

document.addEventListener("cards", ({ detail }) => lay(detail));

function lay(news) {
  if (news.all) {
    Object.assign(cards, { sides: [], lake: [], astray: [] }, news.all);
    boards.replaceChildren(...cards.sides.map(board));
  }
  for (const [at, side] of Object.entries(news.sides || {})) cards.sides[at] = side;
  if (news.lake) cards.lake = news.lake;
  if (news.astray) cards.astray = news.astray;
  const lying = cards.sides.length > 0;
  felt.hidden = !lying;
  document.body.classList.toggle("dealt", lying);
  if (news.all || news.lake || news.astray) middle();
  for (const at of news.all ? cards.sides.keys() : Object.keys(news.sides || {})) renew(Number(at));
}

// -- a card ----------------------------------------------------------------------------------------------------------

const made = (tag, kind, text = "") => Object.assign(document.createElement(tag), { className: kind, textContent: text });
const fits = (text, values) => text.replace(/{(\w+)}/g, (_, name) => values[name]);
const RED = "HD";

function face(card) {
  if (!card) return made("span", "pc back");
  const [joker, shown] = card.startsWith("*") ? ["★", card.slice(2)] : ["", card];
  const suit = shown.slice(-1);
  const kind = suit in SUITS ? (RED.includes(suit) ? "red" : "black") : suit ? `hue ${suit}` : "black";
  const drawn = made("span", `pc ${kind}`);
  drawn.append(made("b", "", joker + shown.slice(0, -1)), made("i", "", SUITS[suit] || ""));
  return drawn;
}

function spoken(card) {
  if (!card) return LABELS.cards.back;
  if (card === "*") return LABELS.cards.joker;
  const shown = card.replace("*=", "");
  const told = fits(LABELS.cards.card, {
    rank: LABELS.cards.ranks[shown.slice(0, -1)] || shown.slice(0, -1),
    suit: LABELS.cards.suits[shown.slice(-1)],
  });
  return card.startsWith("*") ? `${LABELS.cards.joker} (${told})` : told;
}

// -- a side: what lies before one team -------------------------------------------------------------------------------

function nameOf(at) {
  const side = cards.sides[at];
  return side.seats.map((number) => (table.seats[number - 1] || [])[0] || fill(LABELS.button, number)).join(" + ");
}

function board(side, at) {
  const item = made("li", `side s${at % 8}`);
  const places = ["reserve", ...side.piles.map((_, pile) => `pile ${pile + 1}`), "stock", "waste"];
  item.append(made("h3", "whose"), ...places.map((name) => {
    const place = made("div", `place ${name.split(" ")[0]}`);
    place.dataset.place = name;
    place.setAttribute("role", "img");
    return place;
  }));
  return item;
}

function lies(side, name) {
  if (name === "reserve") return side.reserve.length > 2 ? side.reserve.slice(1) : side.reserve[0] > 1 ? ["", side.reserve[1]] : side.reserve.slice(1);
  if (name === "waste") return side.waste;
  if (name === "stock") return Array(side.stock).fill("");
  return side.piles[Number(name.slice(5)) - 1];
}

function told(side, name) {
  const there = lies(side, name);
  const top = there.length ? spoken(there[there.length - 1]) : LABELS.cards.none;
  if (name === "reserve") return fits(LABELS.cards.reserve, { count: side.reserve[0], card: top });
  if (name === "waste") return fits(LABELS.cards.waste, { card: top });
  if (name === "stock") return side.stock ? LABELS.cards.stock : LABELS.cards.no_stock;
  return fits(LABELS.cards.pile, { number: name.slice(5), cards: there.map(spoken).join(", ") || LABELS.cards.none });
}

function renew(at) {
  const side = cards.sides[at];
  const item = boards.children[at];
  item.querySelector(".whose").textContent = nameOf(at);
  item.classList.toggle("mends", side.mends);
  for (const place of item.querySelectorAll(".place")) {
    const name = place.dataset.place;
    const drawn = lies(side, name).map(face);
    if (side.away.includes(name) && drawn.length) drawn[drawn.length - 1].classList.add("lifted");
    if (name === "reserve") drawn.push(made("span", "left", String(side.reserve[0])));
    place.replaceChildren(...drawn);
    place.setAttribute("aria-label", told(side, name));
  }
}

// -- the Lake ----------------------------------------------------------------------------------------------------------

function middle() {
  find("lake").replaceChildren(...cards.lake.map(([top, owners], at) => {
    const pile = made("li", "foundation");
    const backs = made("span", "backs");
    backs.append(...owners.map((owner) => made("i", `s${owner % 8}`)));
    pile.append(face(top), backs);
    const wrong = cards.astray.filter(([target]) => target === at);
    pile.append(...wrong.map(([, card]) => Object.assign(face(card), { title: LABELS.cards.astray })));
    wrong.forEach(() => pile.lastChild.classList.add("astray"));
    const whose = [...new Set(owners)].map((owner) => `${nameOf(owner)} ${owners.filter((one) => one === owner).length}`);
    pile.setAttribute("aria-label", fits(LABELS.cards.foundation, { number: at + 1, card: spoken(top), whose: whose.join(", ") }));
    return pile;
  }));
  find("lake-none").hidden = cards.lake.length > 0;
}
