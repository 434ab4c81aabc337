// Tests that responses of HTTP servers wait until the events that they depend on are written, and only those.
import { once } from 'node:events';
import { Agent, createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { FileTraceSink } from '@turntable/recording';
import { ReplyDurability } from '../src/recorder/reply-durability.ts';

const DURABILITY = Symbol.for('turntable.durability');

interface Flush {
  readonly isSynced: boolean;
  readonly end: () => void;
}

/** A sink whose flushes end on request. */
class ManualSink {
  readonly log: string[] = [];
  readonly flushes: Flush[] = [];

  commit(): void {
    this.log.push('commit');
  }

  flush(isSynced: boolean): Promise<void> {
    this.log.push(`flush ${isSynced}`);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.flushes.push({ isSynced, end: resolve });
    return promise;
  }
}

type Handler = (response: ServerResponse) => void;

const sendWith =
  (level: string | undefined, text: string): Handler =>
  (response) => {
    if (level !== undefined) Reflect.set(response, DURABILITY, level);
    expect(Reflect.get(response, DURABILITY)).toBe(level);
    response.end(text);
  };

async function startService(defaultLevel: ConstructorParameters<typeof ReplyDurability>[1]) {
  const sink = new ManualSink();
  const durability = new ReplyDurability(sink as unknown as FileTraceSink, defaultLevel);
  durability.install();
  const handlers = new Map<string, Handler>();
  const server = createServer((message, response) => handlers.get(message.url ?? '')?.(response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => void server.close().closeAllConnections());
  const received: string[] = [];
  const get = async (path: string, agent: Agent | false = false): Promise<void> => {
    const sent = request({ host: '127.0.0.1', port, path, agent }).end();
    const [response] = (await once(sent, 'response')) as [AsyncIterable<Buffer>];
    let body = '';
    for await (const part of response) body += part.toString();
    received.push(body);
  };
  const serve = (path: string, handler: Handler): void => void handlers.set(path, handler);
  /** Lets responses arrive that do not wait. */
  const exchangeOthers = async (): Promise<void> => {
    serve('/free', sendWith('none', 'free'));
    for (let i = 0; i < 3; i++) await get('/free');
    received.splice(0, received.length, ...received.filter((each) => each !== 'free'));
  };
  return { sink, durability, received, get, serve, exchangeOthers };
}

it('without a default, only responses with a level wait', async () => {
  const { sink, received, get, serve, exchangeOthers } = await startService('none');
  serve('/plain', sendWith(undefined, 'plain'));
  serve('/none', sendWith('none', 'none'));
  serve('/reply', sendWith('reply', 'reply'));
  serve('/fsync', sendWith('reply+fsync', 'fsync'));
  await get('/plain');
  await get('/none');
  expect(sink.log).toEqual([]);
  const reply = get('/reply');
  await exchangeOthers();
  expect([received, sink.log]).toEqual([
    ['plain', 'none'],
    ['commit', 'flush false'],
  ]);
  sink.flushes[0]?.end();
  await reply;
  const fsync = get('/fsync');
  await exchangeOthers();
  expect([received, sink.log.slice(2)]).toEqual([
    ['plain', 'none', 'reply'],
    ['commit', 'flush true'],
  ]);
  sink.flushes[1]?.end();
  await fsync;
  expect(received).toEqual(['plain', 'none', 'reply', 'fsync']);
});

it('responses of one round share a flush, synced ones another', async () => {
  const { sink, received, get, serve, exchangeOthers } = await startService('none');
  const ready: [ServerResponse, string][] = [];
  for (const [path, level] of Object.entries({
    '/a': 'reply',
    '/b': 'reply',
    '/c': 'reply+fsync',
    '/d': 'reply+fsync',
  }))
    serve(path, (response) => {
      ready.push([response, path]);
      Reflect.set(response, DURABILITY, level);
      if (ready.length === 4) for (const [each, text] of ready) each.end(text);
    });
  const responses = ['/a', '/b', '/c', '/d'].map((path) => get(path));
  await exchangeOthers();
  expect(sink.log.toSorted()).toEqual(['commit', 'commit', 'flush false', 'flush true']);
  expect(received).toEqual([]);
  sink.flushes.find(({ isSynced }) => isSynced)?.end();
  await Promise.all(responses.slice(2));
  expect(received.toSorted()).toEqual(['/c', '/d']);
  sink.flushes.find(({ isSynced }) => !isSynced)?.end();
  await Promise.all(responses);
});

it('a connection serves responses with and without a level, in order', async () => {
  const { sink, received, get, serve } = await startService('none');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  serve('/plain', sendWith(undefined, 'plain'));
  serve('/reply', sendWith('reply', 'reply'));
  const first = get('/reply', agent);
  while (sink.flushes.length === 0) await new Promise(setImmediate);
  sink.flushes[0]?.end();
  await first;
  await get('/plain', agent);
  const third = get('/reply', agent);
  while (sink.flushes.length === 1) await new Promise(setImmediate);
  sink.flushes[1]?.end();
  await third;
  expect(received).toEqual(['reply', 'plain', 'reply']);
});

it('the end of the process sends what waits, once', async () => {
  const { sink, durability, received, get, serve } = await startService('none');
  serve('/reply', sendWith('reply', 'reply'));
  const reply = get('/reply');
  while (sink.flushes.length === 0) await new Promise(setImmediate);
  expect(received).toEqual([]);
  durability.release();
  await reply;
  expect(received).toEqual(['reply']);
  sink.flushes[0]?.end();
  durability.release();
  await new Promise(setImmediate);
});

// Last, because servers that start later have this default, too.
it('with a default, responses wait unless their level is none', async () => {
  const { sink, received, get, serve, exchangeOthers } = await startService('reply');
  serve('/default', sendWith(undefined, 'default'));
  serve('/none', sendWith('none', 'none'));
  serve('/fsync', sendWith('reply+fsync', 'fsync'));
  await get('/none');
  expect(sink.log).toEqual([]);
  const responses = [get('/default'), get('/fsync')];
  while (sink.flushes.length < 2) await new Promise(setImmediate);
  await exchangeOthers();
  expect(received).toEqual(['none']);
  expect(
    sink.flushes
      .slice(0, 2)
      .map(({ isSynced }) => isSynced)
      .toSorted(),
  ).toEqual([false, true]);
  for (const { end } of sink.flushes) end();
  await Promise.all(responses);
  expect(received.toSorted()).toEqual(['default', 'fsync', 'none']);
});
