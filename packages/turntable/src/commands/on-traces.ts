// Shared by the commands that read the traces of a recording: they refuse wrong arguments, unpack a packed recording while they run, and report an error in one line.
import { resolve } from 'node:path';
import { tracedIn, whyNoPlace, withRecording } from '@turntable/replayer/replay';
import { argumentsAbout, type Arguments, type Options } from './arguments.ts';
import { toldFailure, usageError } from './told-failure.ts';

/**
 * Answers the exit code.
 * @param wishes a text says what is wrong with the arguments
 * @param run is given the directory of the recording and, if it was packed, its file
 * @param refused is also told the error
 */
export async function onTraces<W extends { readonly place: string }>(
  command: string,
  wishes: W | string,
  run: (directory: string, file: string | undefined, wishes: W) => Promise<number>,
  refused: (error: unknown) => void = () => {},
): Promise<number> {
  if (typeof wishes === 'string') {
    refused(new Error(wishes));
    return usageError(command, wishes);
  }
  try {
    return await withRecording(resolve(wishes.place), (place, file) => run(tracedIn(place), file, wishes));
  } catch (error) {
    refused(error);
    return toldFailure(command, wishes.place, error);
  }
}

/** The arguments of a command about a recording, which must exist; or what is wrong with them. */
export function recordingArguments<const T extends Options>(
  args: readonly string[],
  options: T,
  usage: string,
): (Arguments<T> & { readonly subject: string }) | string {
  const given = argumentsAbout(args, options, { usage, about: 'recording' });
  return typeof given === 'string' ? given : (whyNoPlace(given.subject) ?? given);
}
