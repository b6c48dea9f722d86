// A game of turns (31) at the simulated table: three cards each, a stock and a discard pile.
"use strict";

const inTurns = () => cards.discards !== null;
const handOf = (at) => cards.own[seatOf(at)] || cards.sides[at].hand;
// The side that this page moves: the one whose turn it is, where it moves several; -1 for none.
const ownSide = () => Math.max(...cards.sides.map((side, at) => (isMine(at) ? (side.seats.some((seat) => cards.turn.includes(seat)) ? 100 : 0) + at : -1))) % 100;

function layTurns() {
  follow();
  const focused = document.activeElement && document.activeElement.dataset.turn;
  const own = ownSide();
  boards.replaceChildren(...cards.sides.map(handBoard));
  find("lake").replaceChildren(turnPile("stock", own), turnPile("discards", own));
  find("lake-none").hidden = find("card-keys").hidden = true;
  find("turn-keys").hidden = own < 0 || !cards.turn.length;
  const again = focused && felt.querySelector(`[data-turn="${focused}"]`);
  if (again) again.focus();
}

function handBoard(side, at) {
  const own = isMine(at);
  const item = made("li", `side ${packOf(at)}${own ? " mine" : ""}`);
  item.dataset.side = at;
  const head = headOf(at, own);
  const turn = side.seats.some((seat) => cards.turn.includes(seat)) ? "\u25b6 " : "";
  head.firstChild.replaceChildren(badge(at), ` ${turn}${nameOf(at)}${side.worth && ` · ${side.worth}`}`);
  const hand = handOf(at);
  const group = made("div", "hand");
  group.setAttribute("role", own ? "group" : "img");
  group.setAttribute("aria-label", fits(LABELS["cards.hand"], { cards: hand.map(spoken).join(", ") }));
  group.append(...hand.map((card, index) => {
    if (!own || !card) return face(card);
    const name = `card ${index + 1}`;
    const place = pressed(name, fits(LABELS["cards.throw"], { card: spoken(card) }), () => move(at, `discard ${index + 1}`));
    place.append(face(card));
    drags(place, (under) => { if (under.closest('[data-turn="discards"]')) move(at, `discard ${index + 1}`); });
    return place;
  }));
  item.append(head, group);
  return item;
}

function turnPile(name, own) {
  const item = made("li", "foundation");
  const cardsThere = name === "stock" ? Array(Math.min(cards.deck, 1)).fill("") : cards.discards ? [cards.discards] : [];
  const top = cardsThere.length ? spoken(cardsThere[0]) : LABELS["cards.none"];
  const label = name === "stock" ? LABELS["cards.stock"] : fits(LABELS["cards.discards"], { card: top });
  const draw = () => move(own, name);
  const place = own < 0 ? made("div", "place") : pressed(name, label, draw);
  if (own < 0) {
    place.setAttribute("role", "img");
    place.setAttribute("aria-label", label);
  } else drags(place, (under) => { if (under.closest(".mine")) draw(); });
  place.append(...cardsThere.map(face));
  item.append(place, made("span", "caption", label.split(":")[0]));
  return item;
}

function pressed(name, label, does) {
  const place = Object.assign(made("button", "place own-card"), { type: "button" });
  place.dataset.turn = name;
  place.setAttribute("aria-label", label);
  place.addEventListener("click", () => { if (!place.dataset.dragged) does(); });
  return place;
}

// A card is dragged somewhere: `dropped` is told the element that it was let go over.
function drags(place, dropped) {
  let from = null;
  let shade = null;
  const end = () => {
    if (shade) shade.remove();
    from = shade = null;
  };
  place.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    from = [event.clientX, event.clientY];
    try { place.setPointerCapture(event.pointerId); } catch { /* the pointer is gone already */ }
  });
  place.addEventListener("pointermove", (event) => {
    if (!from || (!shade && Math.hypot(event.clientX - from[0], event.clientY - from[1]) < 6)) return;
    shade = shade || shadeOf(place, 0, "card");
    shade.style.left = `${event.clientX}px`;
    shade.style.top = `${event.clientY}px`;
  });
  place.addEventListener("pointercancel", end);
  place.addEventListener("pointerup", (event) => {
    const moved = Boolean(shade);
    end();
    if (!moved) return;
    place.dataset.dragged = "yes"; // the click that follows is none
    setTimeout(() => delete place.dataset.dragged, 50);
    const under = document.elementFromPoint(event.clientX, event.clientY);
    if (under) dropped(under);
  });
}

const TURN_KEYS = { KeyE: "stock", KeyW: "discards", KeyA: "discard 1", KeyS: "discard 2", KeyD: "discard 3", KeyF: "discard 4" };

addEventListener("keydown", (event) => {
  const own = inTurns() ? ownSide() : -1;
  if (own < 0 || event.repeat || event.ctrlKey || event.altKey || event.metaKey || !TURN_KEYS[event.code]) return;
  move(own, TURN_KEYS[event.code]);
});
