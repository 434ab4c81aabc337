// Records and replays a program with a tape in memory, each in a separate process.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FLAGS } from '../../../../scripts/tested-form.ts';
import { runWith, type Outcome, type ProgramRunOptions } from '../../../loader/test/running.ts';

const REGISTER = pathToFileURL(fileURLToPath(new URL('register.ts', import.meta.url))).href;

function runTaped(directory: string, main: string, environment: Record<string, string>, options: ProgramRunOptions) {
  const args = [...(options.flags ?? []), ...FLAGS, '--import', REGISTER, join(directory, main)];
  return runWith(directory, args, {
    environment: { ...options.environment, ...environment, TAPE: join(directory, 'tape') },
  });
}

export function recordProgram(directory: string, main: string, options: ProgramRunOptions = {}): Promise<Outcome> {
  return runTaped(directory, main, {}, options);
}

export function replayProgram(directory: string, main: string, options: ProgramRunOptions = {}): Promise<Outcome> {
  return runTaped(directory, main, { TAPE_MODE: 'replay' }, options);
}
