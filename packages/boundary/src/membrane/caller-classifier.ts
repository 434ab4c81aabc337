// Classifies the code that reads a clock or draws a random number: the program, whose inputs are recorded, or code that
// a replay does not run. During a host call the answer is known. Callbacks of Node's network code and of native
// packages are recognized by the stack, which takes microseconds and is used only if nothing else decides.
import { getCallSites, types } from 'node:util';
import type { Realm } from '@turntable/core';
import { callerFiles, isToolRunning } from '@turntable/loader';
import type { LazyGlobals } from '../realm/lazy-globals.ts';
import type { Handle } from './handle.ts';

const { apply } = Reflect;
const { toString: sourceText } = Function.prototype;
const UNMAPPED = { sourceMap: false };
/** Number of frames to read, enough for Turntable's own frames between a caller and this module. */
const MAX_FRAMES = 12;
/** Number of frames that are read first if the callee is known: another function of Turntable, and the caller. */
const NEAR_FRAMES = 2;
const MAX_FRAMES_DEEP = 200;
/** Script of Node's network code, which reads the clocks through the same functions as programs. */
const UNDICI_SCRIPT = 'node:internal/deps/undici/undici';

const fileOf = ({ scriptName }: { readonly scriptName: string }): string => scriptName;
type RunningFunction = (...args: never[]) => unknown;

export interface CallerClassifierDeps {
  readonly realm: Realm;
  readonly lazyGlobals: LazyGlobals;
  /** The membrane's state. In a replay only tools run on the host side. */
  readonly state: { readonly isInHostCall: boolean; readonly isInHostCallback: boolean };
  readonly isReplay: boolean;
}

export interface CallerClassifier {
  /**
   * Whether the running code is not the program's, so that its inputs are not recorded.
   * @param callee the innermost function of Turntable that is running for the caller; saves time
   */
  isHostCaller(callee?: RunningFunction): boolean;
  /**
   * Whether other code than the program's uses a property of Node's objects. Functions of Node and Turntable count as
   * their caller.
   * @param accessor the running accessor of the property
   * @param ownReader whose functions use the property for themselves, if they call the accessor directly
   */
  isNativeReader(accessor: RunningFunction, ownReader?: 'ours' | 'node'): boolean;
  /** Whether the running code is a tool: code loaded with `--import`, which runs in a replay as well. */
  isToolCaller(): boolean;
  /** Whether the host has started the running code: in a host call, or with no program code on the stack. */
  isHostInitiated(): boolean;
  /** Whether the running code is a job of the program, or has a program function on the stack. */
  isProgramOnStack(): boolean;
  /**
   * Whether code of a host-side package calls the program, directly or through a builtin.
   * @param callee the function of the membrane that the host calls
   * @param calledFunction the host function that the program has called and that is calling back, if any
   */
  isPackageCalling(callee: RunningFunction, calledFunction: Handle | undefined): boolean;
  /** Whether a native package has been loaded, which may run by itself. */
  hasDevices: boolean;
  /** Whether `--import` has loaded tools, which may run by themselves. */
  hasTools: boolean;
  /** Runs code in which Node reports an event of the program. Its output is the program's: a replay repeats it. */
  duringNodeEvent<T>(emit: () => T): T;
  /** Whether `duringNodeEvent` is running. */
  readonly isInNodeEvent: boolean;
  /** Owner of a file: Turntable itself or a device. Undefined for program code. */
  fileOwner: (file: string) => 'ours' | 'device' | undefined;
}

