// What `debug` and `devtools` have in common: which recording or running program they open, and how it is replayed.
import { recentPlaces, recordingOf, whyNoPlace } from '@turntable/replayer/replay';
import { openedRecording, openedSoFar, type OpenedRecording, type OpenWish } from '../debug/opened.ts';
import { whyNoPhase, whyNoPort } from './arguments.ts';
import { onTraces } from './on-traces.ts';
import { toldFailure } from './told-failure.ts';

export const OPENING_OPTIONS = {
  pid: { type: 'string' },
  port: { type: 'string' },
  phase: { type: 'string' },
  force: { type: 'boolean', default: false },
  anew: { type: 'boolean', default: false },
  trusted: { type: 'boolean', default: false },
} as const;

interface Values extends Partial<Record<'pid' | 'port' | 'phase', string | undefined>> {
  readonly force: boolean;
  readonly anew: boolean;
  readonly trusted: boolean;
}

export interface Opening extends OpenWish {
  readonly place: string;
  /** Of the running program that records to it. */
  readonly pid: number | undefined;
  readonly port: number;
}

/** Or what is wrong with the arguments. @param canBeLive whether a running program can be opened here, too */
export function openingOf(
  { pid, port, phase, force, anew, trusted }: Values,
  { place, usage, canBeLive = true }: { place: string | undefined; usage: string; canBeLive?: boolean },
): Opening | string {
  if (pid !== undefined && (place !== undefined || !canBeLive || !/^\d{1,10}$/.test(pid)))
    return `--pid takes the number of a process, in the place of a recording. ${usage}`;
  const why = (place === undefined ? undefined : whyNoPlace(place)) ?? whyNoPhase(phase) ?? whyNoPort(port);
  if (why !== undefined) return why;
  return {
    place: place ?? '',
    pid: pid === undefined ? undefined : Number(pid),
    port: Number(port ?? 0),
    phase: phase === undefined ? undefined : Number(phase),
    isForced: force,
    isAnew: anew,
    isTrusted: trusted,
  };
}

/** As `onTraces`; `run` is also given the name of the recording. */
export async function onOpening<W extends Opening>(
  command: string,
  wishes: W | string,
  run: (directory: string, name: string, wishes: W) => Promise<number>,
  refused?: (error: unknown) => void,
): Promise<number> {
  const named = (directory: string, file: string | undefined, its: W): Promise<number> =>
    run(directory, file ?? directory, its);
  if (typeof wishes === 'string' || wishes.pid === undefined) return onTraces(command, wishes, named, refused);
  try {
    return await onTraces(command, { ...wishes, place: await recordingOf(wishes.pid) }, named, refused);
  } catch (error) {
    refused?.(error);
    return toldFailure(command, undefined, error);
  }
}

export async function opened(directory: string, name: string, wishes: Opening): Promise<OpenedRecording> {
  if (wishes.pid !== undefined) return openedSoFar(directory, name, wishes);
  const recording = await openedRecording(directory, name, wishes);
  recentPlaces().note(name);
  return recording;
}
