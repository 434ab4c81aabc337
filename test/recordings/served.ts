// A recorded service whose disk a test can break.
import { once } from 'node:events';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { startRecorded, type RecordedProgram } from './processes.ts';

export interface RecordedService extends RecordedProgram {
  readonly port: number;
}

/** Starts a service for one test. */
export async function serve(file: string, recordings: string, env: NodeJS.ProcessEnv): Promise<RecordedService> {
  const service = await startService(file, recordings, env);
  onTestFinished(() => void service.child.kill('SIGKILL'));
  return service;
}

/** Starts a program that sends its port to its parent. @param file relative to the fixtures */
export async function startService(file: string, recordings: string, env: NodeJS.ProcessEnv): Promise<RecordedService> {
  const program = startRecorded(file, { recordings, env, preload: 'faulty-disk.ts' });
  const [port] = (await Promise.race([once(program.child, 'message'), program.ended])) as [number];
  return { ...program, port };
}

export function fetchText(port: number, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  get({ host: '127.0.0.1', port, path, agent: false }, (response) => void text(response).then(resolve, reject)).on(
    'error',
    reject,
  );
  return promise;
}
