// A recorded service in a process of its own, and who may ask it: those who look where its socket is.
import { spawn, type ChildProcess } from 'node:child_process';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { listServices, type Service } from '@turntable/recording/services';
import { CLI, FLAGS } from '../../scripts/tested.ts';

const PROGRAM = fileURLToPath(new URL('programs/service.mjs', import.meta.url));
/** Milliseconds: what has not come by then never will. */
const LIMIT = 120_000;

export interface Running {
  readonly process: ChildProcess;
  readonly pid: number;
  ask(path: string): Promise<string>;
}

export interface Circumstances {
  /** The directory of sockets, or off. */
  readonly sockets: string;
  readonly cwd: string;
  readonly flags?: readonly string[];
}

/** It has said that it listens. */
export async function started({ sockets, cwd, flags = [] }: Circumstances): Promise<Running> {
  const child = spawn(process.execPath, [...FLAGS, CLI, 'record', ...flags, PROGRAM], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '', TURNTABLE_SERVICES: sockets },
  });
  const port = await new Promise<string>((settle, reject) => {
    createInterface({ input: child.stdout }).once('line', settle);
    child.once('close', (code) => reject(new Error(`it has ended with ${code}`)));
  });
  return {
    process: child,
    pid: child.pid as number,
    ask: (path) => asked(Number(port), path),
  };
}

/** By a connection of its own: one that is kept is closed by the service while a test waits for something else. */
function asked(port: number, path: string): Promise<string> {
  return new Promise((settle, reject) => {
    const asking = request({ port, path, host: '127.0.0.1', agent: false }, (response) => settle(text(response)));
    asking.on('error', reject).end();
  });
}

/** Those that are listed, as soon as there are so many. */
export async function listed(sockets: string, count: number): Promise<Service[]> {
  let all: Service[] = [];
  const look = async (): Promise<number> => (all = await listServices([sockets])).length;
  await expect.poll(look, { timeout: LIMIT }).toBe(count);
  return all;
}

export function ended({ process: child }: Running, signal: NodeJS.Signals): Promise<void> {
  return new Promise((settle) => {
    child.once('close', () => settle());
    child.kill(signal);
  });
}
