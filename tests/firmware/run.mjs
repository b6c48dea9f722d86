// Run a script on MicroPython itself with the firmware's modules: node run.mjs MICROPYTHON FIRMWARE < SCRIPT
// Its exit status is the script's; 1 after an exception, which is printed.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { plain } from './plain.mjs';

const [micropython, firmware] = process.argv.slice(2);
const entry = path.join(micropython, 'micropython.mjs');
const { loadMicroPython } = await import(pathToFileURL(entry));
const mp = await loadMicroPython({ heapsize: 192 * 1024, stdout: (s) => process.stdout.write(s + '\n') });
mp.FS.mkdir('/fw');
for (const name of fs.readdirSync(firmware)) {
  if (name.endsWith('.py')) mp.FS.writeFile('/fw/' + name, plain(fs.readFileSync(path.join(firmware, name), 'utf8')));
}
try {
  await mp.runPythonAsync("import sys; sys.path.insert(0, '/fw')\n" + fs.readFileSync(0, 'utf8'));
} catch (e) {
  process.stderr.write(String(e.message ?? e) + '\n');
  process.exitCode = 1;
}
