// A worker's thread: joined to all others, it does what its actors have to do until it is told to end, or the process does.

import { receiveMessageOnPort } from 'node:worker_threads';
import { setImmediate as nativeSetImmediate } from 'node:timers';
import { BarePhases } from './snapshot/bare-phases.ts';
import { connect, lose } from './connect.ts';
import type { Answers, Before, LinkData, Question, SnapshotPlace, ThreadData, ToMain, ToWorker } from './control.ts';
import { Places } from './actors/placement.ts';
import type { Scheduler } from './scheduler/scheduler.ts';
import type { Part } from './snapshot/collector.ts';
import { keepPace } from './snapshot/due.ts';
import { restoreHere, reviveHere } from './snapshot/restore-here.ts';
import type { PartSink } from './snapshot/snapshots.ts';
import type { StateRoom } from '@turntable/heap';
import { own } from './own-listener.ts';
import { standing } from './replaying.ts';
import { told, type FollowingTape } from './trace/following-tape.ts';
import type { ThreadHost } from './thread-host.ts';
import { threadStats } from './thread-stats.ts';

/** What a worker was in the last snapshot that says so and can be read. */
export type LastPart = (place: SnapshotPlace, worker: number) => { readonly phase: number; readonly bytes: Uint8Array };

/** What a worker is given to be written down and to go on from what was. */
export interface ServePorts {
  readonly room?: StateRoom | undefined;
  readonly sink?: PartSink | undefined;
  readonly lastPart?: LastPart | undefined;
}

/** Answers where actors that are spawned here are to live. */
export function serve(data: ThreadData, scheduler: Scheduler, host: ThreadHost, ports: ServePorts = {}): Places {
  return new WorkerThread(data, scheduler, host, ports).places;
}

class WorkerThread {
  readonly places: Places;
  readonly #data: ThreadData;
  readonly #scheduler: Scheduler;
  readonly #host: ThreadHost;
  readonly #ports: ServePorts;
  readonly #losses: Int32Array;
  /** How many losses this thread has been told of. */
  #heardOf: number;
  /** Who wants to know when nothing is left to do. */
  #questions: number[] = [];
  /** What this worker was is being read. */
  #isReviving: boolean;
  /** The same, or what others were. */
  #isRestoring: boolean;
  #goOn: () => void = () => {};

  constructor(data: ThreadData, scheduler: Scheduler, host: ThreadHost, ports: ServePorts) {
    const { bell, control, workers, placement, index, losses, lost, heardOf } = data;
    scheduler.bare = new BarePhases(data.bare);
    const { phase, before, links } = bornAs(data, scheduler);
    const { neighbours } = scheduler;
    this.#data = data;
    this.#scheduler = scheduler;
    this.#host = host;
    this.#ports = ports;
    this.#losses = new Int32Array(losses);
    this.#heardOf = heardOf;
    this.places = scheduler.places = new Places(index, workers, placement);
    neighbours.onLost = (worker, isReplaced) => this.places.lost(worker, isReplaced);
    neighbours.onToBeRestored = () => {
      neighbours.onToBeRestored = undefined;
      this.#say({ what: 'to be restored' });
    };
    if (before !== undefined) {
      scheduler.succeed(data.life, before.why);
      neighbours.whyForgotten = before.whyForgotten;
    }
    this.#isReviving = before?.snapshot !== undefined;
    this.#isRestoring = data.restored !== undefined;
    host.sleepBy(bell);
    host.rests = () => this.#rests();
    if (this.#isRestoring || this.#isReviving) scheduler.hold();
    const rollbacks = new Int32Array(data.rollbacks);
    scheduler.watchRollbacks((count) => Atomics.store(rollbacks, index, count));
    for (const link of links) connect(scheduler, link);
    for (const each of lost) lose(scheduler, each);
    scheduler.bornIn(phase);
    const { room } = ports;
    if (room !== undefined && data.isSnapshotted) this.#keepSnapshots(room);
    if (before?.snapshot !== undefined) void this.#revive(before.snapshot);
    control.on('message', (message: ToWorker) => this.#hear(message));
    // What was just taken may speak of an actor of a worker that has the place of another.
    neighbours.taking.onTaken = () => this.#hearOfLosses();
    control.unref();
    process.on(
      'beforeExit',
      own(() => this.#nothingLeft()),
    );
    const { following } = scheduler.ingests;
    if (following === undefined) return;
    scheduler.onEnded = () => this.#rests();
    following.onHalt(({ why, events, turns, messages, divergence }) =>
      this.#say({
        what: 'stopped',
        worker: index,
        life: data.life,
        why,
        events,
        turns,
        messages,
        ...(divergence === undefined ? {} : { divergence }),
      }),
    );
    process.on(
      'exit',
      own(() => following.exits()),
    );
  }

  #say(message: ToMain, transfer?: readonly ArrayBuffer[]): void {
    this.#data.control.postMessage(message, transfer);
  }

