// A recorded service in its own process, found through the directory of its socket.
import { spawn, type ChildProcess } from 'node:child_process';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { listServices, type Service } from '@turntable/recording/services';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';

const PROGRAM = fileURLToPath(new URL('programs/service.mjs', import.meta.url));
/** Milliseconds until a missing service is a failure. */
const TIMEOUT_MS = 120_000;

export interface RunningService {
  readonly process: ChildProcess;
  readonly pid: number;
  get(path: string): Promise<string>;
}

export interface RunningServiceOptions {
  /** The directory of sockets, or `off`. */
  readonly sockets: string;
  readonly cwd: string;
  readonly flags?: readonly string[];
}

/** Starts a service and waits until it listens. */
export async function startService({ sockets, cwd, flags = [] }: RunningServiceOptions): Promise<RunningService> {
  const child = spawn(process.execPath, [...FLAGS, CLI, 'record', ...flags, PROGRAM], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', TURNTABLE_SERVICES: sockets },
  });
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('close', (code) => reject(new Error(`the service exited with ${code}`)));
  });
  return {
    process: child,
    pid: child.pid as number,
    get: (path) => httpGet(Number(port), path),
  };
}

/** Uses a new connection each time: the service closes an idle one while a test waits for something else. */
function httpGet(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const clientRequest = request({ port, path, host: '127.0.0.1', agent: false }, (response) =>
      resolve(text(response)),
    );
    clientRequest.on('error', reject).end();
  });
}

/** Waits until the number of listed services is `count` and returns them. */
export async function listedServices(sockets: string, count: number): Promise<Service[]> {
  let all: Service[] = [];
  const countServices = async (): Promise<number> => (all = await listServices([sockets])).length;
  await expect.poll(countServices, { timeout: TIMEOUT_MS }).toBe(count);
  return all;
}

export function stopService({ process: child }: RunningService, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    child.once('close', () => resolve());
    child.kill(signal);
  });
}
