// The line of a live page to the table. It is closed while nobody sees the page, and opened anew when the page is shown
// again, when the network is back, and when nothing has come for so long that the line must be dead.
//
//   import { keepLine } from "/line.js";
//   const line = keepLine(document.body.dataset.line, {   // what follows /live?, or a function that returns it
//     receive(message) { … },                      // a message, parsed
//     opened() { … }, lost() { … },                // the line is there; it is not: it is tried again by itself
//   });
//   line.send({ turn: 1 });                       // whether it went out
//   line.again();                                 // a new line at once: for a phone that has just been paired
//
// `listens: true` keeps the line of a page that is hidden, for its sounds.

const SILENT_MS = 50_000; // live.py sends something every 20 s

export function keepLine(query, { receive, opened = () => {}, lost = () => {}, listens = false }) {
  let socket = null;
  let waitMs = 1000;
  let again = 0;
  let silent = 0;

  function connect() {
    clearTimeout(again);
    if (socket || (document.hidden && !listens)) return;
    const line = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live?${query instanceof Function ? query() : query}`);
    socket = line;
    hear();
    line.addEventListener("message", (event) => {
      if (line !== socket) return;
      hear();
      waitMs = 1000;
      receive(JSON.parse(event.data));
    });
    line.addEventListener("open", () => {
      if (line === socket) opened();
      else line.close(); // dropped while it was on its way: to close it before is an error to browsers
    });
    line.addEventListener("close", () => { if (line === socket) fail(); });
  }

  function hear() {
    clearTimeout(silent);
    silent = setTimeout(fail, SILENT_MS);
  }

  function fail() {
    drop();
    lost();
    again = setTimeout(connect, waitMs);
    waitMs = Math.min(waitMs * 2, 30_000);
  }

  function drop() {
    clearTimeout(again);
    clearTimeout(silent);
    const line = socket;
    socket = null;
    if (line?.readyState === WebSocket.OPEN) line.close();
  }

  function renew() {
    drop();
    waitMs = 1000;
    connect();
  }

  function send(message) {
    const open = socket?.readyState === WebSocket.OPEN;
    if (open) socket.send(JSON.stringify(message));
    return open;
  }

  document.addEventListener("visibilitychange", () => { if (!document.hidden || !listens) renew(); });
  addEventListener("pageshow", (event) => { if (event.persisted) renew(); });
  addEventListener("offline", () => { drop(); lost(); });
  addEventListener("online", renew);
  connect();
  return { send, again: renew };
}
