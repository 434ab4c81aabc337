// `turntable restore STATE|DIR`: a process that goes on from a state or from a snapshot of a recording, with this process's terminal, signals and exit code.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode, splitArguments } from './run.ts';

export function restore(args: readonly string[]): Promise<number> | number {
  const { phase, others } = withoutPhase(args);
  const { environment, flags, missing, file, rest } = splitArguments(others);
  const wrong =
    missing !== undefined
      ? `${missing} lacks its value; write ${missing}=…`
      : file === undefined
        ? 'which state? Usage: turntable restore [flags] STATE|DIR'
        : rest.length > 0
          ? 'a program that goes on has the arguments it was started with; none can be given'
          : existsSync(file)
            ? undefined
            : `there is no file ${file}`;
  if (wrong !== undefined || file === undefined) {
    process.stderr.write(`turntable restore: ${wrong}\n`);
    return 2;
  }
  if (phase !== undefined && !/^\d+$/.test(phase)) {
    process.stderr.write(`turntable restore: --phase takes the number of a snapshot, not "${phase}"\n`);
    return 2;
  }
  const entry = fileURLToPath(import.meta.resolve('turntable/resume'));
  return runNode([...flags], entry, [], {
    ...environment,
    TURNTABLE_RESTORE: resolve(file),
    ...(phase === undefined ? {} : { TURNTABLE_RESTORE_PHASE: phase }),
  });
}

/** `--phase N`: which snapshot of a recording. */
function withoutPhase(args: readonly string[]): { phase: string | undefined; others: string[] } {
  const at = args.findIndex((arg) => arg === '--phase' || arg.startsWith('--phase='));
  if (at < 0) return { phase: undefined, others: [...args] };
  const given = args[at] as string;
  const isApart = given === '--phase';
  const phase = isApart ? (args[at + 1] ?? '') : given.slice('--phase='.length);
  return { phase, others: args.filter((_, i) => i !== at && !(isApart && i === at + 1)) };
}
