// Who asks the time, or for chance: code of the program, whose questions run again, or code that does not run again. While the program waits for
// the outside that is known. What Node's network code and native packages do on turns of their own is told by the stack, and only where
// nothing else tells: that takes microseconds.
import { getCallSites } from 'node:util';
import type { Realm } from '@turntable/core';
import { isForeign } from '@turntable/loader';
import type { LazyGlobals } from '../realm/lazy-globals.ts';

const WITHOUT_MAPS = { sourceMap: false };
/** Enough for what of ours lies between who asks and here. */
const FRAMES = 12;
const MANY_FRAMES = 200;
/** Of Node's own, what asks by the names that programs use. */
const NETWORK = 'node:internal/deps/undici/undici';

export interface ForeignCallerParts {
  readonly realm: Realm;
  readonly lazyGlobals: LazyGlobals;
  /** Native code runs that the program has called, or has called the program; in a run again there is none but tools. */
  readonly state: { readonly isOutside: boolean; readonly isInside: boolean };
  readonly isReplay: boolean;
}

export interface ForeignCallers {
  /** Whether who asks now is none of the program's. */
  isOutside(): boolean;
  /** The same in a run again, where nobody is outside but tools that run there as well. */
  isForeign(): boolean;
  /** Whether nothing of the program has led to what runs now but by way of the outside. */
  isAlone(): boolean;
  /** From now on native packages may run by themselves. */
  devicesAreLoaded: boolean;
  /** Tools came with `--import` that may do so. */
  toolsAreLoaded: boolean;
  /** Node tells of what the program has caused (a warning), and will in a run again: what it writes meanwhile is none of the outside's. */
  whileTelling<T>(tell: () => T): T;
  /** Frames of ours come first on the stack. */
  whoseFile: (file: string) => 'ours' | 'device' | undefined;
}

export function foreignCallers({ realm, lazyGlobals, state, isReplay }: ForeignCallerParts): ForeignCallers {
  const { jobs } = realm;
  let isTelling = false;
  const isCalledFromOutside = (): boolean => {
    const isInside = isReplay ? !callers.toolsAreLoaded : state.isInside;
    if (isInside || jobs.running() !== undefined) return false;
    const { whoseFile } = callers;
    for (const { scriptName } of getCallSites(FRAMES, WITHOUT_MAPS)) {
      const whose = whoseFile(scriptName);
      if (whose !== 'ours') return whose === 'device' || scriptName === NETWORK;
    }
    return false;
  };
  const callers: ForeignCallers = {
    devicesAreLoaded: false,
    toolsAreLoaded: false,
    whileTelling(tell) {
      const was = isTelling;
      isTelling = true;
      try {
        return tell();
      } finally {
        isTelling = was;
      }
    },
    whoseFile: () => undefined,
    isAlone() {
      if (state.isOutside) return true;
      if (isTelling || state.isInside || jobs.running() !== undefined) return false;
      return !getCallSites(MANY_FRAMES, WITHOUT_MAPS).some(
        ({ scriptName }) =>
          scriptName !== '' && !scriptName.startsWith('node:') && callers.whoseFile(scriptName) === undefined,
      );
    },
    isOutside() {
      if (state.isOutside || isForeign()) return true;
      if (!lazyGlobals.isLoaded && !callers.devicesAreLoaded && !callers.toolsAreLoaded) return false;
      return isCalledFromOutside();
    },
    isForeign: () => isForeign() || (callers.toolsAreLoaded && isCalledFromOutside()),
  };
  return callers;
}
