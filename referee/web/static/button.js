// A phone's screen as its seat's button: stamps touches by the phone's clock, and answers questions about that clock.

const LOOK_MS = 5, LOOKS = 100_000, STEPS = 5;
const COARSE_MS = 100; // a clock that did not step while it was looked at: the coarsest that browsers have
const SLEPT_MS = 4000; // a timer of one second that is this late
let step = 0;
let fresh = true; // the table must learn this page's clock from the start
let beat = Date.now();

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

// A page that slept has another clock afterwards: some browsers stop it meanwhile.
setInterval(() => {
  fresh ||= Math.abs(Date.now() - beat) > SLEPT_MS;
  beat = Date.now();
}, 1000);

// To be called for each new line: the table knows nothing of this clock.
export function renewClock() {
  fresh = true;
}

let waiting = 0;

// message: {clock: number of the question, bound: the error bound of this clock in ms, or null, after: the earliest
// time of the answer, by this page's clock}. The answer proves that all earlier touches were sent before it, so it waits
// until the page has got the touches that the browser already holds.
export function answerClock(message, line, note, text) {
  clearTimeout(waiting);
  step ||= clockStep();
  const at = performance.now();
  if (at < message.after) {
    waiting = setTimeout(() => answerClock(message, line, note, text), message.after - at);
    return;
  }
  setTimeout(() => {
    line.send({ clock: message.clock, at, left: performance.now(), ...(fresh && { step }) });
    fresh = false;
  });
  const bound = message.bound === null ? "" : text.replace("{ms}", message.bound);
  if (note.textContent !== bound) note.textContent = bound;
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
