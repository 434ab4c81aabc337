// The terminal client: sessions word for word (golden/repl-*.txt), over the protocol only.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { RunIndex } from '@turntable/time-machine';
import { Client, type Wire } from '@turntable/time-machine/client';
import { TimeMachineServer, type TimeMachineDeps } from '@turntable/time-machine/server';
import { writeTaskLogs, type RandomStep } from '../../time-machine/test/random-runs.ts';
import { SERVED_STEPS } from '../../time-machine/test/served-steps.ts';
import { SHOP_STEPS } from '../../time-machine/test/shop-steps.ts';
import { Repl } from '../src/debug/repl.ts';
import { runTerminal } from '../src/debug/terminal.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const SALE: readonly RandomStep[] = [...SHOP_STEPS, { action: 'run', thread: 0, sends: 0, kind: 'call', actor: 2 }];

function runIndexOf(steps: readonly RandomStep[]): RunIndex {
  const runDirectory = mkdtempSync(join(directory, 'run-'));
  writeTaskLogs(steps, runDirectory);
  return RunIndex.read(runDirectory);
}

function serverOf(steps: readonly RandomStep[]): TimeMachineServer {
  const recording = { name: 'recordings/shop', from: undefined, verdict: 'truncated' };
  return new TimeMachineServer(runIndexOf(steps), recording, '1.2.3');
}

interface ReplRun {
  readonly output: string;
  readonly status: number;
}

function runLines(lines: readonly string[], steps = SALE): Promise<ReplRun> {
  return runLinesOn(serverOf(steps), lines);
}

async function runLinesOn(server: TimeMachineServer, lines: readonly string[]): Promise<ReplRun> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const printed = text(output);
  input.end(lines.map((line) => `${line}\n`).join(''));
  const connect = (): Promise<Wire> => Promise.resolve(server.openWire());
  const status = await runTerminal(new Client(server.openWire()), { input, output, isTerminal: false, connect });
  output.end();
  return { output: await printed, status };
}

const golden = (name: string): string => join(import.meta.dirname, 'golden', `repl-${name}.txt`);

