// A phone's screen as its seat's button: stamps touches by the phone's clock, and answers questions about that clock.

const LOOK_MS = 5, LOOKS = 100_000, STEPS = 5;
const COARSE_MS = 100; // a clock that did not step while it was looked at: the coarsest that browsers have
const SLEPT_MS = 4000; // a timer of one second that is this late
const APART_MS = 20; // a clock that stands still while the phone sleeps moves away from the time of day
let step = 0;
let fresh = true; // the table must learn this page's clock from the start
let run = newRun(); // the name of this page's clock, until it may have stood still
let beat = Date.now();
let apart = beat - performance.now(); // at the last answer

function newRun() {
  return Math.random().toString(36).slice(2, 12);
}

// Returns the largest error of a reading of the page's clock: the smallest step that it makes within 5 ms, because
// browsers round up or down at random. WebKit rounds down, so a reading is at most half a step from the middle.
function clockStep() {
  let least = COARSE_MS, last = performance.now(), steps = 0;
  const end = last + LOOK_MS;
  for (let look = 0; look < LOOKS && steps < STEPS && last < end; look++) {
    const now = performance.now();
    if (now === last) continue;
    least = Math.min(least, now - last);
    last = now;
    steps++;
  }
  return /^Apple/.test(navigator.vendor) ? least / 2 : least;
}

// A page that slept has another clock afterwards: some browsers stop it meanwhile. Returns the clock's present distance
// from the time of day.
function noteSleep() {
  const now = Date.now(), distance = now - performance.now();
  if (Math.abs(distance - apart) > APART_MS + 2 * step || Math.abs(now - beat) > SLEPT_MS) {
    fresh = true;
    run = newRun();
    apart = distance;
  }
  beat = now;
  return distance;
}

setInterval(noteSleep, 1000);

// To be called for each new line: the table knows nothing of this clock.
export function renewClock() {
  fresh = true;
}

let waiting = 0;

// message: {clock: number of the question, bound: the error bound of this clock in ms, or null, after: the earliest
// time of the answer, by this page's clock, got: the numbers of touches that the table has}. The answer proves that all
// earlier touches were sent before it, so it waits until the page has got the touches that the browser already holds.
export function answerClock(message, line, note, text) {
  clearTimeout(waiting);
  if (message.got) keep(kept.filter((touch) => !message.got.includes(touch.id)));
  step ||= clockStep();
  apart = noteSleep();
  const at = performance.now();
  if (at < message.after) {
    waiting = setTimeout(() => answerClock(message, line, note, text), message.after - at);
    return;
  }
  setTimeout(() => {
    line.send({ clock: message.clock, at, left: performance.now(), ...(fresh && { step, run }) });
    fresh = false;
  });
  const bound = message.bound === null ? "" : text.replace("{ms}", message.bound);
  if (note.textContent !== bound) note.textContent = bound;
}

// -- touches that the table has not confirmed ------------------------------------------------------------------------
// The next page in this tab has them too, if this one is loaded again or discarded. Its own clock does not place them,
// so each has the name of its clock. Of a touch by another clock only the beginning is sent.

const STORE = "touches", SCHEMA = 1, KEPT = 16;
let kept = [];
try {
  const found = JSON.parse(sessionStorage.getItem(STORE));
  if (found.schema === SCHEMA) kept = found.touches.filter((touch) => touch.touch);
} catch { /* there are none, or they may not be read */ }

function keep(touches) {
  kept = touches.slice(-KEPT);
  try { sessionStorage.setItem(STORE, JSON.stringify({ schema: SCHEMA, touches: kept })); } catch { /* this page has them */ }
}

// seen: undefined if nothing has happened since the last touch.
export function sendTouch(line, down, at, seen) {
  const touch = { touch: down, at, ...(seen && { seen, id: Math.floor(Math.random() * 2 ** 48) }) };
  line.send(touch);
  if (!seen) return;
  noteSleep();
  keep([...kept, { ...touch, run }]);
}

// To be called when a line has opened, before anything else is sent.
export function sendKept(line) {
  keep(kept.filter((touch) => touch.touch || touch.run === run));
  for (const { run: clock, seen, ...touch } of kept) line.send({ ...touch, ...(clock === run ? { seen } : { run: clock }) });
}

// Calls say(down, at, seen) at the first finger and the last one's end, and once more a moment after the end, so that the
// table knows that nothing else has happened. seen: when the page got the touch. Chromium delays timers and messages for
// 100 ms after a touch begins, so nothing can be said a moment after that.
export function listenTo(button, say) {
  const fingers = new Set();
  let again = 0;

  function change(down, at) {
    clearTimeout(again);
    say(down, at, performance.now());
    if (down) navigator.vibrate?.(15);
    else again = setTimeout(() => say(down, performance.now()), 60);
  }

  function down(finger, at) {
    if (!fingers.size) change(true, at);
    fingers.add(finger);
  }

  function up(finger, at) {
    if (fingers.delete(finger) && !fingers.size) change(false, at);
  }

  // Browsers of before 2018 stamp by the time of day: then the present is the best stamp.
  const stamp = (event) => (Math.abs(performance.now() - event.timeStamp) < 10_000 ? event.timeStamp : performance.now());

  button.addEventListener("pointerdown", (event) => {
    button.setPointerCapture(event.pointerId);
    down(event.pointerId, stamp(event));
  });
  for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) {
    button.addEventListener(end, (event) => up(event.pointerId, stamp(event)));
  }
  button.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    down("key", stamp(event));
  });
  button.addEventListener("keyup", (event) => up("key", stamp(event)));
  button.addEventListener("blur", (event) => up("key", stamp(event)));
  button.addEventListener("click", (event) => { // a screen reader's: no finger and no key came before it
    if (event.pointerType) return;
    down("click", stamp(event));
    setTimeout(() => up("click", performance.now()), 100);
  });
  button.addEventListener("contextmenu", (event) => event.preventDefault());
}

const HELD_MS = 300; // a palm or a sleeve does not touch for so long

// Calls does() when the button has been held, or pressed by a key or a screen reader; brief() at a touch that was too short.
export function whenHeld(button, does, brief) {
  let timer = 0;
  const end = () => { if (timer) brief(); clearTimeout(timer); timer = 0; };
  button.addEventListener("pointerdown", () => {
    clearTimeout(timer);
    timer = setTimeout(() => { timer = 0; does(); }, HELD_MS);
  });
  for (const over of ["pointerup", "pointercancel", "pointerleave"]) button.addEventListener(over, end);
  button.addEventListener("click", (event) => { if (!event.detail) does(); }); // no pointer was down
  button.addEventListener("contextmenu", (event) => event.preventDefault());
}

// Draws the table's display: lit pixels in the canvas's colour.
export function drawDisplay(canvas, table) {
  const [width, height] = table.size;
  const bytes = atob(table.pixels);
  const row = (width + 7) >> 3;
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d");
  pen.fillStyle = getComputedStyle(canvas).color;
  for (let at = 0; at < bytes.length; at++) {
    for (let bit = 0; bit < 8; bit++) {
      if (bytes.charCodeAt(at) << bit & 0x80) pen.fillRect((at % row) * 8 + bit, Math.floor(at / row), 1, 1);
    }
  }
}
