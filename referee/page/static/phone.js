// The phone's page: pairs with the display's code, takes a seat under a name, counts. The table decides.

import { keepLine } from "/line.js";
import { hush, speak } from "/voice.js";
import { answerClock, drawDisplay, listenTo, renewClock, sendKept, sendTouch, whenHeld } from "/button.js";

const find = (id) => document.getElementById(id);
const LABELS = JSON.parse(document.body.dataset.labels);
const fill = (text, value) => text.replace(/{\w+}/, () => value); // a text with one value
const me = { phone: document.body.dataset.phone, role: document.body.dataset.role };
const table = { seats: [], phones: {}, lamps: [], size: [128, 64], pixels: "", words: "", asleep: [], count: null, vote: null, asks: "", own: {} };
let chosen = 0; // the seat to be taken
let team = 0; // the seat whose team is being counted
let typed = false; // something was entered that is not sent yet
let pressing = remembered("button"); // this phone's screen is its seat's button
let speaking = remembered("voice"); // it says what the table says

function remembered(what) {
  try { return localStorage.getItem(what) === "yes"; } catch { return false; }
}

function remember(what, on) {
  try { localStorage.setItem(what, on ? "yes" : "no"); } catch { /* asked again next time */ }
}

// -- taps ------------------------------------------------------------------------------------------------------------

// To browsers a touch of 0.3 to 0.5 s or more is no click; to people it is a tap. The seat's buttons follow touches themselves.
let touched = null; // the button under the only finger

addEventListener("touchstart", (event) => {
  const button = event.target.closest("button");
  touched = event.touches.length === 1 && button && !find("seat").contains(button) ? button : null;
}, { passive: true });
addEventListener("pointercancel", () => { touched = null; }); // the page is scrolled
addEventListener("touchend", (event) => {
  const button = touched, [{ clientX, clientY }] = event.changedTouches;
  touched = null;
  if (!button || !event.cancelable || document.elementFromPoint(clientX, clientY)?.closest("button") !== button) return;
  event.preventDefault(); // no click of the browser's own
  button.click();
}, { passive: false });

// -- asking ----------------------------------------------------------------------------------------------------------