test('moves give the golden session', async () => {
  const { output, status } = await runLines([
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

test('requests are listed one per line, with tasks and times, and filtered by words', async () => {
  const { output, status } = await runLines(
    [
      'requests',
      'requests open',
      'requests slowest 404',
      'requests carts/7',
      'requests GET /carts',
      'requests nowhere',
      '0.5',
    ],
    SERVED_STEPS,
  );
  await expect(output).toMatchFileSnapshot(golden('requests'));
  expect(status).toBe(0);
});

test('help is generated from the descriptions of the server', async () => {
  const { output, status } = await runLines(['help', 'help entry', 'help list', 'help n', 'help 3']);
  await expect(output).toMatchFileSnapshot(golden('help'));
  expect(status).toBe(0);
});

test('an invalid line is reported, and a script exits with 1', async () => {
  const { output, status } = await runLines([
    'walk',
    's',
    'next walk',
    'next sender',
    'back t',
    'turn 1',
    'receiver x',
    '0.99',
    '5 6',
    'list x',
    'percentage',
    'actors unknown',
    'find',
    'where',
  ]);
  await expect(output).toMatchFileSnapshot(golden('not-understood'));
  expect(status).toBe(1);
});

test('words are completed with commands, moves and their arguments', async () => {
  const client = new Client(serverOf(SALE).openWire());
  const repl = new Repl(client, await client.hello('test'), () => {});
  const completionsOf = async (line: string): Promise<string[]> => (await repl.completionsOf(line))[0];
  expect(await completionsOf('rece')).toEqual(['received ', 'receiver ']);
  expect(await completionsOf('next ent')).toEqual(['entry ']);
  expect(await completionsOf('next entry ')).toEqual(['timer ']);
  expect(await completionsOf('match "actor 2')).toEqual(['"actor 2 of 0" ']);
  expect(await completionsOf('peek b')).toEqual(['back ', 'birth ']);
  expect(await completionsOf('peek back se')).toEqual([]);
  expect(await completionsOf('back worker ')).toEqual(['0 ', '1 ', '2 ']);
  expect(await completionsOf('help out')).toEqual(['output ']);
  expect(await completionsOf('nth 1 ')).toEqual([]);
  expect(await completionsOf('requests ')).toEqual(['open ', 'slowest ']);
  expect((await repl.completionsOf('match "actor 2'))[1]).toBe('"actor 2');
});

test('the filter of `requests` is completed with recorded requests', async () => {
  const client = new Client(serverOf(SERVED_STEPS).openWire());
  const repl = new Repl(client, await client.hello('test'), () => {});
  expect(await repl.completionsOf('requests "POST')).toEqual([['"POST /carts/7" '], '"POST']);
});

test('Ctrl-C cancels the running line', async () => {
  const server = serverOf(Array.from({ length: 50_000 }, (): RandomStep => ({ action: 'run', thread: 0, sends: 0 })));
  const client = new Client(server.openWire());
  let printed = '';
  const repl = new Repl(client, await client.hello('test'), (chunk) => void (printed += chunk));
  const interrupt = new AbortController();
  expect(await repl.run('next entry', { signal: interrupt.signal, onProgress: () => interrupt.abort() })).toBe(true);
  expect(printed).toBe('the request was cancelled\n');
  expect(repl.position).toBe('0.1');
});

test('a move of another client is printed, and changes the position here', async () => {
  const server = serverOf(SALE);
  const [one, other] = [new Client(server.openWire()), new Client(server.openWire())];
  let printed = '';
  const repl = new Repl(one, await one.hello('one'), (chunk) => void (printed += chunk));
  await other.hello('other');
  await other.request('move', { move: 'end' });
  await repl.run('where', {});
  expect(printed).toMatch(/^client 2 moved to 1\.3\n1\.3, the end\n$/);
});

test('`now` moves to the end of the recording so far, and breakpoints stay', async () => {
  const driver = { pausePoint: { position: { order: 1, list: 0, statement: 0 } }, close: () => Promise.resolve() };
  const deps: TimeMachineDeps = {
    current: driver as unknown as TimeMachineDeps['current'],
    scout: driver as unknown as TimeMachineDeps['scout'],
    findSource: () => undefined,
    refresh: () => {
      void server.replace(runIndexOf([...SHOP_STEPS, ...SALE]), { ...recording, until: 61_000 }, '1.2.3', deps);
      return Promise.resolve(61_000);
    },
  };
  const recording = { name: 'recordings/shop', from: undefined, verdict: 'truncated', until: 1000 };
  const server = new TimeMachineServer(runIndexOf(SALE), recording, '1.2.3', deps);
  const { output, status } = await runLinesOn(server, ['break shop.ts:3', 'now', 'break', 'list 1 1']);
  await expect(output).toMatchFileSnapshot(golden('now'));
  expect(status).toBe(0);
  const whole = await runLinesOn(serverOf(SALE), ['now', 'where']);
  expect(whole.output).toContain('cannot refresh');
  expect(whole.status).toBe(1);
});

test('when another client refreshes the recording, the terminal reconnects', async () => {
  const driver = { pausePoint: { position: { order: 1, list: 0, statement: 0 } }, close: () => Promise.resolve() };
  const deps = { current: driver, scout: driver, findSource: () => undefined } as unknown as TimeMachineDeps;
  const recording = { name: 'recordings/shop', from: undefined, verdict: 'truncated', until: 1000 };
  const server = new TimeMachineServer(runIndexOf(SALE), recording, '1.2.3', deps);
  const client = new Client(server.openWire());
  let printed = '';
  const connect = (): Promise<Wire> => Promise.resolve(server.openWire());
  const repl = new Repl(client, await client.hello('test'), (chunk) => void (printed += chunk), connect);
  await server.replace(runIndexOf([...SHOP_STEPS, ...SALE]), { ...recording, until: 61_000 }, '1.2.3', deps);
  await repl.run('where', {});
  expect(printed).toContain('as recorded until 1970-01-01 00:01:01Z');
  expect(printed).toMatch(/, the end\n$/);
});
