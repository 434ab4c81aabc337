// Finds the processes that a test file has started, whatever their parents are by now. The setup file of test workers
// puts the file's scratch directory into the environment, children inherit it, and it is in many a command line as
// well.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessReport } from './report.ts';

/** Environment variable that names the scratch directory of the test file, which no other file of any run has. */
export const SCRATCH_VARIABLE = 'TURNTABLE_TEST_SCRATCH';

/** Milliseconds for which a process that was sent a signal, or is about to exit by itself, may still be there. */
const GRACE_MS = 1000;
const POLL_MS = 20;

/** Processes of the file with this scratch directory; undefined on systems without `/proc`. */
export function processesOf(scratch: string): ProcessReport[] | undefined {
  let names: string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  } catch {
    return undefined;
  }
  return names.flatMap((name) => {
    const command = readProcessFile(name, 'cmdline');
    const isOfFile =
      readProcessFile(name, 'environ').includes(`${SCRATCH_VARIABLE}=${scratch}`) ||
      command.some((argument) => argument.includes(scratch));
    return isOfFile ? [{ pid: Number(name), command: command.join(' ').trim() }] : [];
  });
}

/** Processes of the file that are still running when the grace period is over. */
export async function processesLeftOf(scratch: string): Promise<ProcessReport[] | undefined> {
  const deadline = Date.now() + GRACE_MS;
  for (;;) {
    const found = processesOf(scratch);
    if (found === undefined || found.length === 0 || Date.now() >= deadline) return found;
    await delay(POLL_MS);
  }
}

export function killAll(processes: readonly ProcessReport[]): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has exited meanwhile.
    }
  }
}

/** Entries of a file in which NUL ends each; none if the process is gone, a zombie, or another user's. */
function readProcessFile(name: string, file: 'cmdline' | 'environ'): string[] {
  try {
    return readFileSync(`/proc/${name}/${file}`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
