// The page's only script: draws what the table shows, sounds what it sounds, and carries presses to it.
"use strict";

const find = (id) => document.getElementById(id);
const playable = document.body.dataset.mode === "play";
const still = matchMedia("(prefers-reduced-motion: reduce)");
const seats = [...document.querySelectorAll(".seat")];
const caps = seats.map((seat) => seat.querySelector(".cap"));
const table = { size: [128, 64], pixels: "", lamps: [], seats: [], bots: [], words: "", phase: "", banner: null, dim: false };

// -- the display: every pixel a whole number of the screen's own -----------------------------------------------------

const canvas = find("display");

function draw() {
  const [width, height] = table.size;
  const ratio = window.devicePixelRatio || 1;
  const scale = Math.max(1, Math.floor((find("glass").clientWidth * ratio) / width));
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.width = `${canvas.width / ratio}px`;
  canvas.style.height = `${canvas.height / ratio}px`;
  const pen = canvas.getContext("2d");
  pen.fillStyle = getComputedStyle(canvas).getPropertyValue("--pixel") || "#fff";
  const bytes = atob(table.pixels);
  const seams = scale > 3 && !table.scanned; // no camera is to take them for a part of the code
  pen.globalAlpha = seams ? 0.4 : 1; // they glow faintly
  dots(pen, bytes, width, scale, 0);
  pen.globalAlpha = 1;
  if (seams) dots(pen, bytes, width, scale, Math.max(1, Math.round(scale / 9)));
}

function dots(pen, bytes, width, scale, gap) {
  const row = (width + 7) >> 3;
  for (let at = 0; at < bytes.length; at++) {
    const eight = bytes.charCodeAt(at);
    for (let bit = 0; eight << bit & 0xff; bit++) {
      if (eight << bit & 0x80) {
        pen.fillRect(((at % row) * 8 + bit) * scale, Math.floor(at / row) * scale, scale - gap, scale - gap);
      }
    }
  }
}

new ResizeObserver(draw).observe(find("glass"));

// -- lamps and plates ------------------------------------------------------------------------------------------------

const LABELS = JSON.parse(document.body.dataset.labels);
const fill = (text, value) => text.replace(/{\w+}/, () => value); // a text with one value
const ASKING = new Set(["slow", "double", "alternate", "fault"]);

function light() {
  table.lamps.forEach(([lit, pattern], index) => {
    const cap = caps[index];
    if (!cap) return;
    const asks = ASKING.has(pattern);
    cap.classList.toggle("asks", asks);
    cap.classList.toggle("lit", still.matches && (asks || pattern === "pulse3" || pattern === "wink") ? false : lit);
    label(index, LABELS[`lamp.${pattern}`] || pattern);
  });
}

function label(index, lamp) {
  const [name, total] = table.seats[index] || [];
  const worth = total && (isNaN(total) ? total : fill(LABELS.points, total));
  const parts = [fill(LABELS.button, index + 1), name, worth, seats[index].dataset.bot && LABELS.a_bot, fill(LABELS.lamp, lamp)];
  const text = parts.filter(Boolean).join(", ");
  if (caps[index].getAttribute("aria-label") !== text) caps[index].setAttribute("aria-label", text);
}

function sit() {
  seats.forEach((seat, index) => {
    const [name, total, partner] = table.seats[index] || ["", "", ""];
    seat.classList.toggle("empty", !name && !total);
    seat.querySelector(".name").textContent = name;
    seat.querySelector(".total").textContent = total;
    seat.querySelector(".pair").textContent = partner && fill(LABELS.with, partner);
    if (table.bots.includes(caps[index].dataset.contact)) seat.dataset.bot = "yes";
    else delete seat.dataset.bot;
  });
}

// -- words -----------------------------------------------------------------------------------------------------------

let saying = 0;
let unsaidMs = 0;  // since when the words on the page are old

// Waits until the words rest, so that a screen reader does not read each tap of a count; but other players' taps must
// not delay them for ever.
function say(atOnce) {
  clearTimeout(saying);
  unsaidMs ||= performance.now();
  const waitMs = atOnce ? 0 : Math.min(700, unsaidMs + 1500 - performance.now());
  saying = setTimeout(() => { unsaidMs = 0; find("words").textContent = table.words; }, waitMs);
}

function note(text, forMs) {
  find("link").textContent = text;
  clearTimeout(note.timer);
  if (forMs) note.timer = setTimeout(() => note(table.banner || ""), forMs);
}

// Another language: the page comes anew in it, and whoever stood on a button stands there again.
function anew() {
  const at = document.activeElement;
  try { sessionStorage.setItem("at", (at && (at.dataset.contact || at.id)) || ""); } catch { /* the focus is lost */ }
  location.reload();
}

