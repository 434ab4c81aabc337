// `turntable inspect DIR --eval 'snapshot => …'`: runs a user's function over a snapshot and formats the result.
import { inspect } from 'node:util';
import { hasColours } from '../colours.ts';
import { compileQuery, explainFailure } from './compile-query.ts';
import type { SnapshotView } from './snapshot-view.ts';

/** Formats the result of a query, for people or as JSON. Throws what the query throws. */
export async function evaluateQuery(source: string, view: SnapshotView, json: boolean): Promise<string> {
  let value: unknown;
  try {
    value = await compileQuery(source)(view);
  } catch (error) {
    throw explainFailure(error);
  }
  if (json) return `${JSON.stringify(value, jsonReplacer, 2) ?? 'null'}\n`;
  if (typeof value === 'string') return `${value}\n`;
  return `${inspect(value, { depth: 6, getters: true, colors: hasColours(process.stdout) })}\n`;
}

/** Replaces values that JSON does not have. */
function jsonReplacer(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Map) return [...value];
  return value instanceof Set ? [...value] : value;
}
