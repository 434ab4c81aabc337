// The time machine of a recording in a process of its own, as `turntable debug` serves it, and what it answers, timed.

import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Client } from '@turntable/time-machine/client';
import type { ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import { BenchError } from '../harness/session.ts';
import { PUBLISHED } from '../harness/whole-run.ts';

export type Told = ResultOf<'stretches'>['stretches'][number];

export class Machine {
  readonly #child: ChildProcess;
  readonly #client: Client;
  readonly #ended: Promise<unknown>;
  /** Milliseconds until it could be asked. */
  readonly opened: number;
  readonly hello: ResultOf<'hello'>;

  private constructor(
    child: ChildProcess,
    client: Client,
    { ended, opened, hello }: { ended: Promise<unknown>; opened: number; hello: ResultOf<'hello'> },
  ) {
    this.#child = child;
    this.#client = client;
    this.#ended = ended;
    this.opened = opened;
    this.hello = hello;
  }

  /** @param cache where it keeps what it may */
  static async open(recording: string, cache: string): Promise<Machine> {
    const began = performance.now();
    const child = spawn(process.execPath, [...PUBLISHED, 'debug', recording, '--serve'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '', TURNTABLE_CACHE: cache },
    });
    const ended = new Promise<string>((settle) => {
      child.once('close', (code, signal) => settle(signal ?? `exit code ${code}`));
    });
    try {
      const address = await new Promise<string>((resolve, reject) => {
        createInterface({ input: child.stdout as Readable }).once('line', resolve);
        void ended.then((how) => reject(new BenchError('TT_BENCH_PROCESS', `turntable debug ended early (${how})`)));
      });
      const client = await Client.at(address);
      const hello = await client.hello('bench:timetravel');
      return new Machine(child, client, { ended, opened: performance.now() - began, hello });
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#client.close();
    this.#child.kill('SIGTERM');
    await this.#ended;
  }

  /** MB that it takes, without processes that run the recording; NaN where the system does not say so. */
  get megabytes(): number {
    const file = `/proc/${this.#child.pid}/status`;
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? Number.NaN) / 1024;
  }

  request: Client['request'] = (method, params, options) => this.#client.request(method, params, options);

  /** Goes there and looks at the variables: milliseconds. */
  async go(params: ParamsOf<'move'>): Promise<number> {
    const began = performance.now();
    const { found, why = '' } = await this.request('move', params);
    if (!found) throw new BenchError('TT_BENCH_FAILURE', `${JSON.stringify(params)} leads nowhere: ${why}`);
    await this.request('variables', {});
    return performance.now() - began;
  }

  /** Milliseconds until it is known that no breakpoint of this condition is ever come to. */
  async searchInVain(place: ParamsOf<'break'>): Promise<number> {
    await this.request('move', { move: 'start' });
    const { id } = await this.request('break', place);
    const began = performance.now();
    const { found, where } = await this.request('move', { move: 'breakpoint' });
    const took = performance.now() - began;
    if (found) throw new BenchError('TT_BENCH_FAILURE', `a condition that is false holds at ${where.position}`);
    await this.request('unbreak', { id });
    return took;
  }

  /** Milliseconds until it is known which statement has written this, of what the program holds where one stands. */
  async wrote(what: string): Promise<number> {
    const began = performance.now();
    const { found, why = '' } = await this.request('find', { move: 'wrote', arguments: { what } });
    const took = performance.now() - began;
    if (!found) throw new BenchError('TT_BENCH_FAILURE', `nobody has written ${what}: ${why}`);
    return took;
  }

  /** Of actors of such a name, in their order. */
  async stretchesOf(actor: string): Promise<Told[]> {
    const found: Told[] = [];
    for (let from: number | undefined = 1; from !== undefined;) {
      const page: ResultOf<'stretches'> = await this.request('stretches', { from, count: 1000, actor });
      found.push(...page.stretches);
      from = page.next;
    }
    return found;
  }
}
