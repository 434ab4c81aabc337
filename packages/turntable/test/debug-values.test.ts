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
import { CART_PATH, CART_TASKS, scriptedServer } from '../../time-machine/test/scripted-server.ts';
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
      'step',
      'undisplay',
      'step',
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
