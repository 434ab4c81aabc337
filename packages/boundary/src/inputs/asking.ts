// How the outside is asked on behalf of a program that is recorded or run again: what is asked is done and written down, or is not done
// and answered as it was. Who stands in for a function of Node's says how to ask for real; the rest is here.
import type { Tape, TapeValue } from '@turntable/core';
import { SOURCES } from '@turntable/recording/sources';
import type { CodedList } from '../membrane/crossing.ts';
import { codeError, errorOf } from '../membrane/errors.ts';
import { plainCopy } from '../membrane/hand-made.ts';

export interface Asking {
  readonly isReplay: boolean;
  /** `ask` again, answering a value that the trace keeps as it is. */
  source<V extends TapeValue>(source: number, ask: () => V): () => V;
  /** The answer to `name`, of this process or of the recorded one. What is thrown is thrown again. */
  machine<V>(name: string, ask: () => V): V;
  /**
   * What `find` answers, which is the same in a run again, if there was anything: only that there was nothing is noted, and thrown again. Where tools may have a
   * say in it, what was found is noted as well.
   */
  found<V extends TapeValue>(name: string, find: () => V): V;
  /** Whether code runs that does not run again: what it asks is its own matter. */
  isOutside(): boolean;
  /** The program has come by what cannot be run again, by the name it has for programmers. */
  cannotReplay(what: string): void;
}

const PLAIN = 0;
const WITHOUT_PROTOTYPE = 1;
const THROWN = 2;

/** `isForeign`: whether code of a tool asks, which is there in a run again as well. */
export function askingBy(
  tape: Tape,
  cannotReplay: (what: string) => void,
  isOutside: () => boolean,
  isForeign: () => boolean,
  areToolsThere: () => boolean,
): Asking {
  /** Node answers, and may ask by functions of ours itself: `eventLoopUtilization` wants to know the time. */
  let isAnswering = false;
  return {
    isReplay: tape.isReplay,
    cannotReplay,
    isOutside,
    source<V extends TapeValue>(source: number, ask: () => V): () => V {
      if (tape.isReplay) return () => (isForeign() ? ask() : (tape.outcome(source) as V));
      return () => {
        const value = ask();
        if (!isAnswering && !isOutside()) tape.outcome(source, value);
        return value;
      };
    },
    found<V extends TapeValue>(name: string, find: () => V): V {
      if (tape.isReplay) {
        const next = tape.peek(SOURCES.machine);
        if (Array.isArray(next) && next[0] === name) {
          const [, how, value] = tape.outcome(SOURCES.machine) as readonly TapeValue[];
          if (how === THROWN) throw thrownAgain(value);
          return value as V;
        }
        try {
          return find();
        } catch (error) {
          if (isForeign()) throw error;
          // It was there, or nobody knows any more.
          const told = `${name}: ${(error as Error).message.split('\n', 1)[0]}`;
          if (next !== undefined) return tape.diverge('the program asks machine', `the program asks machine: ${told}`);
          tape.outcome(SOURCES.machine, () => told);
          throw error;
        }
      }
      try {
        const value = find();
        if (areToolsThere() && !isAnswering && !isOutside()) tape.outcome(SOURCES.machine, [name, PLAIN, value]);
        return value;
      } catch (error) {
        if (!isAnswering && !isOutside()) tape.outcome(SOURCES.machine, [name, THROWN, describe(error)]);
        throw error;
      }
    },
    machine<V>(name: string, ask: () => V): V {
      if (tape.isReplay && !isForeign())
        return answered(
          tape.outcome(SOURCES.machine, () => name),
          name,
          tape.diverge.bind(tape),
        ) as V;
      if (tape.isReplay || isAnswering || isOutside()) return ask();
      let value: V;
      isAnswering = true;
      try {
        value = ask();
      } catch (error) {
        tape.outcome(SOURCES.machine, [name, THROWN, describe(error)]);
        throw error;
      } finally {
        isAnswering = false;
      }
      const isBare = typeof value === 'object' && value !== null && Reflect.getPrototypeOf(value) === null;
      tape.outcome(SOURCES.machine, [name, isBare ? WITHOUT_PROTOTYPE : PLAIN, value as TapeValue]);
      return value;
    },
  };
}

function answered(outcome: TapeValue, name: string, diverge: (expected: string, actual: string) => never): unknown {
  const [asked, how, value] = outcome as readonly [string, number, TapeValue];
  if (asked !== name) diverge(`the program asked for ${asked}`, `it asks for ${name}`);
  if (how === THROWN) throw thrownAgain(value);
  if (how === WITHOUT_PROTOTYPE) return Object.assign(Object.create(null) as object, value);
  return value;
}

const NO_PROTOTYPES = { neutralPathOf: () => undefined, at: () => undefined };

function describe(error: unknown): TapeValue {
  return codeError(error as Error, NO_PROTOTYPES, String, (value) => ({ inside: value, coded: dataOf(value) }));
}

function dataOf(value: unknown): TapeValue {
  return (typeof value === 'object' && value !== null ? plainCopy(value) : value) as TapeValue;
}

function thrownAgain(coded: TapeValue): Error {
  return errorOf(
    coded as CodedList,
    NO_PROTOTYPES,
    String,
    (each) => each,
    () => {},
  );
}
