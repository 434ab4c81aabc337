// A recorded program that answers each input line and runs until the test ends.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';

export const PROGRAM: string = join(import.meta.dirname, 'programs/asked.mjs');

export interface LineProgram {
  readonly pid: number;
  /** Environment for processes that look for the program. */
  readonly env: Readonly<Record<string, string>>;
  send(text: string): Promise<string>;
}

/** @param directory receives the recording and the sockets of services */
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
