// Options that `debug` and `devtools` share: the recording or running program to open, and how to replay it.
import { openRecentRecordings, runningRecordingOf, recordingPathProblem } from '@turntable/replayer/replay';
import {
  serveRecording,
  serveLiveRecording,
  type ServedRecording,
  type OpenOptions,
} from '../debug/served-recording.ts';
import { phaseProblem, portProblem } from './arguments.ts';
import { runOnRecording } from './recording-command.ts';
import { reportFailure } from './failure.ts';

interface OpenFlagValues extends Partial<Record<'pid' | 'port' | 'phase', string | undefined>> {
  readonly force: boolean;
  readonly rebuild: boolean;
  readonly trusted: boolean;
  readonly 'require-isolation': boolean;
}

export interface OpenCommandOptions extends OpenOptions {
  readonly path: string;
  /** Process id of the running program whose recording is opened. */
  readonly pid: number | undefined;
  readonly port: number;
}

/** Parses the options; returns a usage problem, if any. @param canBeLive whether `--pid` is allowed */
export function parseOpenOptions(
  { pid, port, phase, force, rebuild, trusted, 'require-isolation': requiresIsolation }: OpenFlagValues,
  { path, canBeLive = true }: { path: string | undefined; canBeLive?: boolean },
): OpenCommandOptions | string {
  if (pid !== undefined && (path !== undefined || !canBeLive || !/^\d{1,10}$/.test(pid)))
    return `--pid must be a process id, without a recording`;
  const problem =
    (path === undefined ? undefined : recordingPathProblem(path)) ?? phaseProblem(phase) ?? portProblem(port);
  if (problem !== undefined) return problem;
  return {
    path: path ?? '',
    pid: pid === undefined ? undefined : Number(pid),
    port: Number(port ?? 0),
    phase: phase === undefined ? undefined : Number(phase),
    isForced: force,
    isFresh: rebuild,
    isTrusted: trusted,
    requiresIsolation,
  };
}

/** Does `runOnRecording` for a recording or a running program. @param run also gets the recording's name in messages */
export async function runOnOpened<W extends OpenCommandOptions>(
  command: string,
  options: W | string,
  run: (directory: string, name: string, options: W) => Promise<number>,
  onRefused?: (error: unknown) => void,
): Promise<number> {
  const runNamed = (directory: string, file: string | undefined, runOptions: W): Promise<number> =>
    run(directory, file ?? directory, runOptions);
  if (typeof options === 'string' || options.pid === undefined)
    return runOnRecording(command, options, runNamed, onRefused);
  try {
    return await runOnRecording(
      command,
      { ...options, path: await runningRecordingOf(options.pid) },
      runNamed,
      onRefused,
    );
  } catch (error) {
    onRefused?.(error);
    return reportFailure(command, undefined, error);
  }
}

export async function openForCommand(
  directory: string,
  name: string,
  options: OpenCommandOptions,
): Promise<ServedRecording> {
  if (options.pid !== undefined) return serveLiveRecording(directory, name, options);
  const recording = await serveRecording(directory, name, options);
  openRecentRecordings().add(name);
  return recording;
}
