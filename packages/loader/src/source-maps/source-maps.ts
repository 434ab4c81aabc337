// `--enable-source-maps`: what a build made of the source has a map of its own, so places in a bundle lead one step further, as they do
// natively. A map that is missing or broken changes nothing.
import { SourceMap, type SourceMapPayload } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { StackMapping } from '@turntable/core';
import { readFileSync } from '../files.ts';
import { areSourceMapsWanted } from './provided-maps.ts';

export interface MappedLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The map that a build has left for its output. */
export interface BuildMap {
  readonly map: SourceMap;
  /** What sources are relative to. */
  readonly baseUrl: URL;
}

/** `running`: texts of code that has run, by the names it runs under. */
export function followSourceMaps(
  mapping: StackMapping,
  running: ReadonlyMap<string, { readonly source: string }>,
): StackMapping {
  const maps = new Map<string, BuildMap | undefined>();

  function mapOf(file: string): BuildMap | undefined {
    if (!maps.has(file)) {
      const source = running.get(file)?.source;
      maps.set(file, source === undefined ? undefined : readSourceMap(file, source));
    }
    return maps.get(file);
  }

  function follow<T>(location: T & MappedLocation): T {
    const original = mapToOriginal(mapOf(location.file), location);
    return original === undefined ? location : Object.assign(location, original);
  }

  return {
    locate(file, line, column, functionName) {
      const found = mapping.locate(file, line, column, functionName);
      if (!areSourceMapsWanted() || typeof found !== 'object' || found === null) return found;
      return follow(found);
    },
    receiverType: (frame, known) => mapping.receiverType(frame, known),
    awaitLocation(frame) {
      const found = mapping.awaitLocation(frame);
      return areSourceMapsWanted() && found !== undefined ? follow(found) : found;
    },
  };
}

/** Where the build took this from, if its map knows. */
export function mapToOriginal(
  buildMap: BuildMap | undefined,
  { line, column }: Omit<MappedLocation, 'file'>,
): MappedLocation | undefined {
  if (buildMap === undefined) return undefined;
  const entry = buildMap.map.findEntry(line - 1, column - 1);
  if (!('originalSource' in entry) || typeof entry.originalSource !== 'string') return undefined;
  const url = new URL(entry.originalSource, buildMap.baseUrl);
  return {
    file: url.protocol === 'file:' ? fileURLToPath(url) : url.href,
    line: entry.originalLine + 1,
    column: entry.originalColumn + 1,
  };
}

/** `file`: the path or URL of the text, which names its map in its last lines. */
export function readSourceMap(file: string, source: string): BuildMap | undefined {
  const mapReference = [...source.matchAll(/^[ \t]*\/\/[#@][ \t]*sourceMappingURL=(\S+)/gm)].at(-1)?.[1];
  if (mapReference === undefined) return undefined;
  try {
    const url = new URL(mapReference, file.startsWith('file:') ? file : pathToFileURL(file));
    const json = url.protocol === 'data:' ? decodeDataUrl(url.href) : readFileSync(url, 'utf8');
    const payload = JSON.parse(json) as SourceMapPayload;
    const baseFile = url.protocol === 'data:' ? new URL(file.startsWith('file:') ? file : pathToFileURL(file)) : url;
    // `SourceMap` prefixes nothing itself.
    const root = payload.sourceRoot ? payload.sourceRoot.replace(/\/?$/, '/') : '';
    return { map: new SourceMap(payload), baseUrl: new URL(root, baseFile) };
  } catch {
    return undefined;
  }
}

function decodeDataUrl(url: string): string {
  const comma = url.indexOf(',');
  const data = url.slice(comma + 1);
  return url.slice(0, comma).endsWith(';base64') ? Buffer.from(data, 'base64').toString() : decodeURIComponent(data);
}
