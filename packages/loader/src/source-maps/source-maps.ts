// `--enable-source-maps`: maps locations in the output of a build through the build's own source map, as Node does. A
// map that is missing or broken has no effect.
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

/** The source map that a build has written for its output. */
export interface BuildMap {
  readonly map: SourceMap;
  /** Base URL of the map's sources. */
  readonly baseUrl: URL;
}

/** Extends a mapping by the program's source maps, if the user wants them. @param running code that has run, by name */
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

/** The original location of a location in the output, if the map contains it. */
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

/**
 * The map that a text names in its last `sourceMappingURL`; undefined if it cannot be read.
 * @param file path or URL of the text
 */
export function readSourceMap(file: string, source: string): BuildMap | undefined {
  const mapReference = [...source.matchAll(/^[ \t]*\/\/[#@][ \t]*sourceMappingURL=(\S+)/gm)].at(-1)?.[1];
  if (mapReference === undefined) return undefined;
  try {
    const url = new URL(mapReference, file.startsWith('file:') ? file : pathToFileURL(file));
    const json = url.protocol === 'data:' ? decodeDataUrl(url.href) : readFileSync(url, 'utf8');
    const payload = JSON.parse(json) as SourceMapPayload;
    const baseFile = url.protocol === 'data:' ? new URL(file.startsWith('file:') ? file : pathToFileURL(file)) : url;
    // `SourceMap` does not apply the source root.
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