function stand() {
  let at = "";
  try { at = sessionStorage.getItem("at") || ""; sessionStorage.removeItem("at"); } catch { return; }
  const button = at && (document.querySelector(`[data-contact="${CSS.escape(at)}"]`) || find(at));
  if (button) button.focus();
}

function show(changes) {
  if ("language" in changes && changes.language !== document.documentElement.lang) return anew();
  Object.assign(table, changes);
  document.body.classList.add("live");
  if ("pixels" in changes || "size" in changes) draw();
  if ("seats" in changes || "bots" in changes) sit();
  if ("lamps" in changes || "seats" in changes || "bots" in changes) light();
  if ("phase" in changes) find("phase").textContent = table.phase;
  if ("words" in changes) say("phase" in changes);
  if ("banner" in changes) note(table.banner || "");
  if ("dark" in changes) find("dark-means").innerHTML = table.dark;
  if ("alone" in changes) find("alone").hidden = !table.alone;
  if ("clocks" in changes) {
    find("clocks").textContent = table.clocks.join(" · ");
    find("clocks").hidden = !table.clocks.length;
  }
  canvas.classList.toggle("dim", table.dim);
  document.dispatchEvent(new CustomEvent("table", { detail: changes }));
}

still.addEventListener("change", light);

// -- sound: square waves, as the piezo makes them --------------------------------------------------------------------

const VOLUME = 0.07;
let audio = null;
let loud = recall() !== "off";
let playing = [];

function recall() {
  try { return localStorage.getItem("sound"); } catch { return null; }
}

function unlock() {
  if (!loud) return;
  audio ||= window.AudioContext ? new AudioContext() : null;
  if (audio && audio.state === "suspended") audio.resume();
}

function toggle() {
  loud = !loud;
  try { localStorage.setItem("sound", loud ? "on" : "off"); } catch { /* a private window forgets */ }
  if (loud) unlock();
  else playing.forEach((motif) => cut(motif, 0));
  if (!loud && voice) voice.hush();
  tell();
}

function tell() {
  find("sound").setAttribute("aria-pressed", String(loud));
  find("sound-word").textContent = loud ? LABELS.sound_on : LABELS.sound_off;
}

function cut(motif, at) {
  motif.gain.gain.cancelScheduledValues(at);
  motif.gain.gain.setValueAtTime(0, at);
  motif.wave.stop(at);
  motif.end = at;
}

// A motif waits for a running one of higher priority and replaces any other.
function starts(at, priority) {
  for (const motif of [...playing].sort((a, b) => a.start - b.start)) {
    if (motif.end <= at || motif.start > at) continue;
    if (motif.priority > priority) at = motif.end;
    else cut(motif, at);
  }
  return at;
}

function sound(cue) {
  if (cue.name === "voice") return speak(cue);
  if (cue.notes.length) hint(cue);
  if (!audio || !loud || audio.state !== "running") return;
  const now = audio.currentTime;
  playing = playing.filter((motif) => motif.end > now);
  if (cue.cancels) playing.filter((motif) => motif.start > now).forEach((motif) => cut(motif, now));
  if (cue.notes.length) playing.push(tune(cue, starts(now + cue.delay_ms / 1000, cue.priority)));
}

// Words wait for the call's trill and the beats, and replace the motif of a verdict.
const REPLACED = 3;
let voice = null;

function speak(cue) {
  if (!loud || !voice) return;
  const now = audio ? audio.currentTime : 0;
  if (cue.words && voice.hasVoice()) playing.filter((motif) => motif.priority <= REPLACED).forEach((motif) => cut(motif, now));
  voice.speak(cue, 1000 * Math.max(0, ...playing.filter((motif) => motif.start <= now + 0.2).map((motif) => motif.end - now)));
}

function tune(cue, start) {
  const wave = audio.createOscillator();
  const gain = audio.createGain();
  wave.type = "square";
  wave.connect(gain).connect(audio.destination);
  let at = start;
  for (const [hz, ms] of cue.notes) {
    if (hz) wave.frequency.setValueAtTime(hz, at);
    gain.gain.setValueAtTime(hz ? VOLUME : 0, at);
    at += ms / 1000;
  }
  wave.start(start);
  wave.stop(at);
  return { wave, gain, start, end: at, priority: cue.priority };
}

// For those who do not hear it.
function hint(cue) {
  setTimeout(() => {
    find("heard").textContent = "♪";
    clearTimeout(hint.timer);
    hint.timer = setTimeout(() => { find("heard").textContent = ""; }, 1500);
  }, cue.delay_ms);
}

find("sound").addEventListener("click", toggle);
tell();

