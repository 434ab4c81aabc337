// The engine of a recording: its survey, made in debug mode, and processes that run it again as far as they are told.
import { totalmem } from 'node:os';
import type { Duplex } from 'node:stream';
import type { Recording } from '@turntable/recording';
import { RecordedEngine, type Beginning, type ReplayProcess, type Survey, type Urgency } from '@turntable/time-machine';
import type { CheckpointPlace, ProcessOptions, StartSnapshot } from '@turntable/time-machine/replay-process';
import type { Stuck } from '../replay/outcome.ts';
import type { EngineWishes } from '../replay/replay-order.ts';
import { runAgain, type Ran } from '../replay/run-again.ts';
import { StandbyProcess, type Begun } from './standby-process.ts';

export interface EngineWanted {
  readonly recording: Recording;
  /** Where it is. */
  readonly directory: string;
  /** The snapshot that it begins with; the start. */
  readonly from: number | undefined;
  /** What the survey has of states between the recording's snapshots. */
  readonly states?: Recording | undefined;
  /** As of the survey. */
  readonly stuck?: readonly Stuck[] | undefined;
  /** States are compared with those of the recording where a process goes on to the end. */
  readonly compares?: boolean;
  /** Where its processes keep transformed code, if they may do nothing but what they need. */
  readonly cache?: string | undefined;
  /** Bytes that processes may take which stand where the engine has been. */
  readonly memory?: number;
  readonly started?: (process: ReplayProcess) => void;
  /** Is told what came of each process. */
  readonly ran?: (ran: Ran) => void;
}

/** A debugger has two engines, and a machine has other work. */
function usualMemory(): number {
  return Math.min(totalmem() / 8, 2 ** 30);
}

/** Begins a process, there or from the start. */
type Begin = (place: StartSnapshot | undefined, engine: EngineWishes, beginning?: Beginning) => Begun;

function beginningOf({ recording, directory, stuck, cache }: EngineWanted): Begin {
  const permissions = cache === undefined ? undefined : { writes: [], cache };
  return (place, engine, beginning = 'anew') => {
    const { from, state } = place ?? {};
    const order = { recording: directory, code: 'recorded', from, state, stuck, engine } as const;
    const parts: { channel?: Duplex; kill?: () => void } = {};
    const run = runAgain(recording, order, {
      console: 'mute',
      json: true,
      permissions,
      onChannel: (channel, kill) => void Object.assign(parts, { channel, kill }),
    });
    const ended = run.then(
      ({ unbegun, how, stderr }) => ({
        how: unbegun ?? `${how}\n${stderr}`.trimEnd(),
        isUnbegun: unbegun !== undefined,
      }),
      (error: unknown) => ({ how: String(error), isUnbegun: false }),
    );
    return { process: { ...(parts as Required<typeof parts>), beginning, ended }, run };
  };
}

/** Snapshots and states that a process can begin with. */
function phasesOf({ recording, states, from }: EngineWanted): number[] {
  const own = new Set(recording.traces().find(({ worker }) => worker === 0)?.phases);
  const its = recording.snapshots().flatMap(({ phase }) => (own.has(phase) ? [phase] : []));
  const between = states?.snapshots().map(({ phase }) => phase) ?? [];
  return [...its, ...between].filter((phase) => phase > (from ?? 0)).toSorted((a, b) => a - b);
}

function placeOf(phase: number | undefined, wanted: EngineWanted): StartSnapshot | undefined {
  return phase === undefined ? undefined : { from: phase, state: stateAt(phase, wanted) };
}

/** Where one of the survey's states is; nothing, if the recording has a snapshot of then. */
function stateAt(phase: number, { recording, states }: EngineWanted): CheckpointPlace | undefined {
  if (states === undefined || recording.phases().includes(phase) || !states.phases().includes(phase)) return undefined;
  try {
    using state = states.readSnapshot(phase);
    const { lives } = state.meta as unknown as Pick<CheckpointPlace, 'lives'>;
    return { directory: states.directory, lives };
  } catch {
    // It has just gone: the process says that it cannot begin with it.
    return undefined;
  }
}

/** Standby process that the engines of one recording share. */
export function standbyFor(wanted: EngineWanted): StandbyProcess {
  const begin = beginningOf(wanted);
  const [first] = phasesOf(wanted);
  let looksInto = MOST_LOOKED_INTO;
  return new StandbyProcess((assignment) => {
    if (assignment !== undefined) return begin(assignment, { compares: false, isStandby: true });
    const begun = begin(placeOf(first, wanted), { compares: false, isStandby: true, looksInto }, 'ready');
    // What it has found is kept for the next ones.
    looksInto = 1;
    return begun;
  });
}

/** Snapshots into which the first process looks that waits: what is asked of a program's code is nearly the same in all. */
const MOST_LOOKED_INTO = 12;

/** Recordings, of which it has been said what makes all ways in them longer: by one of their engines. */
const warned = new Set<string>();

/** @param survey made in debug mode, from the same snapshot on @param ready closed with the engine */
export function engineOn(
  survey: Survey,
  wanted: EngineWanted,
  ready: StandbyProcess = standbyFor(wanted),
): RecordedEngine {
  const { recording, directory, states, from, compares = false, memory = usualMemory(), started, ran } = wanted;
  const phases = phasesOf(wanted);
  const begin = beginningOf(wanted);
  let count = 0;
  const start = (phase: number | undefined, wishes: ProcessOptions = {}, urgency: Urgency = 'now'): ReplayProcess => {
    const place = placeOf(phase ?? from, wanted);
    count++;
    const { process, run } =
      place === undefined || compares
        ? begin(place, { compares: compares && Object.keys(wishes).length === 0, ...wishes })
        : ready.assign({ ...place, ...wishes }, urgency);
    started?.(process);
    run.then(ran, () => undefined);
    return process;
  };
  // Who goes back, or far, once will again; in a long recording whoever has opened it will soon.
  const rests = (isLong: boolean): void => {
    if ((count > 1 || isLong) && phases.length > 0 && !compares) ready.prepare();
  };
  const isUsable = (phase: number): boolean => recording.isWhole(phase) || states?.isWhole(phase) === true;
  const beginning = (): Beginning => (ready.isWaiting ? 'ready' : 'anew');
  const closes = (): void => ready.close();
  const warns = (text: string): void => {
    if (!warned.has(directory)) process.emitWarning(text, { code: 'TT_SNAPSHOTS_PASSED_OVER' });
    warned.add(directory);
  };
  return new RecordedEngine({ survey, phases, isUsable, start, beginning, memory, rests, closes, warns });
}
