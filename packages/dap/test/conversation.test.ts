// What is promised of any conversation: whatever comes is answered, nobody is served who may not be, and nothing is left of who has gone. Here is no recording but a survey that is read.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { DapPort, serveStreams, type House } from '@turntable/dap';
import { Survey } from '@turntable/time-machine';
import { Client } from '@turntable/time-machine/client';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { frame, WireClient, type Message } from '../../../test/dap/wire-client.ts';
import { run, type Step } from '../../time-machine/test/random-runs.ts';
import { SHOP } from '../../time-machine/test/shop.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Counted extends House {
  readonly opened: string[];
  closed: number;
}

/** Of which every recording is the same. */
function house(before: Promise<unknown> = Promise.resolve(), steps: readonly Step[] = SHOP): Counted {
  const into = mkdtempSync(join(directory, 'run-'));
  run(steps, into);
  const about = { name: 'recordings/shop', from: undefined, verdict: 'same' };
  const its: Counted = {
    opened: [],
    closed: 0,
    open: async ({ place }) => {
      its.opened.push(place);
      await before;
      const server = new TimeMachineServer(Survey.read(into), about, '1.2.3');
      const close = async (): Promise<void> => {
        its.closed++;
        await server.close();
      };
      return { client: new Client(server.wire()), close };
    },
    record: (_, says) => {
      says('stdout', 'hello\n');
      return Promise.resolve('recordings/made');
    },
    recordingOf: (pid) => Promise.resolve(`recordings/${pid}`),
  };
  return its;
}

function served(its: House = house()): WireClient & { readonly over: Promise<void> } {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const over = serveStreams(its, { input, output });
  const client = new WireClient(output, input);
  onTestFinished(() => {
    client.end();
    return over;
  });
  return Object.assign(client, { over });
}

const HELLO = { adapterID: 'turntable', linesStartAt1: true, columnsStartAt1: true };