// quiet: nothing is said of a failure; the next request may succeed.
async function ask(path, body, quiet = false) {
  try {
    const answer = await fetch(path, body && {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const told = await answer.json();
    if (answer.ok) return told;
    if (!quiet) tell(told.error, true);
    if (answer.status === 401 && path !== "/api/pair") forget();
  } catch {
    if (!quiet) tell(LABELS.lost, true);
  }
  return null;
}

function tell(text, wrong = false) {
  find("told").textContent = find("seat-told").textContent = text;
  find("told").classList.toggle("wrong", wrong);
}

function forget() {
  me.phone = me.role = "";
  find("invite").open = false;
  line.again();
  draw();
}

// -- pairing ---------------------------------------------------------------------------------------------------------

async function pair() {
  const told = await ask("/api/pair", { code: find("code").value });
  if (!told) return;
  Object.assign(me, told);
  line.again(); // the line that is open is nobody's: this phone would be taken for asleep
  tell(LABELS["join.paired"]);
  history.replaceState(null, "", "/join"); // the code is no one's business any more
  draw();
  names();
}

find("pair").addEventListener("submit", (event) => { event.preventDefault(); pair(); });

find("leave").addEventListener("click", async () => {
  if (await ask("/api/revoke", { phone: me.phone })) forget();
});

// Shows the display's code to a latecomer, for as long as the display would.
const RIM = 4; // modules of white around the code
let inviting = 0;

async function invite() {
  clearTimeout(inviting);
  if (!find("invite").open) return;
  const told = await ask("/api/code", {});
  if (!told) { find("invite").open = false; return; }
  const canvas = find("qr");
  canvas.width = canvas.height = told.qr.length + 2 * RIM;
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.fillStyle = "#000";
  told.qr.forEach((row, y) => [...row].forEach((dark, x) => { if (dark === "1") pen.fillRect(x + RIM, y + RIM, 1, 1); }));
  find("qr-where").textContent = `${location.host}/join`;
  find("qr-code").textContent = told.code;
  inviting = setTimeout(() => { find("invite").open = false; }, told.seconds * 1000);
}

find("invite").addEventListener("toggle", invite);

// -- a name and a seat -----------------------------------------------------------------------------------------------

const chairs = [...document.querySelectorAll(".chair")];
// a name of another script than what stands beside it: figures behind it keep their place
const apart = (name) => Object.assign(document.createElement("bdi"), { textContent: name });
const own = () => Number(Object.keys(table.phones).find((number) => table.phones[number] === me.phone) || 0);

const titled = (phone) => fill(LABELS.phone, phone.replace("phone-", "")); // "phone-2" as people call it

function choose(number) {
  chosen = number;
  for (const chair of chairs) chair.setAttribute("aria-pressed", String(Number(chair.dataset.seat) === number));
}

async function names() {
  const told = await ask("/api/names");
  find("known").replaceChildren(...(told ? told.names : []).map((name) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.addEventListener("click", () => { find("name").value = name; if (chosen) sit(); });
    return button;
  }));
}

async function sit() {
  const free = chairs.find((chair) => !(table.seats[chair.dataset.seat - 1] || [])[0]);
  const seat = chosen || own() || (free ? Number(free.dataset.seat) : 1);
  const name = find("name").value;
  if (await ask("/api/seat", { seat, name })) tell(`${seat} ${name.trim()}: ${LABELS["join.saved"]}`);
}

for (const chair of chairs) chair.addEventListener("click", () => choose(Number(chair.dataset.seat)));
find("sit").addEventListener("submit", (event) => { event.preventDefault(); sit(); });

// -- counting --------------------------------------------------------------------------------------------------------

const inputs = () => [...find("fields").querySelectorAll("input")];
const cell = () => table.count && table.count.cells.find((one) => one.seats.includes(team));
let last = null; // the number field that was in last
let begun = false; // a key has been tapped in it since: the first one replaces what stood there

// A box with a whole number's label and, as its last child, its input.
function numberField(id, name) {
  const box = document.createElement("div");
  const label = document.createElement("label");
  const input = document.createElement("input");
  input.id = label.htmlFor = id;
  label.textContent = name;
  Object.assign(input, { inputMode: "numeric", pattern: "[0-9]*", maxLength: 3, autocomplete: "off", required: true });
  box.append(label, input);
  return box;
}

function fields() {
  const names = table.count.fields;
  if (inputs().length === names.length && find("fields").dataset.names === names.join()) return;
  find("fields").dataset.names = names.join();
  find("fields").replaceChildren(...names.map((name, index) => {
    const box = numberField(`field-${index}`, name);
    const input = box.lastChild;
    for (const entered of ["focus", "click"]) {
      input.addEventListener(entered, () => { last = input; begun = false; input.select(); });
    }
    input.addEventListener("input", () => { typed = begun = true; weigh(); });
    return box;
  }));
}

function count() {
  const all = me.role === "keeper" || me.role === "host";
  if (!table.count) return;
  fields();
  if (!team) team = own() || (all ? table.count.cells[0].seats[0] : 0);
  teams(all);
  const now = cell();
  find("entry").hidden = !now;
  if (!now) return;
  inputs().forEach((input, index) => {
    input.disabled = now.locked[index];
    if (!typed) input.value = now.numbers[index] === null ? (now.locked[index] ? "0" : "") : now.numbers[index];
  });
  if (!last || last.disabled || !last.isConnected) {
    last = inputs().find((input) => !input.disabled) || null;
    begun = false;
  }
  find("state").textContent = [now.refused, now.done ? LABELS["count.done"] : LABELS["count.open"], by(now.pen)].filter(Boolean).join(" · ");
  weigh();
}

const WEIGH_MS = 250; // a moment after the last key
let weighed = ""; // what the table was asked for last
let weighing = 0;

// Shows what the entered count is worth; the table knows the rules.
function weigh() {
  const numbers = inputs().map((input) => Number(input.value) || 0);
  const body = { seat: team, numbers };
  if (JSON.stringify(body) === weighed) return;
  weighed = JSON.stringify(body);
  clearTimeout(weighing);
  find("worth").textContent = "";
  if (inputs().some((input) => input.value)) weighing = setTimeout(async () => {
    const told = await ask("/api/worth", body, true);
    if (told && JSON.stringify(body) === weighed) find("worth").textContent = told.worth;
  }, WEIGH_MS);
}

function by(pen) {
  if (!pen) return "";
  if (pen === "knob") return fill(LABELS["count.by"], LABELS["count.by_knob"]);
  return fill(LABELS["count.by"], pen.startsWith("phone") ? LABELS["count.by_phone"] : fill(LABELS.button, pen));
}

function teams(all) {
  find("teams").hidden = !all;
  const cells = table.count.cells, buttons = find("teams").children;
  if (buttons.length !== cells.length) find("teams").replaceChildren(...cells.map((one, index) => {
    const button = document.createElement("button");
    button.type = "button";
    button.addEventListener("click", () => { team = table.count.cells[index].seats[0]; typed = false; last = null; count(); });
    return button;
  }));
  cells.forEach((one, index) => { // a button that is touched stays the same one
    buttons[index].textContent = `${one.seats.join("+")} ${one.name}${one.done ? " ✓" : one.asleep ? ` (${LABELS.asleep})` : ""}`;
    buttons[index].setAttribute("aria-pressed", String(one.seats.includes(team)));
  });
}

function key(sign) {
  if (!last) return;
  const kept = begun && last.value.length < 3 ? last.value : "";
  last.value = sign ? kept + sign : last.value.slice(0, -1);
  typed = begun = true;
  weigh();
}

for (const button of find("keys").querySelectorAll("[data-key]")) {
  for (const pressed of ["pointerdown", "mousedown"]) { // the field keeps its place, in WebKit by the latter
    button.addEventListener(pressed, (event) => event.preventDefault());
  }
  button.addEventListener("click", () => { key(button.dataset.key); if (last) last.setSelectionRange(9, 9); });
}

find("entry").addEventListener("submit", async (event) => {
  event.preventDefault();
  const empty = inputs().find((input) => !input.disabled && input.value === "");
  if (empty) { last = empty; empty.focus(); return; }
  const numbers = inputs().map((input) => Number(input.value) || 0);
  const seat = team;
  if (!await ask("/api/count", { seat, numbers })) return;
  typed = seat === team && inputs().some((input, index) => Number(input.value) !== numbers[index]); // meanwhile
  tell(LABELS["join.saved"]);
});

// -- votes ------------------------------------------------------------------------------------------------------------

function vote() {
  const seat = own();
  find("question").textContent = table.vote.question;
  const mine = table.vote.votes.find((one) => one.seats.includes(seat));
  find("answers").hidden = !mine;
  find("vote-yes").setAttribute("aria-pressed", String(Boolean(mine) && mine.yes === true));
  find("vote-no").setAttribute("aria-pressed", String(Boolean(mine) && mine.yes === false));
  find("votes").replaceChildren(...table.vote.votes.map((one) => {
    const row = document.createElement("li");
    const said = one.yes === null ? "–" : one.yes ? LABELS["vote.said_yes"] : LABELS["vote.said_no"];
    row.textContent = `${one.seats.join("+")} ${one.name}: ${said}`;
    return row;
  }));
}

find("vote-yes").addEventListener("click", () => ask("/api/vote", { yes: true }));
find("vote-no").addEventListener("click", () => ask("/api/vote", { yes: false }));

// -- past hands, for whoever keeps the score -----------------------------------------------------------------------------

let past = null;

const option = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });
const hand = () => past.hands.find((one) => String(one.hand) === find("fix-hand").value);

