// Requests that take long: later requests do not wait for them, they can be ended, and their number is limited.
import { expect, test } from 'vitest';
import type { CdpClient } from '../../../test/devtools/cdp-client.ts';
import { CART_FILE } from '../../time-machine/test/scripted-recording.ts';
import { ScriptedValues } from '../../time-machine/test/scripted-values.ts';
import { scriptedServer } from '../../time-machine/test/scripted-server.ts';
import { serveCart } from './scripted-session.ts';

/** A client whose time machine answers nothing between `hold` and `release`. */
async function heldClient(): Promise<{
  readonly client: CdpClient;
  hold(): void;
  release(): void;
  /** Waits until a request has been cancelled. */
  whenCancelled(): Promise<void>;
}> {
  const server = scriptedServer({ values: new ScriptedValues([{ count: 2 }]) });
  let held: string[] | undefined;
  const wire = server.openWire();
  const connect = await serveCart(server, {
    connect: () => ({
      send: (text) => {
        if (held === undefined) wire.send(text);
        else held.push(text);
      },
      onText: (listener) => wire.onText(listener),
      onClose: (listener) => wire.onClose(listener),
      close: () => wire.close(),
    }),
  });
  const client = await connect();
  await client.enable();
  return {
    client,
    hold: () => void (held = []),
    release: () => {
      const texts = held ?? [];
      held = undefined;
      for (const text of texts) wire.send(text);
    },
    whenCancelled: async () => {
      while (held?.some((text) => text.includes('"cancel"')) !== true) await new Promise(setImmediate);
    },
  };
}

test('requests after a long one are answered before it, other requests in their order', async () => {
  const { client, hold, release } = await heldClient();
  const order: number[] = [];
  const noted = async (answer: Promise<{ readonly id?: number }>): Promise<void> => {
    order.push((await answer).id ?? 0);
  };
  hold();
  const long = noted(client.requestRaw('Runtime.evaluate', { expression: '1' }));
  const quick = [
    noted(client.requestRaw('TimeTravel.cursor')),
    // Asks the time machine, so it waits, and so do the requests after it.
    noted(client.requestRaw('TimeTravel.setBreakpoint', { kind: 'output' })),
    noted(client.requestRaw('TimeTravel.cursor')),
  ];
  await quick[0];
  release();
  await Promise.all([long, ...quick]);
  const sorted = order.toSorted((a, b) => a - b);
  expect(order[0]).toBe(sorted[1]);
  expect(order.indexOf(sorted[2] ?? 0)).toBeLessThan(order.indexOf(sorted[3] ?? 0));
});

test('at most 256 requests are in progress; one more is refused, and later ones are not', async () => {
  const { client, hold, release } = await heldClient();
  hold();
  const open = Array.from({ length: 256 }, () => client.requestRaw('Runtime.evaluate', { expression: 'count' }));
  expect(await client.requestRaw('TimeTravel.cursor')).toMatchObject({
    error: { code: -32_000, message: '256 requests are in progress: wait until one has ended' },
  });
  release();
  // The time machine itself refuses some of them.
  expect(await Promise.all(open)).toHaveLength(256);
  expect(await client.request('TimeTravel.cursor')).toHaveProperty('cursor');
});

test('terminateExecution ends evaluations in progress', async () => {
  const { client, hold, release } = await heldClient();
  hold();
  const evaluated = client.requestRaw('Runtime.evaluate', { expression: 'count' });
  await client.request('Runtime.terminateExecution');
  release();
  expect((await evaluated).error).toMatchObject({ code: -32_000 });
  expect(await client.request('Runtime.evaluate', { expression: 'count' })).toMatchObject({ result: { value: 2 } });
});

test('an evaluation is answered after its timeout, but the replay process may still start', async () => {
  const { client, hold, release } = await heldClient();
  expect(await client.request('Runtime.evaluate', { expression: 'count', timeout: 100_000 })).toMatchObject({
    result: { value: 2 },
  });
  hold();
  const evaluated = client.requestRaw('Runtime.evaluate', { expression: 'count', timeout: 1 });
  const after = client.requestRaw('Runtime.evaluate', { expression: 'count', timeout: 100_000 });
  expect((await evaluated).error).toEqual({ code: -32_000, message: 'Execution was terminated' });
  release();
  expect((await after).error).toBeUndefined();
});

test('pause cancels a move in progress, and the position is unchanged', async () => {
  const { client, hold, release } = await heldClient();
  hold();
  client.log.discardReceived();
  await client.request('Debugger.resume');
  await client.nextEvent('Debugger.resumed');
  await client.request('Debugger.pause');
  release();
  expect(await client.nextPause()).toMatchObject({
    data: { position: '0.1', description: 'cancelled; the position is unchanged' },
  });
});

test('events of a domain are sent only while it is enabled', async () => {
  const server = scriptedServer();
  const client = await (await serveCart(server))();
  const eventsOf = (domain: string): number =>
    client.log.received.filter(({ method }) => method?.startsWith(`${domain}.`)).length;
  await client.request('TimeTravel.move', { move: 'task' });
  expect([eventsOf('Debugger'), eventsOf('Runtime')]).toEqual([0, 0]);
  await client.runToPause('Debugger.enable');
  // Output before the console is enabled is printed then.
  await client.request('Runtime.enable');
  expect(await client.nextEvent('Runtime.consoleAPICalled')).toMatchObject({
    args: [{ value: expect.stringMatching(/^Turntable: recording .*TimeTravel\.stepBack\(\)/) as string }],
    type: 'info',
  });
  expect(await client.nextEvent('Runtime.consoleAPICalled')).toMatchObject({ args: [{ value: 'ready' }], type: 'log' });
  await client.request('Debugger.disable');
  const before = [eventsOf('Debugger'), eventsOf('Runtime')];
  await client.request('Runtime.disable');
  await client.request('TimeTravel.goto', { position: 'end' });
  await client.request('TimeTravel.output');
  expect([eventsOf('Debugger'), eventsOf('Runtime')]).toEqual(before);
  for (const command of ['stepOver', 'resume', 'pause'])
    expect(await client.requestRaw(`Debugger.${command}`)).toMatchObject({
      error: { message: 'Debugger agent is not enabled' },
    });
});