async function launched(client: WireClient): Promise<void> {
  await client.request('initialize', HELLO);
  await client.request('launch', { recording: 'shop' });
  await client.event('initialized');
}

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`);

test('whatever is wrong is told, and the conversation goes on', async () => {
  const client = served();
  const wrong = async (text: string): Promise<void> => {
    client.talk.says(text);
    const { length } = client.talk.came;
    client.raw(frame(text));
    while (client.talk.came.length === length) await new Promise(setImmediate);
  };
  await wrong('nothing of the kind');
  await wrong('[]');
  await wrong('"text"');
  await wrong('{"seq":1}');
  await wrong('{"seq":1,"type":"event","event":"stopped"}');
  await wrong('{"type":"request","command":"initialize"}');
  await wrong('{"seq":7,"type":"request"}');
  await client.ask('threads');
  await client.ask('launch', { recording: 'shop' });
  await client.ask('initialize', { ...HELLO, pathFormat: 'uri' });
  await client.ask('initialize', HELLO);
  await client.ask('initialize', HELLO);
  await client.ask('constructor');
  await client.ask('threads');
  await client.ask('launch', {});
  await client.ask('launch', { recording: 'shop', program: 'app.ts' });
  await client.ask('launch', { recording: 7 });
  await client.ask('launch', { recording: 'shop', stopAt: 'lunch' });
  await client.ask('launch', { recording: 'shop' });
  await client.ask('launch', { recording: 'shop' });
  await client.ask('teleport');
  await client.ask('toString');
  await client.ask('stackTrace', { threadId: 99 });
  await client.ask('stackTrace', { threadId: '1' });
  await client.ask('stackTrace', []);
  await client.ask('scopes', { frameId: 12_345 });
  await client.ask('variables', { variablesReference: 12_345 });
  await client.ask('goto', { threadId: 1, targetId: 1 });
  await client.ask('setBreakpoints', { source: {}, breakpoints: [{ line: 0.5 }] });
  await client.ask('setBreakpoints', { breakpoints: 1 });
  await client.ask('setDataBreakpoints', { breakpoints: [{ dataId: 'mine' }] });
  await client.ask('evaluate', { expression: '1' });
  await client.ask('turntable/move', { move: 'teleport' });
  await client.ask('turntable/move', { move: 'turn', direction: 'sideways' });
  await client.ask('turntable/move', { move: 'turn', arguments: { which: [] } });
  await client.ask('turntable/ask', { method: 'hello' });
  await client.ask('turntable/ask', { method: 'receivers', params: { order: 99, count: 1 } });
  await client.ask('cancel', { requestId: 999 });
  await client.ask('threads');
  const talked = client.talk.lines.map((line) =>
    line.replace(/"body":\{"(supports|capabilities).*/, '…').replaceAll(/there are [^"]*/g, 'there are …'),
  );
  await expect(`${talked.join('\n')}\n`).toMatchFileSnapshot(golden('what-is-wrong'));
});

test('messages may come in any pieces', async () => {
  const client = served();
  const hello = frame(JSON.stringify({ seq: 90, type: 'request', command: 'initialize', arguments: HELLO }));
  const other = frame(JSON.stringify({ seq: 91, type: 'request', command: 'nöthing' }));
  for (const byte of Buffer.from(hello + other)) client.raw(Buffer.from([byte]));
  const answered = (seq: number): Message | undefined => client.talk.came.find((each) => each.request_seq === seq);
  while (answered(90) === undefined || answered(91) === undefined) await new Promise(setImmediate);
  expect(answered(90)).toMatchObject({ success: true });
  expect(answered(91)).toMatchObject({ success: false, message: expect.stringContaining('nöthing') });
});

test.each([
  ['POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}', 'a message begins with Content-Length'],
  ['Content-Length: many\r\n\r\n{}', 'Content-Length is a number of bytes'],
  ['Content-Length: 0\r\n\r\n', 'Content-Length is a number of bytes'],
  ['Content-Length: 999999999\r\n\r\n', 'a message has at most'],
  ['Content-Type: text\r\n\r\n', 'a message begins with Content-Length'],
  ['Content-Length: 1'.padEnd(2000), 'a message begins with a head of at most'],
])('bytes that are no messages end the conversation (%#)', async (bytes, told) => {
  const client = served();
  client.raw(bytes);
  await client.over;
  const { output } = await client.event('output');
  expect(output).toContain(`not understood: ${told}`);
});

test('what a page of the web can send to a port is run by nobody', async () => {
  const its = house();
  const port = new DapPort(its);
  onTestFinished(() => port.close());
  const at = await port.listen(0);
  const launch = JSON.stringify({ seq: 2, type: 'request', command: 'launch', arguments: { program: 'evil.js' } });
  await expect(fetch(`http://127.0.0.1:${at}`, { method: 'POST', body: launch })).rejects.toThrow();
  expect(its.opened).toEqual([]);
});

test('at a port nothing is opened for who does not know the token', async () => {
  const its = house();
  const port = new DapPort(its);
  onTestFinished(() => port.close());
  const at = await port.listen(0);
  const socket = connect(at, '127.0.0.1');
  const client = new WireClient(socket, socket);
  await client.request('initialize', HELLO);
  await expect(client.request('launch', { recording: 'shop' })).rejects.toThrow('needs its token');
  await expect(client.request('launch', { recording: 'shop', token: 'x' })).rejects.toThrow('needs its token');
  expect(its.opened).toEqual([]);
  await client.request('launch', { recording: 'shop', token: port.token });
  expect(its.opened).toEqual(['shop']);
  await client.request('disconnect');
  await client.ended;
  expect(its.closed).toBe(1);
});

test('who goes without a word leaves nothing open', async () => {
  const its = house();
  const client = served(its);
  await launched(client);
  client.end();
  await client.over;
  expect(its.closed).toBe(1);
});

test('what is opened for somebody who has gone meanwhile is closed', async () => {
  const ready = Promise.withResolvers<void>();
  const its = house(ready.promise);
  const client = served(its);
  await client.request('initialize', HELLO);
  client.send('launch', { recording: 'shop' });
  while (its.opened.length === 0) await new Promise(setImmediate);
  client.end();
  ready.resolve();
  await client.over;
  while (its.closed === 0) await new Promise(setImmediate);
  expect(its.closed).toBe(1);
});

