// `--enable-source-maps`: what a build made of the source has a map of its own, so places in a bundle lead one step further, as they do
// natively. A map that is missing or broken changes nothing.
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { StackMapping } from '@turntable/core';
import { readFileSync } from '../files.ts';
import { sourceMapsAreWanted } from './provided-maps.ts';

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The map that a build has left for its output. */
export interface WrittenMap {
  readonly map: SourceMap;
  /** What sources are relative to. */
  readonly base: URL;
}

/** `running`: texts of code that has run, by the names it runs under. */
export function followSourceMaps(
  mapping: StackMapping,
  running: ReadonlyMap<string, { readonly source: string }>,
): StackMapping {
  const maps = new Map<string, WrittenMap | undefined>();

  function mapOf(file: string): WrittenMap | undefined {
    if (!maps.has(file)) {
      const source = running.get(file)?.source;
      maps.set(file, source === undefined ? undefined : readSourceMap(file, source));
    }
    return maps.get(file);
  }

  function follow<T>(place: T & Place): T {
    const original = originalPlace(mapOf(place.file), place);
    return original === undefined ? place : Object.assign(place, original);
  }

  return {
    place(file, line, column, functionName) {
      const found = mapping.place(file, line, column, functionName);
      if (!sourceMapsAreWanted() || typeof found !== 'object' || found === null) return found;
      return follow(found);
    },
    receiverType: (frame, known) => mapping.receiverType(frame, known),
    awaiting(frame) {
      const found = mapping.awaiting(frame);
      return sourceMapsAreWanted() && found !== undefined ? follow(found) : found;
    },
  };
}

/** Where the build took this from, if its map knows. */
export function originalPlace(
  written: WrittenMap | undefined,
  { line, column }: Omit<Place, 'file'>,
): Place | undefined {
  if (written === undefined) return undefined;
  const entry = written.map.findEntry(line - 1, column - 1);
  if (!('originalSource' in entry) || typeof entry.originalSource !== 'string') return undefined;
  const url = new URL(entry.originalSource, written.base);
  return {
    file: url.protocol === 'file:' ? fileURLToPath(url) : url.href,
    line: entry.originalLine + 1,
    column: entry.originalColumn + 1,
  };
}

/** `file`: the path or URL of the text, which names its map in its last lines. */
export function readSourceMap(file: string, source: string): WrittenMap | undefined {
  const named = [...source.matchAll(/^[ \t]*\/\/[#@][ \t]*sourceMappingURL=(\S+)/gm)].at(-1)?.[1];
  if (named === undefined) return undefined;
  try {
    const url = new URL(named, file.startsWith('file:') ? file : pathToFileURL(file));
    const text = url.protocol === 'data:' ? dataOf(url.href) : readFileSync(url, 'utf8');
    const payload = JSON.parse(text) as SourceMapPayload;
    const from = url.protocol === 'data:' ? new URL(file.startsWith('file:') ? file : pathToFileURL(file)) : url;
    // `SourceMap` prefixes nothing itself.
    const root = payload.sourceRoot ? payload.sourceRoot.replace(/\/?$/, '/') : '';
    return { map: new SourceMap(payload), base: new URL(root, from) };
  } catch {
    return undefined;
  }
}

function dataOf(url: string): string {
  const comma = url.indexOf(',');
  const data = url.slice(comma + 1);
  return url.slice(0, comma).endsWith(';base64') ? Buffer.from(data, 'base64').toString() : decodeURIComponent(data);
}
