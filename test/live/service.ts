// A recorded service in a process of its own, and who may ask it: those who look where its socket is.
import { spawn, type ChildProcess } from 'node:child_process';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { listServices, type Service } from '@turntable/recording/services';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';

const PROGRAM = fileURLToPath(new URL('programs/service.mjs', import.meta.url));
/** Milliseconds: what has not come by then never will. */
const TIMEOUT_MS = 120_000;

export interface RunningService {
  readonly process: ChildProcess;
  readonly pid: number;
  get(path: string): Promise<string>;
}

export interface RunningServiceOptions {
  /** The directory of sockets, or off. */
  readonly sockets: string;
  readonly cwd: string;
  readonly flags?: readonly string[];
}

/** It has said that it listens. */
export async function startService({ sockets, cwd, flags = [] }: RunningServiceOptions): Promise<RunningService> {
  const child = spawn(process.execPath, [...FLAGS, CLI, 'record', ...flags, PROGRAM], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', TURNTABLE_SERVICES: sockets },
  });
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('close', (code) => reject(new Error(`it has ended with ${code}`)));
  });
  return {
    process: child,
    pid: child.pid as number,
    get: (path) => httpGet(Number(port), path),
  };
}

/** By a connection of its own: one that is kept is closed by the service while a test waits for something else. */
function httpGet(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const clientRequest = request({ port, path, host: '127.0.0.1', agent: false }, (response) =>
      resolve(text(response)),
    );
    clientRequest.on('error', reject).end();
  });
}

/** Those that are listed, as soon as there are so many. */
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
