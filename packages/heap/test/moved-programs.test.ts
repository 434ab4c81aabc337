// A program continues as before when its state moves to another realm, as bytes, before each of its jobs and ticks.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'node:util';
import { expect, test } from 'vitest';
import { programs } from '../../core/test/programs.ts';
import { CaptureWorld } from '../../../test/capture/world.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const MAX_MOVES = 4;
/** Programs that hold what only the loader names or compiles, or that print source text, which markers change. */
const LEFT_OUT = [
  'async/await-in-every-expression.js',
  'async/function-kinds.js',
  'async/order-with-promises.js',
  'classes/accessors-and-methods.js',
  'classes/extends-builtins.js',
  'classes/generator-methods-and-super-of-literals.js',
  'closures/function-properties.js',
  'closures/to-string-nested.js',
  'counterexamples/handler-kind-by-constructor.js',
  'counterexamples/hidden-names.js',
  'counterexamples/own-instances-of-native-classes.js',
  'errors/formatter-taken-away.cjs',
  'functions/higher-order-and-callbacks.js',
  'promises/async-local-storage.js',
  'promises/resolution-order.js',
  'promises/timers-and-ticks.js',
  'proxies/settled.js',
];
let lines: string[] = [];
// Never reset: native timers of the programs fire after the tests.
console.log = (...values: unknown[]) => void lines.push(format(...values));

/** Lines that a program prints if its state moves before each of the first `moves` jobs. */
function linesOf(source: string, moves: number): string[] {
  lines = [];
  let world = CaptureWorld.run(source, { util: createRequire(import.meta.url)('util') });
  world.realm.jobs.detachQueues();
  for (let i = 0; ; i++) {
    if (i < moves) {
      world = world.copy();
      world.realm.jobs.detachQueues();
    }
    const { jobs } = world.realm;
    if (!jobs.runDetached(true) && !jobs.runDetached(false)) return lines;
  }
}

const movablePrograms = programs.filter((path) => !LEFT_OUT.some((name) => path.endsWith(`fixtures/${name}`)));

test.each(movablePrograms)('prints the same with and without moves: %s', (program) => {
  const source = readFileSync(join(root, program), 'utf8');
  const expected = linesOf(source, 0);
  expect(linesOf(source, MAX_MOVES)).toEqual(expected);
});
