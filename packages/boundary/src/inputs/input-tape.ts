// How the outside is asked on behalf of a program that is recorded or run again: what is asked is done and written down, or is not done
// and answered as it was. Who stands in for a function of Node's says how to ask for real; the rest is here.
import type { Tape, TapeValue } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import type { EncodedList } from '../membrane/encoding.ts';
import { encodeError, decodeError } from '../membrane/error-encoding.ts';
import { plainCopy } from '../membrane/surrogates.ts';

export interface InputTape {
  readonly isReplay: boolean;
  /** `read` again, answering a value that the trace keeps as it is. */
  wrapSource<V extends TapeValue>(sourceNumber: number, read: () => V): () => V;
  /** The answer to `name`, of this process or of the recorded one. What is thrown is thrown again. */
  recordValue<V>(name: string, read: () => V): V;
  /**
   * What `lookUp` answers, which is the same in a run again, if there was anything: only that there was nothing is noted, and thrown again. Where tools may have a
   * say in it, what was found is noted as well.
   */
  recordLookup<V extends TapeValue>(name: string, lookUp: () => V): V;
  /** Whether code runs that does not run again: what it asks is its own matter. */
  isHostCaller(): boolean;
  /** The program has come by what cannot be run again, by the name it has for programmers. */
  reportUnreplayable(use: string): void;
}

const PLAIN_VALUE = 0;
const NULL_PROTOTYPE_VALUE = 1;
const THROWN_ERROR = 2;

/** `isToolCaller`: whether code of a tool asks, which is there in a run again as well. */
export function createInputTape(
  tape: Tape,
  reportUnreplayable: (use: string) => void,
  isHostCaller: () => boolean,
  isToolCaller: () => boolean,
  hasTools: () => boolean,
): InputTape {
  /** Node answers, and may ask by functions of ours itself: `eventLoopUtilization` wants to know the time. */
  let isReadingHost = false;
  return {
    isReplay: tape.isReplay,
    reportUnreplayable,
    isHostCaller,
    wrapSource<V extends TapeValue>(sourceNumber: number, read: () => V): () => V {
      if (tape.isReplay) return () => (isToolCaller() ? read() : (tape.outcome(sourceNumber) as V));
      return () => {
        const value = read();
        if (!isReadingHost && !isHostCaller()) tape.recordOutcome(sourceNumber, value);
        return value;
      };
    },
    recordLookup<V extends TapeValue>(name: string, lookUp: () => V): V {
      if (tape.isReplay) {
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
          // It was there, or nobody knows any more.
          const failureText = `${name}: ${(error as Error).message.split('\n', 1)[0]}`;
          if (next !== undefined)
            return tape.diverge('the program asks machine', `the program asks machine: ${failureText}`);
          tape.outcome(TRACE_SOURCES.machine, () => failureText);
          throw error;
        }
      }
      try {
        const value = lookUp();
        if (hasTools() && !isReadingHost && !isHostCaller())
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
      tape.recordOutcome(TRACE_SOURCES.machine, [
        name,
        hasNullPrototype ? NULL_PROTOTYPE_VALUE : PLAIN_VALUE,
        value as TapeValue,
      ]);
      return value;
    },
  };
}

function decodeValue(outcome: TapeValue, name: string, diverge: (expected: string, actual: string) => never): unknown {
  const [recordedName, valueKind, value] = outcome as readonly [string, number, TapeValue];
  if (recordedName !== name) diverge(`the program asked for ${recordedName}`, `it asks for ${name}`);
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
