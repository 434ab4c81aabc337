// Programs whose packages have changed: the replay uses the recorded sources, and other differences are reported by
// name and version of the package.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { record, replay, runTurntable } from './record-and-replay.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function install(version: string, text: string, name = 'counter'): void {
  const packageDirectory = join(directory, 'node_modules', name);
  mkdirSync(packageDirectory, { recursive: true });
  writeFileSync(join(packageDirectory, 'package.json'), JSON.stringify({ name, version, main: 'index.js' }));
  writeFileSync(join(packageDirectory, 'index.js'), text);
}

it('names a package of another version as the cause of a divergence, and a missing one before replay', () => {
  const into = join(directory, 'recordings');
  install('1.2.3', 'exports.next = () => 1;');
  writeFileSync(join(directory, 'main.mjs'), "import { next } from 'counter'; console.log(next());");
  expect(record(into, ['main.mjs'], {}, directory).stdout).toBe('1\n');
  install('1.2.4', 'exports.next = () => Date.now();');
  expect(replay(into).report.verdict).toBe('same');
  expect(replay(into, ['--code', 'current']).report.divergence?.cause).toBe(
    'the code has changed: package counter 1.2.3 → 1.2.4',
  );
  rmSync(join(directory, 'node_modules'), { recursive: true });
  const { stderr, status } = runTurntable(['replay', into]);
  expect({ stderr, status }).toEqual({
    stderr: expect.stringContaining('package counter 1.2.3 is not installed'),
    status: 1,
  });
});

it('a file that a device loaded before the program stays with the device in a replay that loads no device', () => {
  const into = join(directory, 'shared');
  install('1.0.0', 'let calls = 0; exports.next = () => ++calls;', 'shared');
  install(
    '1.0.0',
    "new WebAssembly.Memory({ initial: 1 }); const { next } = require('shared'); exports.twice = () => next() + next();",
    'device',
  );
  const text =
    "const { twice } = require('device'); const { next } = require(['shared'][0]); console.log(twice(), next());";
  writeFileSync(join(directory, 'main.cjs'), text);
  const { stdout } = record(into, ['main.cjs'], {}, directory);
  expect(stdout).toBe('3 3\n');
  for (const code of ['recorded', 'current']) {
    const { report, output } = replay(into, ['--code', code]);
    expect([code, report.verdict, output]).toEqual([code, 'same', stdout]);
  }
});

it('a global that a device shares with Node is not part of the program state', () => {
  const into = join(directory, 'dispatching');
  install(
    '1.0.0',
    `new WebAssembly.Memory({ initial: 1 });
     class Agent { pools = new Map([['a', 1]]); }
     const value = new Agent();
     Object.defineProperty(globalThis, Symbol.for('undici.globalDispatcher.1'), { value, writable: true });
     exports.asked = () => value.pools.size;`,
    'undici',
  );
  const text = "console.log(require('undici').asked(), new Headers({ a: 'b' }).get('a'));";
  writeFileSync(join(directory, 'main.cjs'), text);
  const { stdout } = record(into, ['--snapshots', 'end', 'main.cjs'], {}, directory);
  expect(stdout).toBe('1 b\n');
  const { report, output } = replay(into);
  expect([report.verdict, output, report.cuts.compared > 0, report.cuts.different]).toEqual(['same', stdout, true, []]);
});
