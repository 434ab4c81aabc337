// The commands of the terminal for values, breakpoints and lists, on a recording whose variables and actors are written
// down here: sessions word for word (golden/values-*.txt).
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { Client } from '@turntable/time-machine/client';
import type { TimeMachineServer } from '@turntable/time-machine/server';
import {
  CART_AWAITERS,
  CART_PATH,
  CART_TASKS,
  scriptedServer,
  SUSPENDED_CART_TASKS,
} from '../../time-machine/test/scripted-server.ts';
import type { ScriptOptions } from '../../time-machine/test/scripted-recording.ts';
import { ScriptedValues, UNINITIALIZED } from '../../time-machine/test/scripted-values.ts';
import { runTerminal } from '../src/debug/terminal.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function outputOf(lines: readonly string[], server: TimeMachineServer): Promise<string> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const printed = text(output);
  input.end(lines.map((line) => `${line}\n`).join(''));
  await runTerminal(new Client(server.openWire()), { input, output, isTerminal: false });
  output.end();
  return (await printed).replaceAll(directory, '/scratch');
}

const golden = (name: string): string => join(import.meta.dirname, 'golden', `values-${name}.txt`);

const cart = { total: 9, items: ['tea', 'milk'] };

function valueServer(): TimeMachineServer {
  const values = new ScriptedValues([
    {
      this: cart,
      price: 3,
      count: 2,
      later: UNINITIALIZED,
      fifty: Array.from({ length: 48 }, (_, i) => i),
      many: Array.from({ length: 60 }, (_, i) => i),
      empty: Object.create(null) as object,
      accessor: Object.defineProperty({}, 'sum', { get: () => 1, enumerable: true }),
      fails: () => {
        throw new RangeError('too many');
      },
    },
    { items: ['tea'], total: 7 },
  ]);
  const liveActors = [
    { name: 'main' },
    { name: 'Cart#1', state: cart, mailbox: [[1, cart], []] },
    { name: 'Stock#2', mailbox: Array.from({ length: 101 }, (_, i) => [i]) },
  ];
  return scriptedServer({ values, liveActors, isMet: (_, { order }) => order > 1 });
}

test('values in both frames give the golden session', async () => {
  const output = await outputOf(
    [
      'print 1',
      'locals',
      'bt',
      'up',
      'goto 0.2:1.5',
      'bt',
      'bt 1',
      'bt -1',
      'bt full',
      'bt -full',
      'locals',
      'info args',
      'print this',
      'p price + 1',
      'p *this',
      'p count = 5',
      'p $',
      'p $$',
      'p $1',
      'p $1 + $2',
      'p $99',
      'p fails()',
      'p undefined',
      'p nowhere',
      'set var count = 4',
      'set count == 4',
      'set $kept = this.items',
      'set $bad = nowhere',
      'p $kept',
      'p $kept[0]',
      'set listsize 10',
      'whatis price',
      'whatis this',
      'whatis undefined',
      'whatis nowhere',
      'whatis',
      'display price',
      'display this.total',
      'display nowhere',
      'display count = 1',
      'display',
      'info display',
      'undisplay 2 3',
      'undisplay 2',
      'p fifty',
      'p many',
      'p empty',
      'p accessor',
      'up',
      'info frame',
      'locals',
      'info args',
      'p total',
      'p price',
      'p total = 1',
      'display total',
      'up',
      'down 5',
      'down',
      'frame',
      'stepi',
      'undisplay',
      'stepi',
      'info display',
      'info actors',
      'mailbox Cart#1',
      'mailbox Stock#2',
      'mailbox main',
      'mailbox Shop#9',
      'mailbox',
      'changes this.total',
      'changes price',
      'changes nowhere',
      'changes',
    ],
    valueServer(),
  );
  await expect(output).toMatchFileSnapshot(golden('frames'));
});

test('functions that await the stack give the golden session', async () => {
  const values = new ScriptedValues([{ count: 2 }, { total: 7 }, { items: ['tea'] }]);
  const output = await outputOf(
    [
      'goto 0.2:1.5',
      'bt',
      'bt 3',
      'up 2',
      'locals',
      'p items.length',
      'p items = 1',
      'peek goto frame',
      'list',
      'goto frame 3',
      'goto frame 99',
      'goto frame one',
      'goto frame 1',
      'goto 0.2:1.5',
      'frame 2',
      'goto frame',
    ],
    scriptedServer({ tasks: SUSPENDED_CART_TASKS, awaiting: CART_AWAITERS, values }),
  );
  await expect(output).toMatchFileSnapshot(golden('awaiting'));
});

test('parts of values are listed up to fifty, with the number of the others', async () => {
  const output = await outputOf(
    [
      'goto 0.2:1.5',
      'locals',
      'expand #1001',
      'expand 1002',
      'expand #1003',
      'expand #1004',
      'expand #1005',
      'expand #1006',
      'expand 999',
      'expand',
      'expand #0',
      'expand x',
    ],
    valueServer(),
  );
  await expect(output).toMatchFileSnapshot(golden('parts'));
});

