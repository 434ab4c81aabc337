// The setups in which Acme Air is measured, and how a sample of one is taken.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from '../../examples/acmeair/load/load.ts';
import type { Lane, Sampler } from '../harness/interleaved.ts';
import { BenchService } from '../harness/service.ts';
import { BenchError } from '../harness/session.ts';
import type { Usage } from '../harness/usage.ts';
import { pacedLoad } from './paced.ts';
import { snapshotsIn, type SnapshotSample } from './snapshots.ts';
import { Tally } from './tally.ts';

const AIRLINE = fileURLToPath(new URL('../../examples/acmeair/src/main.ts', import.meta.url));
const REGISTER = ['--import', 'turntable/register'];
const JARDIS = ['--import', import.meta.resolve('../jardis/register.ts')];

export interface AirlineSetup {
  readonly name: string;
  readonly description: string;
  /** Name of the setup that it is compared with. */
  readonly base: string;
  readonly workers: number;
  readonly execArgv: readonly string[];
  /** Environment that turns recording on; undefined if the setup records nothing. */
  readonly recordingEnv?: NodeJS.ProcessEnv;
}

const WORKER_COUNT = 2;
const SNAPSHOTS_ENV = { TURNTABLE_SNAPSHOTS: 'requests=1000', TURNTABLE_KEEP: 'count=20' };
const TRACE_ENV = { TURNTABLE_TRACE: '1' };
const PLAIN = { base: 'plain', workers: 0, execArgv: [] };
const OFF = { base: 'off', workers: WORKER_COUNT, execArgv: REGISTER };

/** A setup named `… control` repeats its base; the difference between the two is the noise. */
export const SETUPS: readonly AirlineSetup[] = [
  { name: 'plain', description: 'Node without hooks: actors on the main thread', ...PLAIN },
  { name: 'plain control', description: 'the same setup again: the noise', ...PLAIN },
  { name: 'off', description: `Turntable on ${WORKER_COUNT} workers, recording nothing`, ...OFF },
  { name: 'off control', description: 'the same setup again: the noise', ...OFF },
  { name: 'traced', description: 'recorded with traces', ...OFF, recordingEnv: TRACE_ENV },
  { name: 'snapshots', description: 'a snapshot every 1000 requests', ...OFF, recordingEnv: SNAPSHOTS_ENV },
  {
    name: 'both',
    description: 'traces, and a snapshot every 1000 requests',
    ...OFF,
    recordingEnv: { ...TRACE_ENV, ...SNAPSHOTS_ENV },
  },
  {
    name: 'one loop',
    description: 'the same on the main thread',
    base: 'plain',
    workers: 0,
    execArgv: REGISTER,
    recordingEnv: { ...TRACE_ENV, ...SNAPSHOTS_ENV },
  },
  {
    name: 'jardis',
    description: 'one event loop, contents logged, the world stopped for a snapshot after 2 s of work',
    base: 'plain',
    workers: 0,
    execArgv: [...JARDIS, ...REGISTER],
    recordingEnv: {},
  },
];

export const CONTROLS: Readonly<Record<string, string>> = { plain: 'plain control', off: 'off control' };

export interface AirlineEffort {
  readonly customers: number;
  /** Requests of a sample in a closed loop, then at a rate. */
  readonly requests: number;
  readonly pacedRequests: number;
  readonly rate: number;
}

/** As in the papers, where JMeter had two threads. */
export const CONNECTIONS = 2;
const PACED_CONNECTIONS = 16;

export interface LoadSample {
  readonly latency: Tally;
  readonly usage: Usage;
  /** Milliseconds from the start to the last response. */
  readonly elapsedMs: number;
}

export interface AirlineSample {
  readonly closed: LoadSample;
  readonly paced: LoadSample;
}

/** Acme Air in its own process, with a filled database. */
export class AirlineProcess {
  readonly #service: BenchService;
  readonly recordings: string | undefined;
  readonly #customers: number;
  static readonly #open = new Set<AirlineProcess>();
  static #isStopped = false;

