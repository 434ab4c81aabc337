// The engine of a recording: its survey, made in debug mode, and processes that run it again as far as they are told.
import type { Duplex } from 'node:stream';
import type { Recording } from '@turntable/recording';
import { RecordedEngine, type BreakPlace, type EngineProcess, type Survey } from '@turntable/replay';
import { runAgain, type Ran } from '../replay/run-again.ts';
import { surveyOf } from '../replay/surveyed.ts';

export interface EngineWanted {
  readonly recording: Recording;
  /** Where it is. */
  readonly directory: string;
  /** The snapshot that it begins with; the start. */
  readonly from: number | undefined;
  /** States are compared with those of the recording where a process goes on to the end. */
  readonly compares?: boolean;
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
  const { directory, from: phase } = wanted;
  const { survey } = await surveyOf(directory, { phase, isForced: false, isAnew: false, debug: true });
  return { engine: engineOn(survey, wanted), survey };
}

/** @param survey made in debug mode, from the same snapshot on */
export function engineOn(
  survey: Survey,
  { recording, directory, from, compares = false, started, ran }: EngineWanted,
): RecordedEngine {
  const own = new Set(recording.traces().find(({ worker }) => worker === 0)?.phases);
  const phases = recording.snapshots().flatMap(({ phase }) => (phase > (from ?? 0) && own.has(phase) ? [phase] : []));
  const start = (phase: number | undefined, places?: readonly BreakPlace[]): EngineProcess => {
    const engine = { compares: compares && places === undefined, places };
    const order = { recording: directory, code: 'recorded', from: phase ?? from, engine } as const;
    const parts: { channel?: Duplex; kill?: () => void } = {};
    const run = runAgain(recording, order, {
      console: 'mute',
      json: true,
      onChannel: (channel, kill) => void Object.assign(parts, { channel, kill }),
    });
    const ended = run.then(
      (result) => {
        ran?.(result);
        return result.unbegun ?? `${result.how}\n${result.stderr}`.trimEnd();
      },
      (error: unknown) => String(error),
    );
    const process = { ...(parts as Required<typeof parts>), ended };
    started?.(process);
    return process;
  };
  return new RecordedEngine({ survey, phases, start });
}
