// The ways in which Acme Air is run beside each other, and what a sample of one is.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from '../../examples/acmeair/load/load.ts';
import type { Lane, Sampled } from '../harness/interleaved.ts';
import { Service } from '../harness/service.ts';
import { BenchError } from '../harness/session.ts';
import type { Usage } from '../harness/usage.ts';
import { pacedLoad } from './paced.ts';
import { snapshotsIn, type TakenSnapshot } from './snapshots.ts';
import { Tally } from './tally.ts';

const AIRLINE = fileURLToPath(new URL('../../examples/acmeair/src/main.ts', import.meta.url));
const REGISTER = ['--import', 'turntable/register'];
const JARDIS = ['--import', import.meta.resolve('../jardis/register.ts')];

export interface Way {
  readonly name: string;
  readonly about: string;
  /** What it is compared with. */
  readonly base: string;
  readonly workers: number;
  readonly execArgv: readonly string[];
  /** Settings of what is recorded; nothing if nothing is. */
  readonly recorded?: NodeJS.ProcessEnv;
}

const WORKERS = 2;
const EVERY_1000 = { TURNTABLE_SNAPSHOTS: 'requests=1000', TURNTABLE_KEEP: 'count=20' };
const TRACED = { TURNTABLE_TRACE: '1' };
const plain = { base: 'plain', workers: 0, execArgv: [] };
const off = { base: 'off', workers: WORKERS, execArgv: REGISTER };

/** The control of one is the same once more. */
export const WAYS: readonly Way[] = [
  { name: 'plain', about: 'Node without hooks: actors on the only thread there is', ...plain },
  { name: 'plain again', about: 'the same: the noise', ...plain },
  { name: 'off', about: `Turntable on ${WORKERS} workers, recording nothing`, ...off },
  { name: 'off again', about: 'the same: the noise', ...off },
  { name: 'traced', about: 'recorded with traces', ...off, recorded: TRACED },
  { name: 'snapshots', about: 'a snapshot every 1000 requests', ...off, recorded: EVERY_1000 },
  { name: 'both', about: 'traces, and a snapshot every 1000 requests', ...off, recorded: { ...TRACED, ...EVERY_1000 } },
  {
    name: 'one loop',
    about: 'the same on the only thread there is',
    base: 'plain',
    workers: 0,
    execArgv: REGISTER,
    recorded: { ...TRACED, ...EVERY_1000 },
  },
  {
    name: 'jardis',
    about: 'one event loop, contents logged, the world stopped for a snapshot after 2 s of work',
    base: 'plain',
    workers: 0,
    execArgv: [...JARDIS, ...REGISTER],
    recorded: {},
  },
];

export const CONTROLS: Readonly<Record<string, string>> = { plain: 'plain again', off: 'off again' };

export interface Effort {
  readonly customers: number;
  /** Of a sample: with as many connections as the papers have, one request after the other; and at a rate. */
  readonly requests: number;
  readonly pacedRequests: number;
  readonly rate: number;
}

/** JMeter had two threads. */
export const CONNECTIONS = 2;
const PACED_CONNECTIONS = 16;

export interface Visited {
  readonly latency: Tally;
  readonly usage: Usage;
  /** Milliseconds that it took. */
  readonly elapsed: number;
}

export interface AirlineSample {
  readonly closed: Visited;
  readonly paced: Visited;
}

/** Acme Air in a process of its own, with a database that has been filled. */
export class Airline {
  readonly #service: Service;
  readonly recordings: string | undefined;
  readonly #customers: number;
  static readonly #open = new Set<Airline>();
  static #areOver = false;

  private constructor(service: Service, recordings: string | undefined, customers: number) {
    this.#service = service;
    this.recordings = recordings;
    this.#customers = customers;
    Airline.#open.add(this);
  }

  /** Those that somebody would still have visited; no other one is opened. */
  static async endAll(): Promise<void> {
    this.#areOver = true;
    for (const airline of Airline.#open) {
      await airline.end();
      airline.forget();
    }
  }

  static async open(
    { workers, execArgv, recorded }: Way,
    customers: number,
    env: NodeJS.ProcessEnv = {},
  ): Promise<Airline> {
    const recordings = recorded === undefined ? undefined : mkdtempSync(join(tmpdir(), 'turntable-bench-'));
    try {
      const service = await Service.start({
        file: AIRLINE,
        execArgv,
        env: {
          ACMEAIR_PORT: '0',
          ACMEAIR_WORKERS: String(workers),
          ACMEAIR_CUSTOMERS: String(customers),
          ...(recordings !== undefined && { TURNTABLE_RECORDINGS: recordings, ...recorded }),
          ...env,
        },
      });
      await (await fetch(`${service.url}/rest/api/loader/load`)).text();
      if (!this.#areOver) return new Airline(service, recordings, customers);
      await service.end();
      throw new BenchError('TT_BENCH_STOPPED', 'nobody visits Acme Air any more');
    } catch (error) {
      if (recordings !== undefined) rmSync(recordings, { recursive: true, force: true });
      throw error;
    }
  }

  /** One request after the other, by as many visitors as there are connections. */
  closed(requests: number, seed: number): Promise<Visited> {
    return this.#visited((answer) => load({ ...this.#place, connections: CONNECTIONS, requests, seed, answer }));
  }

  paced(requests: number, rate: number, seed: number): Promise<Visited> {
    return this.#visited((answer) =>
      pacedLoad({ ...this.#place, connections: PACED_CONNECTIONS, requests, rate, seed, answer }),
    );
  }

  get #place(): { readonly url: string; readonly customers: number } {
    return { url: this.#service.url, customers: this.#customers };
  }

  async #visited(visit: (answer: Tally['add']) => Promise<{ readonly failed: number }>): Promise<Visited> {
    await this.#service.usage();
    const latency = new Tally();
    const began = performance.now();
    // Who makes the requests may look only once a second whether they are done.
    let last = began;
    const { failed } = await visit((kind, milliseconds) => {
      last = performance.now();
      latency.add(kind, milliseconds);
    });
    const elapsed = last - began;
    if (failed > 0) throw new BenchError('TT_BENCH_FAILURE', `Acme Air refused ${failed} requests`);
    return { latency, usage: await this.#service.usage(), elapsed };
  }

  /** What was recorded stays until `forget`. */
  end(): Promise<void> {
    Airline.#open.delete(this);
    return this.#service.end();
  }

  forget(): void {
    if (this.recordings !== undefined) rmSync(this.recordings, { recursive: true, force: true });
  }
}

/** `taken` is told of the snapshots that it has when it ends. */
export function laneOf(
  way: Way,
  effort: Effort,
  taken: (snapshots: readonly TakenSnapshot[]) => void,
): Lane<AirlineSample> {
  const { customers, requests, pacedRequests, rate } = effort;
  return {
    name: way.name,
    async open(): Promise<Sampled<AirlineSample>> {
      const airline = await Airline.open(way, customers);
      return {
        sample: async (step) => ({
          closed: await airline.closed(requests, 1 + 2 * step),
          paced: await airline.paced(pacedRequests, rate, 2 + 2 * step),
        }),
        async close() {
          try {
            await airline.end();
            if (airline.recordings !== undefined) taken(snapshotsIn(airline.recordings));
          } finally {
            airline.forget();
          }
        },
      };
    },
  };
}
