// The engine of a recording: its run index, made in debug mode, and processes that run it again as far as they are told.
import { totalmem } from 'node:os';
import type { Duplex } from 'node:stream';
import type { Recording } from '@turntable/recording';
import { ReplayDriver, type StartMode, type ReplayProcess, type RunIndex, type Urgency } from '@turntable/time-machine';
import type { CheckpointLocation, ProcessOptions, StartSnapshot } from '@turntable/time-machine/replay-process';
import type { HungThread } from '../replay/replay-outcome.ts';
import type { DriverProcessOptions } from '../replay/replay-request.ts';
import { runReplay, type ReplayRun } from '../replay/replay-run.ts';
import { StandbyProcess, type StartedProcess } from './standby-process.ts';

export interface CreateReplayDriverOptions {
  readonly recording: Recording;
  /** Where it is. */
  readonly directory: string;
  /** The snapshot that it begins with; the start. */
  readonly from: number | undefined;
  /** What the run index has of states between the recording's snapshots. */
  readonly checkpoints?: Recording | undefined;
  /** As of the run index. */
  readonly hungThreads?: readonly HungThread[] | undefined;
  /** States are compared with those of the recording where a process goes on to the end. */
  readonly comparesStates?: boolean;
  /** Where its processes keep transformed code, if they may do nothing but what they need. */
  readonly cache?: string | undefined;
  /** Bytes that processes may take which stand where the engine has been. */
  readonly memoryBudget?: number;
  readonly onStart?: (process: ReplayProcess) => void;
  /** Is told what came of each process. */
  readonly onExit?: (run: ReplayRun) => void;
}

/** A debugger has two engines, and a machine has other work. */
function defaultMemoryBudget(): number {
  return Math.min(totalmem() / 8, 2 ** 30);
}

/** Begins a process, there or from the start. */
type ProcessStarter = (
  startSnapshot: StartSnapshot | undefined,
  driverOptions: DriverProcessOptions,
  startMode?: StartMode,
) => StartedProcess;

function createProcessStarter({ recording, directory, hungThreads, cache }: CreateReplayDriverOptions): ProcessStarter {
  const permissions = cache === undefined ? undefined : { writablePaths: [], codeCache: cache };
  return (startSnapshot, driverOptions, startMode = 'cold') => {
    const { phase: from, checkpoint } = startSnapshot ?? {};
    const request = {
      recording: directory,
      code: 'recorded',
      from,
      checkpoint,
      hungThreads,
      driver: driverOptions,
    } as const;
    const channelParts: { channel?: Duplex; kill?: () => void } = {};
    const replayRun = runReplay(recording, request, {
      console: 'mute',
      json: true,
      permissions,
      onChannel: (channel, kill) => void Object.assign(channelParts, { channel, kill }),
    });
    const exited = replayRun.then(
      ({ startFailure, exitDescription, stderr }) => ({
        description: startFailure ?? `${exitDescription}\n${stderr}`.trimEnd(),
        hasNotStarted: startFailure !== undefined,
      }),
      (error: unknown) => ({ description: String(error), hasNotStarted: false }),
    );
    return { process: { ...(channelParts as Required<typeof channelParts>), startMode, exited }, result: replayRun };
  };
}

/** Snapshots and states that a process can begin with. */
function startPhases({ recording, checkpoints, from }: CreateReplayDriverOptions): number[] {
  const tracePhases = new Set(recording.traces().find(({ worker }) => worker === 0)?.phases);
  const recordedPhases = recording.snapshots().flatMap(({ phase }) => (tracePhases.has(phase) ? [phase] : []));
  const checkpointPhases = checkpoints?.snapshots().map(({ phase }) => phase) ?? [];
  return [...recordedPhases, ...checkpointPhases].filter((phase) => phase > (from ?? 0)).toSorted((a, b) => a - b);
}

