// An emulated Raspberry Pi Pico that runs a given RP2040 image: node pico.mjs image=FILE [modules=DIR] ...
//
// rp2040js provides the processor and its peripherals. This file adds: PIO0, DMA, timers and processor on one clock;
// contacts as pins that move at given instants; a USB host that can pause, close its port and be unplugged; flash
// written by the boot ROM's own functions for any image; and a reset by a watchdog or a program.
//
// Questions and answers are JSON, one per line (pico.py). All times are ns of the host's clock.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';
import { bootromB1 } from './bootrom.mjs';
import { Core } from './core.mjs';

const options = Object.fromEntries(process.argv.slice(2).map((word) => word.split('=')));
const library = path.join(options.modules ?? path.join(import.meta.dirname, '..', 'node_modules'), 'rp2040js/dist/esm');
const load = (file) => import(pathToFileURL(path.join(library, file)));
const { SimulationClock } = await load('clock/simulation-clock.js');
const { RP2040 } = await load('rp2040.js');
const { USBCDC } = await load('usb/cdc.js');

const RATE = 1 + Number(options.ppm ?? 0) / 1e6; // the pod's clock against the host's
const HZ = 125e6, CYCLE_NS = 8, LOOP = 7; // cycles of one idle turn of the stamper
const FLASH = 0x10000000, FLASH_SIZE = 2 ** 21;
const ERASE_NS = 45e6, PAGE_NS = 0.7e6; // of a sector and of a page, W25Q16JV's data sheet
const RP2040_FAMILY = 0xe48bff56;
const CONTACTS = 2, LAMPS = 10, LIGHT = 25;
const DEV_SOF = 1 << 17, SOF_RD = 0x48, INTE = 0x90, FRAME_NS = 1e6; // RP2040 data sheet 4.1.4
const BOOT_NS = 1e6; // a reset's own time, before the image's

// The boot ROM's functions by the two letters of their table, RP2040 data sheet 2.8.3.
const rom = Buffer.from(bootromB1.buffer);
function romFunction(code) {
  const wanted = code.charCodeAt(0) | code.charCodeAt(1) << 8;
  for (let at = rom.readUInt16LE(0x14); rom.readUInt16LE(at); at += 4) {
    if (rom.readUInt16LE(at) === wanted) return rom.readUInt16LE(at + 2) & ~1;
  }
  throw new Error(`the boot ROM has no ${code}`);
}
const ERASE = romFunction('RE'), PROGRAM = romFunction('RP');

// Return an image as the flash's bytes: a .bin unchanged, a .uf2 by its blocks of 512 bytes.
function flashOf(file) {
  const data = fs.readFileSync(file), flash = Buffer.alloc(FLASH_SIZE, 0xff);
  if (data.length < 512 || data.readUInt32LE(0) !== 0x0a324655) { data.copy(flash); return flash; }
  for (let at = 0; at < data.length; at += 512) {
    if (data.readUInt32LE(at + 28) !== RP2040_FAMILY) throw new Error(`${file} is no UF2 for an RP2040`);
    data.copy(flash, data.readUInt32LE(at + 12) - FLASH, at + 32, at + 32 + data.readUInt32LE(at + 16));
  }
  return flash;
}

let seed = Number(options.seed ?? 1); // of the ring oscillator, by which a program draws numbers
function bit() { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return seed >>> 31; }

