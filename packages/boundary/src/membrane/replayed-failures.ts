// Makes Node report the errors and rejections that it has reported in the recorded run.
import { rethrownError, type TapePlayer } from '@turntable/core';
import { noteRethrown } from '@turntable/loader';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import type { FailureHandlers } from '../inputs/failure-classifier.ts';
import { MEMBRANE_EVENT, VALUE_FORM, type EncodedList } from './encoding.ts';
import type { OutcomeDecoder } from './outcome-decoder.ts';
import type { ReplayedExports } from './replayed-exports.ts';

const NativePromise = Promise;

/** Box for an error that program code has thrown or Node has to report, because any value can be thrown. */
export interface CallbackError {
  readonly error: unknown;
}

export interface ReplayedFailuresDeps {
  readonly tape: TapePlayer;
  readonly decoder: OutcomeDecoder;
  readonly exports: ReplayedExports;
}

export class ReplayedFailures implements Pick<FailureHandlers, 'uncaughtError' | 'unhandledRejection'> {
  readonly #deps: ReplayedFailuresDeps;
  /** The error that the last entry's callback has thrown. */
  #lastThrown: CallbackError | undefined;
  /** The error that was thrown into Node because the recorded run reported it as uncaught. */
  #lastRaised: CallbackError | undefined;
  /** Reasons with which native promises were rejected, until Node reports them. */
  readonly #rejections = new Set<unknown>();

  constructor(deps: ReplayedFailuresDeps) {
    this.#deps = deps;
  }

  /** Notes the result of an entry's callback. @param thrown undefined if it has thrown nothing */
  noteThrown(thrown: CallbackError | undefined): void {
    this.#lastThrown = thrown;
  }

  /** Throws the error of an `uncaught` or `failed` event into Node, which then reports it as in the recorded run. */
  raise([event, encoded]: EncodedList): void {
    this.#lastRaised =
      event === MEMBRANE_EVENT.failed ? { error: this.#deps.decoder.decodeValue(encoded) } : this.#lastThrown;
    this.#lastThrown = undefined;
    if (this.#lastRaised === undefined) return;
    const { error } = this.#lastRaised;
    noteRethrown(error);
    throw rethrownError(error, 'node-do-not-add-exception-line');
  }

  /** Rejects a native promise without handlers, for a `rejected` event. */
  reject([, encoded]: EncodedList): void {
    const reason = this.#deps.decoder.decodeValue(encoded);
    this.#rejections.add(reason);
    void NativePromise.reject(reason);
  }

  uncaughtError(error: unknown): unknown {
    const lastRaised = this.#lastRaised;
    this.#lastRaised = undefined;
    if (lastRaised === undefined || lastRaised.error !== error) this.#skip(MEMBRANE_EVENT.failed, error);
    return error;
  }

  unhandledRejection(reason: unknown): unknown {
    if (!this.#rejections.delete(reason)) this.#skip(MEMBRANE_EVENT.rejected, reason);
    return reason;
  }

  /** Skips the record of a failure that the program has caused itself. Its error gets the recorded error's number. */
  #skip(event: number, error: unknown): void {
    const { tape, exports } = this.#deps;
    const recorded = tape.skipEntry(TRACE_SOURCES.device, (value) => (value as EncodedList)[0] === event) as
      | EncodedList
      | undefined;
    const encoded = recorded?.[1];
    if (Array.isArray(encoded) && encoded[0] === VALUE_FORM.error && typeof error === 'object' && error !== null)
      exports.adopt(error);
  }
}
