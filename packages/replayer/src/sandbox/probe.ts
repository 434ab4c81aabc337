// Finds out whether namespaces can be used here, by starting Node in them.
import { spawnSync } from 'node:child_process';
import { TemporaryDirectory } from '../paths/recording-directory.ts';
import type { Namespaces } from './namespaces.ts';
import { machineLimits } from './process-limits.ts';

const PROBE_TIMEOUT_MS = 5000;

/** The first line of what the program printed, or how it failed; undefined if the namespaces work. */
export function probeFailure(namespaces: Namespaces): string | undefined {
  using root = new TemporaryDirectory();
  const view = { root: root.path, cwd: '/', readable: [process.execPath], writable: [] };
  const { file, args } = namespaces.isolate({ file: process.execPath, args: ['--version'] }, view, machineLimits());
  const { status, signal, error, stderr } = spawnSync(file, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'ignore', 'ignore', 'pipe'],
    timeout: PROBE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    env: {},
    encoding: 'utf8',
  });
  if (status === 0) return undefined;
  const [line = ''] = stderr.split('\n', 1);
  return line || (error?.message ?? `it ended with ${signal ?? `exit code ${status}`}`);
}