class Pico {
  // `hostNs`: instant of power-on; `counterNs`: the microsecond counter's value then, in ns.
  constructor(flash, levels, hostNs, counterNs) {
    const clock = this.clock = new SimulationClock(HZ), chip = this.chip = new RP2040(clock);
    chip.logger = { debug() {}, info() {}, warn() {}, error() {} };
    chip.loadBootrom(bootromB1);
    chip.flash.set(flash);
    clock.nanosCounter = counterNs;
    Object.assign(this, { bornNs: hostNs, beganNs: counterNs, cycles: 0, levels, moves: [], missed: 0, restart: false });
    Object.defineProperty(chip, 'gpioValues', { get: () => this.levels });
    for (let pin = 0; pin < 30; pin++) chip.gpio[pin].setInputValue(!!(levels >> pin & 1));
    chip.peripherals[0x40060].readUint32 = (offset) => (offset === 0x1c ? bit() : 0xffffffff);
    const watchdog = chip.peripherals[0x40058];
    watchdog.onWatchdogTrigger = () => {
      this.restart = true;
      watchdog.alarm.enable = false; // or rp2040js lets it go off again at the same instant, for ever
    };
    this.joinClocks();
    this.frames();
    this.plug();
    chip.core.PC = FLASH;
    this.processor = options.plain ? null : new Core(chip, clock, [ERASE, PROGRAM]);
  }

  get hostNs() { return this.bornNs + Math.round((this.clock.nanosCounter - this.beganNs) / RATE); }
  cycleAt(hostNs) { return Math.round((hostNs - this.bornNs) * RATE / CYCLE_NS); } // since the beginning
  hostAt(cycle) { return this.bornNs + cycle * CYCLE_NS / RATE; }
  get cycleNow() { return Math.round((this.clock.nanosCounter - this.beganNs) / CYCLE_NS); }

  // -- state machines, pins and the processor on one clock

  joinClocks() {
    const { chip } = this, pio = chip.pio[0];
    pio.run = () => {};
    for (const part of [pio, chip.dma]) {
      for (const name of ['readUint32', 'writeUint32']) {
        const plain = part[name].bind(part);
        part[name] = (...words) => { this.catchUp(); return plain(...words); };
      }
    }
  }

  catchUp() { // pins and state machines as they are at the processor's instant
    if (this.busy) return;
    this.busy = true;
    const target = this.cycleNow;
    while (this.cycles < target) {
      while (this.moves.length && this.moves[0][0] <= this.cycles) this.move(this.moves.shift());
      const end = this.moves.length ? Math.min(target, this.moves[0][0]) : target;
      for (const machine of this.chip.pio[0].machines) if (machine.enabled) this.step(machine, end - this.cycles);
      this.cycles = end;
    }
    this.busy = false;
  }

  move([, pin, level]) {
    this.levels = level ? this.levels | 1 << pin : this.levels & ~(1 << pin);
    this.chip.gpio[pin].setInputValue(!!level);
  }

  step(machine, cycles) { // with pins that do not move
    for (let left = cycles; left > 0;) {
      const pins = machine.inPins & 0xff;
      if (left >= LOOP && machine.pc === machine.wrapBottom && !machine.waiting && machine.y >>> 0 === pins) {
        const turns = Math.floor(left / LOOP); // the stamper's idle turns, at once: it counts OSR down, and looks
        machine.outputShiftReg = (machine.outputShiftReg - turns) >>> 0;
        machine.x = machine.inputShiftReg = pins;
        left -= turns * LOOP;
        continue;
      }
      const opcode = this.chip.pio[0].instructions[machine.pc], count = machine.rxFIFO.itemCount;
      if (opcode >>> 13 === 4 && !(opcode & 0x80) && machine.rxFIFO.full) this.missed++; // a push without room
      machine.step();
      left--;
      if (machine.rxFIFO.itemCount > count) this.clock.tick(0); // DMA takes it
    }
  }

  // -- USB

