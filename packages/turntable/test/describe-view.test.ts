// The summary of a snapshot, word for word.
import { expect, test } from 'vitest';
import { viewText, type ActorDescription, type ViewDescription } from '../src/query/describe-view.ts';

function actor(id: number, name: string, waiting: number, methods: Record<string, number>): ActorDescription {
  return {
    id,
    name: `${name}#${id}`,
    class: name,
    worker: id % 2,
    turns: 10,
    waiting,
    methods,
    timers: 0,
    ended: false,
    bytes: 100 * id,
    retained: 150 * id,
  };
}

const worker = { worker: 0, turns: 12, messagesWaiting: 7, bytes: 4000, baseBytes: 1000 };
const empty: ViewDescription = {
  phase: 3,
  taken: '2026-11-22T02:00:00.000Z',
  workers: [{ ...worker, messagesWaiting: 0 }],
  actors: [],
  underWay: [],
  modules: [],
  classes: [{ name: 'Object', module: null, count: 1, bytes: 10, retained: 20 }],
};

test('the summary of a service lists actors, messages and classes', () => {
  const text = viewText({
    ...empty,
    workers: [worker, { ...worker, worker: 1 }],
    actors: [
      actor(1, 'Cart', 5, { add: 3, remove: 1, pay: 1, list: 1 }),
      actor(2, 'Cart', 0, {}),
      actor(3, 'Stock', 9, { take: 9 }),
    ],
    underWay: [{ from: 0, worker: 1, to: 'Cart#1', method: 'add' }],
    classes: Array.from({ length: 12 }, (_, i) => ({
      name: `Class${i}`,
      module: i % 2 === 0 ? `src/class-${i}.ts` : null,
      count: 100 - i,
      bytes: 10_000 - i,
      retained: 1_000_000 - i,
    })),
  });
  expect(text).toMatchInlineSnapshot(`
    "snapshot 3: 3 actors, 14 messages waiting, 1 under way

       actors   waiting        bytes     retained  class
            2         5          300          450  Cart
            1         9          300          450  Stock

    longest mailboxes
      Stock#3: 9, take × 9
      Cart#1: 5, add × 3, remove × 1, pay × 1

      objects                  bytes     retained  class
          100                  10000      1000000  Class0 (src/class-0.ts)
           99                   9999       999999  Class1
           98                   9998       999998  Class2 (src/class-2.ts)
           97                   9997       999997  Class3
           96                   9996       999996  Class4 (src/class-4.ts)
           95                   9995       999995  Class5
           94                   9994       999994  Class6 (src/class-6.ts)
           93                   9993       999993  Class7
           92                   9992       999992  Class8 (src/class-8.ts)
           91                   9991       999991  Class9
      and 2 more classes; --json shows all
    "
  `);
});

test('the summary of a program without actors lists classes', () => {
  expect(viewText(empty)).toMatchInlineSnapshot(`
    "snapshot 3: 0 actors, 0 messages waiting, 0 under way

      objects                  bytes     retained  class
            1                     10           20  Object
    "
  `);
});
