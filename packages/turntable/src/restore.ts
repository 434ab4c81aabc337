// `turntable restore FILE`: a process that goes on from a state, with this process's terminal, signals and exit code.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode, splitArguments } from './run.ts';

export function restore(args: readonly string[]): Promise<number> | number {
  const { environment, flags, missing, file, rest } = splitArguments(args);
  const wrong =
    missing !== undefined
      ? `${missing} lacks its value; write ${missing}=…`
      : file === undefined
        ? 'which state? Usage: turntable restore [flags] FILE'
        : rest.length > 0
          ? 'a program that goes on has the arguments it was started with; none can be given'
          : existsSync(file)
            ? undefined
            : `there is no file ${file}`;
  if (wrong !== undefined || file === undefined) {
    process.stderr.write(`turntable restore: ${wrong}\n`);
    return 2;
  }
  const entry = fileURLToPath(import.meta.resolve('turntable/resume'));
  return runNode([...flags], entry, [], { ...environment, TURNTABLE_RESTORE: resolve(file) });
}