  frames() { // a frame of USB every millisecond, of which the program is told while it wants to know
    const usb = this.chip.usbCtrl, write = usb.writeUint32.bind(usb), read = usb.readUint32.bind(usb);
    const told = (bits) => { usb.intRaw = bits; usb.checkInterrupts(); };
    const wanted = () => usb.intEnable & DEV_SOF && !this.unplugged;
    const begin = this.clock.createAlarm(() => {
      begin.scheduled = false;
      if (!wanted()) return;
      usb.sofFrameNumber = usb.sofFrameNumber + 1 & 0x7ff;
      told(usb.intRaw | DEV_SOF);
      begin.schedule(FRAME_NS);
    });
    usb.writeUint32 = (offset, value) => {
      write(offset, value);
      if (offset === INTE && wanted() && !begin.scheduled) begin.schedule(FRAME_NS);
    };
    usb.readUint32 = (offset) => {
      if (offset === SOF_RD) told(usb.intRaw & ~DEV_SOF);
      return read(offset);
    };
  }

  plug() {
    const usb = this.chip.usbCtrl, cdc = this.cdc = new USBCDC(usb);
    const indicate = Object.getPrototypeOf(usb).indicateBufferReady;
    Object.assign(this, { sent: this.sent ?? [], waiting: null, room: 0, inbox: [], connected: false });
    cdc.onDeviceConnected = () => { this.connected = true; };
    const written = usb.onEndpointWrite, ready = indicate.bind(usb);
    usb.onEndpointWrite = (endpoint, buffer) => { if (endpoint !== cdc.inEndpoint) written(endpoint, buffer); };
    const fetch = this.clock.createAlarm(() => this.deliver());
    usb.indicateBufferReady = (endpoint, out) => {
      if (endpoint !== cdc.inEndpoint || out || endpoint <= 0) { ready(endpoint, out); return; }
      const size = this.chip.usbDPRAMView.getUint32(0x80 + endpoint * 8, true) & 0x3ff;
      const at = usb.getEndpointBufferOffset(endpoint, false);
      this.waiting = { bytes: Buffer.from(this.chip.usbDPRAM.slice(at, at + size)), done: () => ready(endpoint, false) };
      fetch.schedule(host.delayNs());
    };
    usb.onEndpointRead = (endpoint, size) => { if (endpoint === cdc.outEndpoint) { this.room = size; this.feed(); } };
  }

  deliver() { // the host fetches a packet
    if (!this.waiting || host.holds || this.unplugged) return;
    const { bytes, done } = this.waiting;
    this.waiting = null;
    this.sent.push([this.hostNs, bytes.toString('hex')]);
    done();
    this.told = true;
  }

  feed() { // the pod takes a packet
    if (!this.room || !this.inbox.length || this.unplugged) return;
    const bytes = Uint8Array.from(this.inbox.splice(0, Math.min(this.room, 64)));
    this.room = 0;
    this.chip.usbCtrl.endpointReadDone(this.cdc.outEndpoint, bytes, 20);
  }

  // -- the processor

  run(untilNs, stop) {
    const { chip, clock, processor } = this, { core } = chip;
    const stopNs = this.beganNs + Math.ceil((untilNs - this.bornNs) * RATE / CYCLE_NS) * CYCLE_NS;
    this.told = false;
    while (clock.nanosCounter < stopNs && !this.restart) {
      const pc = core.PC, moveNs = this.moves.length ? this.beganNs + this.moves[0][0] * CYCLE_NS : Infinity;
      const endNs = Math.min(stopNs, moveNs);
      if (pc === ERASE || pc === PROGRAM) {
        this.writeFlash(pc);
      } else if (core.waiting) {
        const alarmNs = clock.nextAlarm ? clock.nextAlarm.nanos : clock.nanosCounter + 1e5;
        const sleptNs = Math.max(Math.min(alarmNs, endNs) - clock.nanosCounter, CYCLE_NS);
        clock.tick(Math.ceil(sleptNs / CYCLE_NS) * CYCLE_NS);
      } else if (processor) {
        processor.run(endNs);
      } else {
        clock.tick(core.executeInstruction() * CYCLE_NS);
      }
      if (this.moves.length && this.moves[0][0] <= this.cycleNow) this.catchUp();
      if (stop && this.told) break;
    }
    this.catchUp();
  }

