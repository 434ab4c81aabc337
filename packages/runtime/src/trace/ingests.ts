// What a worker takes from outside, and when: messages of other workers, and events: a class is loaded, a worker ends, a deadline passes, the collector
// drops a reference, a phase begins. Each waits until the scheduler looks, between two rounds, and is recorded with the number of rounds before it. So the
// same ingests after the same rounds repeat the run. (Turns would not do: a round may put messages aside and deliver none.)

import type { Tape } from '@turntable/core';
import type { HappenedEvent, TraceSink, TraceValue } from '@turntable/recording';
import { BARE_CUT } from '@turntable/recording/sources';
import { told, FollowingTape } from './following-tape.ts';
import { RecordingTape } from './recording-tape.ts';

/** When something was taken. */
interface Position {
  /** Rounds before, those in which there was nothing to do left out. */
  readonly round: number;
  /** Turns before, which is what people count. */
  readonly turns: number;
}

/** `class`: it is found or failed; `deadline`, `signal`: an answer is not awaited any more; `dropped`: no reference is left; `born`, `end`: of a worker. */
export type EventKind =
  | 'class'
  | 'deadline'
  | 'signal'
  | 'dropped'
  | 'lost'
  | 'phase'
  | typeof BARE_CUT
  | 'pace'
  | 'answered'
  | 'born'
  | 'end';

/** What a worker does about an event; of what had no effect nothing is noted. `noted`: in a run again, what was noted with it. */
type Act = (noted?: HappenedEvent) => boolean | void;

interface Event {
  readonly what: EventKind;
  readonly key: string;
  readonly act: Act;
  readonly value: TraceValue;
}

export interface IngestPorts {
  /** So far. */
  position(): Position;
  /** Something has come. */
  wake(): void;
  /** Takes so many messages of a worker; answers how many there were. */
  messages(worker: number, count: number): number;
  /** Whether so many messages of a worker have come. */
  areThere(worker: number, count: number): boolean;
  /** Whether they have, or as many as can before some are taken. */
  haveCome(worker: number, count: number): boolean;
  /** What an event does that nobody was waiting for. */
  unexpected(event: HappenedEvent): Act | undefined;
}

export class Ingests {
  readonly #ports: IngestPorts;
  #events: Event[] = [];
  readonly #recording: RecordingTape | undefined;
  readonly #sink: TraceSink | undefined;
  /** If this is a run again. */
  readonly following: FollowingTape | undefined;
  /** In a run again: what has happened, or will be said to have. */
  readonly #acts = new Map<string, Act>();
  /** In a run again: messages that were taken already of those that stand next. */
  #taken = 0;

  constructor(ports: IngestPorts, tape: Tape | undefined) {
    this.#ports = ports;
    this.#recording = tape instanceof RecordingTape ? tape : undefined;
    this.#sink = this.#recording?.sink;
    this.following = tape instanceof FollowingTape ? tape : undefined;
  }

  get isFollowing(): boolean {
    return this.following !== undefined;
  }

  /** Whether nothing has happened that is still to be looked at. */
  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  /** Something may happen: in a run again it does when it did. */
  expect(what: EventKind, key: string, act: Act): void {
    if (this.isFollowing) this.#acts.set(`${what} ${key}`, act);
  }

  /** Something has happened. It acts when the scheduler looks. */
  happened(what: EventKind, key: string, act: Act, value?: TraceValue): void {
    if (this.isFollowing) this.#acts.set(`${what} ${key}`, act);
    else this.#events.push({ what, key, act, value });
    this.#ports.wake();
  }

  /** Messages are being taken: `note` notes those that were, since some may lead to what is noted itself. */
  taking(note: (() => void) | undefined): void {
    if (this.#recording !== undefined) this.#recording.noteTaken = note;
  }

  /** Whether what is taken is noted. */
  get areNoted(): boolean {
    return this.#sink !== undefined;
  }

  /** Messages of a worker have been taken. */
  took(worker: number, count: number): void {
    if (this.#sink === undefined) return;
    const { round, turns } = this.#ports.position();
    this.#sink.messages(round, turns, worker, count);
  }

  /** Something happens now, between two turns. */
  note(what: EventKind, key: string, value?: TraceValue): void {
    if (this.#sink === undefined) return;
    const { round, turns } = this.#ports.position();
    this.#sink.happened(round, turns, what, key, value);
  }

  /** What was noted so far is not lost if this thread is. */
  commit(): void {
    this.#sink?.commit();
  }

  /** A phase begins, where a thread that goes on from there finds its trace. Answers whether it is bare; in a run again, whether it was. */
  cut(phase: number, isBare: boolean): boolean {
    const { following } = this;
    if (following !== undefined) {
      const { next } = following;
      if (next?.what !== 'happened' || next.kind !== BARE_CUT || next.value !== phase) return false;
      following.take();
      return true;
    }
    // What has come of a snapshot is in the segment that begins with it.
    if (isBare) this.note(BARE_CUT, '', phase);
    else this.#sink?.cut(phase);
    return isBare;
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
      const { what, key, act, value } = event;
      const { round, turns } = this.#ports.position();
      if (act() === false) continue;
      any = true;
      this.#sink?.happened(round, turns, what, key, value);
    }
    return any;
  }

  /** Whether something is to be taken, or to call the program, before the next turn. */
  isDue(): boolean {
    const tape = this.following;
    if (tape === undefined) return false;
    if (tape.halt !== undefined) return true;
    const { next } = tape;
    return next !== undefined && next.what !== 'outcome' && next.round <= this.#ports.position().round;
  }

  /** Whether it is messages of another worker's. */
  get areMessagesDue(): boolean {
    return this.following?.next?.what === 'messages' && this.following.halt === undefined;
  }

  /** Whether it is there: messages that are to be taken now have come. */
  haveCome(): boolean {
    const next = this.following?.next;
    if (next?.what !== 'messages' || this.following?.halt !== undefined) return false;
    return next.round <= this.#ports.position().round && this.#ports.haveCome(next.worker, next.count - this.#taken);
  }

  /** Takes what was taken after as many rounds, as far as it is there; whether there was any. */
  again(): boolean {
    const tape = this.following;
    if (tape === undefined) return false;
    let any = false;
    for (let { next } = tape; next !== undefined; { next } = tape) {
      if (tape.halt !== undefined || next.what === 'outcome') break;
      const { round, turns } = this.#ports.position();
      if (round < next.round) break;
      if (round > next.round) tape.diverge(told(next), `${round} rounds have been`);
      if (next.what === 'entry') break;
      if (turns !== next.turns) tape.diverge(told(next), `there have been ${turns} turns`);
      if (next.what === 'messages') {
        const missing = next.count - this.#taken;
        if (!this.#ports.haveCome(next.worker, missing)) break;
        any = true;
        const { worker } = next;
        if (this.#ports.areThere(worker, missing)) {
          this.#taken = 0;
          // First: some may lead to what stands behind.
          tape.take();
          this.#ports.messages(worker, missing);
        } else this.#taken += this.#ports.messages(worker, missing); // The rest finds room now.
        continue;
      }
      const act = this.#actOf(next);
      if (act === undefined) break;
      tape.take();
      act(next);
      any = true;
    }
    return any;
  }

  #actOf(next: HappenedEvent): Act | undefined {
    const key = `${next.kind} ${next.key}`;
    const act = this.#acts.get(key);
    this.#acts.delete(key);
    return act ?? this.#ports.unexpected(next);
  }
}