test('breakpoints of a client end with it, those of others do not', async () => {
  const connect = await serveCart(scriptedServer());
  const [leaving, staying] = [await connect(), await connect()];
  for (const client of [leaving, staying]) await client.enable();
  await leaving.request('Debugger.setBreakpointByUrl', { url: CART_FILE, lineNumber: 4 });
  await leaving.request('TimeTravel.setBreakpoint', { kind: 'output' });
  await staying.request('Debugger.setBreakpointByUrl', { url: CART_FILE, lineNumber: 6 });
  const count = async (): Promise<number> =>
    (await staying.request<{ result: { breakpoints: unknown[] } }>('TimeTravel.ask', { method: 'breakpoints' })).result
      .breakpoints.length;
  expect(await count()).toBe(3);
  leaving.close();
  await leaving.closed;
  while ((await count()) > 1) await new Promise(setImmediate);
  expect(await staying.runToPause('Debugger.resume')).toMatchObject({ hitBreakpoints: [`1:6:0:${CART_FILE}`] });
});

test('a log point that was removed before its turn prints nothing, and one that fails prints the reason', async () => {
  const { client, hold, release } = await heldClient();
  const logPoint = (lineNumber: number, log: string): Promise<unknown> =>
    client.request('Debugger.setBreakpointByUrl', {
      url: CART_FILE,
      lineNumber,
      condition: `/** DEVTOOLS_LOGPOINT */ console.log(${log})`,
    });
  // Line 9 is executed once, and has a list of statements that is known from here on.
  await logPoint(9, '1');
  hold();
  await logPoint(6, '2');
  await logPoint(13, '3');
  await client.request('Debugger.removeBreakpoint', { breakpointId: `1:13:0:${CART_FILE}` });
  await logPoint(9, 'x'.repeat(10_000)).catch(() => {});
  release();
  const printed = (): string[] =>
    client.log.received.flatMap(({ method, params }) =>
      method === 'Runtime.consoleAPICalled'
        ? (params as { args: { value: string }[] }).args.map(({ value }) => value)
        : [],
    );
  while (!printed().some((line) => line.includes('[2]'))) await new Promise(setImmediate);
  await client.request('TimeTravel.output');
  expect(printed().filter((line) => line.includes('['))).toEqual(['1.1:1.1  [1] at 10', '0.2:1.7  [2] at 7']);
});

test('a log point prints a limited number of values, and the others once the limit is raised', async () => {
  const client = await (await serveCart(scriptedServer()))();
  await client.enable();
  await client.request('TimeTravel.logPointHits', { count: 1 });
  const condition = '/** DEVTOOLS_LOGPOINT */ console.log(total)';
  await client.request('Debugger.setBreakpointByUrl', { url: CART_FILE, lineNumber: 4, condition });
  const printed = (): string[] =>
    client.log.received.flatMap(({ method, params }) => {
      const { args = [] } = (params ?? {}) as { args?: { value: string }[] };
      const texts = method === 'Runtime.consoleAPICalled' ? args.map(({ value }) => value) : [];
      return texts.filter((each) => each.includes('total'));
    });
  while (printed().length < 2) await new Promise(setImmediate);
  const [first = '', rest = ''] = printed();
  const [, count] =
    /^total: the first 1 of (\d+) values; TimeTravel\.logPointHits\(\1\) prints all of them$/.exec(rest) ?? [];
  expect(Number(count)).toBeGreaterThan(1);
  await client.request('TimeTravel.logPointHits', { count: Number(count) });
  while (printed().length < Number(count) + 1) await new Promise(setImmediate);
  expect(new Set(printed().toSpliced(1, 1)).size).toBe(Number(count));
  expect(printed()[0]).toBe(first);
});

test('a client whose time machine cannot be opened is disconnected, and others are served', async () => {
  const server = scriptedServer();
  let isRefused = true;
  const connect = await serveCart(server, {
    connect: () => {
      if (isRefused) throw new Error('no more clients');
      return server.openWire();
    },
  });
  const refused = await connect();
  await refused.closed;
  isRefused = false;
  const client = await connect();
  expect(await client.enable()).toMatchObject({ data: { position: '0.1' } });
});

test('a client that leaves while its session is opened leaves no connection to the time machine', async () => {
  const server = scriptedServer();
  const held: string[] = [];
  let isHeld = true;
  const closed = Promise.withResolvers<void>();
  const connect = await serveCart(server, {
    connect: () => {
      const wire = server.openWire();
      return {
        send: (text) => {
          if (isHeld) held.push(text);
          else wire.send(text);
        },
        onText: (listener) => {
          wire.onText(listener);
          isHeld = true;
          releaseAll = () => {
            isHeld = false;
            for (const text of held.splice(0)) wire.send(text);
          };
        },
        onClose: (listener) => wire.onClose(listener),
        close: () => {
          closed.resolve();
          wire.close();
        },
      };
    },
  });
  let releaseAll = (): void => {};
  const client = await connect();
  while (held.length === 0) await new Promise(setImmediate);
  client.close();
  await client.closed;
  releaseAll();
  await closed.promise;
});
