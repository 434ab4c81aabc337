// Random programs of promise operations give the same events in the same order over a realm as natively. A program is a list
// of operations on a growing list of promises; every promise logs its outcome, every callback its call.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nativeWorld, realmWorld } from './worlds.ts';
import type { World } from './worlds.ts';

type Log = (line: string) => void;
/** A handler's deed, or what something is resolved with. `to` is taken modulo the promises there are. */
type Action = {
  deed:
    | 'value'
    | 'throw'
    | 'promise'
    | 'thenable'
    | 'lateThenable'
    | 'throwingThenable'
    | 'subclass'
    | 'poisoned'
    | 'nothing';
  to: number;
};
type Operation =
  | { operation: 'settle' | 'pending' | 'micro' | 'adopt'; with: Action }
  | { operation: 'then' | 'catch' | 'finally'; of: number; with: Action; and: Action }
  | { operation: 'all' | 'race' | 'any' | 'allSettled'; of: number[]; subclass: boolean }
  | { operation: 'co' | 'generate' | 'returning'; with: Action[] };

const action: fc.Arbitrary<Action> = fc.record({
  deed: fc.constantFrom(
    'value',
    'throw',
    'promise',
    'thenable',
    'lateThenable',
    'throwingThenable',
    'subclass',
    'poisoned',
    'nothing',
  ),
  to: fc.nat(20),
});
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    operation: fc.constantFrom('settle' as const, 'pending' as const, 'micro' as const, 'adopt' as const),
    with: action,
  }),
  fc.record({
    operation: fc.constantFrom('then' as const, 'catch' as const, 'finally' as const),
    of: fc.nat(20),
    with: action,
    and: action,
  }),
  fc.record({
    operation: fc.constantFrom('all' as const, 'race' as const, 'any' as const, 'allSettled' as const),
    of: fc.array(fc.nat(20), { maxLength: 4 }),
    subclass: fc.boolean(),
  }),
  fc.record({
    operation: fc.constantFrom('co' as const, 'generate' as const, 'returning' as const),
    with: fc.array(action, { maxLength: 4 }),
  }),
);

async function events(world: World, program: Operation[]): Promise<string[]> {
  const lines: string[] = [];
  const log: Log = (line) => void lines.push(line);
  const { Promise: P } = world;
  class Sub<T> extends P<T> {}
  const promises: PromiseLike<unknown>[] = [P.resolve('first')];
  const promiseAt = (i: number): PromiseLike<unknown> => promises[i % promises.length]!;

  const perform = (action: Action, label: string): unknown => {
    switch (action.deed) {
      case 'value':
        return `${label} value`;
      case 'throw':
        throw `${label} thrown`;
      case 'promise':
        return promiseAt(action.to);
      case 'thenable':
        return { then: (resolve: (v: unknown) => void) => (log(`${label} then called`), resolve(`${label} thenable`)) };
      case 'lateThenable':
        return {
          then: (_: unknown, reject: (v: unknown) => void) => world.queueMicrotask(() => reject(`${label} late`)),
        };
      case 'throwingThenable':
        return {
          then: (resolve: (v: unknown) => void) => {
            resolve(promiseAt(action.to));
            throw new Error('ignored');
          },
        };
      case 'subclass':
        return Sub.resolve(promiseAt(action.to));
      case 'poisoned':
        return Object.defineProperty(P.resolve(1), 'constructor', {
          get: () => {
            throw `${label} poisoned`;
          },
        });
      default:
        return undefined;
    }
  };
  const add = (promise: unknown, label: string): void => {
    promises.push(promise as PromiseLike<unknown>);
    const seen = (how: string) => (value: unknown) =>
      log(
        `${label} ${how} ${value instanceof AggregateError ? `${value.message} ${String(value.errors)}` : value instanceof Error ? value.message : JSON.stringify(value)}`,
      );
    (promise as PromiseLike<unknown>).then(seen('fulfilled'), seen('rejected'));
  };

  program.forEach((each, i) => {
    const label = `${i}:${each.operation}`;
    const call = (action: Action) => (value: unknown) => (
      log(`${label} called with ${value instanceof Error ? value.message : JSON.stringify(value)}`),
      perform(action, label)
    );
    const attempt = (body: () => unknown): void => {
      try {
        const promise = body();
        if (promise !== undefined) add(promise, label);
      } catch (error) {
        log(`${label} threw ${String(error)}`);
      }
    };
    switch (each.operation) {
      case 'settle':
        return attempt(() => new P((resolve) => resolve(perform(each.with, label))));
      case 'adopt':
        return attempt(() => P.resolve(perform(each.with, label)));
      case 'pending':
        return attempt(
          () =>
            new P((resolve, reject) =>
              world.queueMicrotask(() => {
                try {
                  resolve(perform(each.with, label));
                } catch (error) {
                  reject(error);
                }
              }),
            ),
        );
      case 'micro':
        return world.queueMicrotask(() =>
          attempt(() => {
            const made = perform(each.with, label);
            return typeof (made as PromiseLike<unknown> | undefined)?.then === 'function'
              ? P.resolve(made)
              : void log(`${label} ran`);
          }),
        );
      case 'then':
        return attempt(() => promiseAt(each.of).then(call(each.with), call(each.and)));
      case 'catch':
        return attempt(() => (promiseAt(each.of) as Promise<unknown>).catch(call(each.with)));
      case 'finally':
        return attempt(() =>
          (promiseAt(each.of) as Promise<unknown>).finally(() => (log(`${label} called`), perform(each.with, label))),
        );
      case 'all':
      case 'race':
      case 'any':
      case 'allSettled':
        return attempt(() =>
          ((each.subclass ? Sub : P)[each.operation] as (of: unknown[]) => unknown).call(
            each.subclass ? Sub : P,
            each.of.map(promiseAt),
          ),
        );
      case 'co':
        return attempt(() => world.co(each.with.map(call)));
      case 'returning':
        return attempt(() => world.co([() => world.co(each.with.map(call)), () => P.resolve(promiseAt(i))]));
      case 'generate': {
        const generator = world.generate(
          each.with.map((action) => () => perform(action, label)),
        ) as AsyncGenerator<unknown>;
        each.with.forEach((action, k) =>
          attempt(() =>
            k === 2
              ? generator.return(promiseAt(action.to))
              : k === 3
                ? generator.throw(`${label} sent`)
                : generator.next(),
          ),
        );
        return attempt(() => generator.next());
      }
    }
  });
  await new Promise((resolve) => setImmediate(resolve));
  return lines;
}

const runs = Number(process.env['TT_RANDOM_RUNS'] ?? 400);

test('random programs settle in the native order', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 14 }), async (program) => {
      const native = await events(nativeWorld(), program);
      const own = await events(realmWorld({ queueMicrotask }), program);
      expect(own).toEqual(native);
    }),
    { numRuns: runs, seed: 20261121 },
  );
});
