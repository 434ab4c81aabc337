// A peer in a process of its own, held to the cores it is to have: what it prints at its end is all it says.

import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { BenchError } from '../harness/session.ts';
import type { Peer, PeerProgram } from './catalog.ts';
import type { Size } from './js/measure.ts';

export interface PeerEffort {
  /** At least so many iterations, and so many milliseconds of them, untimed. */
  readonly warmups: number;
  readonly warmupTime: number;
  /** Timed ones, fewer when the limit, in milliseconds, has passed. */
  readonly samples: number;
  readonly limit: number;
}

export interface PeerOutcome {
  /** Milliseconds for each iteration: elapsed, and used by all threads. */
  readonly iterations: readonly number[];
  readonly cpu: readonly number[];
  readonly result: number;
}

/** Where Turntable's packages are found from. */
const ROOT = new URL('../../', import.meta.url);
/** Of util-linux. */
const PIN_COMMAND = 'taskset';
/** No iteration of any peer takes this long. */
const HANG_TIMEOUT_MS = 10 * 60_000;

/** A core to be alone on, if this system can do that. */
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
  if (line === undefined) throw new BenchError('TT_BENCH_PEER', `${peer.name} has printed no figures: ${output}`);
  const outcome = JSON.parse(line) as PeerOutcome;
  const expected = program.result(size);
  if (outcome.result !== expected)
    throw new BenchError('TT_BENCH_RESULT', `${peer.name} answers ${outcome.result}, which should be ${expected}`);
  return outcome;
}

/** Enough of what it complains of to know what it is. */
function firstLines(text: string): string {
  return text.trim().split('\n').slice(0, 8).join('\n    ');
}

function runForOutput(file: string, args: readonly string[], env: NodeJS.ProcessEnv, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(file, args, { cwd: ROOT, env, timeout: HANG_TIMEOUT_MS, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const status = error.killed === true ? 'takes too long' : `has failed, exit code ${String(error.code)}`;
      reject(new BenchError('TT_BENCH_PEER', `${name} ${status}: ${firstLines(stderr)}`, { cause: error }));
    });
  });
}
