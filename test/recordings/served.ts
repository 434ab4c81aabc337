// A recorded service whose disk a test can break.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { FLAGS, REGISTER } from '../../scripts/tested-form.ts';
import { environment, FIXTURES, REPOSITORY } from './processes.ts';

export interface RecordedService {
  readonly child: ChildProcess;
  readonly port: number;
  readonly recordings: string;
  /** Text on standard error so far. */
  stderr(): string;
}

/** Starts a service for one test. */
export async function serve(file: string, recordings: string, env: NodeJS.ProcessEnv): Promise<RecordedService> {
  const service = await startService(file, recordings, env);
  onTestFinished(() => void service.child.kill('SIGKILL'));
  return service;
}

/** Starts a program that sends its port to its parent. @param file relative to the fixtures */
export async function startService(file: string, recordings: string, env: NodeJS.ProcessEnv): Promise<RecordedService> {
  const disk = new URL('fixtures/faulty-disk.ts', import.meta.url).href;
  const child = fork(join(FIXTURES, file), {
    execArgv: [...FLAGS, '--import', disk, '--import', REGISTER],
    env: { ...environment, TURNTABLE_TRACE: '1', TURNTABLE_RECORDINGS: recordings, ...env },
    cwd: REPOSITORY,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => (errors += part));
  const [port] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [number];
  return { child, port, recordings, stderr: () => errors };
}

export function fetchText(port: number, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  get({ host: '127.0.0.1', port, path, agent: false }, (response) => void text(response).then(resolve, reject)).on(
    'error',
    reject,
  );
  return promise;
}
