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
import { scriptedRecording } from '../../time-machine/test/scripted-recording.ts';
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
    'forward output',
    'sender',
    'replies',
    'receiver 2',
    'forward task',
    'back actor',
    '',
    'forward uncaught',
    'peek back turn',
    'peek goto 0.1',
    'info position',
    'goto 2',
    'goto 100%',
    'goto +0',
    'goto +0.001s',
    'goto 1:2',
    'goto 1.1',
    'goto start',
    'goto end',
    'run',
    'fw exception 2 of',
    'bk exception caught',
    'forward exception uncaught Error*',
    'back turn is created',
    'forward task "is created"',
    'tasks 1 3',
    'tasks',
    'find "is created"',
    'find ERROR:',
    'find LOST',
    'events',
    'events uncaught',
    'events output get',
    'actors "actor 1*"',
    'spawner',
    'forward actor "actor 2 of 0"',
    'back tu',
    'goto 1.2',
    'why',
    'info threads',
    'bookmark the last one',
    'goto end',
    'forward task',
    'restart 1',
    'bookmarks',
    'delete bookmark 1',
    'info bookmarks',
    'back task',
    'quit',
    'info position',
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
      'requests GET*',
      'goto 0.5',
      'forward response',
      'back request POST',
      'events request carts',
    ],
    SERVED_STEPS,
  );
  await expect(output).toMatchFileSnapshot(golden('requests'));
  expect(status).toBe(0);
});

test('an invalid line is reported, and a script exits with 1', async () => {
  const { output, status } = await runLines([
    'walk',
    'fro',
    's',
    'r',
    'forward walk',
    'forward sender',
    'forward',
    'back',
    'back r',
    'forward snapshot 1',
    'sender 1',
    'receiver x',
    'receiver 1 2',
    'goto 0.99',
    'goto 5 6',
    'goto',
    '0.2',
    '+1',
    'tasks x',
    'tasks 1 2 3',
    'actors unknown',
    'events walk',
    'find',
    'info walk',
    'info s',
    'info d',
    'bt',
    'break cart.ts:3',
    'restart 1',
    'delete bookmark 1',
    'peek',
    'peek find x',
    'help walk',
    'source',
    'info position',
  ]);
  await expect(output).toMatchFileSnapshot(golden('not-understood'));
  expect(status).toBe(1);
});

test('words are completed with commands, kinds and their texts', async () => {
  const client = new Client(serverOf(SALE).openWire());
  const repl = new Repl(client, await client.hello('test'), () => {});
  const completionsOf = async (line: string): Promise<string[]> => (await repl.completionsOf(line))[0];
  expect(await completionsOf('rece')).toEqual(['receiver ']);
  expect(await completionsOf('re')).toEqual([
    'reverse-step ',
    'reverse-next ',
    'reverse-finish ',
    'reverse-stepi ',
    'reverse-continue ',
    'receiver ',
    'reply ',
    'resolver ',
    'restart ',
    'requests ',
    'replies ',
  ]);
  expect(await completionsOf('forward call')).toEqual(['callback ']);
  expect(await completionsOf('fw call')).toEqual(['callback ']);
  expect(await completionsOf('forward callback ')).toEqual(['timer ']);
  expect(await completionsOf('forward uncaught ')).toEqual(['"Error: 2 of 0" ']);
  expect(await completionsOf('forward actor "actor 2')).toEqual(['"actor 2 of 0" ']);
  expect(await completionsOf('peek ba')).toEqual(['back ']);
  expect(await completionsOf('peek back sn')).toEqual(['snapshot ']);
  expect(await completionsOf('peek back se')).toEqual([]);
  expect(await completionsOf('back worker ')).toEqual(['0 ', '1 ', '2 ']);
  expect(await completionsOf('back worker 0 ')).toEqual([]);
  expect(await completionsOf('help trav')).toEqual(['travel ']);
  expect(await completionsOf('help ki')).toEqual(['kinds ']);
  expect(await completionsOf('info thr')).toEqual(['threads ']);
  expect(await completionsOf('goto ')).toEqual(['start ', 'end ']);
  expect(await completionsOf('events out')).toEqual(['output ']);
  expect(await completionsOf('events std')).toEqual(['stdout ', 'stderr ']);
  expect(await completionsOf('requests ')).toEqual(['open ', 'slowest ']);
  expect(await completionsOf('walk ')).toEqual([]);
  expect((await repl.completionsOf('forward actor "actor 2'))[1]).toBe('"actor 2');
});

test('locations and kinds of breakpoints are completed', async () => {
  const { runIndex, deps } = scriptedRecording([{ statements: [4] }]);
  const recording = { name: 'recordings/cart', from: undefined, verdict: 'same' };
  const client = new Client(new TimeMachineServer(runIndex, recording, '1.2.3', deps).openWire());
  const repl = new Repl(client, await client.hello('test'), () => {});
  const completionsOf = async (line: string): Promise<string[]> => (await repl.completionsOf(line))[0];
  expect(await completionsOf('break exc')).toEqual(['exception ']);
  expect(await completionsOf('b out')).toEqual(['output ']);
  expect(await completionsOf('tbreak ca')).toEqual(['caught ', 'callback ', 'cart.ts ']);
  for (const command of ['list', 'l', 'advance', 'until', 'log'])
    expect(await completionsOf(`${command} ca`)).toEqual(['cart.ts ']);
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
  expect(await repl.run('forward callback', { signal: interrupt.signal, onProgress: () => interrupt.abort() })).toBe(
    true,
  );
  expect(printed).toBe('the request was cancelled\n');
  expect(repl.position).toBe('0.1');
});

test('a move of another client is printed, and changes the position here', async () => {
  const server = serverOf(SALE);
  const [one, other] = [new Client(server.openWire()), new Client(server.openWire())];
  let printed = '';
  const repl = new Repl(one, await one.hello('one'), (chunk) => void (printed += chunk));
  await other.hello('other');
  await other.request('move', { move: 'goto', arguments: { target: 'end' } });
  await repl.run('info position', {});
  expect(printed).toBe('client 2 moved to 1.3\n1.3, the end of the recording\n');
});

test('`latest` moves to the end of the recording so far, and breakpoints stay', async () => {
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
  const { output, status } = await runLinesOn(server, [
    'break shop.ts:3',
    'tbreak shop.ts:4 if x times 2',
    'disable 2',
    'ignore 1 3',
    'latest',
    'info breakpoints',
    'tasks 1 1',
  ]);
  await expect(output).toMatchFileSnapshot(golden('latest'));
  expect(status).toBe(0);
  const whole = await runLinesOn(serverOf(SALE), ['latest', 'info position']);
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
  await repl.run('info position', {});
  expect(printed).toContain('recorded until 1970-01-01 00:01:01Z');
  expect(printed).toMatch(/, the end of the recording\n$/);
});