async function hands() {
  past = await ask("/api/hands");
  const any = Boolean(past && past.hands.length);
  find("fixing").hidden = !any;
  find("fix-none").hidden = any;
  find("fix-none").textContent = LABELS["fix.none"];
  if (!any) return;
  find("fix-hand").replaceChildren(...past.hands.map((one) => option(one.hand, one.hand)).reverse());
  find("fix-reason").replaceChildren(...past.reasons.map(([key, text]) => option(key, text)));
  sides();
}

function sides() {
  find("fix-team").replaceChildren(...hand().cells.map((one) => option(one.seats[0], `${one.seats.join("+")} ${one.name}`)));
  values();
}

function values() {
  const one = hand().cells.find((cell) => String(cell.seats[0]) === find("fix-team").value);
  find("fix-fields").replaceChildren(...hand().fields.map((name, index) => {
    const box = numberField(`fix-${index}`, name);
    Object.assign(box.lastChild, { value: one.numbers[index], disabled: one.locked[index] });
    return box;
  }));
}

async function reasons() {
  past = await ask("/api/hands");
  if (!past) return;
  find("giving").hidden = Boolean(past.no_points); // a game without points, a match that does not rest
  find("give-none").hidden = !past.no_points;
  find("give-none").textContent = past.no_points;
  find("give-team").replaceChildren(...past.teams.map(([seat, name]) => option(seat, `${seat} ${name}`)));
  find("give-reason").replaceChildren(...past.given.map(([key, text]) => option(key, text)));
}

