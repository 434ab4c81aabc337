// Recorded Fastify services with a declared server: resumed from the last snapshot, they listen again and keep their
// state.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { LoadClient } from './load.ts';
import { ProgramProcess, snapshotPhasesOf, type Subject } from './recorded.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
/** Timeout in milliseconds; other work may share the machine. */
const TIMEOUT_MS = 120_000;

interface Counted {
  readonly count: number;
  readonly url: string;
  readonly host: string;
}

async function counts(client: LoadClient): Promise<Counted> {
  return JSON.parse((await client.request({ method: 'GET', path: '/count' })).text) as Counted;
}

it.each(['with-plugin', 'services'])(
  'a declared server is created again in the resumed program (%s)',
  async (folder) => {
    const subject: Subject = {
      file: `${folder}/restored.ts`,
      workingDirectory: join(directory, `${folder}-place`),
      recordings: join(directory, `${folder}-recordings`),
      env: { TURNTABLE_SNAPSHOTS: 'requests=3' },
    };
    const first = new ProgramProcess('recorded', subject);
    onTestFinished(() => first.kill());
    const before = new LoadClient(await first.port);
    for (let count = 1; count <= 4; count++)
      expect(await counts(before)).toEqual({ count, url: '/count', host: 'string' });
    await vi.waitUntil(() => snapshotPhasesOf(subject).length > 0, { timeout: TIMEOUT_MS, interval: 10 });
    before.close();
    first.terminate();
    await first.exited;

    const second = new ProgramProcess('restored', subject);
    onTestFinished(() => second.kill());
    const after = new LoadClient(await second.port);
    // The snapshot was taken after the third or the fourth request.
    const { count } = await counts(after);
    expect([4, 5]).toContain(count);
    const greet = { method: 'POST', path: '/greet', type: 'application/json', body: '{"name":"ada"}' };
    expect(await after.request(greet)).toMatchObject({ status: 200, text: `hello ada, ${count + 1}` });
    expect(await after.request({ method: 'GET', path: '/end' })).toMatchObject({ status: 200, text: 'ends' });
    after.close();
    const { stderr, ...ended } = await second.exited;
    const seen = `${'/count '.repeat(count)}/greet /end`;
    expect(ended, stderr).toMatchObject({ code: 0, stdout: expect.stringContaining(`closed ${seen}\n`) as string });
  },
  TIMEOUT_MS,
);

it(
  'a device created by a file of the program is created again in the resumed program',
  { timeout: TIMEOUT_MS },
  async () => {
    const subject: Subject = {
      file: 'own-device/main.ts',
      workingDirectory: join(directory, 'own-place'),
      recordings: join(directory, 'own-recordings'),
      env: { TURNTABLE_SNAPSHOTS: '' },
    };
    // Output of a worker passes through the main thread, and its answer may overtake it.
    const linesOf = (text: string): string[] => text.split('\n').toSorted();
    const { stdout: recordedOutput, ...recorded } = await new ProgramProcess('recorded', subject).exited;
    expect(recorded).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf(recordedOutput)).toEqual(['', 'continues true', 'opens the door', 'true']);
    const { stdout, stderr } = await new ProgramProcess('restored', subject).exited;
    expect([linesOf(stdout), stderr]).toEqual([['', 'continues true', 'opens the door'], '']);
  },
);
