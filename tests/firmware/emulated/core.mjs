// The Cortex-M0+ of rp2040js with its frequent instructions decoded by a table instead of a chain of comparisons, and
// with direct memory reads: some five times as fast, with the same cycles (test_core.py compares both).
// Rare instructions, and those that use a peripheral, are left to rp2040js itself, at their instant.
const CYCLE_NS = 8;

// Kind of instruction of a halfword; 0 is left to rp2040js. Later lines win.
const KIND = new Uint8Array(65536);
function kind(number, bits) { // bits: the halfword's first ones
  const free = 16 - bits.length, begin = parseInt(bits, 2) << free;
  KIND.fill(number, begin, begin + (1 << free));
}
['00000', '00001', '00010', '0001100', '0001101', '0001110', '0001111', '00100', '00101', '00110', '00111',
  '0100000000', '0100000001', '0100001000', '0100001010', '0100001100', '0100001101', '0100001110', '0100001111',
  '01000100', '01000101', '01000110', '010001110', '010001111', '01001', '0101000', '0101001', '0101010', '0101011',
  '0101100', '0101101', '0101110', '0101111', '01100', '01101', '01110', '01111', '10000', '10001', '10010', '10011',
  '10100', '10101', '101100000', '101100001', '1011001000', '1011001001', '1011001010', '1011001011', '1011010',
  '1011110', '11000', '11001', '1101', '11100', '11110', '0100001001', '0100000010', '0100000011', '0100000101',
  '0100000110', '0100000100', '1011101000'].forEach((bits, n) => kind(n + 1, bits));
kind(0, '11011110'); // UDF
kind(0, '11011111'); // SVC
for (let low = 1; low < 8; low++) for (let rm = 0; rm < 16; rm++) for (const high of [0x4700, 0x4780]) KIND[high | rm << 3 | low] = 0;

export class Core {
  // `stops`: addresses in the boot ROM before which it returns.
  constructor(chip, clock, stops) {
    this.chip = chip;
    this.clock = clock;
    this.stops = stops;
    this.core = chip.core;
    this.R = new Int32Array(chip.core.registers.buffer);
    this.rom16 = new Uint16Array(chip.bootrom.buffer);
    this.rom32 = new Int32Array(chip.bootrom.buffer);
    this.flash16 = new Uint16Array(chip.flash.buffer);
    this.flash32 = new Int32Array(chip.flash.buffer);
    this.ram16 = new Uint16Array(chip.sram.buffer);
    this.ram32 = new Int32Array(chip.sram.buffer);
  }

