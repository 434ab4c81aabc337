// What commands have in common that do something with the traces of a recording: wishes that are none are refused, a packed recording is unpacked for as long as it takes,
// and what cannot be done is told in a line.
import { resolve } from 'node:path';
import { tracedIn, whyNoPlace, withRecording } from '@turntable/replayer/replay';
import { argumentsAbout, type Arguments, type Options } from './arguments.ts';
import { toldFailure, usageError } from './told-failure.ts';

/**
 * Answers the exit code.
 * @param wishes what is wrong with the arguments, if it is a text
 * @param run is given the directory of the recording and, if it was packed, the file that it was in
 * @param refused is told of what cannot be done, besides
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