function startSnapshotAt(phase: number | undefined, options: CreateReplayDriverOptions): StartSnapshot | undefined {
  return phase === undefined ? undefined : { phase, checkpoint: checkpointAt(phase, options) };
}

/** Where one of the run index's states is; nothing, if the recording has a snapshot of then. */
function checkpointAt(
  phase: number,
  { recording, checkpoints }: CreateReplayDriverOptions,
): CheckpointLocation | undefined {
  if (checkpoints === undefined || recording.phases().includes(phase) || !checkpoints.phases().includes(phase))
    return undefined;
  try {
    using snapshot = checkpoints.readSnapshot(phase);
    const { epochs } = snapshot.meta as unknown as Pick<CheckpointLocation, 'epochs'>;
    return { directory: checkpoints.directory, epochs };
  } catch {
    // It has just gone: the process says that it cannot begin with it.
    return undefined;
  }
}

/** Standby process that the engines of one recording share. */
export function createStandbyProcess(options: CreateReplayDriverOptions): StandbyProcess {
  const startProcess = createProcessStarter(options);
  const [first] = startPhases(options);
  let preloadedSnapshots = MAX_PRELOADED_SNAPSHOTS;
  return new StandbyProcess((assignment) => {
    if (assignment !== undefined) return startProcess(assignment, { comparesStates: false, isStandby: true });
    const started = startProcess(
      startSnapshotAt(first, options),
      { comparesStates: false, isStandby: true, preloadedSnapshots },
      'standby',
    );
    // What it has found is kept for the next ones.
    preloadedSnapshots = 1;
    return started;
  });
}

/** Snapshots into which the first process looks that waits: what is asked of a program's code is nearly the same in all. */
const MAX_PRELOADED_SNAPSHOTS = 12;

/** Recordings, of which it has been said what makes all ways in them longer: by one of their engines. */
const warnedDirectories = new Set<string>();

/** @param runIndex made in debug mode, from the same snapshot on @param standby closed with the engine */
export function createReplayDriver(
  runIndex: RunIndex,
  options: CreateReplayDriverOptions,
  standby: StandbyProcess = createStandbyProcess(options),
): ReplayDriver {
  const {
    recording,
    directory,
    checkpoints,
    from,
    comparesStates = false,
    memoryBudget: memory = defaultMemoryBudget(),
    onStart,
    onExit,
  } = options;
  const phases = startPhases(options);
  const startProcess = createProcessStarter(options);
  let startCount = 0;
  const start = (
    phase: number | undefined,
    processOptions: ProcessOptions = {},
    urgency: Urgency = 'now',
  ): ReplayProcess => {
    const startSnapshot = startSnapshotAt(phase ?? from, options);
    startCount++;
    const { process, result: replayRun } =
      startSnapshot === undefined || comparesStates
        ? startProcess(startSnapshot, {
            comparesStates: comparesStates && Object.keys(processOptions).length === 0,
            ...processOptions,
          })
        : standby.assign({ ...startSnapshot, ...processOptions }, urgency);
    onStart?.(process);
    replayRun.then(onExit, () => undefined);
    return process;
  };
  // Who goes back, or far, once will again; in a long recording whoever has opened it will soon.
  const onIdle = (isLong: boolean): void => {
    if ((startCount > 1 || isLong) && phases.length > 0 && !comparesStates) standby.prepare();
  };
  const isUsable = (phase: number): boolean => recording.isIntact(phase) || checkpoints?.isIntact(phase) === true;
  const startMode = (): StartMode => (standby.isWaiting ? 'standby' : 'cold');
  const onClose = (): void => standby.close();
  const warn = (text: string): void => {
    if (!warnedDirectories.has(directory)) process.emitWarning(text, { code: 'TT_SNAPSHOTS_PASSED_OVER' });
    warnedDirectories.add(directory);
  };
  return new ReplayDriver({
    runIndex,
    phases,
    isUsable,
    start,
    startMode,
    memoryBudget: memory,
    onIdle,
    onClose,
    warn,
  });
}
