// What a worker takes from outside, and when: messages of other workers, and everything that happens while nobody asks for it: a class is loaded,
// a worker ends, a deadline passes, the collector drops a reference, a phase begins. Nothing of it acts by itself: it waits here until
// the scheduler looks, between two rounds of turns, and is noted with the number of rounds before. So a worker does the same
// again if it is given the same ingests after the same rounds. (After the same turns would not do: a round may put messages aside and
// deliver none.)

import { RuntimeError } from './runtime-error.ts';

/** When something was taken. */
interface Position {
  /** Rounds before, those in which there was nothing to do left out. */
  readonly round: number;
  /** Turns before, which is what people count. */
  readonly turns: number;
}

/** So many messages of a worker were taken. */
export interface MessagesIngest extends Position {
  readonly what: 'messages';
  readonly worker: number;
  readonly count: number;
}

/** Something has happened; `key` says to what. */
export interface EventIngest extends Position {
  readonly what: EventKind;
  readonly key: string;
}

/**
 * The class of an actor is here, or will never be; nobody waits any more; nobody has a reference any more; a worker has ended; a phase begins;
 * rounds become longer or shorter.
 */
export type EventKind = 'class' | 'deadline' | 'signal' | 'dropped' | 'lost' | 'phase' | 'pace';

export type Ingest = MessagesIngest | EventIngest;

/** Sees what a run of this worker is a function of. */
export interface Observer {
  ingest(ingest: Ingest): void;
}

/** What a worker does about an event; of what had no effect nothing is noted. */
type Act = () => boolean | void;

interface Event {
  readonly what: EventKind;
  readonly key: string;
  readonly act: Act;
}

export interface IngestPorts {
  /** So far. */
  position(): Position;
  /** Something has come. */
  wake(): void;
  /** Takes so many messages of a worker; answers how many there were. */
  messages(worker: number, count: number): number;
  /** What an event does that nobody was waiting for. */
  unexpected(what: EventKind, key: string): Act | undefined;
}

export class Ingests {
  readonly #ports: IngestPorts;
  #events: Event[] = [];
  #observer: Observer | undefined;
  /** What is to be taken when, if this is a run again; the next one last. */
  #script: Ingest[] | undefined;
  /** In a run again: what has happened, or will be said to have. */
  readonly #acts = new Map<string, Act>();

  constructor(ports: IngestPorts) {
    this.#ports = ports;
  }

  observe(observer: Observer | undefined): void {
    this.#observer = observer;
  }

  /** Takes what was taken before, when it was taken, and nothing else. */
  follow(ingests: readonly Ingest[]): void {
    this.#script = ingests.toReversed();
  }

  get isFollowing(): boolean {
    return this.#script !== undefined;
  }

  /** Whether nothing has happened that is still to be looked at. */
  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  /** Something may happen: in a run again it does when it did. */
  expect(what: EventKind, key: string, act: Act): void {
    if (this.#script !== undefined) this.#acts.set(`${what} ${key}`, act);
  }

  /** Something has happened. It acts when the scheduler looks. */
  happened(what: EventKind, key: string, act: Act): void {
    if (this.#script !== undefined) this.#acts.set(`${what} ${key}`, act);
    else this.#events.push({ what, key, act });
    this.#ports.wake();
  }

  /** Messages of a worker have been taken. */
  took(worker: number, count: number): void {
    this.#observer?.ingest({ ...this.#ports.position(), what: 'messages', worker, count });
  }

  /** What has happened to what this worker had in mind is nothing to what it has in mind now. */
  forget(): void {
    this.#events = this.#events.filter(({ what }) => what === 'lost' || what === 'phase' || what === 'pace');
  }

  /** Does what events call for; whether any did. */
  events(): boolean {
    if (this.#events.length === 0) return false;
    let any = false;
    // One may make another.
    for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) {
      const { what, key, act } = event;
      const position = this.#ports.position();
      if (act() === false) continue;
      any = true;
      this.#observer?.ingest({ ...position, what, key });
    }
    return any;
  }

  /** Whether something is to be taken before the next turn, in a run again. */
  isDue(): boolean {
    const next = this.#script?.at(-1);
    return next !== undefined && next.round === this.#ports.position().round;
  }

  /** In a run again: takes what was taken after as many rounds; whether there was any. */
  again(): boolean {
    const script = this.#script ?? [];
    let any = false;
    for (let next = script.at(-1); next !== undefined; next = script.at(-1)) {
      const { round, turns } = this.#ports.position();
      if (round < next.round) break;
      if (turns !== next.turns)
        throw diverged(`after ${next.turns} turns ${told(next)}, and now it would be after ${turns}`);
      const act = this.#actOf(next);
      if (act === undefined) break;
      script.pop();
      act();
      any = true;
    }
    return any;
  }

  #actOf(next: Ingest): Act | undefined {
    if (next.what !== 'messages') {
      const key = `${next.what} ${next.key}`;
      return this.#acts.get(key) ?? this.#ports.unexpected(next.what, next.key);
    }
    return () => {
      const count = this.#ports.messages(next.worker, next.count);
      if (count !== next.count) throw diverged(`after ${next.turns} turns ${told(next)}, and now there are ${count}`);
    };
  }
}

function told(ingest: Ingest): string {
  return ingest.what === 'messages'
    ? `${ingest.count} messages of worker ${ingest.worker} were taken`
    : `this had happened: ${ingest.what} ${ingest.key}`;
}

function diverged(message: string): RuntimeError {
  return new RuntimeError('TT_DIVERGED', message);
}
