// Who asks the time, or for chance: code of the program, whose questions run again, or code that does not run again. While the program waits for
// the outside that is known. What Node's network code and native packages do on turns of their own is told by the stack, and only where
// nothing else tells: that takes microseconds.
import { getCallSites } from 'node:util';
import type { Realm } from '@turntable/core';
import { isToolRunning } from '@turntable/loader';
import type { LazyGlobals } from '../realm/lazy-globals.ts';

const UNMAPPED = { sourceMap: false };
/** Enough for what of ours lies between who asks and here. */
const MAX_FRAMES = 12;
const MAX_FRAMES_DEEP = 200;
/** Of Node's own, what asks by the names that programs use. */
const UNDICI_SCRIPT = 'node:internal/deps/undici/undici';

export interface CallerClassifierDeps {
  readonly realm: Realm;
  readonly lazyGlobals: LazyGlobals;
  /** Native code runs that the program has called, or has called the program; in a run again there is none but tools. */
  readonly state: { readonly isInHostCall: boolean; readonly isInHostCallback: boolean };
  readonly isReplay: boolean;
}

export interface CallerClassifier {
  /** Whether who asks now is none of the program's. */
  isHostCaller(): boolean;
  /** The same in a run again, where nobody is outside but tools that run there as well. */
  isToolCaller(): boolean;
  /** Whether nothing of the program has led to what runs now but by way of the outside. */
  isHostInitiated(): boolean;
  /** From now on native packages may run by themselves. */
  hasDevices: boolean;
  /** Tools came with `--import` that may do so. */
  hasTools: boolean;
  /** Node tells of what the program has caused (a warning), and will in a run again: what it writes meanwhile is none of the outside's. */
  duringNodeEvent<T>(emit: () => T): T;
  /** Frames of ours come first on the stack. */
  fileOwner: (file: string) => 'ours' | 'device' | undefined;
}

export function createCallerClassifier({
  realm,
  lazyGlobals,
  state,
  isReplay,
}: CallerClassifierDeps): CallerClassifier {
  const { jobs } = realm;
  let isInNodeEvent = false;
  const isHostOnStack = (): boolean => {
    const isProgramCode = isReplay ? !classifier.hasTools : state.isInHostCallback;
    if (isProgramCode || jobs.runningTarget() !== undefined) return false;
    const { fileOwner } = classifier;
    for (const { scriptName } of getCallSites(MAX_FRAMES, UNMAPPED)) {
      const owner = fileOwner(scriptName);
      if (owner !== 'ours') return owner === 'device' || scriptName === UNDICI_SCRIPT;
    }
    return false;
  };
  const classifier: CallerClassifier = {
    hasDevices: false,
    hasTools: false,
    duringNodeEvent(emit) {
      const previous = isInNodeEvent;
      isInNodeEvent = true;
      try {
        return emit();
      } finally {
        isInNodeEvent = previous;
      }
    },
    fileOwner: () => undefined,
    isHostInitiated() {
      if (state.isInHostCall) return true;
      if (isInNodeEvent || state.isInHostCallback || jobs.runningTarget() !== undefined) return false;
      return !getCallSites(MAX_FRAMES_DEEP, UNMAPPED).some(
        ({ scriptName }) =>
          scriptName !== '' && !scriptName.startsWith('node:') && classifier.fileOwner(scriptName) === undefined,
      );
    },
    isHostCaller() {
      if (state.isInHostCall || isToolRunning()) return true;
      if (!lazyGlobals.isLoaded && !classifier.hasDevices && !classifier.hasTools) return false;
      return isHostOnStack();
    },
    isToolCaller: () => isToolRunning() || (classifier.hasTools && isHostOnStack()),
  };
  return classifier;
}