  // Run until the clock shows that many ns, at least one instruction, or until an event that others must handle:
  // a peripheral was used, an alarm has fired, the processor waits, or a stop is next.
  run(untilNs) {
    const { chip, clock, core, R, rom16, rom32, flash16, flash32, ram16, ram32, stops } = this;
    const ram8 = chip.sram, flash8 = chip.flash, sio = chip.sio, RAM = chip.sram.length;
    if (core.interruptsUpdated && core.checkForInterrupts()) core.waiting = false;
    const beganNs = clock.nanosCounter;
    const endNs = clock.nextAlarm && clock.nextAlarm.nanos < untilNs ? clock.nextAlarm.nanos : untilNs;
    let limit = Math.max((endNs - beganNs) / CYCLE_NS, 1); // cycles
    let cycles = 0, pc = R[15] & ~1, C = core.C ? 1 : 0, V = core.V ? 1 : 0, nz = core.Z ? 0 : core.N ? -1 : 1;

    while (cycles < limit) {
      let op;
      const page = pc >>> 24;
      if (page === 0x10) op = flash16[(pc & 0xffffff) >> 1];
      else if (page === 0x20) op = ram16[(pc & 0xffffff) >> 1];
      else if (page === 0) {
        if (pc === stops[0] || pc === stops[1]) break;
        op = rom16[pc >> 1];
      } else op = chip.readUint16(pc >>> 0);
      let delta = 1, a = 0, b = 0, r = 0, d = op & 7;
      pc += 2;
      switch (KIND[op]) {
        case 1: // LSLS immediate
          a = R[op >> 3 & 7]; b = op >> 6;
          if (b) C = a >>> 32 - b & 1;
          R[d] = nz = a << b; break;
        case 2: // LSRS immediate
          a = R[op >> 3 & 7]; b = op >> 6 & 31;
          C = a >>> (b ? b - 1 : 31) & 1; R[d] = nz = b ? a >>> b | 0 : 0; break;
        case 3: // ASRS immediate
          a = R[op >> 3 & 7]; b = op >> 6 & 31;
          C = a >>> (b ? b - 1 : 31) & 1; R[d] = nz = a >> (b || 31); break;
        case 4: case 6: // ADDS register, immediate of three bits
          a = R[op >> 3 & 7]; b = op & 0x400 ? op >> 6 & 7 : R[op >> 6 & 7]; r = a + b | 0;
          C = r >>> 0 < a >>> 0 ? 1 : 0; V = ((a ^ r) & (b ^ r)) >>> 31; R[d] = nz = r; break;
        case 5: case 7: // SUBS register, immediate of three bits
          a = R[op >> 3 & 7]; b = op & 0x400 ? op >> 6 & 7 : R[op >> 6 & 7]; r = a - b | 0;
          C = a >>> 0 >= b >>> 0 ? 1 : 0; V = ((a ^ b) & (a ^ r)) >>> 31; R[d] = nz = r; break;
        case 8: R[op >> 8 & 7] = nz = op & 255; break; // MOVS
        case 9: // CMP immediate
          a = R[op >> 8 & 7]; b = op & 255; nz = a - b | 0;
          C = a >>> 0 >= b ? 1 : 0; V = (a & (a ^ nz)) >>> 31; break;
        case 10: // ADDS immediate of eight bits
          a = R[op >> 8 & 7]; b = op & 255; r = a + b | 0;
          C = r >>> 0 < a >>> 0 ? 1 : 0; V = (~a & r) >>> 31; R[op >> 8 & 7] = nz = r; break;
        case 11: // SUBS immediate of eight bits
          a = R[op >> 8 & 7]; b = op & 255; r = a - b | 0;
          C = a >>> 0 >= b ? 1 : 0; V = (a & (a ^ r)) >>> 31; R[op >> 8 & 7] = nz = r; break;
        case 12: R[d] = nz = R[d] & R[op >> 3 & 7]; break; // ANDS
        case 13: R[d] = nz = R[d] ^ R[op >> 3 & 7]; break; // EORS
        case 14: nz = R[d] & R[op >> 3 & 7]; break; // TST
        case 15: // CMP register
          a = R[d]; b = R[op >> 3 & 7]; nz = a - b | 0;
          C = a >>> 0 >= b >>> 0 ? 1 : 0; V = ((a ^ b) & (a ^ nz)) >>> 31; break;
        case 16: R[d] = nz = R[d] | R[op >> 3 & 7]; break; // ORRS
        case 17: R[d] = nz = Math.imul(R[d], R[op >> 3 & 7]); break; // MULS
        case 18: R[d] = nz = R[d] & ~R[op >> 3 & 7]; break; // BICS
        case 19: R[d] = nz = ~R[op >> 3 & 7]; break; // MVNS
        case 20: // ADD high registers
          b = op >> 3 & 15; d |= op >> 4 & 8;
          r = (d === 15 ? pc + 2 : R[d]) + (b === 15 ? pc + 2 : R[b]) | 0;
          if (d === 15) { pc = r & ~1; delta = 2; } else R[d] = d === 13 ? r & ~3 : r;
          break;
        case 21: // CMP high registers
          d |= op >> 4 & 8; a = R[d]; b = R[op >> 3 & 15]; nz = a - b | 0;
          C = a >>> 0 >= b >>> 0 ? 1 : 0; V = ((a ^ b) & (a ^ nz)) >>> 31; break;
        case 22: // MOV high registers
          b = op >> 3 & 15; d |= op >> 4 & 8; r = b === 15 ? pc + 2 : R[b];
          if (d === 15) { pc = r & ~1; delta = 2; } else R[d] = d === 13 ? r & ~3 : r;
          break;
        case 23: // BX
          a = R[op >> 3 & 15];
          if (a >>> 28 === 15) { pc -= 2; delta = -1; break; } // perhaps an exception's end
          pc = a & ~1; delta = 2; break;
        case 24: a = R[op >> 3 & 15]; R[14] = pc | 1; pc = a & ~1; delta = 2; break; // BLX
        case 25: // LDR literal
          a = (pc + 2 & ~3) + (op & 255) * 4; delta = 2;
          if (a >>> 26 === 4) r = flash32[(a & 0xffffff) >> 2];
          else if (a >>> 24 === 0x20) r = ram32[(a & 0xffffff) >> 2];
          else r = rom32[(a & 0x3fff) >> 2];
          R[op >> 8 & 7] = r;
          break;
        case 26: case 34: case 40: // STR register, immediate, SP
          if (op < 0x6000) a = R[op >> 3 & 7] + R[op >> 6 & 7] | 0;
          else if (op < 0x8000) a = R[op >> 3 & 7] + (op >> 4 & 0x7c) | 0;
          else { a = R[13] + (op & 255) * 4 | 0; d = op >> 8 & 7; }
          if (a >>> 24 === 0x20 && !(a & 3) && (a & 0xffffff) < RAM) { ram32[(a & 0xffffff) >> 2] = R[d]; delta = 2; }
          else if (a >>> 28 === 13) sio.writeUint32(a & 0xfffffff, R[d] >>> 0);
          else { clock.nanosCounter = beganNs + cycles * CYCLE_NS; limit = -1; delta += core.cyclesIO(a, true); chip.writeUint32(a >>> 0, R[d] >>> 0); }
          break;
        case 27: case 38: // STRH
          a = op < 0x6000 ? R[op >> 3 & 7] + R[op >> 6 & 7] | 0 : R[op >> 3 & 7] + (op >> 5 & 0x3e) | 0;
          if (a >>> 24 === 0x20 && !(a & 1) && (a & 0xffffff) < RAM) { ram16[(a & 0xffffff) >> 1] = R[d]; delta = 2; }
          else { clock.nanosCounter = beganNs + cycles * CYCLE_NS; limit = -1; delta += core.cyclesIO(a, true); chip.writeUint16(a >>> 0, R[d] >>> 0); }
          break;
        case 28: case 36: // STRB
          a = op < 0x6000 ? R[op >> 3 & 7] + R[op >> 6 & 7] | 0 : R[op >> 3 & 7] + (op >> 6 & 31) | 0;
          if (a >>> 24 === 0x20 && (a & 0xffffff) < RAM) { ram8[a & 0xffffff] = R[d]; delta = 2; }
          else { clock.nanosCounter = beganNs + cycles * CYCLE_NS; limit = -1; delta += core.cyclesIO(a, true); chip.writeUint8(a >>> 0, R[d] >>> 0); }
          break;
        case 30: case 35: case 41: // LDR register, immediate, SP
          if (op < 0x6000) a = R[op >> 3 & 7] + R[op >> 6 & 7] | 0;
          else if (op < 0x8000) a = R[op >> 3 & 7] + (op >> 4 & 0x7c) | 0;
          else { a = R[13] + (op & 255) * 4 | 0; d = op >> 8 & 7; }
          delta = 2;
          if (a >>> 24 === 0x20 && !(a & 3) && (a & 0xffffff) < RAM) R[d] = ram32[(a & 0xffffff) >> 2];
          else if (a >>> 26 === 4 && !(a & 3)) R[d] = flash32[(a & 0xffffff) >> 2];
          else if (a >>> 28 === 13) { delta = 1; R[d] = sio.readUint32(a & 0xfffffff) | 0; }
          else { delta = 1 + core.cyclesIO(a); clock.nanosCounter = beganNs + cycles * CYCLE_NS; limit = -1; R[d] = chip.readUint32(a >>> 0) | 0; }
          break;
        case 31: case 39: case 33: // LDRH register, immediate, LDRSH
          a = op < 0x6000 ? R[op >> 3 & 7] + R[op >> 6 & 7] | 0 : R[op >> 3 & 7] + (op >> 5 & 0x3e) | 0;
          delta = 2;
          if (a >>> 24 === 0x20 && !(a & 1) && (a & 0xffffff) < RAM) r = ram16[(a & 0xffffff) >> 1];
          else if (a >>> 26 === 4 && !(a & 1)) r = flash16[(a & 0xffffff) >> 1];
          else { delta = 1 + core.cyclesIO(a); clock.nanosCounter = beganNs + cycles * CYCLE_NS; limit = -1; r = chip.readUint16(a >>> 0); }
          R[d] = op >> 9 === 0x2f ? r << 16 >> 16 : r; break;
        case 32: case 37: case 29: // LDRB register, immediate, LDRSB
          a = op < 0x6000 ? R[op >> 3 & 7] + R[op >> 6 & 7] | 0 : R[op >> 3 & 7] + (op >> 6 & 31) | 0;
          delta = 2;
          if (a >>> 24 === 0x20 && (a & 0xffffff) < RAM) r = ram8[a & 0xffffff];
          else if (a >>> 26 === 4) r = flash8[a & 0xffffff];
          else { delta = 1 + core.cyclesIO(a); clock.nanosCounter = beganNs + cycles * CYCLE_NS; limit = -1; r = chip.readUint8(a >>> 0); }
          R[d] = op >> 9 === 0x2b ? r << 24 >> 24 : r; break;
        case 42: R[op >> 8 & 7] = (pc + 2 & ~3) + (op & 255) * 4; break; // ADR
        case 43: R[op >> 8 & 7] = R[13] + (op & 255) * 4; break; // ADD SP
        case 44: R[13] += (op & 127) * 4; break;
        case 45: R[13] -= (op & 127) * 4; break;
        case 46: R[d] = R[op >> 3 & 7] << 16 >> 16; break; // SXTH
        case 47: R[d] = R[op >> 3 & 7] << 24 >> 24; break; // SXTB
        case 48: R[d] = R[op >> 3 & 7] & 0xffff; break; // UXTH
        case 49: R[d] = R[op >> 3 & 7] & 0xff; break; // UXTB
        case 50: { // PUSH
          b = 0;
          for (let n = 0; n < 9; n++) b += op >> n & 1;
          a = R[13] - 4 * b | 0;
          if (a >>> 24 !== 0x20 || (a & 0xffffff) >= RAM || (a & 3)) { pc -= 2; delta = -1; break; }
          R[13] = a;
          let to = (a & 0xffffff) >> 2;
          for (let n = 0; n < 8; n++) if (op >> n & 1) { ram32[to++] = R[n]; delta++; }
          if (op & 0x100) ram32[to] = R[14];
          break;
        }
        case 51: { // POP
          a = R[13];
          let from = (a & 0xffffff) >> 2;
          if (a >>> 24 !== 0x20 || (a & 0xffffff) + 36 > RAM || (a & 3)) { pc -= 2; delta = -1; break; }
          if (op & 0x100) {
            b = 0;
            for (let n = 0; n < 8; n++) b += op >> n & 1;
            if (ram32[from + b] >>> 28 === 15) { pc -= 2; delta = -1; break; } // perhaps an exception's end
          }
          for (let n = 0; n < 8; n++) if (op >> n & 1) { R[n] = ram32[from++]; a += 4; delta++; }
          if (op & 0x100) { pc = ram32[from] & ~1; a += 4; delta += 2; }
          R[13] = a; break;
        }
        case 52: // STMIA
          b = op >> 8 & 7; a = R[b];
          if (a >>> 24 !== 0x20 || (a & 0xffffff) + 32 > RAM || (a & 3)) { pc -= 2; delta = -1; break; }
          for (let n = 0; n < 8; n++) if (op >> n & 1) { ram32[(a & 0xffffff) >> 2] = R[n]; a += 4; delta++; }
          if (!(op >> b & 1)) R[b] = a;
          break;
        case 53: // LDMIA
          b = op >> 8 & 7; a = R[b];
          if ((a >>> 24 !== 0x20 || (a & 0xffffff) + 32 > RAM) && a >>> 24 !== 0x10 || (a & 3)) { pc -= 2; delta = -1; break; }
          for (let n = 0; n < 8; n++) {
            if (op >> n & 1) { R[n] = (a >>> 24 === 0x20 ? ram32 : flash32)[(a & 0xffffff) >> 2]; a += 4; delta++; }
          }
          if (!(op >> b & 1)) R[b] = a;
          break;
        case 54: { // B with condition
          let yes;
          switch (op >> 9 & 7) {
            case 0: yes = nz === 0; break;
            case 1: yes = C === 1; break;
            case 2: yes = nz < 0; break;
            case 3: yes = V === 1; break;
            case 4: yes = C === 1 && nz !== 0; break;
            case 5: yes = nz < 0 === (V === 1); break;
            default: yes = nz < 0 === (V === 1) && nz !== 0;
          }
          if (yes !== ((op & 0x100) !== 0)) { pc += (op << 24 >> 23) + 2; delta = 2; }
          break;
        }
        case 55: pc += (op << 21 >> 20) + 2; delta = 2; break; // B
        case 56: { // BL, or what else is wide
          const low = pc >>> 24 === 0x10 ? flash16[(pc & 0xffffff) >> 1] : pc >>> 24 === 0x20 ? ram16[(pc & 0xffffff) >> 1] : rom16[(pc & 0x3fff) >> 1];
          if ((low & 0xd000) !== 0xd000) { pc -= 2; delta = -1; break; }
          const s = op >> 10 & 1, i1 = 1 - (s ^ low >> 13 & 1), i2 = 1 - (s ^ low >> 11 & 1);
          R[14] = pc + 2 | 1;
          pc += 2 + ((s ? 0xff000000 : 0) | i1 << 23 | i2 << 22 | (op & 0x3ff) << 12 | (low & 0x7ff) << 1); delta = 3; break;
        }
        case 57: b = R[op >> 3 & 7]; r = -b | 0; C = b === 0 ? 1 : 0; V = (b & r) >>> 31; R[d] = nz = r; break; // RSBS
        case 58: // LSLS register
          a = R[d]; b = R[op >> 3 & 7] & 255;
          if (b) C = a >>> (32 - b & 31) & 1; // as rp2040js has it
          R[d] = nz = b >= 32 ? 0 : a << b; break;
        case 59: // LSRS register
          a = R[d]; b = R[op >> 3 & 7] & 255;
          C = b <= 32 ? a >>> (b - 1 & 31) & 1 : 0; // as rp2040js has it
          R[d] = nz = b < 32 ? a >>> b | 0 : 0; break;
        case 60: { // ADCS, its V as rp2040js has it
          const one = R[op >> 3 & 7] >>> 0, other = (R[d] >>> 0) + C, sum = one + other;
          C = sum > 0xffffffff ? 1 : 0; V = (sum | 0) === (one | 0) + (other | 0) ? 0 : 1; R[d] = nz = sum | 0; break;
        }
        case 61: { // SBCS, its V as rp2040js has it
          const one = R[d] >>> 0, other = (R[op >> 3 & 7] >>> 0) + 1 - C, rest = one - other | 0;
          C = one >= other ? 1 : 0; V = ((one ^ other) & (one ^ rest)) >>> 31; R[d] = nz = rest; break;
        }
        case 62: // ASRS register, its C as rp2040js has it
          a = R[d]; b = Math.min(R[op >> 3 & 7] & 255, 32);
          C = a >>> (b - 1 & 31) & 1; R[d] = nz = a >> Math.min(b, 31); break;
        case 63: // REV
          a = R[op >> 3 & 7];
          R[d] = a << 24 | (a & 0xff00) << 8 | a >>> 8 & 0xff00 | a >>> 24; break;
        default: // left to rp2040js
          pc -= 2; delta = -1;
      }
      if (delta > 0) { cycles += delta; continue; }
      R[15] = pc; core.C = C === 1; core.V = V === 1; core.N = nz < 0; core.Z = nz === 0;
      clock.nanosCounter = beganNs + cycles * CYCLE_NS; limit = -1;
      cycles += core.executeInstruction();
      pc = R[15] & ~1; C = core.C ? 1 : 0; V = core.V ? 1 : 0; nz = core.Z ? 0 : core.N ? -1 : 1;
    }
    R[15] = pc; core.C = C === 1; core.V = V === 1; core.N = nz < 0; core.Z = nz === 0;
    clock.tick(beganNs + cycles * CYCLE_NS - clock.nanosCounter);
  }
}
