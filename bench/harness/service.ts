// A service under load in its own process: its URL, and the resources that its process uses.

import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Duplex, Readable } from 'node:stream';
import { BenchError } from './session.ts';
import { USAGE_DESCRIPTOR, USAGE_VARIABLE, type Usage } from './usage.ts';

export interface ServiceOptions {
  readonly file: string;
  /** Flags of Node, in addition to the condition that resolves workspace packages to their sources. */
  readonly execArgv?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** Time limit for starting to listen, and for ending. */
const TIMEOUT_MS = 60_000;

/** Children that must not outlive the bench. */
const liveChildren = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of liveChildren) child.kill('SIGKILL');
});

export class BenchService {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<string>;
  readonly #usageLines: AsyncIterator<string>;
  #isEnding = false;

  private constructor(url: string, child: ChildProcess, exited: Promise<string>) {
    this.url = url;
    this.#child = child;
    this.#exited = exited;
    // A load generator would only see failed requests.
    void exited.then((status) => this.#isEnding || process.stderr.write(`a service ended early (${status})\n`));
    this.#usageLines = createInterface({ input: child.stdio[USAGE_DESCRIPTOR] as Readable })[Symbol.asyncIterator]();
  }

  /** Resolves when the service has printed its URL: the end of a line. */
  static async start({ file, execArgv = [], env = {} }: ServiceOptions): Promise<BenchService> {
    const monitor = import.meta.resolve('./usage-monitor.ts');
    const child = spawn(process.execPath, ['-C', 'turntable-source', '--import', monitor, ...execArgv, file], {
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: '', [USAGE_VARIABLE]: '1', ...env },
    });
    liveChildren.add(child);
    const exited = new Promise<string>((resolve) => {
      child.once('close', (code, signal) => {
        liveChildren.delete(child);
        resolve(signal === null ? `exit code ${code}` : `signal ${signal}`);
      });
    });
    let timer: NodeJS.Timeout | undefined;
    try {
      const url = await new Promise<string>((resolve, reject) => {
        const fail = (status: string): void =>
          reject(new BenchError('TT_BENCH_PROCESS', `${file} does not listen (${status})`));
        timer = setTimeout(() => fail(`within ${TIMEOUT_MS / 1000} s`), TIMEOUT_MS);
        void exited.then(fail);
        createInterface({ input: child.stdout as Readable }).on('line', (line) => {
          const found = /https?:\/\/\S+$/.exec(line)?.[0];
          if (found !== undefined) resolve(found);
        });
      });
      return new BenchService(url, child, exited);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Usage since the last call, or since the start. */
  async usage(): Promise<Usage> {
    (this.#child.stdio[USAGE_DESCRIPTOR] as Duplex).write('?\n');
    const { value, done } = await this.#usageLines.next();
    if (done === true) throw new BenchError('TT_BENCH_PROCESS', `a service ended early (${await this.#exited})`);
    return JSON.parse(value) as Usage;
  }

  /** Ends the service as an operator does: with SIGTERM. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), TIMEOUT_MS);
    const status = await this.#exited;
    clearTimeout(timer);
    if (status !== 'exit code 0' && status !== 'signal SIGTERM')
      throw new BenchError('TT_BENCH_PROCESS', `a service ended with an error (${status})`);
  }
}
