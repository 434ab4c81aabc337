// Programs whose CommonJS files are loaded by a tool from `--import`, as with tsx and ts-node. The recorded source of a
// file is the tool's output. A replay uses that source, does not need the file, and does not call the tool, which has
// its own clocks, random numbers and files.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { differences, differencesFrom, snapshotPhases, record, replay } from './record-and-replay.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/**
 * A tool that handles a file extension, all JavaScript files, and name resolution. It reads clocks while it works and
 * in between.
 */
const SHAPER = `
const { readFileSync, statSync } = require('node:fs');
const Module = require('node:module');
const timed = () => [Date.now(), performance.now(), process.hrtime(), process.memoryUsage().rss, Math.random(), crypto.randomUUID()];
timed();
setInterval(timed, 1).unref();
Module._extensions['.shape'] = (module, filename) => {
  timed();
  const { _compile: compile } = module;
  module._compile = function (text, name) {
    return compile.call(this, text.replace('shape', 'module.exports ='), name);
  };
  module._compile(readFileSync(filename, 'utf8'), filename);
  timed();
};
Module._extensions['.js'] = (module, filename) => {
  timed();
  const place = JSON.stringify(String(statSync(filename).size > 0));
  module._compile(readFileSync(filename, 'utf8').replace('PLACE', place), filename);
};
const { _resolveFilename: resolve } = Module;
Module._resolveFilename = function (request, ...rest) {
  timed();
  return resolve.call(this, request.replace(/\\bshaped\\b/, 'square.shape'), ...rest);
};
`;

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "shaped", "type": "commonjs" }',
  'node_modules/shaper/package.json': '{ "name": "shaper", "version": "1.0.0", "main": "index.cjs" }',
  'node_modules/shaper/index.cjs': SHAPER,
  'main.mjs': `
import { createRequire } from 'node:module';
import { setTimeout as wait } from 'node:timers/promises';
import { start } from 'turntable';
const require = createRequire(import.meta.url);
const app = start({ workers: 0 });
const square = require('./shaped');
console.log(square.area(3), square.place, typeof Date.now(), Math.random(), Date.now());
await wait(5);
await app.snapshot();
console.log((await import('./apart.mjs')).text, square.area(4), new (require('./later').Later)().text(), Math.random(), Date.now());
await wait(5);
delete require.cache[require.resolve('./changing')];
console.log(require('./changing').count, crypto.randomUUID(), performance.now());
await app.close();`,
  'square.shape': `shape { area: (n) => n * n, place: require('node:path').basename(__filename), random: Math.random(), sub: require('./changing') }`,
  'later.js': `exports.Later = class { #at = Date.now(); text() { return [PLACE, this.#at, Math.random(), module.loaded, module.children.length].join(); } };`,
  'apart.mjs': `export const text = 'apart';`,
  'changing.js': `
const { readFileSync, writeFileSync } = require('node:fs');
exports.count = 1;
writeFileSync(__filename, readFileSync(__filename, 'utf8').replace(/count = \\d/, 'count = ' + (exports.count + 1)));`,
};

it('replays with the sources that a tool produced, without calling the tool', () => {
  const program = join(directory, 'program');
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(program, name)), { recursive: true });
    writeFileSync(join(program, name), text);
  }
  symlinkSync(
    fileURLToPath(new URL('../../packages/turntable', import.meta.url)),
    join(program, 'node_modules/turntable'),
  );
  const into = join(directory, 'recordings');
  const recorded = record(into, ['--snapshots', 'end', '--import', 'shaper', 'main.mjs'], {}, program);
  expect(recorded.stderr).toBe('');
  expect(recorded.stdout).toMatch(/^9 square\.shape number .*\napart 16 true,.*\n2 .*\n$/);
  for (const name of ['square.shape', 'later.js', 'apart.mjs', 'changing.js']) rmSync(join(program, name));
  const replayResult = replay(into);
  expect(differences(recorded, replayResult)).toEqual([]);
  expect(replayResult.report.cuts.compared).toBeGreaterThan(0);
  const [first = 0] = snapshotPhases(into);
  expect(differencesFrom(first, into, recorded)).toEqual([]);
});
