// A replay as its main thread sees it: which threads run, what the others wait for, and when nothing more can come, because a trace is cut off or the run
// has diverged. Threads say when they are idle, and are asked twice, since an event that one waits for may be under way.

import type { TraceEvent } from '@turntable/recording';
import type { Part } from './snapshot/collector.ts';
import { told, type FollowingTape, type Halt } from './trace/following-tape.ts';

/** A thread has come to an end, in one way or another: plain data. */
export interface Stopped extends Omit<Halt, 'error' | 'why'> {
  readonly worker: number;
  readonly life: number;
  /** `failed`: its thread has ended and nobody has told it to; why it has, if it has said so. */
  readonly why: Halt['why'] | 'failed';
  readonly failure?: string | undefined;
}

/** A worker in one of its lives that is not its first. */
export interface Succession {
  readonly worker: number;
  readonly life: number;
}

export interface Replayed {
  /** By worker: the last life that it had, 0 for one that was never lost. */
  readonly lives: readonly number[];
  /** Lives that took the place of others, in the order in which they did, as far as it is known. */
  readonly successions?: readonly Succession[];
  /** A worker's part of a snapshot that is whole. */
  part?(part: Part): void;
  /** The main thread has cut, and its state is written: of which workers the snapshot has parts, itself among them. */
  cut?(phase: number, workers: readonly number[]): void;
  /** Of each life of each thread, once; of the main thread, too. */
  stopped(stopped: Stopped): void;
  /** @param hear tells what threads have said so far, where the main thread does not come to hear it */
  hears?(hear: () => void): void;
}

/** A thread stands still. */
export interface Standing {
  readonly worker: number;
  readonly life: number;
  /** What it would take next. */
  readonly expected: string;
  readonly events: number;
  readonly messages: number;
  readonly turns: number;
}

/** What a thread stands at that has nothing left to do. */
export function standing(tape: FollowingTape, event: TraceEvent): Omit<Standing, 'worker' | 'life'> {
  const { events, messages, turns } = tape.progress;
  return { expected: told(event), events, messages, turns };
}

export interface ReplayingPorts {
  /** So many events the main thread has taken. */
  taken(): number;
  /** Whether it has nothing to do. */
  isStanding(): boolean;
  /** It is to say where it stands when it does. */
  rest(): void;
  /** Asks all other threads but those that have stopped to say where they are as soon as they stand still; answers when they have. */
  ask(): Promise<void>;
  /** A life has come to its end, and another one is to begin. */
  next(worker: number): void;
}

export class Replaying {
  readonly #replayed: Replayed;
  readonly #ports: ReplayingPorts;
  /** Lives that have begun and not stopped, and where they stand if they do. */
  readonly #threads = new Map<number, { readonly life: number; standing: Standing | undefined }>();
  #isCutOff = false;
  #isAsking = false;

  constructor(replayed: Replayed, ports: ReplayingPorts) {
    this.#replayed = replayed;
    this.#ports = ports;
  }

  started(worker: number, life: number): void {
    this.#threads.set(worker, { life, standing: undefined });
  }

  /** Whether a worker had a life after this one. */
  isFollowed(worker: number, life: number): boolean {
    return life < (this.#replayed.lives[worker] ?? 0);
  }

  /** Whether a life may begin: all lives that began before it have, since it is linked to them. `lifeOf`: which life of a worker was started last. */
  mayFollow({ worker, life }: Succession, lifeOf: (worker: number) => number): boolean {
    const { successions = [] } = this.#replayed;
    const at = successions.findIndex((each) => each.worker === worker && each.life === life);
    return successions.slice(0, Math.max(0, at)).every((each) => each.life <= lifeOf(each.worker));
  }

  /** Whether a worker's thread does nothing any more. */
  isOver(worker: number): boolean {
    return !this.#threads.has(worker);
  }

  stands(standing: Standing): void {
    const thread = this.#threads.get(standing.worker);
    if (thread?.life !== standing.life) return;
    thread.standing = standing;
    this.#look();
  }

  /** Once for each life; what comes of it later is no news. */
  stopped(stopped: Stopped): void {
    const { worker, life } = stopped;
    if (this.#threads.get(worker)?.life !== life) return;
    this.#threads.delete(worker);
    const isFollowed = this.isFollowed(worker, life);
    // One that another took the place of was cut off by its end.
    if (stopped.why !== 'ended' && !isFollowed) this.#isCutOff = true;
    this.#replayed.stopped(stopped);
    if (isFollowed && stopped.why !== 'diverged') {
      this.started(worker, life + 1);
      this.#ports.next(worker);
    }
    this.#look();
  }

  part(part: Part): void {
    this.#replayed.part?.(part);
  }

  get #areStanding(): boolean {
    return this.#threads.size > 0 && [...this.#threads.values()].every(({ standing }) => standing !== undefined);
  }

  /** Whether all stand for good. */
  #look(): void {
    if (this.#isAsking || !this.#areStanding) return;
    this.#isAsking = true;
    void this.#settle().finally(() => {
      this.#isAsking = false;
    });
  }

  async #settle(): Promise<void> {
    const before = this.#progress();
    await this.#ports.ask();
    await this.#ports.ask();
    if (!this.#areStanding) return;
    const main = this.#threads.get(0);
    const isHere = main === undefined || main.standing?.events === this.#ports.taken();
    if (isHere && before === this.#progress() && this.#ports.isStanding()) {
      // Others may begin when one has stopped.
      const all = [...this.#threads];
      for (const [worker, { life, standing }] of all) this.#stuck(worker, life, standing as Standing);
      return;
    }
    if (main === undefined) return void (await this.#settle());
    // It says anew where it is.
    main.standing = undefined;
    this.#ports.rest();
  }

  #progress(): string {
    const threads = [...this.#threads].map(([worker, { life, standing }]) => `${worker}.${life}:${standing?.events}`);
    return [this.#ports.taken(), ...threads].join(' ');
  }

  /** It waits for what will not come. */
  #stuck(worker: number, life: number, { expected, events, messages, turns }: Standing): void {
    const at = { worker, life, events, messages, turns };
    if (this.#isCutOff) return this.stopped({ ...at, why: 'cut off' });
    const divergence = {
      ordinal: events + 1,
      expected,
      actual: 'nothing comes any more, and every thread waits',
      actor: worker === 0 ? 'the main thread' : `worker ${worker}`,
      turn: turns,
      stack: undefined,
    };
    this.stopped({ ...at, why: 'diverged', divergence });
  }
}
