// The content of a cache entry: code with the data that running it needs.
import { Script } from 'node:vm';
import type { ModuleTable } from '@turntable/core';
import { MAP_COMMENT } from '../source-maps/provided-maps.ts';
import type { CacheEntry } from './code-cache.ts';
import type { CodeKind, RestorableParts } from './transform-service.ts';
import { mutableVariables, type Transformed } from './transformer-port.ts';

/** The data of a cache entry that running the code needs. */
export interface EntryHead {
  readonly kind: CodeKind;
  /** Id of the file in the code's markers and probes. */
  readonly id: string;
  readonly module: ModuleTable;
  /** Cells that the module may assign after initialisation. */
  readonly mutable: readonly string[];
  /** The functions and classes that this code can return. Set only for code in the restoring form (docs/internals/abi.md). */
  readonly restores?: RestorableParts;
}

export function headOf({ head }: CacheEntry): EntryHead {
  return JSON.parse(head) as EntryHead;
}

/** @param source the text of the file */
export function cacheEntryOf(
  transformed: Transformed,
  kind: CodeKind,
  source: string,
  restorable?: RestorableParts,
): CacheEntry {
  const { code, table, source: describedSource } = transformed;
  const { id, module } = table;
  const context = { kind, id, module: module as ModuleTable, mutable: mutableVariables(table) };
  const head: EntryHead = restorable === undefined ? context : { ...context, restores: restorable };
  // The texts of map and table are made on demand: running the code needs neither.
  let mapText: string | undefined;
  let tableText: string | undefined;
  return {
    head: JSON.stringify(head),
    code,
    get map(): string {
      return (mapText ??= transformed.mapText);
    },
    get table(): string {
      return (tableText ??= JSON.stringify(table));
    },
    lowered: describedSource === source ? '' : describedSource,
    compiled: Buffer.alloc(0),
  };
}

export function compileScript(entry: CacheEntry, filename: string): Script {
  const text = entry.code + MAP_COMMENT;
  return entry.compiled.length === 0
    ? new Script(text, { filename })
    : new Script(text, { filename, cachedData: entry.compiled });
}
