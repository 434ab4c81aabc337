// Takes the outcomes of host calls from the tape of a replaying thread. An operation that does not match its outcome ends
// the replay (`tape.diverge`).
import type { TapePlayer } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { OP_FLAG, opText, type EncodedList, type EncodedValue, type Op, type OpKey } from './encoding.ts';
import { UNPREDICTED, type Handle } from './handle.ts';
import { operationText } from './operation-text.ts';
import type { OutcomeDecoder } from './outcome-decoder.ts';

/** The result of the current host call, or an operation of the host during the call. */
export interface TakenOutcome {
  readonly code: number;
  readonly fields: readonly EncodedValue[];
}

export class OutcomeReader {
  readonly #tape: TapePlayer;
  readonly #decoder: OutcomeDecoder;
  /** Number of host calls with a predicted result since the last outcome. Each outcome contains it. */
  predictedCount = 0;

  constructor(tape: TapePlayer, decoder: OutcomeDecoder) {
    this.#tape = tape;
    this.#decoder = decoder;
  }

  /**
   * Takes the next outcome, which must be an event of the host or the result of this very operation. Returns undefined
   * if there is none because the result is as predicted.
   */
  take(op: Op, handle: Handle, key: OpKey, prediction: unknown): TakenOutcome | undefined {
    const next = this.#tape.peek(TRACE_SOURCES.device) as EncodedList | undefined;
    if (prediction !== UNPREDICTED && (next === undefined || (next[0] as number) > this.predictedCount)) {
      this.predictedCount++;
      return undefined;
    }
    // Throws, because the tape ends or has an outcome of another source.
    if (next === undefined) this.#tape.outcome(TRACE_SOURCES.device, () => operationText(op, handle, key));
    const [predictedBefore, code, ...fields] = (next ?? []) as [number, number, ...EncodedValue[]];
    if (predictedBefore !== this.predictedCount)
      this.#tape.diverge(
        `the program performs ${predictedBefore - this.predictedCount} more predicted operations first`,
        `the program uses device: ${operationText(op, handle, key)}`,
      );
    const recordedKey = fields[1];
    const isOtherKey = key !== undefined && typeof recordedKey === 'string' && recordedKey !== String(key);
    if ((code & OP_FLAG.callback) === 0 && ((code & ~OP_FLAG.threw) !== op || isOtherKey))
      this.#divergeFrom(code, recordedKey, op, handle, key);
    this.#takePeeked();
    return { code, fields };
  }

  /** Takes the next outcome if it is a callback of the running lookup. */
  takeLookupCallback(): TakenOutcome | undefined {
    const next = this.#tape.peek(TRACE_SOURCES.device);
    if (!Array.isArray(next)) return undefined;
    const [predictedBefore, code, ...fields] = next as unknown as [number, number, ...EncodedValue[]];
    if (predictedBefore !== this.predictedCount || (code & OP_FLAG.lookup) === 0) return undefined;
    this.#takePeeked();
    return { code, fields };
  }

  #takePeeked(): void {
    this.#tape.outcome(TRACE_SOURCES.device);
    this.predictedCount = 0;
  }

  /** Decodes the result of an operation. Compares a symbol key last, since the result may introduce the symbol. */
  decodeResult({ code, fields: [encoded, encodedKey] }: TakenOutcome, op: Op, handle: Handle, key: OpKey): unknown {
    const value = this.#decoder.decodeValue(encoded);
    if (key !== undefined && encodedKey !== undefined && typeof encodedKey !== 'string') {
      const recordedKey = this.#decoder.decodeKey(encodedKey);
      if (recordedKey !== key) this.#divergeFrom(code, String(recordedKey), op, handle, key);
    }
    return value;
  }

  #divergeFrom(code: number, recordedKey: EncodedValue, op: Op, handle: Handle, key: OpKey): never {
    return this.#tape.diverge(
      `the program uses device: ${opText(code, undefined, recordedKey)}`,
      `the program uses device: ${operationText(op, handle, key)}`,
    );
  }
}
