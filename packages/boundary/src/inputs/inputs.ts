// Inputs of a thread with a tape that do not cross the membrane, such as clocks, randomness and process events. They
// are installed before the program is loaded. A thread without a tape uses Node's own functions.
import type { SourceChanges, StaysNative } from '@turntable/loader';
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
import { showParentChannel } from './parent-channel.ts';
import { emitToProgramListeners, installProcessEvents } from './process-events.ts';
import { restoreRandomState, captureRandomState, type RandomState } from './random.ts';
import { installRandomness } from './randomness.ts';
import { zeroUnsafeBuffers } from './zeroed-buffers.ts';
import { UnreplayableUses } from './unreplayable-uses.ts';
import { watchUnreplayableUses } from './watched-uses.ts';
import { trackWarnings } from './warnings.ts';
import { installMembrane, type LoaderConnection, type MembraneSetup } from '../membrane/membrane-setup.ts';
import { RecordedMembrane } from '../membrane/recorded-membrane.ts';
import { ReplayedMembrane } from '../membrane/replayed-membrane.ts';
import type { HostReferences, MembraneState } from '../membrane/membrane-state.ts';
import type { CallInterceptor, Realm, Tape } from '@turntable/core';
import type { Devices } from '../devices.ts';
import { installTimerTape } from '../timers/timer-tape.ts';
import type { ParkedTimers } from '../timers/parked-timers.ts';
import type { Timers } from '../timers/timers.ts';
import type { AsyncContexts } from '../realm/async-contexts.ts';
import type { LazyGlobals } from '../realm/lazy-globals.ts';

/** State of the inputs, without the membrane's, as a part of a snapshot. */
export interface InputsState {
  readonly start: ProcessStart;
  readonly random: RandomState;
  readonly lastTimer: number;
  /** Number of native promises that the program has waited for. */
  readonly promiseCount: number;
  readonly collector: GarbageCollectorState;
}

export interface Inputs {
  /** Whether the program was restored from a snapshot, so that the tape does not contain its start. */
  readonly isRestored: boolean;
  readonly membraneSetup: MembraneSetup;
  /** Called once the program's loader exists. */
  connectLoader(deps: Omit<LoaderConnection, 'emitToListeners'>): void;
  readonly failures: FailureClassifier;
  readonly recordLookup: InputTape['recordLookup'];
  readonly sourceChanges: SourceChanges;
  readonly staysNative: StaysNative;
  capture(): InputsState;
  restore(state: InputsState): void;
  /** Forgets predictions at each cut, even without a snapshot, because a replay that starts there has none. */
  forgetPredictions(): void;
  captureMembrane(isBaseHome: (home: object) => boolean): ReturnType<MembraneSetup['membrane']['capture']>;
  /** Restores the membrane's part of a snapshot. Returns the promises that the trace will settle. */
  restoreMembrane(
    state: MembraneState,
    referencesByHome: readonly (readonly [home: object, references: HostReferences])[],
  ): ReadonlySet<object>;
  /** Intercepts calls between the program and its inputs, except calls of the tape, in a replay that can be undone. */
  intercept(interceptor: CallInterceptor, devices: Devices): void;
  /** Names of the features that the program has used and that cannot be replayed, with the location of the first use. */
  unreplayableUses(): readonly string[];
  /** Sets how the running code of the program is located. */
  locateUses(callerLocation: () => string | undefined): void;
  /** Sources of output that is neither recorded nor compared, such as child processes. */
  unseenOutput(): readonly string[];
}

/** Setup of a program with a tape, available before its realm exists. */
export interface TapedProgram {
  readonly tape: Tape;
  /** Must be called once, before the first timer. Returns the parked timers of a replay; undefined while recording. */
  followTimers(): ParkedTimers | undefined;
  /** Must be called after the realm is created and before any program code is loaded. */
  installInputs(deps: InputDeps): Inputs;
}

export interface InputDeps {
  readonly realm: Realm;
  readonly timers: Timers;
  readonly contexts: AsyncContexts;
  readonly lazyGlobals: LazyGlobals;
}

/** @param isReplayFromSnapshot whether the replay starts from a snapshot */
export function createTapedProgram(tape: Tape, isRestored: boolean, isReplayFromSnapshot: boolean): TapedProgram {
  return {
    tape,
    followTimers: () => installTimerTape(tape),
    installInputs: (deps) => {
      const inputs = installInputs(tape, isRestored, deps);
      const { membrane } = inputs.membraneSetup;
      if (isReplayFromSnapshot && membrane instanceof ReplayedMembrane) membrane.awaitState();
      return inputs;
    },
  };
}

