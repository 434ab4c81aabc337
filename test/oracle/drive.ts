/*
 * Runs a program's function and logs everything observable: its output, in order, and its result. Two runs of one
 * program must have equal logs.
 */
import type { Kind } from './program.ts';

/** One call of a generator's method, and whether to wait for its result before the next call. */
export type Operation = {
  readonly method: 'next' | 'throw' | 'return';
  readonly value: number;
  readonly wait: boolean;
};

/** The globals of a program. */
export type GuestGlobals = {
  readonly see: (...values: unknown[]) => unknown;
  readonly tick: () => void;
  readonly burn: () => boolean;
  readonly items: (...values: unknown[]) => Iterable<unknown>;
  readonly later: (value: unknown) => Promise<unknown>;
};

export const GUEST_GLOBAL_NAMES = ['see', 'tick', 'burn', 'items', 'later'] as const;

type Main = (p: number) => unknown;
type AnyGenerator = { next(v: unknown): unknown; throw(v: unknown): unknown; return(v: unknown): unknown };

const MAX_FUEL = 120;

export async function drive(
  kind: Kind,
  make: (guestGlobals: GuestGlobals) => Main,
  operations: readonly Operation[],
  PromiseOfRun: PromiseConstructor,
): Promise<string[]> {
  const log: string[] = [];
  const append = (...values: unknown[]): void => void (log.length < 400 && log.push(values.map(show).join(' ')));
  let fuel = MAX_FUEL;
  const main = make({
    see: (...values) => {
      append(...values);
      return values.at(-1);
    },
    tick: () => {
      if (--fuel < -200) throw new RangeError('out of fuel');
    },
    burn: () => --fuel > 0,
    later: (value) => new PromiseOfRun((resolve) => resolve(value)),
    items: (...values) => closableIterable(values, append),
  });

  try {
    switch (kind) {
      case 'sync':
        append('returned', main(1));
        break;
      case 'async': {
        // Two at a time: their interleaving shows how many jobs each await takes.
        const calls = [main(1), main(2)] as Promise<unknown>[];
        calls.forEach((call, i) =>
          call.then(
            (value) => append(`resolved ${i}`, value),
            (error) => append(`rejected ${i}`, error),
          ),
        );
        await Promise.allSettled(calls);
        break;
      }
      case 'generator': {
        const generator = main(1) as AnyGenerator;
        for (const { method, value } of operations) {
          try {
            append(method, generator[method](value));
          } catch (error) {
            append(`${method} threw`, error);
          }
        }
        break;
      }
      case 'asyncGenerator': {
        const generator = main(1) as AnyGenerator;
        const calls: Promise<unknown>[] = [];
        for (const { method, value, wait } of operations) {
          const call = generator[method](value) as Promise<unknown>;
          call.then(
            (result) => append(method, result),
            (error) => append(`${method} rejected`, error),
          );
          calls.push(call);
          if (wait) await Promise.allSettled([call]);
        }
        await Promise.allSettled(calls);
      }
    }
  } catch (error) {
    append('threw', error);
  }
  return log;
}

/** An iterable that logs when it is closed. */
function closableIterable(values: readonly unknown[], append: (...values: unknown[]) => void): Iterable<unknown> {
  let at = 0;
  return {
    [Symbol.iterator]: () => ({
      next: () => (at < values.length ? { value: values[at++], done: false } : { value: undefined, done: true }),
      return: () => {
        append('closed');
        return {};
      },
    }),
  } as Iterable<unknown>;
}

export function show(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (typeof value === 'function') return 'function';
  if (Array.isArray(value)) return `[${value.map(show).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    if ('done' in value && 'value' in value) return `{${show(value.value)} ${String(value.done)}}`;
    return Object.prototype.toString.call(value);
  }
  return Object.is(value, -0) ? '-0' : String(value);
}
