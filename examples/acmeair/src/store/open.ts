// A device, together with the stores: they run on the host side, and each call is one outcome in a trace.

import { PostgresStore } from './postgres.ts';
import { SqliteStore } from './sqlite.ts';
import type { Store } from './store.ts';

/** @param url `sqlite:FILE`, `sqlite::memory:`, or `postgres://…` */
export function openStore(url: string): Store {
  if (/^postgres(ql)?:/.test(url)) return new PostgresStore(url);
  const file = /^sqlite:(?<file>.+)$/.exec(url)?.groups?.['file'];
  if (file === undefined) throw new Error(`no database at ${url}: give sqlite:FILE or postgres://USER@HOST/NAME`);
  return new SqliteStore(file);
}
