// Stacks with original locations: locations in emitted code are mapped, and the program's own source maps are followed
// if the user wants it.
import type { Realm, StackMapping } from '@turntable/core';
import type { CodeLoader } from '../code/code-loader.ts';
import {
  installStackTraces,
  patchGetCallSites,
  patchCaptureStackTrace,
  type HostCallMarker,
} from './prepare-stack-trace.ts';
import { followSourceMaps } from '../source-maps/source-maps.ts';
import { createStackMapping } from './stack-mapping.ts';

export interface SourceStacksDeps {
  readonly realm: Realm;
  readonly code: CodeLoader;
  /** Prefixes of Turntable's own files, as paths and as URLs. */
  readonly ownPrefixes: readonly string[];
  readonly hostCalls: HostCallMarker;
  /** Returns V8's source text of a function. */
  nativeSource(fn: (...args: never[]) => unknown): string;
}

/** Installs stacks with original locations in this thread, and returns the mapping of locations. */
export function installSourceStacks({
  realm,
  code,
  ownPrefixes,
  hostCalls,
  nativeSource,
}: SourceStacksDeps): StackMapping {
  const mapping = followSourceMaps(createStackMapping(code, ownPrefixes, nativeSource), code.running);
  installStackTraces(realm, mapping, hostCalls);
  patchGetCallSites(realm, mapping, hostCalls);
  patchCaptureStackTrace(realm);
  return mapping;
}
