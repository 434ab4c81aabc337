// Runs a peer in its own process, pinned to its core, and reads the figures from its output.

import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { BenchError } from '../harness/session.ts';
import type { Peer, PeerProgram } from './catalog.ts';
import type { Size } from './js/measure.ts';

export interface PeerEffort {
  /** Untimed iterations: minimum number, and minimum time in milliseconds. */
  readonly warmups: number;
  readonly warmupTime: number;
  /** Timed iterations, fewer once the limit in milliseconds has passed. */
  readonly samples: number;
  readonly limit: number;
}

export interface PeerOutcome {
  /** Milliseconds of each iteration: elapsed, and CPU time of all threads. */
  readonly iterations: readonly number[];
  readonly cpu: readonly number[];
  readonly result: number;
}

/** Working directory, from which Turntable's packages resolve. */
const ROOT = new URL('../../', import.meta.url);
/** Command of util-linux. */
const PIN_COMMAND = 'taskset';
/** Longer than an iteration of any peer. */
const HANG_TIMEOUT_MS = 10 * 60_000;

/** The last allowed core, for a peer alone; undefined if the system cannot pin processes. */
export function lastCore(): number | undefined {
  if (spawnSync(PIN_COMMAND, ['--version']).status !== 0) return undefined;
  const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return allowed === undefined ? undefined : Number(/\d+$/.exec(allowed)?.[0]);
}

export async function runPeer(
  peer: Peer,
  program: PeerProgram,
  size: Size,
  effort: PeerEffort,
  core: number | undefined,
): Promise<PeerOutcome> {
  const { warmups, warmupTime, samples, limit } = effort;
  const numbers = [size.actors, size.count, warmups, warmupTime, samples, limit].map(String);
  const pinned = core === undefined || peer.threads > 1 ? [] : [PIN_COMMAND, '-c', String(core)];
  const [file = '', ...args] = [...pinned, ...peer.command, program.name, ...numbers];
  const output = await runForOutput(file, args, { ...process.env, ...peer.environment }, peer.name);
  const line = output.split('\n').findLast((each) => each.startsWith('{"'));
  if (line === undefined) throw new BenchError('TT_BENCH_PEER', `${peer.name} printed no figures: ${output}`);
  const outcome = JSON.parse(line) as PeerOutcome;
  const expected = program.result(size);
  if (outcome.result !== expected)
    throw new BenchError('TT_BENCH_RESULT', `${peer.name} returned ${outcome.result} instead of ${expected}`);
  return outcome;
}

/** First lines of an error output. */
function firstLines(text: string): string {
  return text.trim().split('\n').slice(0, 8).join('\n    ');
}

function runForOutput(file: string, args: readonly string[], env: NodeJS.ProcessEnv, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { cwd: ROOT, env, timeout: HANG_TIMEOUT_MS, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const status = error.killed === true ? 'timed out' : `failed with exit code ${String(error.code)}`;
      reject(new BenchError('TT_BENCH_PEER', `${name} ${status}: ${firstLines(stderr)}`, { cause: error }));
    });
  });
}
