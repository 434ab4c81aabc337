// Shared parts of the commands that read the traces of a recording: they refuse wrong arguments, unpack a packed
// recording while they run, and report an error in one line.
import { resolve } from 'node:path';
import { resolveTracedRecording, recordingPathProblem, withRecording } from '@turntable/replayer/replay';
import type { CommandLine } from '../command-line/command-line.ts';
import { parseSubjectArguments, type CommandArguments } from './arguments.ts';
import { reportFailure, reportUsageError } from './failure.ts';

/**
 * Runs a command on a recording; returns the exit code.
 * @param options the parsed options, or a usage problem
 * @param run gets the recording's directory and, if the recording was packed, its file
 * @param onRefused gets the error or the usage problem before it is reported
 */
export async function runOnRecording<W extends { readonly path: string }>(
  command: string,
  options: W | string,
  run: (directory: string, file: string | undefined, options: W) => Promise<number>,
  onRefused: (error: unknown) => void = () => {},
): Promise<number> {
  if (typeof options === 'string') {
    onRefused(new Error(options));
    return reportUsageError(command, options);
  }
  try {
    return await withRecording(resolve(options.path), (path, file) => run(resolveTracedRecording(path), file, options));
  } catch (error) {
    onRefused(error);
    return reportFailure(command, options.path, error);
  }
}

/** Parses the arguments of a command that requires an existing recording; returns a usage problem, if any. */
export function parseRecordingArguments<C extends CommandLine>(
  args: readonly string[],
  command: C,
): (CommandArguments<C> & { readonly subject: string }) | string {
  const parsed = parseSubjectArguments(args, command, { subjectName: 'recording' });
  return typeof parsed === 'string' ? parsed : (recordingPathProblem(parsed.subject) ?? parsed);
}
