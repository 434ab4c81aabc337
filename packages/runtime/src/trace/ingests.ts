// What a worker takes from outside, and when: messages of other workers, and events: a class is loaded, a worker ends, a deadline passes, the collector
// drops a reference, a phase begins. Each waits until the scheduler looks, between two rounds, and is recorded with the number of rounds before it. So the
// same ingests after the same rounds repeat the run. (Turns would not do: a round may put messages aside and deliver none.)

import type { Tape } from '@turntable/core';
import type { SchedulerEvent, TraceSink, TraceValue } from '@turntable/recording';
import { CUT_POINT_KIND } from '@turntable/recording/sources';
import { describeEvent, ReplayTape } from './replay-tape.ts';
import { RecordingTape } from './recording-tape.ts';

/** When something was taken. */
interface IngestPosition {
  /** Rounds before, those in which there was nothing to do left out. */
  readonly round: number;
  /** Turns before, which is what people count. */
  readonly turns: number;
}

/** `class`: it is found or failed; `deadline`, `signal`: an answer is not awaited any more; `dropped`: no reference is left; `born`, `end`: of a worker. */
export type IngestKind =
  | 'class'
  | 'deadline'
  | 'signal'
  | 'dropped'
  | 'lost'
  | 'phase'
  | typeof CUT_POINT_KIND
  | 'round-length'
  | 'answered'
  | 'worker-start'
  | 'end';

/** What a worker does about an event; of what had no effect nothing is noted. `noted`: in a run again, what was noted with it. */
type IngestAction = (recorded?: SchedulerEvent) => boolean | void;

interface PendingIngest {
  readonly kind: IngestKind;
  readonly key: string;
  readonly action: IngestAction;
  readonly value: TraceValue;
}

export interface IngestsDeps {
  /** So far. */
  position(): IngestPosition;
  /** Something has come. */
  wake(): void;
  /** Takes so many messages of a worker; answers how many there were. */
  takeMessages(worker: number, count: number): number;
  /** Whether so many messages of a worker have come. */
  haveArrived(worker: number, count: number): boolean;
  /** Whether they have, or as many as can before some are taken. */
  canTake(worker: number, count: number): boolean;
  /** What an event does that nobody was waiting for. */
  actionForUnexpected(event: SchedulerEvent): IngestAction | undefined;
}

export class Ingests {
  readonly #deps: IngestsDeps;
  #pending: PendingIngest[] = [];
  readonly #recordingTape: RecordingTape | undefined;
  readonly #sink: TraceSink | undefined;
  /** If this is a run again. */
  readonly replayTape: ReplayTape | undefined;
  /** In a run again: what has happened, or will be said to have. */
  readonly #actions = new Map<string, IngestAction>();
  /** In a run again: messages that were taken already of those that stand next. */
  #takenOfNext = 0;

  constructor(deps: IngestsDeps, tape: Tape | undefined) {
    this.#deps = deps;
    this.#recordingTape = tape instanceof RecordingTape ? tape : undefined;
    this.#sink = this.#recordingTape?.sink;
    this.replayTape = tape instanceof ReplayTape ? tape : undefined;
  }

  get isReplaying(): boolean {
    return this.replayTape !== undefined;
  }

  /** Whether nothing has happened that is still to be looked at. */
  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  /** Something may happen: in a run again it does when it did. */
  register(kind: IngestKind, key: string, action: IngestAction): void {
    if (this.isReplaying) this.#actions.set(`${kind} ${key}`, action);
  }

  /** Something has happened. It acts when the scheduler looks. */
  add(kind: IngestKind, key: string, action: IngestAction, value?: TraceValue): void {
    if (this.isReplaying) this.#actions.set(`${kind} ${key}`, action);
    else this.#pending.push({ kind, key, action, value });
    this.#deps.wake();
  }

