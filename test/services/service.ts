// A service in a child process with `--import turntable/register`: requests are sent through sockets, and the exit is
// reported with the output.
import { spawn, type ChildProcess } from 'node:child_process';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { FLAGS, REGISTER } from '../../scripts/tested-form.ts';

export interface ServiceExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ServiceResponse {
  readonly status: number | undefined;
  readonly body: unknown;
}

export class ServiceProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<ServiceExit>;
  readonly #port: Promise<number>;
  /** Keeps connections and has fewer of them than requests. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });

  constructor(name: string) {
    const flags = [...FLAGS, '--import', REGISTER];
    this.#child = spawn(process.execPath, [...flags, `${name}-service.ts`], {
      cwd: fileURLToPath(new URL('fixtures/', import.meta.url)),
      env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    this.#child.stderr?.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    this.exited = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    });
    this.#port = new Promise((resolve, reject) => {
      this.#child.stdout?.setEncoding('utf8').on('data', (part: string) => {
        stdout += part;
        const port = /listening (\d+)/.exec(stdout)?.[1];
        if (port !== undefined) resolve(Number(port));
      });
      void this.exited.then(() => reject(new Error(`the service exited: ${stderr}`)));
    });
  }

  async get(path: string): Promise<ServiceResponse> {
    const port = await this.#port;
    return new Promise((resolve, reject) => {
      const clientRequest = request({ host: '127.0.0.1', port, path, agent: this.#agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) as unknown }));
      });
      clientRequest.on('error', reject).end();
    });
  }

  /** Closes all connections. */
  closeConnections(): void {
    this.#agent.destroy();
  }

  terminate(): void {
    this.#child.kill('SIGTERM');
  }

  kill(): void {
    this.closeConnections();
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
  }
}
