// `turntable run FILE`: Node with the hooks in place, as a child that has this process's terminal, signals and exit code.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { existsSync } from 'node:fs';

const FORWARDED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export function run(args: readonly string[]): Promise<number> | number {
  const [file] = args;
  if (file === undefined || !existsSync(file)) {
    process.stderr.write(
      file === undefined
        ? 'turntable run: which file? Usage: turntable run FILE [arguments…]\n'
        : `turntable run: there is no file ${file}\n`,
    );
    return 2;
  }
  const child = spawn(
    process.execPath,
    [...process.execArgv, '--import', import.meta.resolve('turntable/register'), ...args],
    { stdio: 'inherit' },
  );
  const forward = (signal: NodeJS.Signals): boolean => child.kill(signal);
  for (const signal of FORWARDED) process.on(signal, forward);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const each of FORWARDED) process.off(each, forward);
      resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]);
    });
  });
}