test('breakpoints with lists of commands, for one stop, and in files give the golden session', async () => {
  const saved = join(directory, 'saved.txt');
  const output = await outputOf(
    [
      'commands',
      'break cart.ts:5',
      'commands',
      'silent',
      'p price',
      'info position',
      'end',
      'break cart.ts:16 if total > 1 times 1',
      'commands 2',
      'p count',
      'continue',
      'end',
      'tbreak cart.ts:7',
      'watch this.total',
      'watch',
      'break exception "too expensive"',
      'b Cart.add if x',
      'break output times 2',
      'info breakpoints',
      `save breakpoints ${saved}`,
      'save breakpoints',
      'save bookmarks x',
      `save b ${join(directory, 'none', 'x.txt')}`,
      'continue',
      'continue',
      'continue',
      'c',
      'c',
      'rc',
      'clear cart.ts:5',
      'clear cart.ts:5',
      'clear exception',
      'clear Cart.add',
      'clear 99',
      'goto 0.2:1.7',
      'clear',
      'break',
      'clear',
      'info breakpoints',
      'disable',
      'enable once 2',
      'goto start',
      'info breakpoints',
      'continue',
      'info breakpoints',
      'enable 2',
      'enable once 2 99',
      'enable 2',
      'goto start',
      'continue',
      'info breakpoints',
      'delete 99',
      'delete breakpoints 2',
      'delete',
      'info breakpoints',
      `source ${saved}`,
      'info breakpoints',
      'condition 99 x',
      'condition x',
      'ignore 1 x',
      'ignore 1 2',
      'continue',
    ],
    valueServer(),
  );
  await expect(output).toMatchFileSnapshot(golden('breakpoints'));
  await expect(readFileSync(saved, 'utf8')).toMatchFileSnapshot(golden('saved'));
});

test('source lines are listed around the position, onward, back and by name', async () => {
  const server = scriptedServer({ deps: { entryFile: CART_PATH } });
  const output = await outputOf(
    [
      'list',
      'list',
      'list',
      'list -',
      'list -',
      'goto 0.2:1.5',
      'list',
      'list -',
      'list 1',
      'list 17',
      'list 18',
      'list 3,3',
      'list 3,+2',
      'list 5,3',
      'list 16,99',
      'list src/cart.ts:4',
      'list art.ts:4',
      `list ${CART_PATH}:4`,
      'up',
      'list',
      'advance 7',
      'info line',
      'info source',
      'info sources',
      'info position',
      'info frame',
      'info threads',
    ],
    server,
  );
  await expect(output).toMatchFileSnapshot(golden('source'));
});

test('lists that are longer than a page say so, and where they continue', async () => {
  const tasks = Array.from({ length: 112 }, (_, i) => ({
    kind: i === 0 ? ('evaluation' as const) : ('call' as const),
    actor: i === 0 ? 'main' : `Cart#${i}`,
    statements: [{ line: 5, events: [['stdout', `line ${i}`] as const] }],
    sends: [],
  }));
  const output = await outputOf(
    [
      'tasks',
      'tasks',
      'tasks 5',
      'tasks',
      'tasks 111 5',
      'tasks 112 1',
      'tasks',
      'tasks 113',
      'why',
      'goto 112',
      'why',
      'why 3',
      'why 111',
      'why 112',
      'goto start',
      'actors',
      'actors Cart#10*',
      'actors Cart#11?',
      'events',
      'events stdout',
      'events output "line 11"',
      'events snapshot',
      'events nothing',
      'find line',
      'find "line 111"',
      'find nothing',
      'log cart.ts:5 total',
      'log cart.ts:7 total',
      'goto 90',
      'events',
      'find line',
      'log 5 total',
      'replies',
      'goto end',
      'replies',
      'events',
      'forward output',
      'back output "line 3*"',
      'bookmark here',
      'bookmark',
      'bookmarks',
      'restart 2',
      'restart 3',
      'delete bookmark 1',
      'delete checkpoint 1',
      'bookmarks',
      'peek forward output',
      'peek restart 1',
      'info position',
    ],
    scriptedServer({ tasks }),
  );
  await expect(output).toMatchFileSnapshot(golden('lists'));
});

test('a conversation by messages and snapshots gives the golden session', async () => {
  const output = await outputOf(
    [
      'receiver',
      'sender',
      'forward snapshot',
      'forward snapshot',
      'back snapshot',
      'why',
      'replies',
      'forward callback timer',
      'forward callback timer',
      'back exception caught "too expensive"',
      'back exception uncaught',
      'back exception',
      'forward device',
      'forward actor Cart#1',
      'back worker 0',
      'goto 50%',
      'goto +10ms',
      'goto +0.03s',
      'goto 1.2:1.2',
      'goto 1.2:1.3',
      'reverse-next',
      'run',
      'until',
      'finish',
      'next 3',
      'rs 2',
      'rn 2',
      'reverse-finish',
    ],
    scriptedServer({ tasks: CART_TASKS }),
  );
  await expect(output).toMatchFileSnapshot(golden('travel'));
});

