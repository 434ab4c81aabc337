// Runs what the README of an example shows, in a copy of the example.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/node-release.mjs';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';

/** Runs the session of an example. */
export const DEBUG_COMMAND = 'npm run turntable -- debug recordings';

/** Replaces npm in `npm run turntable -- …`, because the output of npm depends on its version. */
const NPM = `#!/bin/sh
shift 3
exec '${process.execPath}' ${FLAGS.join(' ')} '${CLI}' "$@"
`;

/** Exit code of a shell whose command was ended by SIGKILL. */
const KILLED = 128 + 9;

/** Commands of the debugger that a README shows; none if it has no session. */
export function readSession(name: string): string[] {
  const file = join(root, 'examples', name, 'session.txt');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}

export class ExampleRun implements AsyncDisposable {
  readonly #session: readonly string[];
  readonly #cwd: string;
  readonly #env: NodeJS.ProcessEnv;
  #service: Service | undefined;

  constructor(name: string, directory: string, env: NodeJS.ProcessEnv) {
    this.#session = readSession(name);
    this.#cwd = join(directory, name);
    const tools = join(this.#cwd, 'tools');
    this.#env = { ...process.env, ...env, NODE_OPTIONS: '', NO_COLOR: '1', PATH: `${tools}:${process.env['PATH']}` };
    mkdirSync(tools, { recursive: true });
    writeFileSync(join(tools, 'npm'), NPM, { mode: 0o755 });
    writeFileSync(join(this.#cwd, 'package.json'), '{ "type": "module" }');
    symlinkSync(join(root, 'node_modules'), join(this.#cwd, 'node_modules'));
    cpSync(join(root, 'examples', name), join(this.#cwd, 'examples', name), { recursive: true });
  }

  /** Runs a command and resolves with its output: stdout, then stderr; of a service, the output until it listens. */
  async execute(command: string): Promise<string> {
    const path = /^curl -X POST localhost:3000(\S+)$/.exec(command)?.[1];
    if (path !== undefined) return this.#post(path);
    await this.#endService();
    if (command.endsWith(' examples/express-postgres/main.ts')) return this.#startService(command);
    const isDebug = command === DEBUG_COMMAND;
    // There is no terminal that could ask before a restore.
    const unattended = command.replace(' -- restore ', ' -- restore --trusted ');
    const { status, signal, stdout, stderr } = spawnSync('sh', ['-c', unattended], {
      cwd: this.#cwd,
      encoding: 'utf8',
      env: this.#env,
      input: isDebug ? this.#session.map((line) => `${line}\n`).join('') : '',
    });
    const isKilled = command.startsWith('POWER_CUT=1 ') && (status === KILLED || signal === 'SIGKILL');
    if (status !== 0 && !isKilled) throw new Error(`${command}: exit code ${status}\n${stdout}${stderr}`);
    return `${stdout}\n${stderr}`;
  }

  async #post(path: string): Promise<string> {
    const response = await fetch(`http://localhost:${this.#service?.port}${path}`, { method: 'POST' });
    return response.text();
  }

  #startService(command: string): Promise<string> {
    const env = { ...this.#env, PORT: '0' };
    this.#service = new Service(spawn('sh', ['-c', `exec ${command}`], { cwd: this.#cwd, env }));
    return this.#service.started();
  }

  async #endService(): Promise<void> {
    const service = this.#service;
    this.#service = undefined;
    await service?.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#endService();
  }
}

/** A service that prints on which port it listens, and ends after SIGINT. */
class Service {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #output = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = once(child, 'close');
  }

  get port(): string | undefined {
    return /listening on port (\d+)/.exec(this.#output)?.[1];
  }

  /** Resolves with the output when the service listens; rejects if it ends before. */
  started(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (part: string) => {
        this.#output += part;
        if (this.port !== undefined) resolve(this.#output);
      });
    }
    void this.#exited.then(() => reject(new Error(`the service ended: ${this.#output}`)));
    return promise;
  }

  async end(): Promise<void> {
    this.#child.kill('SIGINT');
    await this.#exited;
  }
}
