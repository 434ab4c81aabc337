// Surrogates over a membrane with a tape in memory, recorded and replayed.
import fc from 'fast-check';
import { Eventual } from '@turntable/core';
import { describe, expect, it } from 'vitest';
import { TrackedPromise, plainCopy, SETTLED_MARK } from '../../src/membrane/surrogates.ts';
import type { BaseMembrane } from '../../src/membrane/base-membrane.ts';
import { record, replay, staticsOf, type TapeEvent } from './tapes.ts';

interface FakeRequest {
  readonly name: string;
  readonly body: { list: number[] };
  readonly extra?: unknown;
}
type Handler = (request: FakeRequest) => unknown;

/** A host service that passes requests to a handler. */
function createHost(): {
  Request: unknown;
  listen(handler: Handler): void;
  send(each: object): unknown;
  make(): object;
} {
  class Request {
    readonly name: string;
    body = { list: [1, 2] };
    secret = 'unread secret';
    statusCode = 0;
    [SETTLED_MARK] = true;
    constructor(name: string) {
      this.name = name;
    }
    get upper(): string {
      return this.name.toUpperCase();
    }
    code(statusCode: number): this {
      if (statusCode < 100) throw new RangeError(`${statusCode} is no code`);
      this.statusCode = statusCode;
      return this;
    }
  }
  let handler: Handler | undefined;
  let count = 0;
  return {
    Request,
    listen: (fn) => void (handler = fn),
    send: (request) => handler?.(request as FakeRequest),
    make: () => new Request(`asked ${++count}`),
  };
}
type FakeHost = ReturnType<typeof createHost>;

/** Declares a surrogate class of the program, below the handle of the host prototype. */
function defineFakeSurrogate(
  membrane: BaseMembrane,
  { Request }: { Request: { prototype: object } },
  trackPromise?: (promise: object) => number,
) {
  class SurrogateRequest {
    readonly name: unknown;
    constructor(name: unknown) {
      this.name = name;
    }
    get body(): unknown {
      return membrane.getProperty(this, 'body');
    }
    code(...args: unknown[]): unknown {
      return membrane.invoke(this, 'code', args);
    }
  }
  Object.setPrototypeOf(SurrogateRequest.prototype, Request.prototype);
  membrane.defineSurrogate(Request.prototype, {
    initialKeys: ['name'],
    donePath: [],
    make: (name) => new SurrogateRequest(name),
    ...(trackPromise === undefined ? {} : { trackPromise }),
  });
  return SurrogateRequest;
}

type ProgramWorld = { Request: { prototype: object }; listen(handler: Handler): void };

/** Records a program and replays it, and compares the outputs. Returns the output and the trace. */
function recordAndReplay(
  program: (world: ProgramWorld, say: (...values: unknown[]) => void, membrane: BaseMembrane) => void,
  driveHost: (host: FakeHost) => void,
): { sayings: unknown[][]; events: TapeEvent[] } {
  const sayingsByRun: unknown[][][] = [];
  const run = (recordedHost: FakeHost) => (membrane: BaseMembrane) => {
    const said: unknown[][] = [];
    sayingsByRun.push(said);
    const world = {
      Request: membrane.proxyFor(recordedHost.Request as object),
      listen: membrane.proxyFor(recordedHost.listen),
    } as unknown as ProgramWorld;
    program(world, (...values) => said.push(values), membrane);
  };
  const statics = (recordedHost: FakeHost) => staticsOf(recordedHost as unknown as Record<string, object>);
  const recordedHost = createHost();
  const events = record(statics(recordedHost), run(recordedHost), () => driveHost(recordedHost));
  const replayedHost = createHost();
  expect(replay(statics(replayedHost), events, run(replayedHost))).toBe(0);
  expect(sayingsByRun[1]).toEqual(sayingsByRun[0]);
  return { sayings: sayingsByRun[0] as unknown[][], events };
}