test('kept values, formats of `dprintf` and ignored hits give the golden session', async () => {
  const output = await outputOf(
    [
      'p $',
      'p $1',
      'goto 0.2:1.5',
      'p price',
      'p "x".repeat(101)',
      'p "tea"',
      'p undefined',
      'p $ + 1',
      'p $1 * 2',
      'p $3 + $1',
      'p $2',
      'p $7',
      'p $8',
      'p a.$1',
      'set $kept = price + 1',
      'p $kept * $kept',
      'set $kept = "a"',
      'p $kept',
      'set $long = "x".repeat(101)',
      'set $f = fails',
      'p $other',
      'dprintf cart.ts:16, "total %d of %-5.2f%%\\n", price, [count, 1]',
      'dprintf cart.ts:16, "no values\\n\\n"',
      'dprintf cart.ts:16, "`%s` ${x} %c"',
      'dprintf cart.ts:16,"%s and %s", f(1, 2), "a, b"',
      'dprintf cart.ts:16 "%ld", { a: \'x)\', b: `,` }',
      'dprintf cart.ts:16,',
      'log cart.ts:16 "text"',
      'break cart.ts:5',
      'ignore 1 1',
      'ignore 1 2',
      'ignore 1 0',
      'break cart.ts:7:5 if a times 3',
      'break send "Cart 1.add"',
      'watch this.total',
      'info breakpoints',
      `save breakpoints ${join(directory, 'again.txt')}`,
    ],
    valueServer(),
  );
  await expect(output).toMatchFileSnapshot(golden('kept'));
  await expect(readFileSync(join(directory, 'again.txt'), 'utf8')).toMatchFileSnapshot(golden('saved-again'));
});

test('differences of states, changes of values and pending promises give the golden session', async () => {
  const partsAt = (order: number): readonly (readonly [string, string])[] =>
    order === 1
      ? [
          ['total', '0'],
          ['items[0]', '"tea"'],
        ]
      : order === 2
        ? [
            ['total', '3'],
            ['items[0]', '"tea"'],
            ['items[1]', '"milk"'],
          ]
        : [['total', '3'], ...Array.from({ length: 1001 }, (_, i) => [`p${i}`, String(i)] as const)];
  const value = { kind: 'object', preview: 'Promise {pending}', id: 7 } as const;
  const location = { file: '/p/src/cart.ts', line: 5, column: 7 };
  const promises = [
    { value, description: 'a timer', waitsFor: [], waiters: [], waiterCount: 0 },
    {
      value: { ...value, id: 1_000_000_002 },
      description: 'the result of add',
      waitsFor: [7, 8],
      reason: 'never settled',
      location,
      since: 2,
      waiters: [
        { actor: 'Cart#1', description: 'add', location: { file: '/p/src/cart.ts', line: 5 }, promise: 8 },
        { actor: 'main', description: 'main' },
      ],
      waiterCount: 5,
    },
  ];
  const page = (total: number): { promises: typeof promises; total: number } => ({ promises, total });
  const overrides = {
    states: (position: { readonly order: number }, owners: readonly unknown[]) =>
      Promise.resolve(owners.map(() => ({ parts: partsAt(position.order), isTruncated: position.order === 4 }))),
    promises: (query: { readonly actor?: string; readonly promise?: number }) =>
      Promise.resolve(
        query.actor === 'Cart*'
          ? page(52)
          : query.promise === 9
            ? { promises: [], total: 0 }
            : query.actor === undefined
              ? page(2)
              : { promises: [], total: 0 },
      ),
    searchChanges: () => ({
      runTo: () =>
        Promise.resolve([
          { position: { order: 2, list: 0, statement: 0 }, before: '0', after: '3' },
          { position: { order: 3, list: 0, statement: 0 }, before: '3', after: '\u0007' },
        ]),
      close: () => {},
    }),
  } as unknown as NonNullable<ScriptOptions['overrides']>;
  const output = await outputOf(
    [
      'goto 0.2:1.5',
      'diff',
      'diff 0.1',
      'diff 0.1 0.2',
      'diff 0.2 0.1',
      'diff 0.1 Cart#1',
      'diff 0.1 0.2 *',
      'diff start end main',
      'diff 0.1 0.1',
      'diff 0.1 1.2',
      'diff 0.1 0.2 Shop*',
      'diff 9.9',
      'promises',
      'promises Cart*',
      'promises Shop',
      'promises #9',
      'promises #x',
      'changes this.total',
    ],
    scriptedServer({ overrides }),
  );
  const isPart = (line: string): boolean => /^ {4}p\d{2,3} /.test(line);
  await expect(
    output
      .split('\n')
      .filter((line) => !isPart(line))
      .join('\n'),
  ).toMatchFileSnapshot(golden('differences'));
});
