// A thread of the test's program, recorded or run again: a realm on Node's own queues, timers and chance as sources of a tape, and the letters
// that its actors have got, which are written down when it ends.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { types } from 'node:util';
import { createRealm } from '@turntable/core';
import { SOURCES } from '@turntable/recording';
import type { Class } from '../../src/host.ts';
import { Scheduler } from '../../src/scheduler/scheduler.ts';
import { ThreadHost } from '../../src/thread-host.ts';
import { FollowingTape } from '../../src/trace/following-tape.ts';
import { RecordingTape } from '../../src/trace/recording-tape.ts';
import { Node, nodes } from '../letters.ts';
import type { Here } from '../world.ts';
import { LineSink, sourceOf } from './lines.ts';

export interface ThreadOptions {
  readonly directory: string;
  readonly isReplay: boolean;
  readonly worker: number;
  readonly life: number;
}

export function createThread({ directory, isReplay, worker, life }: ThreadOptions) {
  const sink = isReplay ? undefined : new LineSink(directory, worker, life);
  const tape =
    sink === undefined
      ? new FollowingTape(sourceOf(directory, worker, life), {
          later: (callback) => void setImmediate(callback),
          soon: (callback) => queueMicrotask(callback),
          end: () => {
            if (worker > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
          },
        })
      : new RecordingTape(sink);
  const own: Node[] = [];
  nodes.set(worker, own);
  const writeLog = (): void => {
    const logs = JSON.stringify(own.map(({ log }) => log));
    writeFileSync(join(directory, `${worker}.${life}.${isReplay ? 'again' : 'first'}.log`), logs);
  };
  if (tape instanceof FollowingTape) tape.onHalt(writeLog);
  else process.on('exit', writeLog);

  const timers: (() => void)[] = [];
  if (tape.isReplay)
    tape.on(SOURCES.timer, (id) => {
      if (timers[id] === undefined) return false;
      timers[id]();
      return true;
    });
  const timer = (callback: () => void): void => {
    const id = timers.length;
    timers.push(callback);
    if (tape.isReplay) return tape.wake();
    setTimeout(() => {
      tape.entry(SOURCES.timer, id);
      callback();
    }, Math.random() * 3);
  };
  const ask = (): number => {
    if (tape.isReplay) return tape.outcome(SOURCES.randomness) as number;
    const answer = Math.random();
    tape.outcome(SOURCES.randomness, answer);
    return answer;
  };
  const realm = createRealm({
    tape,
    queueMicrotask: (callback) => queueMicrotask(callback),
    nextTick: (callback) => process.nextTick(callback),
    isNativePromise: types.isPromise,
    isProxy: types.isProxy,
  });
  const app = (): Promise<unknown> =>
    scheduler.questions.ask(
      () => new Promise((resolve) => setTimeout(() => resolve([Math.random()]), Math.random() * 3)),
    ) as unknown as Promise<unknown>;
  class Bound extends (Node as unknown as new (...args: unknown[]) => object) {
    constructor(...args: unknown[]) {
      super({ realm, scheduler, timer, ask, app } satisfies Here, ...args);
    }
    /** Its thread ends in the middle of the turn. */
    die(): void {
      process.exit(1);
    }
  }
  Object.defineProperty(Bound, 'name', { value: 'Node' });
  const type = Bound as unknown as Class;
  const host = new ThreadHost({
    classes: {
      keyOf: (prototype) => (prototype as { constructor: { name: string } }).constructor.name,
      addressOf: ({ name }) => name,
      find: () => type,
    },
    errorClassName: () => undefined,
    errorPrototype: () => undefined,
    awaitedBy: () => [],
    isReferenced: () => false,
    report() {},
    forgotten() {},
    outside: undefined,
  });
  const scheduler: Scheduler = new Scheduler(realm, host, worker, { round: 4, batch: 3 });
  return { realm, scheduler, host, tape, sink, type, writeLog };
}
