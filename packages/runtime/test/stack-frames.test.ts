// Stack frames that errors gain between actors, and that the program's own errors are not changed.
import { describe, expect, it } from 'vitest';
import { createWorld, type WorkerContext, type World } from './test-world.ts';

type Answer = PromiseLike<unknown>;

/** The thrown error on the actor that threw it. */
const thrown: Error[] = [];

class Thrower {
  readonly #context: WorkerContext;
  readonly #next: Thrower | undefined;
  constructor(context: WorkerContext, next?: Thrower) {
    this.#context = context;
    this.#next = next;
  }
  fail(): unknown {
    if (this.#next !== undefined) return this.#next.fail();
    const error = new Error('broken', { cause: new Error('the reason') });
    error.stack = 'Error: broken\n    at somewhere else';
    thrown.push(error);
    throw error;
  }
  again(times: number): unknown {
    const self = this.#context.scheduler.actorApi.far(this) as unknown as Thrower;
    return times === 0 ? this.fail() : self.again(times - 1);
  }
}

const classes = { Thrower } as never;

function failure(world: World, answer: Answer): Error {
  let failed: unknown;
  void answer.then(undefined, (error: unknown) => (failed = error));
  world.run(() => 0);
  return failed as Error;
}

describe('error of another actor', () => {
  it('shows where it was thrown, the call and the code that awaited it, on any workers', () => {
    for (const [first, second] of [
      [0, 0],
      [0, 1],
      [1, 2],
      [2, 2],
    ] as const) {
      const world = createWorld(3, classes);
      const { scheduler, classFor } = world.workers[0]!;
      const place = (worker: number): string => (worker === 0 ? 'main thread' : `worker ${worker}`);
      const last = scheduler.actorApi.spawn(classFor('Thrower'), [], second);
      const error = failure(
        world,
        (scheduler.actorApi.spawn(classFor('Thrower'), [last], first) as unknown as Thrower).fail() as Answer,
      );
      expect(error.stack?.split('\n')).toEqual([
        'Error: broken',
        '    at somewhere else',
        `    at <asked> Thrower#1.fail (${place(second)})`,
        '    at async caller (here)',
        `    at <asked> Thrower#2.fail (${place(first)})`,
        '    at async caller (here)',
      ]);
      expect((error.cause as Error).message).toBe('the reason');
      expect((error.cause as Error).stack).not.toContain('<asked>');
      expect(thrown.at(-1)?.stack).toBe('Error: broken\n    at somewhere else');
    }
  });

  it('has a bounded stack', () => {
    const world = createWorld(1, classes);
    const { scheduler, classFor } = world.workers[0]!;
    const error = failure(
      world,
      (scheduler.actorApi.spawn(classFor('Thrower'), []) as unknown as Thrower).again(2000) as Answer,
    );
    expect(error.message).toBe('broken');
    expect(error.stack?.length).toBeLessThan(9000);
  });
});

describe('reason of a signal', () => {
  it('is the object that the program created, unchanged', () => {
    const world = createWorld(1, classes);
    const { scheduler, classFor } = world.workers[0]!;
    const reason = new Error('enough');
    const { stack } = reason;
    const thrower = scheduler.actorApi.spawn(classFor('Thrower'), []);
    const asked = (scheduler.actorApi.sendWith({ signal: AbortSignal.abort(reason) }, thrower) as Thrower).fail();
    expect(failure(world, asked as Answer)).toBe(reason);
    expect(reason.stack).toBe(stack);
  });
});
