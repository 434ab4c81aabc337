// Responses that wait until the events they depend on are written, in plain servers, on worker threads and in Fastify.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createScratchDirectory, environment, FIXTURES, REPOSITORY, runTurntable } from './processes.ts';

const scratch = createScratchDirectory();
let recordingCount = 0;

interface Service {
  readonly child: ChildProcess;
  readonly port: number;
  readonly recordings: string;
}

async function serve(name: string, env: NodeJS.ProcessEnv = {}): Promise<Service> {
  const recordings = join(scratch, `${name}-${recordingCount++}`);
  const disk = new URL('fixtures/durable/disk.ts', import.meta.url).href;
  const child = fork(join(FIXTURES, name === 'fastify' ? 'durable-fastify' : 'durable', `${name}.ts`), {
    execArgv: ['-C', 'turntable-source', '--import', disk, '--import', import.meta.resolve('turntable/register')],
    env: { ...environment, TURNTABLE_TRACE: '1', TURNTABLE_RECORDINGS: recordings, ...env },
    cwd: REPOSITORY,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = (await once(child, 'message')) as [number];
  return { child, port, recordings };
}

function fetchText(port: number, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  get({ host: '127.0.0.1', port, path, agent: false }, (response) => void text(response).then(resolve, reject)).on(
    'error',
    reject,
  );
  return promise;
}

const SERVICES = [
  { name: 'plain', paths: ['/pay'] },
  { name: 'setting', paths: ['/pay'], env: { TURNTABLE_DURABILITY: 'reply' } },
  { name: 'setting', paths: ['/pay'], env: { TURNTABLE_DURABILITY: 'reply+fsync' } },
  { name: 'worker', paths: ['/pay'], env: { TURNTABLE_DURABILITY: 'reply' } },
  { name: 'fastify', paths: ['/pay', '/sync'] },
];

describe.each(SERVICES)('responses of $name $env', ({ name, paths, env }) => {
  test('are sent once their events are written, and only they wait', async () => {
    const { child, port, recordings } = await serve(name, env);
    for (const path of [...paths, '/free']) expect(await fetchText(port, path)).toContain(path);
    child.send('hang');
    const sent: string[] = [];
    for (const path of paths)
      void fetchText(port, path).then(
        (body) => sent.push(body),
        () => undefined,
      );
    // Each response was ready before the next request was sent.
    for (let round = 0; round < 20; round++) await fetchText(port, '/free');
    expect(sent).toEqual([]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(runTurntable(REPOSITORY, ['replay', recordings])).toMatchObject({ status: 0 });
  });
});

test.each(SERVICES.filter(({ name }) => name !== 'worker'))(
  'responses of $name $env are sent before the process exits',
  async ({ name, env }) => {
    const { child, port, recordings } = await serve(name, env);
    const exited = once(child, 'exit');
    expect(await fetchText(port, '/exit')).toContain('/exit');
    expect(await exited).toEqual([0, null]);
    expect(runTurntable(REPOSITORY, ['replay', recordings])).toMatchObject({ status: 0 });
  },
);

test('a level that does not exist is refused, with the existing ones', () => {
  expect(runTurntable(REPOSITORY, ['record', '--durability', 'sync', join(FIXTURES, 'bank.ts')])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('must be none, reply or reply+fsync, not "sync"'),
  });
});
