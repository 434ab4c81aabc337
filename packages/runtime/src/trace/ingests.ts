// Ingests of a worker: messages of other workers, and scheduler events, such as a loaded class, a lost worker, an
// expired deadline, a collected reference or a new phase. An ingest waits until the scheduler polls between two rounds.
// It is recorded with the number of earlier rounds, so the same ingests after the same rounds repeat the run. (The
// number of turns would not do: a round may park messages and deliver none.)

import type { Tape } from '@turntable/core';
import type { SchedulerEvent, TraceSink, TraceValue } from '@turntable/recording';
import { CUT_POINT_KIND } from '@turntable/recording/sources';
import { describeEvent, ReplayTape } from './replay-tape.ts';
import { RecordingTape } from './recording-tape.ts';

/** Position of an ingest in the run of a worker. */
interface IngestPosition {
  /** Number of earlier rounds. Rounds without work do not count. */
  readonly round: number;
  /** Number of earlier turns, for display. */
  readonly turns: number;
}

/** `deadline`, `signal`: a call is cancelled; `dropped`: a reference was collected; `lost`: a worker was lost. */
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

/** Effect of an event; not recorded if the result is false. `recorded`: the event of the trace, in a replay. */
type IngestAction = (recorded?: SchedulerEvent) => boolean | void;

interface PendingIngest {
  readonly kind: IngestKind;
  readonly key: string;
  readonly action: IngestAction;
  readonly value: TraceValue;
}

export interface IngestsDeps {
  position(): IngestPosition;
  wake(): void;
  /** Takes up to `count` messages of a worker. Returns the number of taken messages. */
  takeMessages(worker: number, count: number): number;
  /** Whether `count` messages of a worker have arrived. */
  haveArrived(worker: number, count: number): boolean;
  /** Whether `count` messages have arrived, or some have and their sender waits for room to send the rest. */
  canTake(worker: number, count: number): boolean;
  /** Returns the effect of an event that was not registered. */
  actionForUnexpected(event: SchedulerEvent): IngestAction | undefined;
}

export class Ingests {
  readonly #deps: IngestsDeps;
  #pending: PendingIngest[] = [];
  readonly #recordingTape: RecordingTape | undefined;
  readonly #sink: TraceSink | undefined;
  /** Tape of a replay; undefined in a recorded run. */
  readonly replayTape: ReplayTape | undefined;
  /** In a replay: effects of registered events, by kind and key. */
  readonly #actions = new Map<string, IngestAction>();
  /** In a replay: number of messages of the next event that were already taken. */
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

  /** Whether no event is pending. */
  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  /** In a replay: registers the effect of an event that may follow in the trace. */
  register(kind: IngestKind, key: string, action: IngestAction): void {
    if (this.isReplaying) this.#actions.set(`${kind} ${key}`, action);
  }

  /** Queues an event; it takes effect when the scheduler polls. */
  add(kind: IngestKind, key: string, action: IngestAction, value?: TraceValue): void {
    if (this.isReplaying) this.#actions.set(`${kind} ${key}`, action);
    else this.#pending.push({ kind, key, action, value });
    this.#deps.wake();
  }

