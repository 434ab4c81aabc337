// A program that is being recorded, answers each line that it is given, and goes on until the test is over.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';

export const PROGRAM: string = join(import.meta.dirname, 'programs/asked.mjs');

export interface LineProgram {
  readonly pid: number;
  /** Of whoever is to find it. */
  readonly env: Readonly<Record<string, string>>;
  send(text: string): Promise<string>;
}

/** @param directory in which the recording and the sockets of services are to be */
export function startLineProgram(directory: string): LineProgram {
  const env = { TURNTABLE_SERVICES: join(directory, 'sockets') };
  const args = ['record', '--recordings', join(directory, 'live'), PROGRAM];
  const child = spawn(process.execPath, [...FLAGS, CLI, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    env,
    send: async (text) => {
      child.stdin.write(`${text}\n`);
      return String((await lines.next()).value);
    },
  };
}
