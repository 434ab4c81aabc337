/*
 * At every job boundary, a state moves between recorded code and debug code: the program prints the same as without
 * moves. Debug code is stopped at every statement meanwhile.
 */
import { runInThisContext } from 'node:vm';
import { StatementClock } from '@turntable/core';
import { describe, expect, test } from 'vitest';
import { CaptureWorld } from '../capture/world.ts';

const clock = new StatementClock((text) => runInThisContext(text));
let stops = 0;

function stopEverywhere(): void {
  clock.stopNext(() => {
    stops++;
    stopEverywhere();
  });
}

stopEverywhere();

/** Each `await turn()` waits for the next call of `next`. */
const HEAD = `
  const said = exports.said = [];
  const waiting = [];
  const turn = (value) => new Promise((resolve) => waiting.push(() => resolve(value)));
  exports.next = () => waiting.splice(0).forEach((go) => go());
`;

const PROGRAMS: Readonly<Record<string, string>> = {
  'async functions in loops, with variables that closures share': `
    async function count(name, limit) {
      let sum = 0;
      const add = (n) => { sum += n; };
      for (let i = 0; i < limit; i++) {
        const before = i;
        add(await turn(i));
        if (i % 2) continue;
        said.push(name + before + sum);
      }
      while (await turn(sum > 2)) sum -= 2;
      return sum;
    }
    Promise.all([count('a', 2), count('b', 3)]).then((sums) => said.push(...sums));
  `,
  'try, finally and disposal around suspensions': `
    const resource = (name) => ({ [Symbol.dispose]() { said.push('away ' + name); } });
    async function run() {
      using outer = resource('outer');
      try {
        { using inner = resource('inner'); await turn(); said.push('inside'); }
        throw new Error(await turn('thrown'));
      } catch ({ message }) {
        const kept = message;
        await turn();
        said.push(kept);
      } finally {
        await turn();
        said.push('finally');
      }
    }
    run().then(() => said.push('done'));
  `,
  'generators and what they delegate to': `
    function* inner(n) { try { for (const x of [1, 2]) said.push((yield x * n) ?? 'nothing'); } finally { said.push('left'); } }
    function* outer() { let total = 0; for (let i = 1; ; i++) { yield* inner(i); total += i; if (total > 2) return total; } }
    const it = outer();
    (async () => { for (;;) { const { value, done } = it.next(await turn(said.length)); said.push(value, done); if (done) break } })();
  `,
  'classes with private fields, static blocks and fields that compute': `
    class Base { made = said.push('base'); name = (() => this.constructor.name)(); }
    class Counter extends Base {
      #n = 1; static #count = 0; static { this.zero = 0; }
      constructor(start) { super(); this.#n = start; Counter.#count++; }
      up = () => { this.#n++; return this.#n; };
      async later() { for (const x of [1, 2]) { this.#n += x; await turn(); said.push(this.up()); } return [this.name, this.#n, Counter.#count]; }
      static *all() { let i = 0; while (i < 3) yield new Counter(i++); }
    }
    const all = Counter.all();
    (async () => { for (const each of all) { await turn(); each.later().then((x) => said.push(...x)); } })();
  `,
  'async generators, and variables that are dead or used before their time': `
    const log = (x) => { try { said.push(x()); } catch (e) { said.push(e.name); } };
    async function* numbers() { const early = () => late; log(early); await turn(); let late = 7; log(early); for (let i = 0; i < 2; i++) { yield i + late; late++; } }
    function kept() { try { if (said) throw 1; let never = 2; return () => never; } catch { return (f = () => given, given = 1) => log(f); } }
    const later = kept();
    (async () => { for await (const n of numbers()) { switch (n) { case 7: let here = n; await turn(); said.push(here); later(); break; default: said.push(n); } } })();
  `,
};

const TURNS = 5;

/** The output of the program. With `forms`, the state moves before each turn; `forms` returns whether to debug code. */
function outputOf(source: string, forms?: (turn: number) => boolean): unknown {
  let world = CaptureWorld.run(HEAD + source, {}, forms?.(0) ?? false);
  for (let turn = 1; turn <= TURNS; turn++) {
    world.host.settle();
    if (forms !== undefined) world = world.copy(forms(turn));
    (world.exports['next'] as () => void)();
  }
  world.host.settle();
  return world.exports['said'];
}

describe('a state resumes in the other form of the code', () => {
  test.for(Object.entries(PROGRAMS))('%s', ([, source]) => {
    const expected = outputOf(source) as unknown[];
    expect(expected.length).toBeGreaterThan(4);
    const before = stops;
    expect(outputOf(source, (turn) => turn % 2 === 0)).toEqual(expected);
    expect(outputOf(source, (turn) => turn % 2 === 1)).toEqual(expected);
    expect(stops - before).toBeGreaterThan(20);
  });
});
