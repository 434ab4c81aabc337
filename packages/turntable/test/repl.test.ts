// The time machine in a terminal: conversations with it, word for word (golden/repl-*.txt), over the protocol and nothing else.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { Survey } from '@turntable/time-machine';
import { Client, type Wire } from '@turntable/time-machine/client';
import { TimeMachineServer, type Inside } from '@turntable/time-machine/server';
import { run, type Step } from '../../time-machine/test/random-runs.ts';
import { SERVED } from '../../time-machine/test/served.ts';
import { SHOP } from '../../time-machine/test/shop.ts';
import { Repl } from '../src/debug/repl.ts';
import { atTerminal } from '../src/debug/terminal.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const SALE: readonly Step[] = [...SHOP, { what: 'run', thread: 0, sends: 0, kind: 'call', actor: 2 }];

function surveyOf(all: readonly Step[]): Survey {
  const into = mkdtempSync(join(directory, 'run-'));
  run(all, into);
  return Survey.read(into);
}

function serverOf(all: readonly Step[]): TimeMachineServer {
  const recording = { name: 'recordings/shop', from: undefined, verdict: 'truncated' };
  return new TimeMachineServer(surveyOf(all), recording, '1.2.3');
}

interface Said {
  readonly output: string;
  readonly status: number;
}

function said(lines: readonly string[], steps = SALE): Promise<Said> {
  return saidTo(serverOf(steps), lines);
}

async function saidTo(server: TimeMachineServer, lines: readonly string[]): Promise<Said> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const all = text(output);
  input.end(lines.map((line) => `${line}\n`).join(''));
  const connect = (): Promise<Wire> => Promise.resolve(server.wire());
  const status = await atTerminal(new Client(server.wire()), { input, output, isTerminal: false, connect });
  output.end();
  return { output: await all, status };
}

const golden = (name: string): string => join(import.meta.dirname, 'golden', `repl-${name}.txt`);

test('moving about is this conversation', async () => {
  const { output, status } = await said([
    'next output',
    'sender',
    'received',
    'receiver 2',
    'n',
    'b actor',
    '',
    'next error',
    'peek back turn',
    'peek 0.1',
    'where',
    '2',
    '100%',
    '+0',
    '1.1',
    'list 1 3',
    'list',
    'find "is made"',
    'find ERROR:',
    'find LOST',
    'actors "actor 1*"',
    'spawner',
    'match "actor 2 of 0"',
    'end',
    'next',
    'b',
    'quit',
    'where',
  ]);
  await expect(output).toMatchFileSnapshot(golden('moving-about'));
  expect(status).toBe(0);
});

test('requests are told of in lines, from where to where, and which of them is asked for by words', async () => {
  const { output, status } = await said(
    [
      'requests',
      'requests open',
      'requests slowest 404',
      'requests carts/7',
      'requests GET /carts',
      'requests nowhere',
      '0.5',
    ],
    SERVED,
  );
  await expect(output).toMatchFileSnapshot(golden('requests'));
  expect(status).toBe(0);
});

test('help is made of what the server says of its moves', async () => {
  const { output, status } = await said(['help', 'help entry', 'help list', 'help n', 'help 3']);
  await expect(output).toMatchFileSnapshot(golden('help'));
  expect(status).toBe(0);
});

test('what is not understood is told, and ends a script with 1', async () => {
  const { output, status } = await said([
    'walk',
    's',
    'next walk',
    'next sender',
    'back s',
    'turn 1',
    'receiver x',
    '0.99',
    '5 6',
    'list x',
    'percentage',
    'actors nobody',
    'find',
    'where',
  ]);
  await expect(output).toMatchFileSnapshot(golden('not-understood'));
  expect(status).toBe(1);
});