  /** Messages are being taken: `note` notes those that were, since some may lead to what is noted itself. */
  watchTaking(recordTaken: (() => void) | undefined): void {
    if (this.#recordingTape !== undefined) this.#recordingTape.recordTaken = recordTaken;
  }

  /** Whether what is taken is noted. */
  get isRecording(): boolean {
    return this.#sink !== undefined;
  }

  /** Messages of a worker have been taken. */
  recordMessages(worker: number, count: number): void {
    if (this.#sink === undefined) return;
    const { round, turns } = this.#deps.position();
    this.#sink.writeMessages(round, turns, worker, count);
  }

  /** Something happens now, between two turns. */
  record(kind: IngestKind, key: string, value?: TraceValue): void {
    if (this.#sink === undefined) return;
    const { round, turns } = this.#deps.position();
    this.#sink.writeSchedulerEvent(round, turns, kind, key, value);
  }

  /** What was noted so far is not lost if this thread is. */
  commit(): void {
    this.#sink?.commit();
  }

  /** A phase begins, where a thread that goes on from there finds its trace. Answers whether it is bare; in a run again, whether it was. */
  cut(phase: number, isCutPoint: boolean): boolean {
    const { replayTape } = this;
    if (replayTape !== undefined) {
      const { nextEvent } = replayTape;
      if (nextEvent?.type !== 'scheduler' || nextEvent.kind !== CUT_POINT_KIND || nextEvent.value !== phase)
        return false;
      replayTape.take();
      return true;
    }
    // What has come of a snapshot is in the segment that begins with it.
    if (isCutPoint) this.record(CUT_POINT_KIND, '', phase);
    else this.#sink?.cut(phase);
    return isCutPoint;
  }

  /** What has happened to what this worker had in mind is nothing to what it has in mind now. */
  dropStale(): void {
    this.#pending = this.#pending.filter(({ kind }) => kind === 'lost' || kind === 'phase' || kind === 'round-length');
  }

  /** Does what events call for; whether any did. */
  runPending(): boolean {
    if (this.#pending.length === 0) return false;
    let hasRun = false;
    // One may make another.
    for (let event = this.#pending.shift(); event !== undefined; event = this.#pending.shift()) {
      const { kind, key, action, value } = event;
      const { round, turns } = this.#deps.position();
      if (action() === false) continue;
      hasRun = true;
      this.#sink?.writeSchedulerEvent(round, turns, kind, key, value);
    }
    return hasRun;
  }

  /** Whether something is to be taken, or to call the program, before the next turn. */
  isDue(): boolean {
    const tape = this.replayTape;
    if (tape === undefined) return false;
    if (tape.halt !== undefined) return true;
    const { nextEvent } = tape;
    return nextEvent !== undefined && nextEvent.type !== 'outcome' && nextEvent.round <= this.#deps.position().round;
  }

  /** Whether it is messages of another worker's. */
  get areMessagesDue(): boolean {
    return this.replayTape?.nextEvent?.type === 'messages' && this.replayTape.halt === undefined;
  }

  /** Whether it is there: messages that are to be taken now have come. */
  canTakeMessages(): boolean {
    const nextEvent = this.replayTape?.nextEvent;
    if (nextEvent?.type !== 'messages' || this.replayTape?.halt !== undefined) return false;
    return (
      nextEvent.round <= this.#deps.position().round &&
      this.#deps.canTake(nextEvent.worker, nextEvent.count - this.#takenOfNext)
    );
  }

  /** Takes what was taken after as many rounds, as far as it is there; whether there was any. */
  replayDue(): boolean {
    const tape = this.replayTape;
    if (tape === undefined) return false;
    let hasTaken = false;
    for (let { nextEvent } = tape; nextEvent !== undefined; { nextEvent } = tape) {
      if (tape.halt !== undefined || nextEvent.type === 'outcome') break;
      const { round, turns } = this.#deps.position();
      if (round < nextEvent.round) break;
      if (round > nextEvent.round) tape.diverge(describeEvent(nextEvent), `${round} rounds have been`);
      if (nextEvent.type === 'entry') break;
      if (turns !== nextEvent.turns) tape.diverge(describeEvent(nextEvent), `there have been ${turns} turns`);
      if (nextEvent.type === 'messages') {
        const missing = nextEvent.count - this.#takenOfNext;
        if (!this.#deps.canTake(nextEvent.worker, missing)) break;
        hasTaken = true;
        const { worker } = nextEvent;
        if (this.#deps.haveArrived(worker, missing)) {
          this.#takenOfNext = 0;
          // First: some may lead to what stands behind.
          tape.take();
          this.#deps.takeMessages(worker, missing);
        } else this.#takenOfNext += this.#deps.takeMessages(worker, missing); // The rest finds room now.
        continue;
      }
      const action = this.#actionFor(nextEvent);
      if (action === undefined) break;
      tape.take();
      action(nextEvent);
      hasTaken = true;
    }
    return hasTaken;
  }

  #actionFor(nextEvent: SchedulerEvent): IngestAction | undefined {
    const key = `${nextEvent.kind} ${nextEvent.key}`;
    const action = this.#actions.get(key);
    this.#actions.delete(key);
    return action ?? this.#deps.actionForUnexpected(nextEvent);
  }
}
