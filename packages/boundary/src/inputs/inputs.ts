// The leaf inputs of a thread's program on their way to a tape or from one: what it asks the outside and is answered at once. Everything here
// is put in place before the program is loaded, and only if there is a tape: a program that is not recorded runs on Node's own.
import { type SourceChanges, type StaysNative, writeSync } from '@turntable/loader';
import { createInputTape, type InputTape } from './input-tape.ts';
import { trackSourceChanges } from './source-changes.ts';
import { FailureClassifier } from './failure-classifier.ts';
import { installClocks } from './clocks.ts';
import { installGarbageCollectorInput, type GarbageCollectorState } from './garbage-collector-input.ts';
import { interceptInputs } from './interception.ts';
import { installMachineInput, type ProcessStart } from './machine-input.ts';
import { trackNativeFiles } from './native-files.ts';
import { trackNativePromises } from './native-promises.ts';
import { trackNodeChannels } from './node-channels.ts';
import { patchedMethods } from './patched-methods.ts';
import { showParentChannel } from './parent-channel.ts';
import { emitToProgramListeners, installProcessEvents } from './process-events.ts';
import { restoreRandomState, captureRandomState, type RandomState } from './random.ts';
import { installRandomness } from './randomness.ts';
import { zeroUnsafeBuffers } from './zeroed-buffers.ts';
import { watchUnreplayableUses } from './unreplayable-uses.ts';
import { trackWarnings } from './warnings.ts';
import { installMembrane, type LoaderConnection, type MembraneSetup } from '../membrane/membrane-setup.ts';
import { ReplayedMembrane } from '../membrane/replayed-membrane.ts';
import type { HostReferences, MembraneState } from '../membrane/membrane-state.ts';
import type { CallInterceptor, Realm, Tape } from '@turntable/core';
import type { Devices } from '../devices.ts';
import { installTimerTape } from '../timers/timer-tape.ts';
import type { ParkedTimers } from '../timers/parked-timers.ts';
import type { Timers } from '../timers/timers.ts';
import type { AsyncContexts } from '../realm/async-contexts.ts';
import type { LazyGlobals } from '../realm/lazy-globals.ts';

/** Of a program that is recorded, with its state: what decides how the inputs go on. */
export interface InputsState {
  readonly start: ProcessStart;
  readonly random: RandomState;
  /** Of the timer that was made last. */
  readonly lastTimer: number;
  /** Native promises that were waited for. */
  readonly promiseCount: number;
  readonly collector: GarbageCollectorState;
}

export interface Inputs {
  /** The program was begun by the process that was recorded. */
  readonly startsFromSnapshot: boolean;
  readonly membraneSetup: MembraneSetup;
  /** Once the program's loader is in place. */
  connectLoader(deps: Omit<LoaderConnection, 'emitToListeners'>): void;
  readonly failures: FailureClassifier;
  readonly recordLookup: InputTape['recordLookup'];
  readonly sourceChanges: SourceChanges;
  readonly staysNative: StaysNative;
  capture(): InputsState;
  restore(state: InputsState): void;
  /** A snapshot begins, whatever becomes of it: what is known of the outside is not known to who goes on from there. */
  forgetPredictions(): void;
  /** Where the membrane stands then. */
  captureMembrane(isBaseHome: (home: object) => boolean): ReturnType<MembraneSetup['membrane']['capture']>;
  /** Answers promises that the trace will settle. */
  restoreMembrane(
    state: MembraneState,
    referencesByHome: readonly (readonly [home: object, references: HostReferences])[],
  ): ReadonlySet<object>;
  /** In a replay: intercepts all calls between the program and its inputs, except those of the tape. */
  intercept(interceptor: CallInterceptor, devices: Devices): void;
  /** What the program has come by that cannot be run again, by the names it has for programmers. */
  unreplayableUses(): readonly string[];
}

/** What a program that is recorded or run again needs to begin with. */
export interface TapedProgram {
  readonly tape: Tape;
  /** Once, before there are any: where timers wait that Node does not fire. */
  followTimers(): ParkedTimers | undefined;
  /** Once the realm is made and nothing of the program is loaded. */
  installInputs(deps: InputDeps): Inputs;
}

export interface InputDeps {
  readonly realm: Realm;
  readonly timers: Timers;
  readonly contexts: AsyncContexts;
  readonly lazyGlobals: LazyGlobals;
}

/** `awaitsState`: a run again begins with a snapshot. */
export function createTapedProgram(tape: Tape, startsFromSnapshot: boolean, awaitsState: boolean): TapedProgram {
  return {
    tape,
    followTimers: () => installTimerTape(tape),
    installInputs: (deps) => {
      const inputs = installInputs(tape, startsFromSnapshot, deps);
      const { membrane } = inputs.membraneSetup;
      if (awaitsState && membrane instanceof ReplayedMembrane) membrane.awaitState();
      return inputs;
    },
  };
}

