// The time machine of a recording in its own process, as `turntable debug` serves it; times its responses.

import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { Client } from '@turntable/time-machine/client';
import type { ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import { BenchError } from '../harness/session.ts';
import { BUNDLED_CLI_ARGS } from '../harness/whole-run.ts';

export type TaskEntry = ResultOf<'tasks'>['tasks'][number];

export class TimeMachineProcess {
  readonly #child: ChildProcess;
  readonly #client: Client;
  readonly #exited: Promise<unknown>;
  /** Milliseconds until the first response. */
  readonly openedMs: number;
  readonly hello: ResultOf<'hello'>;

  private constructor(
    child: ChildProcess,
    client: Client,
    { ended, opened, hello }: { ended: Promise<unknown>; opened: number; hello: ResultOf<'hello'> },
  ) {
    this.#child = child;
    this.#client = client;
    this.#exited = ended;
    this.openedMs = opened;
    this.hello = hello;
  }

  /** @param cache directory of the cache */
  static async open(recording: string, cache: string): Promise<TimeMachineProcess> {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [...BUNDLED_CLI_ARGS, 'debug', recording, '--serve'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '', TURNTABLE_CACHE: cache },
    });
    const ended = new Promise<string>((resolve) => {
      child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    try {
      const address = await new Promise<string>((resolve, reject) => {
        createInterface({ input: child.stdout as Readable }).once('line', resolve);
        void ended.then((status) =>
          reject(new BenchError('TT_BENCH_PROCESS', `turntable debug ended early (${status})`)),
        );
      });
      const client = await Client.connect(address);
      const hello = await client.hello('bench:timetravel');
      return new TimeMachineProcess(child, client, { ended, opened: performance.now() - startedAt, hello });
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#client.close();
    this.#child.kill('SIGTERM');
    await this.#exited;
  }

  /** Resident MB without replay processes; NaN where the system has no /proc. */
  get megabytes(): number {
    const file = `/proc/${this.#child.pid}/status`;
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? Number.NaN) / 1024;
  }

  request: Client['request'] = (method, params, options) => this.#client.request(method, params, options);

  /** Returns the milliseconds of a move that includes reading the variables. */
  async timeMove(params: ParamsOf<'move'>): Promise<number> {
    const startedAt = performance.now();
    const { found, reason = '' } = await this.request('move', params);
    if (!found) throw new BenchError('TT_BENCH_FAILURE', `${JSON.stringify(params)} failed: ${reason}`);
    await this.request('variables', {});
    return performance.now() - startedAt;
  }

  /** Returns the milliseconds of a search for a breakpoint whose condition never holds. */
  async timeFailingSearch(breakpoint: ParamsOf<'addBreakpoint'>): Promise<number> {
    await this.request('move', { move: 'goto', arguments: { target: 'start' } });
    const { id } = await this.request('addBreakpoint', breakpoint);
    const startedAt = performance.now();
    const { found, isEdge, cursor } = await this.request('move', { move: 'continue' });
    const elapsedMs = performance.now() - startedAt;
    if (!found || isEdge !== true)
      throw new BenchError('TT_BENCH_FAILURE', `a false condition holds at ${cursor.position}`);
    await this.request('removeBreakpoint', { id });
    return elapsedMs;
  }

  /** Returns the milliseconds of finding the statement that last wrote the expression. */
  async timeLastWrite(expression: string): Promise<number> {
    const startedAt = performance.now();
    const { found, reason = '' } = await this.request('find', { move: 'last-write', arguments: { expression } });
    const elapsedMs = performance.now() - startedAt;
    if (!found) throw new BenchError('TT_BENCH_FAILURE', `no write of ${expression}: ${reason}`);
    return elapsedMs;
  }

  /** Lists all tasks of the actors with this name, in order. */
  async tasksOf(actor: string): Promise<TaskEntry[]> {
    const tasks: TaskEntry[] = [];
    for (let from: number | undefined = 1; from !== undefined;) {
      const page: ResultOf<'tasks'> = await this.request('tasks', { from, count: 1000, actor });
      tasks.push(...page.tasks);
      from = page.next;
    }
    return tasks;
  }
}
