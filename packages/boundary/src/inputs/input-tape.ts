// Reads inputs for a thread with a tape. A recorded thread reads the input and writes the value to the tape; a replay
// takes the value from the tape instead. Each replacement of a Node function supplies the reading function.
import type { Tape, TapeValue } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import type { CallerClassifier } from '../membrane/caller-classifier.ts';
import type { EncodedList } from '../membrane/encoding.ts';
import { encodeError, decodeError } from '../membrane/error-encoding.ts';
import { plainCopy } from '../membrane/surrogates.ts';

export interface InputTape {
  readonly isReplay: boolean;
  /** Wraps a function that reads a clock or another source. The trace contains its values unencoded. */
  wrapSource<V extends TapeValue>(sourceNumber: number, read: () => V): () => V;
  /** Returns the value of an input, read or recorded. Records a thrown error too, which a replay throws again. */
  recordValue<V>(name: string, read: () => V): V;
  /**
   * Returns the result of a lookup that a replay can repeat. Records only failures, unless the lookup has called the
   * program, or tools are loaded with `--import`, which may change results.
   */
  recordLookup<V extends TapeValue>(name: string, lookUp: () => V): V;
  /** Whether the caller is code that a replay does not run, whose inputs are not recorded. */
  readonly isHostCaller: CallerClassifier['isHostCaller'];
  /** Reports that the program uses a feature that cannot be replayed. @param use name of the feature in messages */
  reportUnreplayable(use: string): void;
}

const PLAIN_VALUE = 0;
const NULL_PROTOTYPE_VALUE = 1;
const THROWN_ERROR = 2;

/** Callbacks that Node makes during a lookup. */
export interface LookupCallbacks {
  /** Runs a lookup of a recorded thread, and records the callbacks in it. */
  record<T>(lookUp: () => T): { readonly value: T; readonly hasCalledProgram: boolean };
  /** Performs the recorded callbacks of the next lookup. */
  replay(): void;
}

/** @param isToolCaller whether the caller is a tool: code loaded with `--import`, which runs in a replay as well */
export function createInputTape(
  tape: Tape,
  reportUnreplayable: (use: string) => void,
  isHostCaller: InputTape['isHostCaller'],
  isToolCaller: () => boolean,
  hasTools: () => boolean,
  lookupCallbacks: LookupCallbacks,
): InputTape {
  /**
   * Whether Node is reading an input. Node may then call other replacements: `eventLoopUtilization` reads the time.
   */
  let isReadingHost = false;
  return {
    isReplay: tape.isReplay,
    reportUnreplayable,
    isHostCaller,
    wrapSource<V extends TapeValue>(sourceNumber: number, read: () => V): () => V {
      if (tape.isReplay) return () => (isToolCaller() ? read() : (tape.outcome(sourceNumber) as V));
      const readSource = (): V => {
        const value = read();
        if (!isReadingHost && !isHostCaller(readSource)) tape.recordOutcome(sourceNumber, value);
        return value;
      };
      return readSource;
    },
    recordLookup<V extends TapeValue>(name: string, lookUp: () => V): V {
      if (tape.isReplay) {
        lookupCallbacks.replay();
        const next = tape.peek(TRACE_SOURCES.machine);
        if (Array.isArray(next) && next[0] === name) {
          const [, valueKind, value] = tape.outcome(TRACE_SOURCES.machine) as readonly TapeValue[];
          if (valueKind === THROWN_ERROR) throw decodeThrown(value);
          return value as V;
        }
        try {
          return lookUp();
        } catch (error) {
          if (isToolCaller()) throw error;
          // The recorded lookup succeeded, because its failure was not recorded.
          const failureText = `${name}: ${(error as Error).message.split('\n', 1)[0]}`;
          if (next !== undefined)
            return tape.diverge('the program reads machine', `the program reads machine: ${failureText}`);
          tape.outcome(TRACE_SOURCES.machine, () => failureText);
          throw error;
        }
      }
      try {
        const { value, hasCalledProgram } = lookupCallbacks.record(lookUp);
        if ((hasCalledProgram || hasTools()) && !isReadingHost && !isHostCaller())
          tape.recordOutcome(TRACE_SOURCES.machine, [name, PLAIN_VALUE, value]);
        return value;
      } catch (error) {
        if (!isReadingHost && !isHostCaller())
          tape.recordOutcome(TRACE_SOURCES.machine, [name, THROWN_ERROR, encodeThrown(error)]);
        throw error;
      }
    },
    recordValue<V>(name: string, read: () => V): V {
      if (tape.isReplay && !isToolCaller())
        return decodeValue(
          tape.outcome(TRACE_SOURCES.machine, () => name),
          name,
          tape.diverge.bind(tape),
        ) as V;
      if (tape.isReplay || isReadingHost || isHostCaller()) return read();
      let value: V;
      isReadingHost = true;
      try {
        value = read();
      } catch (error) {
        tape.recordOutcome(TRACE_SOURCES.machine, [name, THROWN_ERROR, encodeThrown(error)]);
        throw error;
      } finally {
        isReadingHost = false;
      }
      const hasNullPrototype = typeof value === 'object' && value !== null && Reflect.getPrototypeOf(value) === null;
      const valueKind = hasNullPrototype ? NULL_PROTOTYPE_VALUE : PLAIN_VALUE;
      tape.recordOutcome(TRACE_SOURCES.machine, [name, valueKind, value as TapeValue]);
      return value;
    },
  };
}

function decodeValue(outcome: TapeValue, name: string, diverge: (expected: string, actual: string) => never): unknown {
  const [recordedName, valueKind, value] = outcome as readonly [string, number, TapeValue];
  if (recordedName !== name) diverge(`the program reads ${recordedName}`, `the program reads ${name}`);
  if (valueKind === THROWN_ERROR) throw decodeThrown(value);
  if (valueKind === NULL_PROTOTYPE_VALUE) return Object.assign(Object.create(null) as object, value);
  return value;
}

const NO_STATIC_PROTOTYPES = { neutralPathOf: () => undefined, objectAt: () => undefined };

function encodeThrown(error: unknown): TapeValue {
  return encodeError(error as Error, NO_STATIC_PROTOTYPES, String, (value) => ({
    programValue: value,
    encoded: plainValueOf(value),
  }));
}

function plainValueOf(value: unknown): TapeValue {
  return (typeof value === 'object' && value !== null ? plainCopy(value) : value) as TapeValue;
}

function decodeThrown(encoded: TapeValue): Error {
  return decodeError(
    encoded as EncodedList,
    NO_STATIC_PROTOTYPES,
    String,
    (value) => value,
    () => {},
  );
}
