// The scoreboard's and the wall's only script: fills in the parts that have changed, and plays photo finishes slowly.
import { keepLine } from "/line.js";
import { speak } from "/voice.js";

const find = (id) => document.getElementById(id);
const page = find("board");

// -- photo finishes: what has not happened yet is covered ----------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";
const PLAYED_MS = 5000;

function offer(within) {
  for (const chart of within.querySelectorAll("svg[data-play]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = chart.dataset.play;
    button.addEventListener("click", () => play(chart, button));
    chart.after(button);
    chart.removeAttribute("data-play");
  }
}

function play(chart, button) {
  const [left, right, bottom] = ["left", "right", "bottom"].map((name) => Number(chart.dataset[name]));
  const cover = chart.appendChild(document.createElementNS(SVG, "rect"));
  const line = chart.appendChild(document.createElementNS(SVG, "line"));
  cover.setAttribute("class", "cover");
  cover.setAttribute("height", bottom);
  line.setAttribute("class", "ink sweep");
  line.setAttribute("y2", bottom);
  button.disabled = true;
  const since = performance.now();
  requestAnimationFrame(function step(now) {
    const part = Math.min(Math.max((now - since) / PLAYED_MS, 0), 1);
    const x = left + (right - left) * part;
    cover.setAttribute("x", x);
    cover.setAttribute("width", chart.viewBox.baseVal.width - x);
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    if (part < 1 && chart.isConnected) return requestAnimationFrame(step);
    cover.remove();
    line.remove();
    button.disabled = false;
  });
}

offer(document);

// -- live ----------------------------------------------------------------------------------------------------------------

let tableLanguage = null;

function receive(message) {
  if (message.sound) return speak(message.sound, 0);
  const parts = message[page.dataset.show];
  if (!parts) return;
  document.body.classList.add("live");
  if (find("lost").textContent) find("lost").textContent = "";
  if ("language" in parts) {
    if (tableLanguage && tableLanguage !== parts.language) return location.reload(); // a reader's own choice stays
    tableLanguage = parts.language;
  }
  for (const [name, html] of Object.entries(parts)) if (name !== "language") fill(name, html);
}

// A part that has changed; what was open stays open, and whoever stood in it stands there again.
function fill(name, html) {
  const part = find(name);
  if (!part) return;
  if (name === "clock" || name === "said") {
    if (part.textContent !== html) part.textContent = html;
    return;
  }
  const before = name === "totals" ? lanes(part) : new Map();
  const open = [...part.querySelectorAll("details")].map((one) => one.open);
  const stops = "a, button, summary, [tabindex]";
  const at = [...part.querySelectorAll(stops)].indexOf(document.activeElement);
  part.innerHTML = html;
  [...part.querySelectorAll("details")].forEach((one, index) => { one.open = Boolean(open[index]); });
  race(before, part);
  offer(part);
  if (at >= 0) part.querySelectorAll(stops)[at]?.focus({ preventScroll: true });
}

// Bars race from the old total to the new one.
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const named = (row) => row.querySelector("th")?.textContent.trim();
const lane = (row) => row.querySelector(".lane rect");
const lanes = (part) => new Map([...part.querySelectorAll("tbody tr")].map((row) => [named(row), lane(row)?.getAttribute("width")]));

function race(before, part) {
  if (calm.matches) return;
  for (const row of part.querySelectorAll("tbody tr")) {
    const [from, to] = [before.get(named(row)), lane(row)?.getAttribute("width")];
    if (from && to && from !== to) lane(row).animate([{ width: from }, { width: to }], { duration: 1500, easing: "ease-in-out" });
  }
}

function lost() {
  document.body.classList.remove("live");
  find("lost").textContent = page.dataset.lost;
}

if (page) keepLine(`show=${page.dataset.show}&language=${page.dataset.language}`, { receive, lost });