  /** Sets the callback that records taken messages before anything that they cause; undefined when none are taken. */
  watchTaking(recordTaken: (() => void) | undefined): void {
    if (this.#recordingTape !== undefined) this.#recordingTape.recordTaken = recordTaken;
  }

  get isRecording(): boolean {
    return this.#sink !== undefined;
  }

  /** Records that messages of a worker were taken. */
  recordMessages(worker: number, count: number): void {
    if (this.#sink === undefined) return;
    const { round, turns } = this.#deps.position();
    this.#sink.writeMessages(round, turns, worker, count);
  }

  /** Records an event that happens now, between two turns. */
  record(kind: IngestKind, key: string, value?: TraceValue): void {
    if (this.#sink === undefined) return;
    const { round, turns } = this.#deps.position();
    this.#sink.writeSchedulerEvent(round, turns, kind, key, value);
  }

  /** Notes that a round starts. In a replay, returns false if the recorded thread may never have started it. */
  beginRound(round: number): boolean {
    this.#sink?.beginRound(round);
    return this.replayTape?.endBeforeRound(round) !== true;
  }

  /** Notes that the restored state is that after a round. */
  continueAfterRound(round: number): void {
    this.#sink?.beginRound(round);
  }

  /** Notes that all work so far is done. Must be called before its messages are published. */
  settle(): void {
    this.#sink?.settle();
  }

  /** Makes everything recorded so far survive the loss of this thread. */
  commit(): void {
    this.#sink?.commit();
  }

  /** Starts a phase, and also a trace segment unless at a cut point. Returns whether it is (in a replay, was) one. */
  cut(phase: number, isCutPoint: boolean): boolean {
    const { replayTape } = this;
    if (replayTape !== undefined) {
      const { nextEvent } = replayTape;
      if (nextEvent?.type !== 'scheduler' || nextEvent.kind !== CUT_POINT_KIND || nextEvent.value !== phase)
        return false;
      replayTape.take();
      return true;
    }
    // Events caused by the snapshot belong to the new segment.
    if (isCutPoint) this.record(CUT_POINT_KIND, '', phase);
    else this.#sink?.cut(phase);
    return isCutPoint;
  }

  /** Drops pending events about state that has been replaced. */
  dropStale(): void {
    this.#pending = this.#pending.filter(({ kind }) => kind === 'lost' || kind === 'phase' || kind === 'round-length');
  }

  /** Runs the effects of pending events; returns whether any had one. */
  runPending(): boolean {
    if (this.#pending.length === 0) return false;
    let hasRun = false;
    // An effect may add an event.
    for (let event = this.#pending.shift(); event !== undefined; event = this.#pending.shift()) {
      const { kind, key, action, value } = event;
      const { round, turns } = this.#deps.position();
      if (action() === false) continue;
      hasRun = true;
      this.#sink?.writeSchedulerEvent(round, turns, kind, key, value);
    }
    return hasRun;
  }

  /** In a replay: whether an event is due before the next turn. */
  isDue(): boolean {
    const tape = this.replayTape;
    if (tape === undefined) return false;
    if (tape.halt !== undefined) return true;
    const { nextEvent } = tape;
    return nextEvent !== undefined && nextEvent.type !== 'outcome' && nextEvent.round <= this.#deps.position().round;
  }

  /** Whether the next event is messages of another worker. */
  get areMessagesDue(): boolean {
    return this.replayTape?.nextEvent?.type === 'messages' && this.replayTape.halt === undefined;
  }

  /** Whether messages are due and have arrived. */
  canTakeMessages(): boolean {
    const nextEvent = this.replayTape?.nextEvent;
    if (nextEvent?.type !== 'messages' || this.replayTape?.halt !== undefined) return false;
    return (
      nextEvent.round <= this.#deps.position().round &&
      this.#deps.canTake(nextEvent.worker, nextEvent.count - this.#takenOfNext)
    );
  }

  /** Takes the events that have arrived and are due after this number of rounds. Returns whether there were any. */
  replayDue(): boolean {
    const tape = this.replayTape;
    if (tape === undefined) return false;
    let hasTaken = false;
    for (let { nextEvent } = tape; nextEvent !== undefined; { nextEvent } = tape) {
      if (tape.halt !== undefined || nextEvent.type === 'outcome') break;
      const { round, turns } = this.#deps.position();
      if (round < nextEvent.round) break;
      if (round > nextEvent.round) tape.diverge(describeEvent(nextEvent), `the thread has reached round ${round}`);
      if (nextEvent.type === 'entry') break;
      if (turns !== nextEvent.turns) tape.diverge(describeEvent(nextEvent), `the thread has finished ${turns} turns`);
      if (nextEvent.type === 'messages') {
        const missing = nextEvent.count - this.#takenOfNext;
        if (!this.#deps.canTake(nextEvent.worker, missing)) break;
        hasTaken = true;
        const { worker } = nextEvent;
        if (this.#deps.haveArrived(worker, missing)) {
          this.#takenOfNext = 0;
          // Advances first, since messages may cause the events that follow.
          tape.take();
          this.#deps.takeMessages(worker, missing);
        } else this.#takenOfNext += this.#deps.takeMessages(worker, missing); // Frees room for the rest.
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
