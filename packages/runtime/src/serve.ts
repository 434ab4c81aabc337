// A worker's thread: joined to all others, it does what its actors have to do until it is told to end, or the process does.

import { receiveMessageOnPort } from 'node:worker_threads';
import { setImmediate as nativeSetImmediate } from 'node:timers';
import { connect, lose } from './connect.ts';
import type { Answers, Question, ThreadData, ToMain, ToWorker } from './control.ts';
import { Places } from './placement.ts';
import type { Scheduler } from './scheduler.ts';
import type { Part } from './snapshot/collector.ts';
import { restoreHere } from './snapshot/restore-here.ts';
import type { StateRoom } from '@turntable/heap';
import type { ThreadHost } from './thread-host.ts';
import { threadStats } from './thread-stats.ts';

/** Answers where actors that are spawned here are to live. */
export function serve(data: ThreadData, scheduler: Scheduler, host: ThreadHost, room?: StateRoom): Places {
  const { links, bell, control, workers, placement, index, life, before, losses, lost } = data;
  const places = new Places(index, workers, placement);
  /** Who wants to know when nothing is left to do. */
  let questions: number[] = [];

  const answer = (question: number, what: Answers[Question]): void =>
    control.postMessage({ what: 'answer', question, answer: what } satisfies ToMain);

  const lossesEver = new Int32Array(losses);
  let { heardOf } = data;

  scheduler.neighbours.onLost = (worker, isReplaced) => places.lost(worker, isReplaced);
  if (before !== undefined) scheduler.succeed(life, before);
  host.sleepBy(bell);
  host.rests = () => {
    if (questions.length === 0) return;
    control.unref();
    nativeSetImmediate(() => {});
  };
  if (data.restored !== undefined) scheduler.hold();
  for (const link of links) connect(scheduler, link);
  for (const each of lost) lose(scheduler, each);
  scheduler.bornIn(data.phase);
  let goOn = (): void => {};
  if (room !== undefined && data.isSnapshotted) {
    scheduler.keepSnapshots({
      room,
      deliver: (delivery) => {
        const part: Part = { ...delivery, worker: index, life };
        control.postMessage({ what: 'part', part } satisfies ToMain, [delivery.bytes.buffer as ArrayBuffer]);
      },
      failed: (phase, reason) => {
        const why = reason instanceof Error ? reason.message : String(reason);
        control.postMessage({ what: 'no part', phase, reason: why } satisfies ToMain);
      },
    });
    if (data.turnsToSnapshot !== undefined)
      scheduler.snapshots?.watchTurns(data.turnsToSnapshot, () =>
        control.postMessage({ what: 'turned' } satisfies ToMain),
      );
    if (data.restored !== undefined)
      void restoreHere(scheduler, room, data.restored).then(
        (restored) => {
          goOn = restored;
          control.postMessage({ what: 'restored', failure: undefined } satisfies ToMain);
        },
        (error: unknown) => {
          const { code = 'TT_DAMAGED_SNAPSHOT', message = String(error) } = error as {
            code?: string;
            message?: string;
          };
          control.postMessage({ what: 'restored', failure: { code, message } } satisfies ToMain);
        },
      );
  }

  const hearAll = (question: number): void => {
    if (scheduler.ingests.isEmpty) answer(question, true);
    else nativeSetImmediate(hearAll, question);
  };
  const hear = (message: ToWorker): void => {
    switch (message.what) {
      case 'quiet':
        // Node says when nothing is left to do: now it has something.
        questions.push(message.question);
        return host.rests?.();
      case 'heard':
        return hearAll(message.question);
      case 'stats':
      case 'stats of actors':
        return answer(message.question, threadStats(scheduler, host, message.what === 'stats of actors'));
      case 'lost':
        heardOf++;
        return lose(scheduler, message);
      case 'phase':
        return scheduler.begin(message.phase);
      case 'go on':
        return goOn();
      case 'end':
        // Listeners of `exit` are to run, and what was written is to be seen.
        process.exit();
    }
  };
  control.on('message', hear);
  // What was just taken may speak of an actor of a worker that has the place of another.
  scheduler.neighbours.onTaken = () => {
    while (Atomics.load(lossesEver, 0) !== heardOf) {
      const received = receiveMessageOnPort(control) as { message: ToWorker } | undefined;
      if (received === undefined) return;
      if (received.message.what === 'lost') hear(received.message);
      else nativeSetImmediate(hear, received.message);
    }
  };
  control.unref();

  process.on('beforeExit', () => {
    // A thread that has nothing to do waits for what comes.
    control.ref();
    if (!scheduler.isIdle) return;
    const asked = questions;
    questions = [];
    for (const question of asked) answer(question, scheduler.neighbours.traffic);
  });
  return places;
}
