// Records the errors and rejections of the host that Node reports as unhandled.
import type { TapeRecorder } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import type { ErrorThrower, FailureHandlers } from '../inputs/failure-classifier.ts';
import { MEMBRANE_EVENT } from './encoding.ts';
import { isError } from './error-encoding.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { HostState } from './host-state.ts';
import type { OutcomeEncoder } from './outcome-encoder.ts';

export interface RecordedFailuresDeps {
  readonly tape: TapeRecorder;
  readonly encoder: OutcomeEncoder;
  readonly events: EventRecorder;
  readonly hostState: HostState;
}

export class RecordedFailures implements Pick<FailureHandlers, 'uncaughtError' | 'unhandledRejection'> {
  readonly #deps: RecordedFailuresDeps;
  /** Error that the last entry threw into the host. Node reports it again if no host code catches it. */
  #lastThrown: { readonly error: unknown } | undefined;

  constructor(deps: RecordedFailuresDeps) {
    this.#deps = deps;
  }

  /** Notes an error that the program has thrown into the host outside of host calls. */
  noteThrown(error: unknown): void {
    this.#lastThrown = { error };
  }

  uncaughtError(error: unknown, thrower: ErrorThrower): unknown {
    const lastThrown = this.#lastThrown;
    this.#lastThrown = undefined;
    if (thrower === 'program') return error;
    if (lastThrown === undefined || lastThrown.error !== error)
      return this.#record(MEMBRANE_EVENT.failed, error, thrower === 'host');
    this.#deps.tape.recordEntry(TRACE_SOURCES.device, 0, [MEMBRANE_EVENT.uncaught]);
    return error;
  }

  unhandledRejection(reason: unknown, isOfProgram: boolean): unknown {
    return isOfProgram ? reason : this.#record(MEMBRANE_EVENT.rejected, reason, true);
  }

  /**
   * Records a failure, and returns the program's view of its error.
   * @param isHostError whether host code has certainly thrown the error; otherwise a replay must not throw it, because
   * the replayed program may throw the error itself
   */
  #record(event: number, error: unknown, isHostError: boolean): unknown {
    const { encoder, events, hostState } = this.#deps;
    hostState.recordBufferWrites(false);
    const isUncertain = !isHostError && typeof error === 'object' && error !== null && !encoder.isKnown(error);
    if (!isUncertain) {
      const programError = encoder.toProgram(error, false);
      events.recordEntry(0, [event, encoder.encoded]);
      return programError;
    }
    if (isError(error)) {
      encoder.encodeErrorOnly(error);
      events.recordEntry(0, [event, encoder.encoded, true]);
    }
    return error;
  }
}
