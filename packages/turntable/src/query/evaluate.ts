// `turntable inspect DIR --eval 'snapshot => …'`: a function of the user's own over a snapshot, and what it answers.
import { inspect } from 'node:util';
import { compileQuery, failureOf } from './compile-query.ts';
import type { SnapshotView } from './snapshot-view.ts';

/** The answer, as people or programs read it. Throws what the function throws. */
export async function evaluate(text: string, view: SnapshotView, json: boolean): Promise<string> {
  let value: unknown;
  try {
    value = await compileQuery(text)(view);
  } catch (error) {
    throw failureOf(error);
  }
  if (json) return `${JSON.stringify(value, readable, 2) ?? 'null'}\n`;
  if (typeof value === 'string') return `${value}\n`;
  const colors = process.stdout.isTTY && process.stdout.hasColors();
  return `${inspect(value, { depth: 6, getters: true, colors })}\n`;
}

/** What JSON has no words for. */
function readable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Map) return [...value];
  return value instanceof Set ? [...value] : value;
}
