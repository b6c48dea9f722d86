// MicroPython's own prompt on a line, as on a Pico without a program: node repl.mjs MICROPYTHON LINE [platform]
// "files" on standard input prints its files as JSON. A reset prints "reset" and does not end the process.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const [micropython, line, platform = 'rp2', board = 'Raspberry Pi Pico with RP2040', minor = '28'] = process.argv.slice(2);
const USB = Number(line);
const entry = path.join(micropython, 'micropython.mjs');
const { loadMicroPython } = await import(pathToFileURL(entry));
const say = (text) => fs.writeSync(1, text + '\n');
const put = (data) => { try { fs.writeSync(USB, data); } catch (e) { if (e.code !== 'EAGAIN') process.exit(0); } };

const mp = await loadMicroPython({ heapsize: 192 * 1024, linebuffer: false, stdout: put });
mp.registerJsModule('machine', { reset: () => say('reset') });
// The prompt of this build is the real one; the test sets the platform's name.
mp.runPython(`import sys
class _Implementation:
    _machine = ${JSON.stringify(board)}
    def __getitem__(self, index):
        return ('micropython', (1, ${minor}, 0))[index]
class _Sys:
    implementation = _Implementation()
    platform = ${JSON.stringify(platform)}
sys.modules['sys'] = _Sys()
import os
os.mkdir('/pico')
os.chdir('/pico')`);
mp.replInit();
const usb = fs.createReadStream(null, { fd: USB, autoClose: false, highWaterMark: 4096 });
usb.on('data', (data) => { for (const byte of data) mp.replProcessChar(byte); });
usb.on('error', () => process.exit(0));
readline.createInterface({ input: process.stdin }).on('line', () => {
  const files = {};
  for (const name of mp.FS.readdir('/pico')) {
    if (!name.startsWith('.')) files[name] = Buffer.from(mp.FS.readFile('/pico/' + name)).toString('utf8');
  }
  say(JSON.stringify(files));
}).on('close', () => process.exit(0));
say('ready');
