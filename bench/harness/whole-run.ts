// Runs of programs in processes of their own, from their start to their end, as Turntable is installed: sources take half a second longer to begin,
// whatever they do then.

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
  /** Milliseconds. */
  readonly elapsedMs: number;
}

/** What Node is given for the command line as it is published, each package in a file or two: of hundreds each thread of a process takes a millisecond for every one. */
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

/** What is run is what the sources say. */
export async function build(): Promise<void> {
  await run([COMPILER, '--build', ROOT]);
}

/** @param cli what Node is given for the command line */
export function recordProgram(
  recordings: string,
  program: readonly string[],
  cli: readonly string[] = [CLI],
): Promise<WholeRun> {
  return run([...cli, 'record', '--recordings', recordings, ...program]);
}

/** The only one there is. */
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

/** Of what was recorded from sources: the only one there is; `args` say from where and until where. */
export async function replayRange(
  recordings: string,
  args: readonly string[],
): Promise<WholeRun & { readonly verdict: string }> {
  const replay = await run([
    '-C',
    'turntable-source',
    CLI_SOURCE,
    'replay',
    recordings,
    '--console',
    'mute',
    '--json',
    ...args,
  ]);
  const { verdict } = JSON.parse(replay.stdout) as { verdict: string };
  return { ...replay, verdict };
}

/** Bytes on the disk. */
export function traceBytes(recordings: string): number {
  return listRecordings(recordings)
    .map(({ directory }) => join(directory, 'traces'))
    .flatMap((directory) => readdirSync(directory).map((file) => statSync(join(directory, file)).size))
    .reduce((sum, size) => sum + size, 0);
}