test('words are completed by what there is to be moved to', async () => {
  const client = new Client(serverOf(SALE).wire());
  const repl = new Repl(client, await client.hello('test'), () => {});
  const completed = async (line: string): Promise<string[]> => (await repl.completionsOf(line))[0];
  expect(await completed('rece')).toEqual(['received ', 'receiver ']);
  expect(await completed('next ent')).toEqual(['entry ']);
  expect(await completed('next entry ')).toEqual(['timer ']);
  expect(await completed('match "actor 2')).toEqual(['"actor 2 of 0" ']);
  expect(await completed('peek b')).toEqual(['back ', 'birth ']);
  expect(await completed('peek back se')).toEqual([]);
  expect(await completed('back worker ')).toEqual(['0 ', '1 ', '2 ']);
  expect(await completed('help out')).toEqual(['output ']);
  expect(await completed('nth 1 ')).toEqual([]);
  expect(await completed('requests ')).toEqual(['open ', 'slowest ']);
  expect((await repl.completionsOf('match "actor 2'))[1]).toBe('"actor 2');
});

test('requests are completed by those that there are', async () => {
  const client = new Client(serverOf(SERVED).wire());
  const repl = new Repl(client, await client.hello('test'), () => {});
  expect(await repl.completionsOf('requests "POST')).toEqual([['"POST /carts/7" '], '"POST']);
});

test('Ctrl-C gives up what is under way', async () => {
  const server = serverOf(Array.from({ length: 50_000 }, (): Step => ({ what: 'run', thread: 0, sends: 0 })));
  const client = new Client(server.wire());
  let printed = '';
  const repl = new Repl(client, await client.hello('test'), (some) => void (printed += some));
  const interrupt = new AbortController();
  expect(await repl.run('next entry', { signal: interrupt.signal, onProgress: () => interrupt.abort() })).toBe(true);
  expect(printed).toBe('it was cancelled\n');
  expect(repl.position).toBe('0.1');
});

test('where another client goes is told, and is where one stands', async () => {
  const server = serverOf(SALE);
  const [one, other] = [new Client(server.wire()), new Client(server.wire())];
  let printed = '';
  const repl = new Repl(one, await one.hello('one'), (some) => void (printed += some));
  await other.hello('other');
  await other.request('move', { move: 'end' });
  await repl.run('where', {});
  expect(printed).toMatch(/^client 2 has gone to 1\.3\n1\.3, the end\n$/);
});

test('of a program that goes on, now leads to the end of what it has recorded by then, and breakpoints stay', async () => {
  const engine = { stop: { position: { order: 1, list: 0, statement: 0 } }, close: () => Promise.resolve() };
  const inside: Inside = {
    standing: engine as unknown as Inside['standing'],
    scout: engine as unknown as Inside['scout'],
    sourceOf: () => undefined,
    renew: () => {
      void server.replace(surveyOf([...SHOP, ...SALE]), { ...recording, until: 61_000 }, '1.2.3', inside);
      return Promise.resolve(61_000);
    },
  };
  const recording = { name: 'recordings/shop', from: undefined, verdict: 'truncated', until: 1000 };
  const server = new TimeMachineServer(surveyOf(SALE), recording, '1.2.3', inside);
  const { output, status } = await saidTo(server, ['break shop.ts:3', 'now', 'break', 'list 1 1']);
  await expect(output).toMatchFileSnapshot(golden('now'));
  expect(status).toBe(0);
  const whole = await saidTo(serverOf(SALE), ['now', 'where']);
  expect(whole.output).toContain('this is all of the recording');
  expect(whole.status).toBe(1);
});

test('where another client wants more of it, the terminal goes on there', async () => {
  const engine = { stop: { position: { order: 1, list: 0, statement: 0 } }, close: () => Promise.resolve() };
  const inside = { standing: engine, scout: engine, sourceOf: () => undefined } as unknown as Inside;
  const recording = { name: 'recordings/shop', from: undefined, verdict: 'truncated', until: 1000 };
  const server = new TimeMachineServer(surveyOf(SALE), recording, '1.2.3', inside);
  const client = new Client(server.wire());
  let printed = '';
  const connect = (): Promise<Wire> => Promise.resolve(server.wire());
  const repl = new Repl(client, await client.hello('test'), (some) => void (printed += some), connect);
  await server.replace(surveyOf([...SHOP, ...SALE]), { ...recording, until: 61_000 }, '1.2.3', inside);
  await repl.run('where', {});
  expect(printed).toContain('as recorded until 1970-01-01 00:01:01Z');
  expect(printed).toMatch(/, the end\n$/);
});
