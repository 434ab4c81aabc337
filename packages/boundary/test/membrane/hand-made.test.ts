// Objects of the program's that stand for things outside: over a membrane with a tape in memory, on both sides of it.
import fc from 'fast-check';
import { Eventual } from '@turntable/core';
import { describe, expect, it } from 'vitest';
import { FollowedPromise, plainCopy, SETTLED } from '../../src/membrane/hand-made.ts';
import type { BaseMembrane } from '../../src/membrane/membrane.ts';
import { record, replay, staticsOf, type TapeEvent } from './tapes.ts';

interface Asked {
  readonly name: string;
  readonly body: { list: number[] };
  readonly extra?: unknown;
}
type Handler = (asked: Asked) => unknown;

/** A service outside, that tells whoever listens of what was asked. */
function outside(): { Request: unknown; listen(handler: Handler): void; ask(each: object): unknown; make(): object } {
  class Request {
    readonly name: string;
    body = { list: [1, 2] };
    secret = 'nobody reads this';
    statusCode = 0;
    [SETTLED] = true;
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
    ask: (each) => handler?.(each as Asked),
    make: () => new Request(`asked ${++count}`),
  };
}
type Outside = ReturnType<typeof outside>;

/** The class of the program's for them, over the prototype's handle. */
function handMadeBy(
  membrane: BaseMembrane,
  { Request }: { Request: { prototype: object } },
  follow?: (promise: object) => number,
) {
  class Mine {
    readonly name: unknown;
    constructor(name: unknown) {
      this.name = name;
    }
    get body(): unknown {
      return membrane.ask(this, 'body');
    }
    code(...args: unknown[]): unknown {
      return membrane.invoke(this, 'code', args);
    }
  }
  Object.setPrototypeOf(Mine.prototype, Request.prototype);
  membrane.handMake(Request.prototype, {
    facts: ['name'],
    over: [],
    make: (name) => new Mine(name),
    ...(follow === undefined ? {} : { follow }),
  });
  return Mine;
}

type World = { Request: { prototype: object }; listen(handler: Handler): void };

/** Runs it on both sides: what it has said is the same; answers that, and the trace. */
function both(
  program: (world: World, say: (...said: unknown[]) => void, membrane: BaseMembrane) => void,
  act: (outside: Outside) => void,
): { said: unknown[][]; events: TapeEvent[] } {
  const sayings: unknown[][][] = [];
  const run = (there: Outside) => (membrane: BaseMembrane) => {
    const said: unknown[][] = [];
    sayings.push(said);
    const world = {
      Request: membrane.handleOf(there.Request as object),
      listen: membrane.handleOf(there.listen),
    } as unknown as World;
    program(world, (...words) => said.push(words), membrane);
  };
  const statics = (there: Outside) => staticsOf(there as unknown as Record<string, object>);
  const there = outside();
  const events = record(statics(there), run(there), () => act(there));
  const here = outside();
  expect(replay(statics(here), events, run(here))).toBe(0);
  expect(sayings[1]).toEqual(sayings[0]);
  return { said: sayings[0] as unknown[][], events };
}