  stand(ns) { // the processor stands still, everything else goes on
    for (let end = this.hostNs + ns; this.hostNs < end && !this.restart; this.catchUp()) {
      this.clock.tick(Math.ceil(Math.min(end - this.hostNs, 1e6) / CYCLE_NS) * CYCLE_NS);
    }
  }

  writeFlash(pc) {
    const { chip } = this, [offset, second, third] = chip.core.registers, at = offset >>> 0;
    if (pc === ERASE) {
      chip.flash.fill(0xff, at, at + (second >>> 0));
      this.clock.tick(ERASE_NS * Math.ceil((second >>> 0) / 4096));
    } else {
      for (let n = 0; n < third >>> 0; n++) chip.flash[at + n] &= chip.readUint8((second >>> 0) + n);
      this.clock.tick(PAGE_NS * Math.ceil((third >>> 0) / 256));
    }
    chip.core.PC = (chip.core.registers[14] & ~1) >>> 0;
  }
}

// The host's side of the line. `delayNs`: until it fetches a ready packet; it polls repeatedly in a frame.
const host = { holds: false, delayNs: () => Number(options.delay_ns ?? 1e5) };
const OPEN = 0xff << CONTACTS; // contacts are pulled up, the sync wire is low
let pico = new Pico(flashOf(options.image), OPEN, 0, 0), restarts = 0;

function anew(hostNs, counterNs = 0) {
  const { levels, moves, sent, missed, unplugged } = pico;
  const times = moves.map(([cycle]) => pico.hostAt(cycle));
  const flash = Buffer.from(pico.chip.flash.subarray(0, FLASH_SIZE));
  pico = new Pico(flash, levels, hostNs, counterNs);
  pico.missed = missed;
  pico.sent = sent;
  pico.unplugged = unplugged;
  pico.moves = moves.map(([, pin, level], n) => [pico.cycleAt(times[n]), pin, level]);
}

function run(question) {
  do {
    if (pico.restart) { restarts++; anew(pico.hostNs + BOOT_NS); }
    pico.run(question.run, !!question.stop);
  } while (pico.restart);
}

function answer(question) {
  const began = process.cpuUsage();
  if (question.power) anew(pico.hostNs + (question.power.off_ns ?? 0), question.power.counter_ns ?? 0);
  if (question.hold !== undefined) { host.holds = question.hold; pico.deliver(); }
  if (question.cable !== undefined) { // pulled out or plugged in, while the pod has its power from elsewhere
    pico.unplugged = !question.cable;
    pico.waiting = null;
    if (question.cable) { pico.plug(); pico.chip.usbCtrl.resetDevice(); }
  }
  if (question.dtr !== undefined) pico.cdc.cdcSetControlLineState(question.dtr ? 3 : 0);
  for (const [ns, pin, level] of question.pins ?? []) pico.moves.push([pico.cycleAt(ns), pin, level]);
  pico.moves.sort((one, other) => one[0] - other[0]);
  if (question.send) pico.inbox.push(...Buffer.from(question.send, 'hex'));
  pico.feed();
  if (question.stand) {
    pico.stand(question.stand);
    if (pico.restart) run({ run: pico.hostNs });
  }
  if (question.run) run(question);
  const memory = question.memory ? createHash('sha256').update(pico.chip.sram).digest('hex') : undefined;
  if (question.save) fs.writeFileSync(question.save, pico.chip.flash.subarray(0, FLASH_SIZE));
  const lit = (pin) => (pico.chip.gpio[pin].outputValue ? 1 : 0);
  const lamps = [...Array(8).keys()].reduce((mask, n) => mask | lit(LAMPS + n) << n, 0);
  const { hostNs, sent, connected, missed } = pico;
  pico.sent = [];
  return { now: hostNs, sent, connected, memory, lamps, light: lit(LIGHT), missed, restarts, cpu_ms: process.cpuUsage(began).user / 1e3 };
}

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + '\n');
}).on('close', () => process.exit(0));
