// Creates the ReplayDriver of a recording, starts its replay processes, and creates the standby process of its drivers.
import { totalmem } from 'node:os';
import type { Duplex } from 'node:stream';
import type { Recording } from '@turntable/recording';
import { ReplayDriver, type StartMode, type ReplayProcess, type RunIndex, type Urgency } from '@turntable/time-machine';
import type { CheckpointLocation, ProcessOptions, StartSnapshot } from '@turntable/time-machine/replay-process';
import type { HungThread } from '../replay/replay-outcome.ts';
import type { DriverProcessOptions } from '../replay/replay-request.ts';
import { runReplay, type ReplayRun } from '../replay/replay-run.ts';
import type { ReplaySandbox } from '../sandbox/replay-sandbox.ts';
import { epochsOf } from '../restore/snapshot-epochs.ts';
import { StandbyProcess, type StartedProcess } from './standby-process.ts';

export interface CreateReplayDriverOptions {
  readonly recording: Recording;
  readonly directory: string;
  /** Snapshot at which the run index starts; undefined for the start of the recording. */
  readonly from: number | undefined;
  /** Checkpoints of the run index, as a recording. */
  readonly checkpoints?: Recording | undefined;
  /** Threads that the run index build found hung. */
  readonly hungThreads?: readonly HungThread[] | undefined;
  /** Whether processes that run to the end compare their states with the recorded ones. */
  readonly comparesStates?: boolean;
  /** The sandbox of replay processes; undefined if the user trusts the recording. */
  readonly sandbox?: ReplaySandbox | undefined;
  /** Memory budget in bytes of the processes kept at visited positions. */
  readonly memoryBudget?: number;
  readonly onStart?: (process: ReplayProcess) => void;
  /** Called with each process that has exited. */
  readonly onExit?: (run: ReplayRun) => void;
}

/** Default memory budget: a fraction of the machine's memory, because a debugger has two drivers. */
function defaultMemoryBudget(): number {
  return Math.min(totalmem() / 8, 2 ** 30);
}

/** Starts a replay process at a snapshot or checkpoint, or with undefined at the start of the recording. */
type ProcessStarter = (
  startSnapshot: StartSnapshot | undefined,
  driverOptions: DriverProcessOptions,
  startMode?: StartMode,
) => StartedProcess;

function createProcessStarter(options: CreateReplayDriverOptions): ProcessStarter {
  const { recording, directory, hungThreads, checkpoints } = options;
  const sandbox = options.sandbox && { ...options.sandbox, checkpoints: checkpoints?.directory };
  return (startSnapshot, driver, startMode = 'cold') => {
    const { phase: from, checkpoint } = startSnapshot ?? {};
    const request = { recording: directory, code: 'recorded', from, checkpoint, hungThreads, driver } as const;
    const channelParts: { channel?: Duplex; kill?: () => void } = {};
    const replayRun = runReplay(recording, request, {
      console: 'mute',
      json: true,
      sandbox,
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

/** Phases of the snapshots and checkpoints at which a process can start. */
function startPhases({ recording, checkpoints, from }: CreateReplayDriverOptions): number[] {
  const tracePhases = new Set(recording.traces().find(({ worker }) => worker === 0)?.phases);
  const recordedPhases = recording.snapshots().flatMap(({ phase }) => (tracePhases.has(phase) ? [phase] : []));
  const checkpointPhases = checkpoints?.snapshots().map(({ phase }) => phase) ?? [];
  return [...recordedPhases, ...checkpointPhases].filter((phase) => phase > (from ?? 0)).toSorted((a, b) => a - b);
}

function startSnapshotAt(phase: number | undefined, options: CreateReplayDriverOptions): StartSnapshot | undefined {
  return phase === undefined ? undefined : { phase, checkpoint: checkpointAt(phase, options) };
}

/** Location of the checkpoint of a phase; undefined if the recording itself has a snapshot of the phase. */
function checkpointAt(
  phase: number,
  { recording, checkpoints }: CreateReplayDriverOptions,
): CheckpointLocation | undefined {
  if (checkpoints === undefined || recording.phases().includes(phase) || !checkpoints.phases().includes(phase))
    return undefined;
  try {
    using snapshot = checkpoints.readSnapshot(phase);
    return { directory: checkpoints.directory, epochs: epochsOf(snapshot) };
  } catch {
    // The checkpoint was deleted meanwhile; the process reports that it cannot start there.
    return undefined;
  }
}

/** Standby process that all drivers of one recording share. */
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
    // The first process has filled the code cache.
    preloadedSnapshots = 1;
    return started;
  });
}

/** Number of snapshots that the first standby process preloads. Nearly all snapshots need the same code. */
const MAX_PRELOADED_SNAPSHOTS = 12;

/** Recordings whose warning about slow seeks has been printed. */
const warnedDirectories = new Set<string>();

/** @param runIndex built in debug mode from the same start @param standby closed with the driver */
export function createReplayDriver(
  runIndex: RunIndex,
  options: CreateReplayDriverOptions,
  standby: StandbyProcess = createStandbyProcess(options),
): ReplayDriver {
  const { recording, directory, checkpoints, from, onStart, onExit } = options;
  const { comparesStates = false, memoryBudget = defaultMemoryBudget() } = options;
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
  // Users repeat moves back and long moves, so a standby process pays off after the first one.
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
  return new ReplayDriver({ runIndex, phases, isUsable, start, startMode, memoryBudget, onIdle, onClose, warn });
}