find("give").addEventListener("toggle", () => { if (find("give").open) reasons(); });
find("giving").addEventListener("submit", async (event) => {
  event.preventDefault();
  const points = Number(find("give-points").value);
  const body = { seat: Number(find("give-team").value), points, reason: find("give-reason").value };
  if (await ask("/api/give", body)) { tell(LABELS["join.saved"]); find("give-points").value = ""; }
});

find("fix-hand").addEventListener("change", sides);
find("fix-team").addEventListener("change", values);
find("fix").addEventListener("toggle", () => { if (find("fix").open) hands(); });
find("fixing").addEventListener("submit", async (event) => {
  event.preventDefault();
  const numbers = [...find("fix-fields").querySelectorAll("input")].map((input) => Number(input.value) || 0);
  const body = { hand: hand().hand, seat: Number(find("fix-team").value), numbers, reason: find("fix-reason").value };
  if (await ask("/api/correct", body)) { tell(LABELS["join.saved"]); hands(); }
});

// -- the book of phones ----------------------------------------------------------------------------------------------

async function book() {
  const told = await ask("/api/phones");
  if (!told) return;
  find("phones").replaceChildren(...told.phones.map((one) => {
    const row = document.createElement("li");
    const who = document.createElement("span");
    who.textContent = [titled(one.phone), one.seat && fill(LABELS.button, one.seat), one.phone === me.phone && LABELS["join.you"]].filter(Boolean).join(" · ");
    const roles = ["own", "keeper", "host"].map((role) => {
      const button = act(LABELS[`role.${role}`], () => ask("/api/role", { phone: one.phone, role }));
      button.setAttribute("aria-pressed", String(role === one.role));
      return button;
    });
    row.append(who, ...roles, act(LABELS["phone.forget"], () => ask("/api/revoke", { phone: one.phone })));
    return row;
  }));
}

function act(text, does) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.addEventListener("click", async () => { if (await does()) book(); });
  return button;
}

find("book").addEventListener("toggle", () => { if (find("book").open) book(); });

// -- the seat's button -----------------------------------------------------------------------------------------------

function bePressed(on) {
  pressing = on;
  remember("button", on);
  line.again();
  draw();
}

find("be-button").addEventListener("click", () => bePressed(true));
const short = () => tell(LABELS["join.hold"]);
whenHeld(find("no-button"), () => bePressed(false), short);
whenHeld(find("start"), () => ask("/api/start", {}), short);
whenHeld(find("pause"), () => ask("/api/pause", { pause: mine(own()).pause }), short);

function button(seat) {
  const [lit, pattern] = table.lamps[seat - 1] || [false, "dark"];
  const [name] = table.seats[seat - 1] || [];
  find("press").classList.toggle("lit", lit);
  find("press").setAttribute("aria-label", `${fill(LABELS.button, seat)}, ${fill(LABELS.lamp, LABELS[`lamp.${pattern}`] || pattern)}`);
  find("seat-number").textContent = seat;
  find("seat-name").replaceChildren(apart(name || ""));
  drawDisplay(find("display"), table);
  const { ask, rank, waiting, verdict, pause } = mine(seat);
  find("start").hidden = !(me.role === "host" && table.asks === "lobby");
  find("pause").hidden = pause === null;
  find("pause").textContent = LABELS[pause ? "join.pause" : "join.go_on"];
  find("plate").hidden = find("display").hidden = Boolean(verdict);
  find("verdict").hidden = !verdict;
  for (const part of ["title", "names", "line"]) find(`verdict-${part}`).textContent = verdict ? verdict[part] : "";
  find("verdict-names").classList.toggle("long", Boolean(verdict) && [...verdict.names].length > 24);
  find("seat-ask").textContent = ask;
  find("seat-more").textContent = [rank, waiting].filter(Boolean).join("\n");
  const words = [verdict && verdict.line, ask, rank, table.words].filter(Boolean).join(". ");
  if (find("seat-words").textContent !== words) find("seat-words").textContent = words;
}

// What the table says to this seat's player alone.
function mine(seat) {
  return table.own[seat] || { ask: "", rank: "", waiting: "", verdict: null, pause: null };
}

listenTo(find("press"), (down, at, seen) => sendTouch(line, down, at, seen));