  private constructor(service: BenchService, recordings: string | undefined, customers: number) {
    this.#service = service;
    this.recordings = recordings;
    this.#customers = customers;
    AirlineProcess.#open.add(this);
  }

  /** Ends all open processes and lets no further one open. */
  static async endAll(): Promise<void> {
    this.#isStopped = true;
    for (const airline of AirlineProcess.#open) {
      await airline.end();
      airline.removeRecordings();
    }
  }

  static async open(
    { workers, execArgv, recordingEnv }: AirlineSetup,
    customers: number,
    env: NodeJS.ProcessEnv = {},
  ): Promise<AirlineProcess> {
    const recordings = recordingEnv === undefined ? undefined : mkdtempSync(join(tmpdir(), 'turntable-bench-'));
    try {
      const service = await BenchService.start({
        file: AIRLINE,
        execArgv,
        env: {
          ACMEAIR_PORT: '0',
          ACMEAIR_WORKERS: String(workers),
          ACMEAIR_CUSTOMERS: String(customers),
          ...(recordings !== undefined && { TURNTABLE_RECORDINGS: recordings, ...recordingEnv }),
          ...env,
        },
      });
      await (await fetch(`${service.url}/rest/api/loader/load`)).text();
      if (!this.#isStopped) return new AirlineProcess(service, recordings, customers);
      await service.stop();
      throw new BenchError('TT_BENCH_STOPPED', 'no further Acme Air process may open');
    } catch (error) {
      if (recordings !== undefined) rmSync(recordings, { recursive: true, force: true });
      throw error;
    }
  }

  /** Closed loop: each connection sends its next request when the previous one is answered. */
  closedLoad(requests: number, seed: number): Promise<LoadSample> {
    return this.#measure((answer) =>
      load({ ...this.#target, connections: CONNECTIONS, requests, seed, onAnswer: answer }),
    );
  }

  pacedLoad(requests: number, rate: number, seed: number): Promise<LoadSample> {
    return this.#measure((answer) =>
      pacedLoad({ ...this.#target, connections: PACED_CONNECTIONS, requests, rate, seed, onAnswer: answer }),
    );
  }

  get #target(): { readonly url: string; readonly customers: number } {
    return { url: this.#service.url, customers: this.#customers };
  }

  async #measure(visit: (answer: Tally['add']) => Promise<{ readonly failed: number }>): Promise<LoadSample> {
    await this.#service.usage();
    const latency = new Tally();
    const startedAt = performance.now();
    // The load generator may notice the end only once a second, so the last response is the end.
    let lastAnswerAt = startedAt;
    const { failed } = await visit((kind, milliseconds) => {
      lastAnswerAt = performance.now();
      latency.add(kind, milliseconds);
    });
    const elapsedMs = lastAnswerAt - startedAt;
    if (failed > 0) throw new BenchError('TT_BENCH_FAILURE', `Acme Air refused ${failed} requests`);
    return { latency, usage: await this.#service.usage(), elapsedMs };
  }

  /** Stops the process; its recordings stay until `removeRecordings`. */
  end(): Promise<void> {
    AirlineProcess.#open.delete(this);
    return this.#service.stop();
  }

  removeRecordings(): void {
    if (this.recordings !== undefined) rmSync(this.recordings, { recursive: true, force: true });
  }
}

/** @param onSnapshots gets the snapshots of each process when it ends */
export function createLane(
  setup: AirlineSetup,
  effort: AirlineEffort,
  onSnapshots: (snapshots: readonly SnapshotSample[]) => void,
): Lane<AirlineSample> {
  const { customers, requests, pacedRequests, rate } = effort;
  return {
    name: setup.name,
    async open(): Promise<Sampler<AirlineSample>> {
      const airline = await AirlineProcess.open(setup, customers);
      return {
        sample: async (step) => ({
          closed: await airline.closedLoad(requests, 1 + 2 * step),
          paced: await airline.pacedLoad(pacedRequests, rate, 2 + 2 * step),
        }),
        async close() {
          try {
            await airline.end();
            if (airline.recordings !== undefined) onSnapshots(snapshotsIn(airline.recordings));
          } finally {
            airline.removeRecordings();
          }
        },
      };
    },
  };
}
