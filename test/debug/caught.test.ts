// In debug mode, the clock reports each error that reaches a `catch`, before any code of the clause runs, and no
// abandonment.
import vm from 'node:vm';
import { createRealm, ModuleGraph, moduleRealmOf, StatementClock, type ModuleFactory } from '@turntable/core';
import { transform } from '@turntable/transform';
import { expect, test } from 'vitest';

const clock = new StatementClock((text) => vm.runInThisContext(text));
const realm = createRealm({ queueMicrotask: (callback) => queueMicrotask(callback) });
const graph = new ModuleGraph(moduleRealmOf(realm), {
  load: () => {
    throw new Error('nothing is imported here');
  },
});

/** Compiles a function body in debug mode. The function receives `see`. */
function main(body: string): (see: (value: unknown) => void) => unknown {
  const { code } = transform(`(function (see) { ${body} })`, { path: 'program.js', kind: 'function', debug: true });
  return (new vm.Script(code).runInThisContext() as ModuleFactory)(graph.script('program.js'), realm) as never;
}

function reported(): unknown[] {
  const events: unknown[] = [];
  clock.restart();
  clock.watchCaught((error) => events.push(['caught', error]));
  return events;
}

test.each([
  ['try { throw 1; } catch (error) { see(error); }', [['caught', 1], 1]],
  ['try { throw 1; } catch { see(2); }', [['caught', 1], 2]],
  ['try { throw 1; } catch {}', [['caught', 1]]],
  ['try { throw 1; } catch (error) {}', [['caught', 1]]],
  ['try { throw { at: 1 }; } catch ({ at }) { see(at); }', [['caught', { at: 1 }], 1]],
  [
    'try { try { throw null; } catch ({ at }) { see(at); } } catch (error) { see(error.message); }',
    [
      ['caught', null],
      ['caught', new TypeError("Cannot destructure property 'at' of '.catch' as it is null.")],
      "Cannot destructure property 'at' of '.catch' as it is null.",
    ],
  ],
  [
    'try { throw { at: [1, 2] }; } catch ({ at: [, x = 3] }) { { let x = 4; see(x); } see(x); }',
    [['caught', { at: [1, 2] }], 4, 2],
  ],
  ['let later; try { throw 1; } catch (error) { later = () => ++error; } see(later());', [['caught', 1], 2]],
  [
    'let later; try { throw { at: 1 }; } catch ({ at }) { later = () => ++at; } see(later());',
    [['caught', { at: 1 }], 2],
  ],
  [
    'for (const x of [1, 2]) try { if (x > 1) throw x; } catch (error) { see(error); continue; } finally { see("over"); }',
    ['over', ['caught', 2], 2, 'over'],
  ],
  [
    'const g = (function* () { try { yield 1; } catch (error) { see(error); yield 2; } })(); g.next(); g.throw(3);',
    [['caught', 3], 3],
  ],
  ['try { try { throw 1; } finally { see("first"); } } catch (error) { see(error); }', ['first', ['caught', 1], 1]],
])('%s', (body, expected) => {
  const events = reported();
  main(body)((value) => events.push(value));
  expect(events).toEqual(expected);
});

test('reports after an await, in functions that suspend within a catch', async () => {
  const events = reported();
  const run = main(
    'return (async () => { try { await null; throw 1; } catch (error) { await null; see(error); } try { await Promise.reject(2); } catch { see("none"); } })();',
  );
  await run((value) => events.push(value));
  expect(events).toEqual([['caught', 1], 1, ['caught', 2], 'none']);
});

test('does not report an abandonment', () => {
  const events = reported();
  const run = main('try { see(1); see(2); } catch (error) { see(error); }');
  clock.stopAt({ list: 1, statement: 2 }, () => clock.abandon(new Error('left')));
  expect(() => run((value) => events.push(value))).toThrow('left');
  expect(events).toEqual([1]);
});