function installInputs(tape: Tape, isRestored: boolean, deps: InputDeps): Inputs {
  const { realm, timers } = deps;
  const unreplayable = new UnreplayableUses(tape.isReplay);
  const reportUnreplayable = (use: string): void => unreplayable.report(use);
  const unseenOutput = new Set<string>();
  const installed: { membraneSetup?: MembraneSetup } = {};
  const inputTape = createInputTape(
    tape,
    reportUnreplayable,
    (callee) => installed.membraneSetup?.callerClassifier.isHostCaller(callee) === true,
    () => installed.membraneSetup?.callerClassifier.isToolCaller() === true,
    () => installed.membraneSetup?.callerClassifier.hasTools === true,
    {
      record(lookUp) {
        const membrane = installed.membraneSetup?.membrane;
        return membrane instanceof RecordedMembrane
          ? membrane.duringLookup(lookUp)
          : { value: lookUp(), hasCalledProgram: false };
      },
      replay() {
        const membrane = installed.membraneSetup?.membrane;
        if (membrane instanceof ReplayedMembrane) membrane.performLookupCallbacks();
      },
    },
  );
  // A replay prints the recorded output unless an environment variable mutes it, which the program must not see.
  const isMute = tape.isReplay && process.env['TURNTABLE_CONSOLE'] === 'mute';
  const machine = installMachineInput(inputTape, !isRestored);
  installRandomness(inputTape, !isRestored);
  zeroUnsafeBuffers();
  installClocks(inputTape);
  const failures = new FailureClassifier({
    uncaughtError: (error, thrower) =>
      installed.membraneSetup?.membrane.failures.uncaughtError(error, thrower) ?? error,
    unhandledRejection: (reason, isOfProgram) =>
      installed.membraneSetup?.membrane.failures.unhandledRejection(reason, isOfProgram) ?? reason,
    promiseForProgram: (promise) => installed.membraneSetup?.membrane.promiseForProgram(promise) ?? promise,
  });
  installProcessEvents(tape, failures, isMute, {
    emitToProgram: (name, args) => void installed.membraneSetup?.emitToProgram?.(name, ...args),
    isTurntableFile: (file) => installed.membraneSetup?.callerClassifier.fileOwner(file) === 'ours',
    recordHostState() {
      const { membrane } = installed.membraneSetup ?? {};
      if (membrane instanceof RecordedMembrane) membrane.hostState.recordProperties();
    },
    emitWarningFromNode: (tell) => installed.membraneSetup?.callerClassifier.duringNodeEvent(tell) ?? tell(),
  });
  watchUnreplayableUses(inputTape, () => installed.membraneSetup?.guardLazyGlobals());
  trackNodeChannels({ wrapListener: (listener) => membraneSetup.membrane.wrapListener(listener), reportUnreplayable });
  const promises = trackNativePromises(tape, realm);
  const collector = installGarbageCollectorInput(tape, realm);
  // The membrane is installed last, because it must know all replacements of Node's functions.
  const membraneSetup = installMembrane({
    tape,
    isMute,
    reportUnreplayable,
    reportUnseenOutput: (source) => void unseenOutput.add(source),
    ...deps,
  });
  installed.membraneSetup = membraneSetup;
  trackWarnings({
    isInHostCall: () => membraneSetup.membrane.isInHostCall,
    isHostInitiated: () => membraneSetup.callerClassifier.isHostInitiated(),
    isTurntableFile: (file) => membraneSetup.callerClassifier.fileOwner(file) === 'ours',
    ...membraneSetup.warnings,
  });
  let isParentChannelShown = false;
  let isConnected = false;
  const showParentChannelOnce = (): void => {
    if (isParentChannelShown || !isConnected || machine.start.hasParent !== true) return;
    isParentChannelShown = true;
    showParentChannel({
      inputTape,
      isNativeReader: (accessor) => membraneSetup.callerClassifier.isNativeReader(accessor, 'node'),
      programView: membraneSetup.parentChannel(),
    });
  };
  return {
    isRestored,
    membraneSetup,
    connectLoader(deps) {
      membraneSetup.connectLoader({ ...deps, emitToListeners: emitToProgramListeners });
      isConnected = true;
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
      // A replay from the start has taken the process start from the tape.
      if (isRestored) machine.adoptStart(state.start);
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
    unreplayableUses: () => unreplayable.descriptions(),
    locateUses: (callerLocation) => unreplayable.locateBy(callerLocation),
    unseenOutput: () => [...unseenOutput],
  };
}