describe('a surrogate', () => {
  it('has its initial values and identity, and the trace contains only its read properties', () => {
    const { sayings: said, events } = recordAndReplay(
      (world, say, membrane) => {
        const SurrogateRequest = defineFakeSurrogate(membrane, world);
        let last: unknown;
        world.listen((request) => {
          say(request.name, request instanceof SurrogateRequest, request === last);
          last = request;
        });
      },
      ({ send: ask, make }) => {
        const request = make();
        ask(request);
        ask(request);
        ask(make());
      },
    );
    expect(said).toEqual([
      ['asked 1', true, false],
      ['asked 1', true, true],
      ['asked 2', true, false],
    ]);
    const trace = JSON.stringify(events);
    expect(trace).toContain('asked 2');
    expect(trace).not.toContain('unread secret');
    expect(trace).not.toContain('list');
  });

  it('returns copies of final data and live handles of other data', () => {
    const { sayings: said } = recordAndReplay(
      (world, say, membrane) => {
        defineFakeSurrogate(membrane, world);
        world.listen(({ body }) => {
          say(membrane.isHandle(body), [...body.list]);
          body.list.push(3);
        });
      },
      ({ send: ask, make }) => {
        const finalRequest = make() as FakeRequest;
        ask(finalRequest);
        expect(finalRequest.body.list).toEqual([1, 2]);
        const liveRequest = Object.assign(make(), { [SETTLED_MARK]: false }) as unknown as FakeRequest;
        ask(liveRequest);
        expect(liveRequest.body.list).toEqual([1, 2, 3]);
      },
    );
    expect(said).toEqual([
      [false, [1, 2]],
      [true, [1, 2]],
    ]);
  });

  it('forwards members that its class lacks to the host object', () => {
    const programValue = { of: 'the program' };
    const { sayings: said } = recordAndReplay(
      (world, say, membrane) => {
        defineFakeSurrogate(membrane, world);
        world.listen((request) => {
          const each = request as FakeRequest & { upper: string; extra: unknown };
          say(each.upper, each.extra === programValue, each.extra === undefined);
          (each as { extra: unknown }).extra = programValue;
        });
      },
      ({ send: ask, make }) => {
        const request = make() as FakeRequest;
        ask(request);
        expect(request.extra).toEqual(programValue);
        ask(request);
      },
    );
    expect(said.map(([upper, , isMissing]) => [upper, isMissing])).toEqual([
      ['ASKED 1', true],
      ['ASKED 1', false],
    ]);
  });

  it('calls host methods, which leave no event if they return their receiver', () => {
    const replyTimes = (count: number) =>
      recordAndReplay(
        (world, say, membrane) => {
          defineFakeSurrogate(membrane, world);
          world.listen((request) => {
            const { code } = request as unknown as { code(code: number): unknown };
            for (let i = 0; i < count; i++) say(code.call(request, 200 + i) === request);
            try {
              code.call(request, 7);
            } catch (error) {
              say((error as Error).message, error instanceof RangeError);
            }
          });
        },
        ({ send: ask, make }) => {
          const request = make() as { statusCode?: number };
          ask(request);
          expect(request.statusCode).toBe(199 + count);
        },
      );
    const { sayings: said, events } = replyTimes(20);
    expect(said).toEqual([...Array.from({ length: 20 }, () => [true]), ['7 is no code', true]]);
    expect(events.length).toBe(replyTimes(1).events.length);
  });

  it('settles the host’s view of a tracked promise when the program reports it', () => {
    const settledValues: unknown[] = [];
    const { sayings: said } = recordAndReplay(
      (world, say, membrane) => {
        let count = 0;
        defineFakeSurrogate(membrane, world, (promise) => (say('followed', Eventual.is(promise)), ++count));
        world.listen(({ name }) => {
          if (name !== 'asked 1') membrane.reportSettled(count, true, { reported: name });
          return new Eventual();
        });
      },
      ({ send: ask, make }) => {
        (ask(make()) as Promise<unknown>).then((value) => settledValues.push(value));
        expect(settledValues).toEqual([]);
        ask(make());
        expect(settledValues).toEqual([{ reported: 'asked 2' }]);
      },
    );
    expect(said).toEqual([
      ['followed', true],
      ['followed', true],
    ]);
  });

  it('is in states until the host is done with it, in a replay too', async () => {
    const membranes: BaseMembrane[] = [];
    const program = (host: FakeHost) => (membrane: BaseMembrane) => {
      membranes.push(membrane);
      const { prototype } = membrane.proxyFor(host.Request as object) as { prototype: object };
      membrane.defineSurrogate(prototype, { initialKeys: ['name'], donePath: ['isOver'], make: (name) => ({ name }) });
      (membrane.proxyFor(host.listen) as unknown as ProgramWorld['listen'])(() => undefined);
    };
    const statics = (host: FakeHost) => staticsOf(host as unknown as Record<string, object>);
    const recordedHost = createHost();
    const events = record(statics(recordedHost), program(recordedHost), () => {
      recordedHost.send(recordedHost.make());
      for (let i = 0; i < 500; i++) {
        const request = recordedHost.make();
        recordedHost.send(request);
        Reflect.set(request, 'isOver', true);
      }
    });
    // The membrane reports it between two turns of Node's loop.
    await new Promise(setImmediate);
    const replayedHost = createHost();
    expect(replay(statics(replayedHost), events, program(replayedHost))).toBe(0);
    const surrogateNames = membranes.map((membrane) =>
      membrane.capture(() => true).state.surrogates.map(([, object]) => Reflect.get(object, 'name')),
    );
    for (const names of surrogateNames) {
      expect(names[0]).toBe('asked 1');
      expect(names.length).toBeLessThan(250);
    }
    expect(surrogateNames[1]).toEqual(expect.arrayContaining(surrogateNames[0] as string[]));
  });

  it('is a divergence if the replay has not declared its type', () => {
    const program = (host: FakeHost, isDeclared: boolean) => (membrane: BaseMembrane) => {
      const { prototype } = membrane.proxyFor(host.Request as object) as { prototype: object };
      if (isDeclared)
        membrane.defineSurrogate(prototype, { initialKeys: ['name'], donePath: [], make: (name) => ({ name }) });
      (membrane.proxyFor(host.listen) as unknown as ProgramWorld['listen'])(() => undefined);
    };
    const statics = (host: FakeHost) => staticsOf(host as unknown as Record<string, object>);
    const recordedHost = createHost();
    const events = record(statics(recordedHost), program(recordedHost, true), () =>
      recordedHost.send(recordedHost.make()),
    );
    const replayedHost = createHost();
    expect(replay(statics(replayedHost), events, program(replayedHost, true))).toBe(0);
    expect(() => replay(statics(replayedHost), events, program(replayedHost, false))).toThrow(
      'a data source creates an object',
    );
  });
});

