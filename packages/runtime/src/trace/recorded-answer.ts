// Answers to a program's requests to Turntable (stats, snapshots, closing) in the form that a trace keeps: plain data
// unchanged, other cloneable values as bytes.

import { deserialize, serialize } from 'node:v8';
import type { TraceValue } from '@turntable/recording';
import { ActorLostError, RuntimeError, type RuntimeErrorCode } from '../runtime-error.ts';

export type RecordedAnswer = { readonly value: TraceValue } | { readonly clone: Uint8Array } | RecordedFailure;

type RecordedFailure = { readonly failure: string; readonly code: string | undefined };

export function recordAnswer(value: unknown): RecordedAnswer {
  if (isPlain(value)) return { value };
  try {
    return { clone: serialize(value) };
  } catch (error) {
    return recordFailure(error);
  }
}

export function readAnswer(answer: Exclude<RecordedAnswer, RecordedFailure>): unknown {
  return 'clone' in answer ? deserialize(answer.clone) : structuredClone(answer.value);
}

export function recordFailure(reason: unknown): RecordedFailure {
  if (!(reason instanceof Error)) return { failure: String(reason), code: undefined };
  const { code } = reason as { code?: unknown };
  return { failure: reason.message, code: typeof code === 'string' ? code : undefined };
}

export function readFailure({ failure, code }: RecordedFailure): Error {
  if (code === undefined) return new Error(failure);
  return code === 'TT_ACTOR_LOST' ? new ActorLostError(failure) : new RuntimeError(code as RuntimeErrorCode, failure);
}

/** The error for a request of an earlier epoch of the process. */
export function staleRequestError(): RuntimeError {
  return new RuntimeError(
    'TT_CLOSED',
    'this was requested before the snapshot from which the program was restored, and gets no answer; request it again',
  );
}

function isPlain(value: unknown, depth = 0): value is TraceValue {
  switch (typeof value) {
    case 'undefined':
    case 'boolean':
    case 'number':
    case 'bigint':
    case 'string':
      return true;
    case 'object': {
      if (value === null) return true;
      if (depth > 8) return false;
      if (Array.isArray(value)) return value.every((each) => isPlain(each, depth + 1));
      return (
        Object.getPrototypeOf(value) === Object.prototype &&
        Object.values(value).every((each) => isPlain(each, depth + 1))
      );
    }
    default:
      return false;
  }
}