  #answer(question: number, what: Answers[Question]): void {
    this.#say({ what: 'answer', question, answer: what });
  }

  #keepSnapshots(room: StateRoom): void {
    const { index, life, pace, restored } = this.#data;
    this.#scheduler.keepSnapshots({
      room,
      sink: this.#ports.sink,
      deliver: (delivery) => {
        const part: Part = { ...delivery, worker: index, life };
        const { bytes } = delivery;
        this.#say({ what: 'part', part }, bytes && [bytes.buffer as ArrayBuffer]);
      },
      failed: (phase, reason, again) => this.#say({ what: 'no part', phase, reason: messageOf(reason), again }),
    });
    if (pace !== undefined) keepPace(this.#scheduler, this.#host, pace, () => this.#say({ what: 'due' }));
    if (restored !== undefined) void this.#restore(room, restored);
  }

  async #restore(room: StateRoom, bytes: Uint8Array): Promise<void> {
    try {
      this.#goOn = await restoreHere(this.#scheduler, room, bytes, () => (this.#isRestoring = false));
    } catch (error) {
      const { code = 'TT_DAMAGED_SNAPSHOT', message = String(error) } = error as { code?: string; message?: string };
      return this.#say({ what: 'restored', failure: { code, message } });
    }
    this.#say({ what: 'restored', failure: undefined });
  }

  /** This worker has the place of a lost one, and is to be what that one was, if that can be had. */
  async #revive(place: SnapshotPlace): Promise<void> {
    try {
      const part = this.#lastPart(place);
      const { room } = this.#ports;
      if (part === undefined || room === undefined) {
        this.#scheduler.neighbours.claimNoMore();
        this.#scheduler.letGo();
      } else {
        this.#scheduler.neighbours.whyForgotten = `snapshot ${part.phase} does not have them`;
        await reviveHere(this.#scheduler, room, part.bytes);
      }
      this.#isReviving = false;
    } catch (error) {
      // What it is now is neither what it was nor nothing.
      this.#say({ what: 'not restored', why: messageOf(error).replaceAll(/\s*\n\s*/g, ' ') });
      process.exit(1);
    }
  }

  #lastPart(place: SnapshotPlace): ReturnType<LastPart> | undefined {
    try {
      return this.#ports.lastPart?.(place, this.#data.index);
    } catch (error) {
      this.#scheduler.neighbours.whyForgotten = messageOf(error);
      return undefined;
    }
  }

  #hear(message: ToWorker): void {
    const scheduler = this.#scheduler;
    switch (message.what) {
      case 'quiet':
        // Node says when nothing is left to do: now it has something.
        this.#questions.push(message.question);
        return this.#rests();
      case 'heard':
        return this.#answerWhenHeard(message.question);
      case 'stats':
      case 'stats of actors':
        return this.#answer(message.question, threadStats(scheduler, this.#host, message.what === 'stats of actors'));
      case 'still':
        scheduler.hold();
        return void this.#standStill(message.question);
      case 'lost':
        this.#heardOf++;
        return lose(scheduler, message);
      case 'phase':
        return scheduler.begin(message.phase);
      case 'go on':
        return this.#goOn();
      case 'standing':
        this.#questions.push(message.question);
        return this.#rests();
      case 'end':
        scheduler.ends();
        // Listeners of `exit` are to run, and what was written is to be seen.
        process.exit();
    }
  }

  #hearOfLosses(): void {
    while (Atomics.load(this.#losses, 0) !== this.#heardOf) {
      const received = receiveMessageOnPort(this.#data.control) as { message: ToWorker } | undefined;
      if (received === undefined) return;
      const { message } = received;
      if (message.what === 'lost') this.#hear(message);
      else nativeSetImmediate(() => this.#hear(message));
    }
  }

  /** No snapshot can begin before it is known who is what it was. */
  #answerWhenHeard(question: number): void {
    const { ingests, neighbours } = this.#scheduler;
    if (!this.#isReviving && ingests.isEmpty && !neighbours.areRevivable) this.#answer(question, true);
    else nativeSetImmediate(() => this.#answerWhenHeard(question));
  }

  /** For good, once the main thread has what this one has written. */
  async #standStill(question: number): Promise<void> {
    const streams = [process.stdout, process.stderr];
    await Promise.all(streams.map((stream) => new Promise<unknown>((resolve) => stream.write('', resolve))));
    this.#answer(question, true);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }

  /** Nothing is to be done between actors: Node will say when nothing is left at all. */
  #rests(): void {
    if (this.#questions.length === 0 && !this.#scheduler.ingests.isFollowing) return;
    this.#data.control.unref();
    nativeSetImmediate(() => {});
  }

  /** In a run again: what it waits for is told; that it has come to its end is told by its tape. */
  #judge(following: FollowingTape): void {
    const { index: worker, life } = this.#data;
    const event = this.#isReviving || this.#isRestoring ? undefined : following.judge();
    if (event !== undefined) this.#say({ what: 'stands', worker, life, ...standing(following, event) });
    const asked = this.#questions;
    this.#questions = [];
    for (const question of asked) this.#answer(question, true);
  }

  #nothingLeft(): void {
    // A thread that has nothing to do waits for what comes.
    this.#data.control.ref();
    const { following } = this.#scheduler.ingests;
    if (following !== undefined) return this.#judge(following);
    if (this.#isReviving || !this.#scheduler.isIdle) return;
    const asked = this.#questions;
    this.#questions = [];
    for (const question of asked) this.#answer(question, this.#scheduler.neighbours.traffic);
  }
}

type Birth = Pick<ThreadData, 'phase' | 'before' | 'links'>;

/** A birth, as it is noted. */
type Noted = {
  readonly phase: number;
  readonly before: { readonly why: string; readonly whyForgotten: string; readonly snapshot: number | null } | null;
  /** Workers that are in the place of others, and why those have ended. */
  readonly whys: { readonly [worker: string]: string };
  /** How many workers had ended before: no two are born behind as many. */
  readonly losses: number;
};

/** What it is to know of itself and of others; in a run again, what it knew. */
function bornAs(data: ThreadData, { ingests }: Scheduler): Birth {
  const { following } = ingests;
  const { life, phase, before, links, heardOf: losses } = data;
  // It goes on from a cut.
  if (data.restored !== undefined) return data;
  if (following === undefined) {
    const whys = Object.fromEntries(
      links.flatMap((link) => (link.before === undefined ? [] : [[link.worker, link.before]])),
    );
    const known = before === undefined ? null : { ...before, snapshot: before.snapshot?.phase ?? null };
    ingests.note('born', String(life), { phase, before: known, whys, losses } satisfies Noted);
    return data;
  }
  const { next } = following;
  // It had begun, and its process was killed.
  if (next === undefined) {
    following.exits();
    return data;
  }
  if (next.what !== 'happened' || next.kind !== 'born') {
    following.differ(told(next), 'the worker begins');
    return data;
  }
  following.take();
  const noted = next.value as Noted;
  const known = (link: LinkData): LinkData => ({ ...link, before: noted.whys[link.worker] });
  const recording = before?.snapshot?.recording ?? '';
  return {
    phase: noted.phase,
    links: links.map(known),
    before: noted.before === null ? undefined : againBefore(noted.before, recording),
  };
}

function againBefore({ snapshot, ...why }: NonNullable<Noted['before']>, recording: string): Before {
  return { ...why, snapshot: snapshot === null ? undefined : { recording, phase: snapshot } };
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
