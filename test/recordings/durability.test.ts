// Responses that wait until the events they depend on are written, in plain servers, on worker threads and in Fastify.
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createScratchDirectory, FIXTURES, REPOSITORY, runTurntable } from './processes.ts';
import { fetchText, serve, type RecordedService } from './served.ts';

const scratch = createScratchDirectory();
let recordingCount = 0;

function start(name: string, env: NodeJS.ProcessEnv = {}): Promise<RecordedService> {
  const file = `${name === 'fastify' ? 'durable-fastify' : 'durable'}/${name}.ts`;
  return serve(file, join(scratch, `${name}-${recordingCount++}`), { TEST_FAULT: 'hang', ...env });
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
    const { child, port, recordings } = await start(name, env);
    for (const path of [...paths, '/free']) expect(await fetchText(port, path)).toContain(path);
    child.send('fail');
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
    const { child, port, recordings } = await start(name, env);
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
