// A pod on a bench: the firmware on MicroPython itself, its USB line on a descriptor, its contacts moved by lines on
// standard input. Answers and changes of the lamps go to standard output, one per line.
//
//   closed MASK                 these contacts are closed from now on          -> at NS
//   train US:MASK US:MASK ...   changes that have just happened, US after the first -> at NS (of the first)
//   anew                        it restarts with another boot number           -> boot N
//   fails BITS                  faults found by the next self-test
//
// NS is CLOCK_MONOTONIC. The pod's own clock has another zero and is PPM parts per million too fast.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';
import { plain } from './plain.mjs';

const [micropython, firmware, bench, ident, ppm, line] = process.argv.slice(2);
const USB = Number(line);
const entry = path.join(micropython, 'micropython.mjs');
const { loadMicroPython } = await import(pathToFileURL(entry));

const HZ = 125000000n, BASE = process.hrtime.bigint() - 5000000000n, PPM = BigInt(ppm);
const podNs = (at) => { const ns = at - BASE; return ns + (ns * PPM) / 1000000n; };
const say = (line) => fs.writeSync(1, line + '\n');

let boot, begun, closed = 0, input = [], words = [], fails = 0;
const newBoot = () => { boot = (boot ?? Number(process.hrtime.bigint() & 0xffffffn)) + 1; words = []; };
const word = (at, level) => {
  const ticks = ((podNs(at) - begun) * HZ) / 7000000000n;
  return ((BigInt(level) << 24n) | ((0xffffffffn - ticks) & 0xffffffn)).toString();
};
const change = (at, mask) => { closed = mask; words.push(word(at, ~mask & 0xff)); };
newBoot();

const bus = {
  ident: () => ident,
  boot: () => String(boot),
  ticks_us: () => Number((podNs(process.hrtime.bigint()) / 1000n) & 0x3fffffffn),
  begin: () => { // one look at the clock: between two this process may wait for a processor, and its two counters be apart
    const us = podNs(process.hrtime.bigint()) / 1000n;
    begun = us * 1000n;
    return Number(us & 0x3fffffffn);
  },
  closed: () => closed,
  words: () => { const said = words.join(','); words = []; return said; },
  read: () => Buffer.from(input.splice(0)).toString('hex'),
  write: (hex) => {
    try { fs.writeSync(USB, Buffer.from(hex, 'hex')); } catch (e) { if (e.code !== 'EAGAIN') process.exit(0); }
  },
  lamps: (mask) => say('lamps ' + mask),
  selftest: () => fails,
  prompt: () => process.exit(0),
};

const mp = await loadMicroPython({ heapsize: 192 * 1024, stdout: (s) => process.stderr.write(s + '\n') });
mp.registerJsModule('_bus', bus);
mp.FS.mkdir('/fw');
for (const name of fs.readdirSync(firmware)) {
  if (name.endsWith('.py')) mp.FS.writeFile('/fw/' + name, plain(fs.readFileSync(path.join(firmware, name), 'utf8')));
}
mp.runPython("import sys; sys.path.insert(0, '/fw')\n" + fs.readFileSync(bench, 'utf8'));
const turn = mp.globals.get('turn'), start = mp.globals.get('start');

const commands = {
  closed: ([mask]) => { const at = process.hrtime.bigint(); change(at, Number(mask)); say('at ' + at); },
  train: (steps) => {
    const all = steps.map((s) => s.split(':').map(Number));
    const at = process.hrtime.bigint() - BigInt(all.at(-1)[0]) * 1000n;
    for (const [us, mask] of all) change(at + BigInt(us) * 1000n, mask);
    say('at ' + at);
  },
  anew: () => { newBoot(); start(); say('boot ' + boot); },
  fails: ([bits]) => { fails = Number(bits); },
};
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const [name, ...rest] = line.trim().split(' ');
  commands[name](rest);
  turn();
}).on('close', () => process.exit(0));
const usb = fs.createReadStream(null, { fd: USB, autoClose: false, highWaterMark: 4096 });
usb.on('data', (data) => { input.push(...data); turn(); });
usb.on('error', () => process.exit(0));
setInterval(turn, 4);
say('ready');
