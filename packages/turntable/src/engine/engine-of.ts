// The engine of a recording: its survey, made in debug mode, and processes that run it again as far as they are told.
import { totalmem } from 'node:os';
import type { Duplex } from 'node:stream';
import type { Recording } from '@turntable/recording';
import { RecordedEngine, type EngineProcess, type ProcessWishes, type Survey, type Urgency } from '@turntable/replay';
import type { EngineWishes } from '../replay/replay-order.ts';
import { runAgain, type Ran } from '../replay/run-again.ts';
import { surveyOf } from '../replay/surveyed.ts';
import { ReadyProcess, type Begun } from './ready-process.ts';

export interface EngineWanted {
  readonly recording: Recording;
  /** Where it is. */
  readonly directory: string;
  /** The snapshot that it begins with; the start. */
  readonly from: number | undefined;
  /** States are compared with those of the recording where a process goes on to the end. */
  readonly compares?: boolean;
  /** Where its processes keep transformed code, if they may do nothing but what they need. */
  readonly cache?: string | undefined;
  /** Bytes that processes may take which stand where the engine has been. */
  readonly memory?: number;
  /** Is told of each process that is started. */
  readonly started?: (process: EngineProcess) => void;
  /** Is told what came of each process. */
  readonly ran?: (ran: Ran) => void;
}

export interface EngineOf {
  readonly engine: RecordedEngine;
  readonly survey: Survey;
}

export async function engineOf(wanted: EngineWanted): Promise<EngineOf> {
  const { directory, from: phase, cache } = wanted;
  const { survey } = await surveyOf(directory, { phase, isForced: false, isAnew: false, debug: true, cache });
  return { engine: engineOn(survey, wanted), survey };
}

/** A debugger has two engines, and a machine has other work. */
function usualMemory(): number {
  return Math.min(totalmem() / 8, 2 ** 30);
}

/** @param survey made in debug mode, from the same snapshot on */
export function engineOn(
  survey: Survey,
  { recording, directory, from, compares = false, cache, memory = usualMemory(), started, ran }: EngineWanted,
): RecordedEngine {
  const own = new Set(recording.traces().find(({ worker }) => worker === 0)?.phases);
  const phases = recording.snapshots().flatMap(({ phase }) => (phase > (from ?? 0) && own.has(phase) ? [phase] : []));
  const permissions = cache === undefined ? undefined : { writes: [], cache };
  const begin = (phase: number | undefined, engine: EngineWishes): Begun => {
    const order = { recording: directory, code: 'recorded', from: phase, engine } as const;
    const parts: { channel?: Duplex; kill?: () => void } = {};
    const run = runAgain(recording, order, {
      console: 'mute',
      json: true,
      permissions,
      onChannel: (channel, kill) => void Object.assign(parts, { channel, kill }),
    });
    const ended = run.then(
      (result) => result.unbegun ?? `${result.how}\n${result.stderr}`.trimEnd(),
      (error: unknown) => String(error),
    );
    const beginning = engine.isCalled === true ? 'ready' : 'anew';
    return { process: { ...(parts as Required<typeof parts>), beginning, ended }, run };
  };
  const ready = new ReadyProcess(() => begin(phases[0], { compares: false, isCalled: true }));
  let count = 0;
  const start = (wanted: number | undefined, wishes: ProcessWishes = {}, urgency: Urgency = 'now'): EngineProcess => {
    const phase = wanted ?? from;
    count++;
    const mayWait = phase !== undefined && !compares && urgency === 'now';
    const { process, run } =
      (mayWait ? ready.take({ from: phase, ...wishes }) : undefined) ??
      begin(phase, { compares: compares && Object.keys(wishes).length === 0, ...wishes });
    started?.(process);
    run.then(ran, () => undefined);
    return process;
  };
  // Who goes back, or far, once will again.
  const rests = (): void => {
    if (count > 1 && phases.length > 0 && !compares) ready.prepare();
  };
  const isUsable = (phase: number): boolean => recording.isWhole(phase);
  const beginning = (): 'ready' | 'anew' => (ready.isWaiting ? 'ready' : 'anew');
  const closes = (): void => ready.close();
  return new RecordedEngine({ survey, phases, isUsable, start, beginning, memory, rests, closes });
}
