// Runs of whole processes of Turntable as it is installed: running from sources takes half a second longer to start.

import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { listRecordings } from '@turntable/recording';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const CLI: string = join(ROOT, 'packages/turntable/dist/cli.js');
const CLI_SOURCE = join(ROOT, 'packages/turntable/src/cli.ts');
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

export interface WholeRun {
  readonly stdout: string;
  /** Elapsed milliseconds. */
  readonly elapsedMs: number;
}

/**
 * Arguments of Node for the bundled command line: unbundled, each thread loads hundreds of files, a millisecond each.
 */
export const BUNDLED_CLI_ARGS: readonly string[] = [
  '-C',
  'turntable-bundled',
  join(ROOT, 'packages/turntable/bundled/cli.js'),
];

export async function bundle(): Promise<void> {
  const [{ bundlePackages }, { sourcesDigest }] = await Promise.all([
    import('../../scripts/bundled-packages.ts'),
    import('../../scripts/transformed-cache.ts'),
  ]);
  await bundlePackages(ROOT, sourcesDigest(ROOT));
}

/** Compiles the packages, so that benches run the current sources. */
export async function build(): Promise<void> {
  await run([COMPILER, '--build', ROOT]);
}

/** @param cli arguments of Node for the command line */
export function recordProgram(
  recordings: string,
  program: readonly string[],
  cli: readonly string[] = [CLI],
): Promise<WholeRun> {
  return run([...cli, 'record', '--recordings', recordings, ...program]);
}

/** Replays the only recording in the directory. */
export async function replayRecording(recordings: string): Promise<WholeRun & { readonly verdict: string }> {
  const replay = await run([CLI, 'replay', recordings, '--console', 'mute', '--json']);
  const { verdict } = JSON.parse(replay.stdout) as { verdict: string };
  return { ...replay, verdict };
}

async function run(args: readonly string[]): Promise<WholeRun> {
  const startedAt = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 26 });
  return { stdout, elapsedMs: performance.now() - startedAt };
}

/** Replays the only recording in the directory from sources. @param args the range, `--from` and `--until` */
export async function replayRange(
  recordings: string,
  args: readonly string[],
): Promise<WholeRun & { readonly verdict: string }> {
  const options = ['--console', 'mute', '--json', ...args];
  const replay = await run(['-C', 'turntable-source', CLI_SOURCE, 'replay', recordings, ...options]);
  const { verdict } = JSON.parse(replay.stdout) as { verdict: string };
  return { ...replay, verdict };
}

/** Size of all traces on disk. */
export function traceBytes(recordings: string): number {
  return listRecordings(recordings)
    .map(({ directory }) => join(directory, 'traces'))
    .flatMap((directory) => readdirSync(directory).map((file) => statSync(join(directory, file)).size))
    .reduce((sum, size) => sum + size, 0);
}