export function createCallerClassifier(deps: CallerClassifierDeps): CallerClassifier {
  const { realm, lazyGlobals, state, isReplay } = deps;
  const { jobs } = realm;
  let isInNodeEvent = false;
  const isHostOnStack = (callee?: RunningFunction): boolean => {
    const isProgramCode = isReplay ? !classifier.hasTools : state.isInHostCallback;
    if (isProgramCode || jobs.runningTarget() !== undefined) return false;
    const nearFiles = callee === undefined ? [] : (callerFiles(callee, NEAR_FRAMES) ?? []);
    const isHostNear = isHostInnermost(nearFiles);
    if (isHostNear !== undefined) return isHostNear;
    const files = callerFiles(isHostOnStack, MAX_FRAMES) ?? getCallSites(MAX_FRAMES, UNMAPPED).map(fileOf);
    return isHostInnermost(files) === true;
  };
  /** Whether the innermost caller outside of builtins and Turntable is the host; undefined if there is none. */
  const isHostInnermost = (files: readonly string[]): boolean | undefined => {
    for (const file of files) {
      if (file === UNDICI_SCRIPT) return true;
      // Below a function of Node or V8, and below evaluated text, is the code that has called it.
      if (file === '' || file.startsWith('node:')) continue;
      const owner = classifier.fileOwner(file);
      if (owner !== 'ours') return owner === 'device';
    }
    return undefined;
  };
  const hasProgramFrame = (): boolean =>
    getCallSites(MAX_FRAMES_DEEP, UNMAPPED).some(
      ({ scriptName }) =>
        scriptName !== '' && !scriptName.startsWith('node:') && classifier.fileOwner(scriptName) === undefined,
    );
  /** Whether the host code that calls the program is a package's; undefined if it has more than `count` frames. */
  const findPackageCaller = (callee: RunningFunction, count: number): boolean | undefined => {
    const files = callerFiles(callee, count) ?? getCallSites(count, UNMAPPED).map(fileOf);
    let isInHostCode = false;
    for (const file of files) {
      if (classifier.fileOwner(file) === 'ours') {
        // Below the host code are the membrane and the program code that has called the host.
        if (isInHostCode) return false;
      } else {
        isInHostCode = true;
        if (isPackageFile(file)) return true;
      }
    }
    return files.length < count ? false : undefined;
  };
  /** Whether a host function that is calling back is code of a package. All its callbacks are then a package's. */
  const isOfPackage = (hostFunction: object, callee: RunningFunction): boolean => {
    if (!hasOwnFrame(hostFunction)) return false;
    const files = callerFiles(callee, MAX_FRAMES_DEEP) ?? [];
    const start = files.findIndex((file) => classifier.fileOwner(file) !== 'ours');
    const end = files.findIndex((file, i) => i > start && classifier.fileOwner(file) === 'ours');
    // The outermost frame of the host is the function's own, or that of `Reflect.apply` which has called it.
    const outermost = files[end - 1] === '' ? end - 2 : end - 1;
    return end !== -1 && outermost >= start && isPackageFile(files[outermost] as string);
  };
  const classifier: CallerClassifier = {
    hasDevices: false,
    hasTools: false,
    get isInNodeEvent() {
      return isInNodeEvent;
    },
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
      return !hasProgramFrame();
    },
    isProgramOnStack: () => jobs.runningTarget() !== undefined || hasProgramFrame(),
    isPackageCalling(callee, calledFunction) {
      if (!classifier.hasDevices) return false;
      if (calledFunction !== undefined) {
        calledFunction.isOfPackage ??= isOfPackage(calledFunction.hostObject as object, callee);
        if (calledFunction.isOfPackage) return true;
      }
      // The answer is usually among the first frames: two of the membrane, one of the host.
      for (const count of [3, MAX_FRAMES, MAX_FRAMES_DEEP]) {
        const isPackage = findPackageCaller(callee, count);
        if (isPackage !== undefined) return isPackage;
      }
      return false;
    },
    isHostCaller(callee) {
      if (state.isInHostCall || isToolRunning()) return true;
      if (!lazyGlobals.isLoaded && !classifier.hasDevices && !classifier.hasTools) return false;
      return isHostOnStack(callee);
    },
    isNativeReader(accessor, ownReader) {
      if (state.isInHostCall || isToolRunning()) return true;
      for (const count of [NEAR_FRAMES, MAX_FRAMES, MAX_FRAMES_DEEP]) {
        const files = callerFiles(accessor, count) ?? getCallSites(count, UNMAPPED).map(fileOf);
        let isDirect = true;
        for (const file of files) {
          if (file === UNDICI_SCRIPT) return true;
          if (file === '') continue;
          const owner = isPackageFile(file) ? classifier.fileOwner(file) : 'node';
          if (isDirect && owner !== undefined && owner === ownReader) return true;
          if (owner !== 'ours' && owner !== 'node') return owner !== undefined;
          isDirect = false;
        }
        if (files.length < count) break;
      }
      return true;
    },
    isToolCaller: () => isToolRunning() || (classifier.hasTools && isHostOnStack()),
  };
  return classifier;
}

function isPackageFile(file: string): boolean {
  return file !== '' && !file.startsWith('node:');
}

/** Whether a running function always has a stack frame: not a builtin, a bound function or a Proxy. */
function hasOwnFrame(hostFunction: object): boolean {
  return (
    typeof hostFunction === 'function' &&
    !types.isProxy(hostFunction) &&
    !apply(sourceText, hostFunction, []).endsWith('{ [native code] }')
  );
}