// -- the line to the table -------------------------------------------------------------------------------------------

let line = null;

function receive(message) {
  if (message.table) {
    if (!document.body.classList.contains("live")) note(message.table.banner || "");
    show(message.table);
  }
  if (message.sound) sound(message.sound);
  if (message.cards) document.dispatchEvent(new CustomEvent("cards", { detail: message.cards }));
  if (message.refused) note(message.refused, 4000);
}

function opened() {
  releaseAll(); // the table has let go of what was held on the line before
  document.dispatchEvent(new CustomEvent("online-again"));
}

function lost() {
  releaseAll();
  document.body.classList.remove("live");
  note(LABELS.lost);
}

const send = (message) => Boolean(line && line.send(message));

stand();
import("/voice.js").then((module) => { voice = module; });
import("/line.js").then(({ keepLine }) => { // hidden, the page still sounds
  line = keepLine(document.body.dataset.line, { receive, opened, lost, listens: true });
});

// -- contacts: a press lasts as long as any finger or key holds it ---------------------------------------------------

const held = new Map();

function press(contact, source) {
  const sources = held.get(contact) || new Set();
  if (sources.has(source)) return;
  if (!sources.size && !send({ contact, closed: true })) return;
  held.set(contact, sources.add(source));
  mark(contact, true);
}

function release(contact, source) {
  const sources = held.get(contact);
  if (!sources || !sources.delete(source) || sources.size) return;
  held.delete(contact);
  mark(contact, false);
  send({ contact, closed: false });
}

function releaseAll() {
  for (const [contact, sources] of [...held]) [...sources].forEach((source) => release(contact, source));
}

function mark(contact, down) {
  const button = document.querySelector(`[data-contact="${CSS.escape(contact)}"]`);
  button.classList.toggle("down", down);
}

let angle = 0;

function turn(steps) {
  if (!send({ turn: steps })) return;
  angle += steps * 18;
  find("dial").style.rotate = `${angle}deg`;
}

function hold(button) {
  const contact = button.dataset.contact;
  const source = (event) => `pointer ${event.pointerId}`;
  let touched = false;
  button.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    touched = true;
    try { button.setPointerCapture(event.pointerId); } catch { /* the pointer is gone already */ }
    press(contact, source(event));
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    button.addEventListener(end, (event) => release(contact, source(event)));
  }
  button.addEventListener("mousedown", (event) => event.preventDefault()); // no focus: Enter stays the knob's
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  button.addEventListener("click", (event) => { // a screen reader's click has neither pointer nor key
    if (!touched && !event.detail) tap(contact);
    touched = false;
  });
}

function tap(contact) {
  press(contact, "click");
  setTimeout(() => release(contact, "click"), 120);
}

// What a key does: [contact] to hold, {steps} to turn, or nothing of ours.
function meaning(event) {
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code);
  if (digit) return caps[digit[1] - 1] && { contact: caps[digit[1] - 1].dataset.contact };
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (steps) return { steps };
  if (event.key !== "Enter" && event.key !== " ") return null;
  const button = event.target.closest("button, a, summary");
  if (button && !button.dataset.contact) return null;
  return { contact: button ? button.dataset.contact : "knob" };
}

function keydown(event) {
  unlock();
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const key = meaning(event);
  if (!key) return;
  event.preventDefault();
  if (key.steps) turn(key.steps);
  else if (!event.repeat) keys.set(event.code, key.contact) && press(key.contact, event.code);
}

const keys = new Map(); // by code: the focus may move while a key is down

function keyup(event) {
  if (event.key === "Meta") releaseAll(); // other keys' releases are lost while it is down
  if (!keys.has(event.code)) return;
  event.preventDefault();
  release(keys.get(event.code), event.code);
  keys.delete(event.code);
}

let rolled = 0;

function wheel(event) {
  event.preventDefault();
  const delta = event.deltaY || event.deltaX;
  rolled += event.deltaMode ? delta * 30 : delta;
  if (Math.abs(rolled) < 50) return;
  turn(Math.sign(rolled));
  rolled = 0;
}

function leave() {
  releaseAll();
  keys.clear();
}

if (playable) {
  [...caps, find("knob")].forEach(hold);
  find("turn-left").addEventListener("click", () => turn(-1));
  find("turn-right").addEventListener("click", () => turn(1));
  find("device").addEventListener("wheel", wheel, { passive: false });
  addEventListener("keyup", keyup);
  addEventListener("keydown", keydown);
  addEventListener("blur", leave);
  addEventListener("pagehide", leave);
  document.addEventListener("visibilitychange", () => document.hidden && leave());
} else {
  addEventListener("keydown", unlock);
}
addEventListener("pointerdown", unlock);