test('a program is run and recorded, and what it has printed is told, before its recording is opened', async () => {
  const its = house();
  const client = served(its);
  await client.request('initialize', HELLO);
  await client.request('launch', { program: 'app.ts' });
  expect(await client.event('output')).toEqual({ category: 'stdout', output: 'hello\n' });
  await client.event('initialized');
  await client.request('configurationDone');
  expect(its.opened).toEqual(['recordings/made']);
  expect(await client.event('stopped')).toMatchObject({ description: 'the end of the recording' });
});

test('steps go from stretch to stretch where no statements are known, and another thread steps to its own', async () => {
  const client = served();
  await launched(client);
  await client.request('configurationDone');
  await client.stop();
  const { threads } = await client.request('threads');
  const first = await client.go('next', { threadId: (threads as unknown as { id: number }[])[0]?.id });
  const back = await client.go('stepBack', { threadId: first.threadId });
  expect([first, back].map(({ reason }) => reason)).toEqual(['step', 'step']);
  await expect(client.request('turntable/where')).resolves.toMatchObject({ order: 1 });
});

test('clients of one time machine stand at one place, and are told who has moved all', async () => {
  const into = mkdtempSync(join(directory, 'run-'));
  run(SHOP, into);
  const about = { name: 'shop', from: undefined, verdict: 'same' };
  const server = new TimeMachineServer(Survey.read(into), about, '1.2.3');
  onTestFinished(() => server.close());
  const address = await server.listen(0);
  const [one, other] = [served(), served()];
  for (const client of [one, other]) {
    await client.request('initialize', HELLO);
    await client.request('attach', { address });
    await client.request('configurationDone');
    await client.stop();
  }
  await one.request('turntable/move', { move: 'end' });
  expect(await other.event('stopped')).toMatchObject({ reason: 'goto', description: 'client 1 has gone here' });
  await one.request('disconnect');
  await expect(other.request('turntable/where')).resolves.toMatchObject({ order: 5 });
});

test('ten thousand actors are as many threads as are wanted, those first that somebody has stood at', async () => {
  const made = (actor: number): Step => ({ what: 'run', thread: 0, sends: 0, kind: 'construct', actor });
  const steps: Step[] = [
    { what: 'run', thread: 0, sends: 0, kind: 'evaluation' },
    ...Array.from({ length: 10_000 }, (_, i) => made(i + 1)),
  ];
  const its = house(undefined, steps);
  const threadsOf = async (
    configuration: object,
  ): Promise<{ readonly names: string[]; readonly client: WireClient }> => {
    const client = served(its);
    await client.request('initialize', HELLO);
    await client.request('launch', { recording: 'many', stopAt: 'end', ...configuration });
    await client.request('configurationDone');
    await client.stop();
    await client.request('turntable/move', { move: 'position', arguments: { position: '0.7001' } });
    const { threads } = await client.request('threads');
    return { names: (threads as unknown as { name: string }[]).map(({ name }) => name), client };
  };
  const { names, client } = await threadsOf({});
  expect(names).toHaveLength(100);
  const { stretch } = (await client.request('turntable/where')) as unknown as { stretch: { actor: string } };
  expect(names[0]).toBe(stretch.actor);
  const outputs = client.talk.came.filter(({ event }) => event === 'output').map(({ body }) => body?.['output']);
  expect(outputs.filter((text) => String(text).includes('of which 100 are shown'))).toHaveLength(1);
  expect((await threadsOf({ threads: 20_000 })).names.length).toBeGreaterThan(7000);
});

test('long work is shown, and whoever gives it up may ask for something else', async () => {
  const its = house();
  let isEndless = true;
  const patient: House = {
    ...its,
    open: (wish, signal) => {
      if (!isEndless) return its.open(wish, signal);
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => reject(new Error('it was given up')));
      return promise;
    },
  };
  const client = served(patient);
  await client.request('initialize', { ...HELLO, supportsProgressReporting: true });
  const launch = client.ask('launch', { recording: 'endless' });
  const { progressId } = await client.event('progressStart');
  await client.request('cancel', { progressId });
  await client.event('progressEnd');
  expect(await launch).toMatchObject({ success: false });
  isEndless = false;
  await client.request('launch', { recording: 'shop' });
  await client.event('initialized');
});
