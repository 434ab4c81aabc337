// A program that is being recorded, answers each line that it is given, and goes on until the test is over.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested.ts';

export const PROGRAM: string = join(import.meta.dirname, 'programs/asked.mjs');

export interface AskedProgram {
  readonly pid: number;
  /** Of whoever is to find it. */
  readonly env: Readonly<Record<string, string>>;
  ask(text: string): Promise<string>;
}

/** @param room in which the recording and the sockets of services are to be */
export function askedProgram(room: string): AskedProgram {
  const env = { TURNTABLE_SERVICES: join(room, 'sockets') };
  const args = ['record', '--recordings', join(room, 'live'), PROGRAM];
  const child = spawn(process.execPath, [...FLAGS, CLI, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    env,
    ask: async (text) => {
      child.stdin.write(`${text}\n`);
      return String((await lines.next()).value);
    },
  };
}