describe('a copy of plain data', () => {
  it('equals the original', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        if (typeof value !== 'object' || value === null || JSON.stringify(value).includes('__proto__')) return;
        const copy = plainCopy(value);
        expect(copy).toEqual(value);
        expect(copy).not.toBe(value);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('is not made of objects with more than properties', () => {
    class Point {
      x = 1;
    }
    const cycle: unknown[] = [];
    cycle.push(cycle);
    for (const value of [new Point(), new Map(), Buffer.from('a'), cycle, new Proxy({}, {}), Object.create(null)]) {
      expect(plainCopy(value as object)).toBeUndefined();
      expect(plainCopy({ deep: [value] })).toBeUndefined();
    }
    expect(plainCopy({ toJSON: () => 1 })).toBeUndefined();
    expect(plainCopy({ at: new Date(5) })).toEqual({ at: new Date(5) });
  });
});

describe('a tracked promise', () => {
  it('calls earlier reactions synchronously and later ones as promises do', async () => {
    const said: string[] = [];
    const promise = new TrackedPromise();
    const derived = promise.then((value: unknown) => (said.push(`first ${String(value)}`), 'derived'));
    promise.settle(true, 1);
    said.push('settled');
    void promise.then((value: unknown) => said.push(`second ${String(value)}`));
    expect(said).toEqual(['first 1', 'settled']);
    expect(await derived).toBe('derived');
    expect(await (promise as unknown as Promise<unknown>)).toBe(1);
    expect(said).toEqual(['first 1', 'settled', 'second 1']);
    expect(promise).toBeInstanceOf(Promise);
  });

  it('passes a rejection on if there is no handler', async () => {
    const promise = new TrackedPromise();
    const derived = promise.then((value: unknown) => value);
    const caught = promise.then(undefined, (reason: unknown) => `caught ${String(reason)}`);
    promise.settle(false, 'why');
    await expect(derived).rejects.toBe('why');
    expect(await caught).toBe('caught why');
    const throwing = new TrackedPromise();
    const thrown = throwing.then(() => {
      throw new Error('synchronous failure');
    });
    throwing.settle(true, undefined);
    await expect(thrown).rejects.toThrow('synchronous failure');
  });
});
