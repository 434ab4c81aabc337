// A service in a process of its own, as benches have it under load: where it listens, and what its process has used since it was asked last.

import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Duplex, Readable } from 'node:stream';
import { BenchError } from './session.ts';
import { USAGE_DESCRIPTOR, USAGE_VARIABLE, type Usage } from './usage.ts';

export interface ServiceOptions {
  readonly file: string;
  /** Of Node, beside what makes workspace packages resolve to their sources. */
  readonly execArgv?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** Milliseconds: who has not listened by then never will. */
const TIMEOUT_MS = 60_000;

/** None outlives the bench. */
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
    // Who visits it meanwhile only knows that nobody answers.
    void exited.then((status) => this.#isEnding || process.stderr.write(`a service ended early (${status})\n`));
    this.#usageLines = createInterface({ input: child.stdio[USAGE_DESCRIPTOR] as Readable })[Symbol.asyncIterator]();
  }

  /** Answers when it has printed where it is: a line that ends in a URL. */
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
          reject(new BenchError('TT_BENCH_PROCESS', `${file} has not listened (${status})`));
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

  /** Since it was asked last, or began. */
  async usage(): Promise<Usage> {
    (this.#child.stdio[USAGE_DESCRIPTOR] as Duplex).write('?\n');
    const { value, done } = await this.#usageLines.next();
    if (done === true) throw new BenchError('TT_BENCH_PROCESS', `a service ended early (${await this.#exited})`);
    return JSON.parse(value) as Usage;
  }

  /** As one ends a service: by a signal that it listens to. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), TIMEOUT_MS);
    const status = await this.#exited;
    clearTimeout(timer);
    if (status !== 'exit code 0' && status !== 'signal SIGTERM')
      throw new BenchError('TT_BENCH_PROCESS', `a service did not end well (${status})`);
  }
}
