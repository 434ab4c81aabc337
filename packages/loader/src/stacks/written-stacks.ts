// Stacks that show the program as it was written: places of emitted code are mapped, and source maps that the program brings are followed where its user wants it.
import type { Realm, StackMapping } from '@turntable/core';
import type { CodeLoader } from '../code/code.ts';
import { installStackTraces, mapPlainCallSites, noteCaptures, type HostCalls } from './prepare-stack-trace.ts';
import { followSourceMaps } from '../source-maps/source-maps.ts';
import { createStackMapping } from './stack-mapping.ts';

export interface WrittenStacksDeps {
  readonly realm: Realm;
  readonly code: CodeLoader;
  /** Prefixes of Turntable's own files, as paths and as URLs. */
  readonly own: readonly string[];
  readonly hostCalls: HostCalls;
  /** A function's text as the engine has it. */
  nativeText(fn: (...args: never[]) => unknown): string;
}

/** Returns the mapping of places. */
export function installWrittenStacks({ realm, code, own, hostCalls, nativeText }: WrittenStacksDeps): StackMapping {
  const mapping = followSourceMaps(createStackMapping(code, own, nativeText), code.running);
  installStackTraces(realm, mapping, hostCalls);
  mapPlainCallSites(realm, mapping, hostCalls);
  noteCaptures(realm);
  return mapping;
}