describe('a hand-made object', () => {
  it('comes with its facts, is the same each time, and only what is read of it is in the trace', () => {
    const { said, events } = both(
      (world, say, membrane) => {
        const Mine = handMadeBy(membrane, world);
        let last: unknown;
        world.listen((asked) => {
          say(asked.name, asked instanceof Mine, asked === last);
          last = asked;
        });
      },
      ({ ask, make }) => {
        const asked = make();
        ask(asked);
        ask(asked);
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
    expect(trace).not.toContain('nobody reads this');
    expect(trace).not.toContain('list');
  });

  it('has copies of data that nobody outside changes any more, and what is alive otherwise', () => {
    const { said } = both(
      (world, say, membrane) => {
        handMadeBy(membrane, world);
        world.listen(({ body }) => {
          say(membrane.isHandle(body), [...body.list]);
          body.list.push(3);
        });
      },
      ({ ask, make }) => {
        const settled = make() as Asked;
        ask(settled);
        expect(settled.body.list).toEqual([1, 2]);
        const alive = Object.assign(make(), { [SETTLED]: false }) as unknown as Asked;
        ask(alive);
        expect(alive.body.list).toEqual([1, 2, 3]);
      },
    );
    expect(said).toEqual([
      [false, [1, 2]],
      [true, [1, 2]],
    ]);
  });

  it('asks the thing itself for what its class does not have, and gives it what it is given', () => {
    const mine = { of: 'the program' };
    const { said } = both(
      (world, say, membrane) => {
        handMadeBy(membrane, world);
        world.listen((asked) => {
          const each = asked as Asked & { upper: string; extra: unknown };
          say(each.upper, each.extra === mine, each.extra === undefined);
          (each as { extra: unknown }).extra = mine;
        });
      },
      ({ ask, make }) => {
        const asked = make() as Asked;
        ask(asked);
        expect(asked.extra).toEqual(mine);
        ask(asked);
      },
    );
    expect(said.map(([upper, , isNone]) => [upper, isNone])).toEqual([
      ['ASKED 1', true],
      ['ASKED 1', false],
    ]);
  });

  it('has methods called of what it stands for, of which the trace says nothing as long as they answer itself', () => {
    const calls = (count: number) =>
      both(
        (world, say, membrane) => {
          handMadeBy(membrane, world);
          world.listen((asked) => {
            const { code } = asked as unknown as { code(code: number): unknown };
            for (let i = 0; i < count; i++) say(code.call(asked, 200 + i) === asked);
            try {
              code.call(asked, 7);
            } catch (error) {
              say((error as Error).message, error instanceof RangeError);
            }
          });
        },
        ({ ask, make }) => {
          const asked = make() as { statusCode?: number };
          ask(asked);
          expect(asked.statusCode).toBe(199 + count);
        },
      );
    const { said, events } = calls(20);
    expect(said).toEqual([...Array.from({ length: 20 }, () => [true]), ['7 is no code', true]]);
    expect(events.length).toBe(calls(1).events.length);
  });

  it('has who waits outside for a promise told of its end, where the program tells it', () => {
    const ended: unknown[] = [];
    const { said } = both(
      (world, say, membrane) => {
        let count = 0;
        handMadeBy(membrane, world, (promise) => (say('followed', Eventual.has(promise)), ++count));
        world.listen(({ name }) => {
          if (name !== 'asked 1') membrane.settle(count, true, { told: name });
          return new Eventual();
        });
      },
      ({ ask, make }) => {
        (ask(make()) as Promise<unknown>).then((value) => ended.push(value));
        expect(ended).toEqual([]);
        ask(make());
        expect(ended).toEqual([{ told: 'asked 2' }]);
      },
    );
    expect(said).toEqual([
      ['followed', true],
      ['followed', true],
    ]);
  });

  it('is in states as long as the outside is not done with it, where the program runs again as well', async () => {
    const membranes: BaseMembrane[] = [];
    const program = (its: Outside) => (membrane: BaseMembrane) => {
      membranes.push(membrane);
      const { prototype } = membrane.handleOf(its.Request as object) as { prototype: object };
      membrane.handMake(prototype, { facts: ['name'], over: ['isOver'], make: (name) => ({ name }) });
      (membrane.handleOf(its.listen) as unknown as World['listen'])(() => undefined);
    };
    const statics = (its: Outside) => staticsOf(its as unknown as Record<string, object>);
    const there = outside();
    const events = record(statics(there), program(there), () => {
      there.ask(there.make());
      for (let i = 0; i < 500; i++) {
        const asked = there.make();
        there.ask(asked);
        Reflect.set(asked, 'isOver', true);
      }
    });
    // It is told of between two turns of Node's.
    await new Promise(setImmediate);
    const here = outside();
    expect(replay(statics(here), events, program(here))).toBe(0);
    const held = membranes.map((membrane) =>
      membrane.read(() => true).state.handMade.map(([, object]) => Reflect.get(object, 'name')),
    );
    for (const names of held) {
      expect(names[0]).toBe('asked 1');
      expect(names.length).toBeLessThan(250);
    }
    expect(held[1]).toEqual(expect.arrayContaining(held[0] as string[]));
  });

  it('of a kind that was not declared where the program runs again is a divergence', () => {
    const program = (its: Outside, isDeclared: boolean) => (membrane: BaseMembrane) => {
      const { prototype } = membrane.handleOf(its.Request as object) as { prototype: object };
      if (isDeclared) membrane.handMake(prototype, { facts: ['name'], over: [], make: (name) => ({ name }) });
      (membrane.handleOf(its.listen) as unknown as World['listen'])(() => undefined);
    };
    const statics = (its: Outside) => staticsOf(its as unknown as Record<string, object>);
    const there = outside();
    const events = record(statics(there), program(there, true), () => there.ask(there.make()));
    const here = outside();
    expect(replay(statics(here), events, program(here, true))).toBe(0);
    expect(() => replay(statics(here), events, program(here, false))).toThrow('a data source makes an object');
  });
});

describe('plain data on its way out', () => {
  it('is a copy that says the same', () => {
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

  it('is nothing that has more to it than its properties', () => {
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

describe('a promise that is followed', () => {
  it('calls who waits while it is settled, and whoever comes later as promises do', async () => {
    const said: string[] = [];
    const promise = new FollowedPromise();
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

  it('passes a rejection on to whoever has said nothing of it', async () => {
    const promise = new FollowedPromise();
    const derived = promise.then((value: unknown) => value);
    const caught = promise.then(undefined, (reason: unknown) => `caught ${String(reason)}`);
    promise.settle(false, 'why');
    await expect(derived).rejects.toBe('why');
    expect(await caught).toBe('caught why');
    const throwing = new FollowedPromise();
    const thrown = throwing.then(() => {
      throw new Error('in the midst');
    });
    throwing.settle(true, undefined);
    await expect(thrown).rejects.toThrow('in the midst');
  });
});
