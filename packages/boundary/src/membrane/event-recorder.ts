// Writes the events of a recorded membrane to the tape: outcomes during host calls, and entries outside of them.
import type { TapeRecorder } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { MEMBRANE_EVENT, OP_FLAG, type EncodedValue, type Op, type OpKey } from './encoding.ts';
import type { Handle } from './handle.ts';
import { ExportedObject, type Marks } from './marks.ts';
import type { MembraneDeps } from './membrane-deps.ts';
import type { OutcomeEncoder } from './outcome-encoder.ts';
import type { Statics } from './static-objects.ts';

export interface EventRecorderDeps extends Pick<MembraneDeps, 'hasPendingRejections' | 'isInMicrotask'> {
  readonly tape: TapeRecorder;
  readonly statics: Pick<Statics, 'neutralPathOf'>;
  readonly marks: Marks;
  readonly encoder: OutcomeEncoder;
  currentContextNumber(): number;
}

export class EventRecorder {
  readonly #deps: EventRecorderDeps;
  /** Number of events written so far. A result counts as predicted only if its host call has written none. */
  count = 0;
  /** Number of host calls with a predicted result since the last outcome. Each outcome contains it. */
  predictedCount = 0;
  /** Whether host code runs that the program has called. Events then belong to that call and are not entries. */
  isInHostCall = false;
  /** Whether Node resolves a module for the program. Callbacks then belong to the lookup and are not entries. */
  isInLookup = false;

  constructor(deps: EventRecorderDeps) {
    this.#deps = deps;
  }

  /** Returns the program's view of a host value. The encoder's `encoded` is its encoding, unless the tape is paused. */
  toProgram(value: unknown, isUnshared: boolean): unknown {
    const { tape, encoder } = this.#deps;
    return tape.isPaused ? encoder.toProgramUnrecorded(value, isUnshared) : encoder.toProgram(value, isUnshared);
  }

  /** Like `toProgram`, for a value that a function of a package has returned, or with which its promise was fulfilled. */
  returnedToProgram(value: unknown, source: Handle | undefined): unknown {
    const { encoder } = this.#deps;
    encoder.copySource = source;
    try {
      return this.toProgram(value, true);
    } finally {
      encoder.copySource = undefined;
    }
  }

  /** Writes an event of the running host call. */
  recordOutcome(outcome: EncodedValue): void {
    this.count++;
    this.predictedCount = 0;
    this.#deps.tape.recordOutcome(TRACE_SOURCES.device, outcome);
  }

  /** Writes an event that happens outside of host calls: a separate task in a replay. */
  recordEntry(number: number, entry: EncodedValue): void {
    this.count++;
    this.#deps.tape.recordEntry(TRACE_SOURCES.device, number, entry);
  }

  /** Writes the settlement of a native promise with the value that was converted last. */
  recordSettlement(number: number, isFulfilled: boolean): void {
    const { tape, encoder } = this.#deps;
    if (tape.isPaused) return;
    this.count++;
    const settlement = [isFulfilled, encoder.encoded, this.#deps.hasPendingRejections()];
    tape.recordEntry(TRACE_SOURCES.settled, number, settlement);
  }

  /**
   * Writes an operation of the host, and returns the program's views of `values`. The first value, the receiver of a
   * call, is never data that may be copied.
   * @param hasUnsharedArguments whether the host keeps no data among `values`
   * @param mark export with the object's number
   */
  recordCallback(
    op: Op,
    programObject: object,
    key: OpKey,
    values: readonly unknown[],
    hasUnsharedArguments: boolean,
    mark = this.#deps.marks.get(programObject),
  ): unknown[] {
    const { tape, encoder, statics } = this.#deps;
    const { isPaused } = tape;
    const isExport = mark instanceof ExportedObject && mark.programObject === programObject;
    const number = isExport ? mark.number : 0;
    const isNested = this.isInHostCall || this.isInLookup;
    const code = op | OP_FLAG.callback | (isExport ? 0 : OP_FLAG.neutral) | (this.isInLookup ? OP_FLAG.lookup : 0);
    // The zeros are replaced below, once the values are encoded.
    const event: EncodedValue[] = isNested ? [0, code, number] : [code, 0];
    if (!isExport) event.push(statics.neutralPathOf(programObject));
    if (key !== undefined && !isPaused) event.push(encoder.encodeKey(key));
    const programValues: unknown[] = [];
    for (let i = 0; i < values.length; i++) {
      programValues.push(this.toProgram(values[i], hasUnsharedArguments && i > 0));
      event.push(encoder.encoded);
    }
    if (isPaused) return programValues;
    if (isNested) {
      event[0] = this.predictedCount;
      this.recordOutcome(event);
    } else {
      const chained = this.#deps.hasPendingRejections() ? OP_FLAG.chained : 0;
      const microtask = this.#deps.isInMicrotask() ? OP_FLAG.microtask : 0;
      event[0] = code | chained | microtask;
      event[1] = this.#deps.currentContextNumber();
      this.recordEntry(number, event);
    }
    return programValues;
  }

  /** Writes output that host code writes to the descriptor of standard output or error. */
  recordOutput(descriptor: number, bytes: Uint8Array): void {
    this.#recordSilentEvent(MEMBRANE_EVENT.shown, descriptor, bytes);
  }

  /** Writes, for request observers only, that the client of a response has disconnected. */
  recordAborted(response: Handle): void {
    const { tape, encoder } = this.#deps;
    if (tape.isPaused) return;
    encoder.encodeHandle(response);
    this.#recordSilentEvent(MEMBRANE_EVENT.aborted, encoder.encoded);
  }

  /** Writes an event that calls no program code. */
  #recordSilentEvent(...fields: readonly EncodedValue[]): void {
    if (this.isInHostCall) this.recordOutcome([this.predictedCount, ...fields]);
    else this.recordEntry(0, [...fields, this.#deps.hasPendingRejections()]);
  }
}