function installInputs(tape: Tape, startsFromSnapshot: boolean, deps: InputDeps): Inputs {
  const { realm, timers } = deps;
  const unreplayable = new Set<string>();
  const reportUnreplayable = (use: string): void => void unreplayable.add(use);
  const installed: { membraneSetup?: MembraneSetup } = {};
  const inputTape = createInputTape(
    tape,
    reportUnreplayable,
    () => installed.membraneSetup?.callerClassifier.isHostCaller() === true,
    () => installed.membraneSetup?.callerClassifier.isToolCaller() === true,
    () => installed.membraneSetup?.callerClassifier.hasTools === true,
  );
  // A run again says what the recorded one said, unless it is told not to, by an environment that it has until now.
  const isMute = tape.isReplay && process.env['TURNTABLE_CONSOLE'] === 'mute';
  const machine = installMachineInput(inputTape, !startsFromSnapshot);
  installRandomness(inputTape, !startsFromSnapshot);
  zeroUnsafeBuffers();
  installClocks(inputTape);
  const failures = new FailureClassifier({
    uncaughtError: (error, thrower) => installed.membraneSetup?.membrane.uncaughtError(error, thrower) ?? error,
    unhandledRejection: (reason, isOfProgram) =>
      installed.membraneSetup?.membrane.unhandledRejection(reason, isOfProgram) ?? reason,
    promiseForProgram: (promise) => installed.membraneSetup?.membrane.promiseForProgram(promise) ?? promise,
  });
  installProcessEvents(tape, failures, isMute, {
    emitToProgram: (name, args) => void installed.membraneSetup?.emitToProgram?.(name, ...args),
    isTurntableFile: (file) => installed.membraneSetup?.callerClassifier.fileOwner(file) === 'ours',
    emitWarningFromNode: (tell) => installed.membraneSetup?.callerClassifier.duringNodeEvent(tell) ?? tell(),
  });
  watchUnreplayableUses(inputTape);
  trackNodeChannels({ wrapListener: (listener) => membraneSetup.membrane.wrapListener(listener), reportUnreplayable });
  const promises = trackNativePromises(tape, realm);
  const collector = installGarbageCollectorInput(tape, realm);
  // Last: what stands in the places of Node's is known by then.
  const membraneSetup = installMembrane({ tape, isMute, reportUnreplayable, ...deps });
  installed.membraneSetup = membraneSetup;
  trackWarnings({
    isInHostCall: () => membraneSetup.membrane.isInHostCall,
    isHostInitiated: () => membraneSetup.callerClassifier.isHostInitiated(),
    isTurntableFile: (file) => membraneSetup.callerClassifier.fileOwner(file) === 'ours',
    ...membraneSetup.warnings,
  });
  let isParentChannelShown = false;
  let isOfProgram: (() => boolean) | undefined;
  const showParentChannelOnce = (): void => {
    if (isParentChannelShown || isOfProgram === undefined || machine.start.hasParent !== true) return;
    isParentChannelShown = true;
    showParentChannel({ inputTape, isOfProgram, programView: membraneSetup.parentChannel() });
  };
  return {
    startsFromSnapshot,
    membraneSetup,
    connectLoader(deps) {
      membraneSetup.connectLoader({ ...deps, emitToListeners: emitToProgramListeners });
      ({ isOfProgram } = deps);
      showParentChannelOnce();
    },
    failures,
    recordLookup: inputTape.recordLookup.bind(inputTape),
    sourceChanges: trackSourceChanges(tape),
    staysNative: trackNativeFiles(tape),
    capture: () => ({
      start: machine.start,
      random: captureRandomState(),
      lastTimer: timers.lastNumber,
      promiseCount: promises.count,
      collector: collector.capture(),
    }),
    restore(state) {
      // A process of its own, unless it is the same run.
      if (startsFromSnapshot) machine.adoptStart(state.start);
      showParentChannelOnce();
      restoreRandomState(state.random);
      timers.lastNumber = state.lastTimer;
      promises.count = state.promiseCount;
      collector.restore(state.collector);
    },
    forgetPredictions: () => membraneSetup.membrane.forgetPredictions(),
    captureMembrane: (isBaseHome) => membraneSetup.membrane.capture(isBaseHome),
    restoreMembrane(state, referencesByHome) {
      const { membrane } = membraneSetup;
      if (!(membrane instanceof ReplayedMembrane)) return new Set();
      membrane.restore(state);
      for (const [home, references] of referencesByHome) membrane.restoreReferences(home, references);
      return new Set(
        [state, ...referencesByHome.map(([, references]) => references)].flatMap(({ pending }) =>
          pending.map(([, promise]) => promise),
        ),
      );
    },
    intercept: (interceptor, devices) =>
      interceptInputs(interceptor, { membrane: membraneSetup.membrane, promises, devices }),
    unreplayableUses() {
      for (const method of patchedMethods()) {
        const use = `${method}, which the program has replaced`;
        if (!tape.isReplay && !unreplayable.has(use)) warnOfPatchedMethod(method);
        reportUnreplayable(use);
      }
      return [...unreplayable];
    },
  };
}

function warnOfPatchedMethod(method: string): void {
  const code = 'TT_PATCHED';
  const message = `the program has replaced ${method}: Node's own objects call it, too, and that is not recorded, so that a replay may differ; put it on objects or classes of the program's`;
  // A process that is ending has no ticks any more, in which Node would say it.
  if ((process as { _exiting?: boolean })._exiting === true)
    writeSync(2, `(node:${process.pid}) [${code}] Warning: ${message}\n`);
  else process.emitWarning(message, { code });
}