// -- voice -----------------------------------------------------------------------------------------------------------

function voice(on) {
  speaking = on;
  remember("voice", on);
  if (on) speak({ words: LABELS["join.voice_on"], language: document.documentElement.lang, follows: false }, 0);
  else hush();
  draw();
}

find("voice").addEventListener("click", () => voice(!speaking));
// Browsers speak only after a touch.
addEventListener("pointerdown", () => { if (speaking) speak({ words: " ", follows: true }, 0); }, { once: true });

// -- what is shown ---------------------------------------------------------------------------------------------------

function draw() {
  const seat = own();
  find("pair").hidden = Boolean(me.phone);
  find("me").hidden = find("invite").hidden = !me.phone;
  find("book").hidden = me.role !== "host";
  const counting = Boolean(me.phone && table.count && table.asks === "counting");
  find("count").hidden = !counting;
  const voting = Boolean(me.phone && table.vote);
  find("vote").hidden = !voting;
  if (voting) vote();
  find("fix").hidden = find("give").hidden = !me.phone || me.role === "own";
  const shown = Boolean(pressing && seat && me.phone && !counting && !voting);
  find("seat").hidden = !shown;
  document.body.classList.toggle("pressing", shown);
  if (shown) button(seat);
  find("be-button").hidden = !seat || pressing || counting || voting;
  find("voice").hidden = !me.phone || !window.speechSynthesis || counting || voting;
  find("voice").setAttribute("aria-pressed", String(speaking));
  document.body.classList.toggle("counting", counting && pressing);
  find("sit").hidden = !me.phone || counting || voting;
  if (!counting) { typed = false; team = 0; last = null; weighed = ""; } else count();
  find("who").textContent = [me.phone && titled(me.phone), LABELS[`role.${me.role}`], seat && fill(LABELS.button, seat)].filter(Boolean).join(" · ");
  const [name, total] = table.seats[seat - 1] || [];
  find("now").replaceChildren(...(me.phone ? [table.phase, ...(name ? [" · ", apart(name), ` ${total}`.trimEnd()] : [])] : []));
  find("sit-down").textContent = seat ? LABELS["join.change"] : LABELS["join.sit"];
  for (const chair of chairs) {
    const number = chair.dataset.seat;
    const [name, , partner] = table.seats[number - 1] || [];
    const mine = table.phones[number] === me.phone && me.phone;
    const asleep = table.asleep.includes(Number(number)) && LABELS.asleep;
    const who = name ? apart(name) : partner ? fill(LABELS.with, partner) : LABELS["join.free"];
    const more = mine ? LABELS["join.you"] : asleep;
    const shown = chair.querySelector("span");
    shown.replaceChildren(who, ...(more ? [` · ${more}`] : []));
    chair.setAttribute("aria-label", `${fill(LABELS.button, number)}, ${shown.textContent}`);
  }
  if (seat && !chosen) {
    choose(seat);
    find("name").value ||= ((table.seats[seat - 1] || [])[0] || "").replace(/[\u2068\u2069]/g, ""); // no isolates
  }
}

function show(changes) {
  if ("language" in changes && changes.language !== document.documentElement.lang) { location.reload(); return; }
  if (table.asks && "asks" in changes && changes.asks !== table.asks) tell(""); // it was about what is over
  const called = mine(own()).verdict?.called;
  const count = "count" in changes && !changes.count && table.asks === "counting" ? table.count : changes.count;
  Object.assign(table, changes, "count" in changes ? { count } : {});
  if (pressing && !called && mine(own()).verdict?.called) navigator.vibrate?.([80, 60, 80, 60, 300]);
  draw();
}

// -- the line to the table -------------------------------------------------------------------------------------------

const line = keepLine(() => document.body.dataset.line + (pressing && me.phone ? "&button=" : ""), {
  receive(message) {
    if (message.table) show(message.table);
    if ("clock" in message) answerClock(message, line, find("bound"), LABELS["join.bound"]);
    if (message.sound?.name === "voice" && speaking) speak(message.sound, message.sound.delay_ms);
    if (message.refused) tell(message.refused, true);
  },
  opened() {
    renewClock();
    sendKept(line);
    if (find("told").textContent === LABELS.lost) tell("");
  },
  lost() { tell(LABELS.lost, true); },
});

draw();
if (me.phone) names();
else if (document.body.dataset.code) pair();
