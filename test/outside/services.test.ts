// Services in the styles in which people write them, none of them written for Turntable (fixtures/services), under load from another process: they answer
// as they answer on Node alone, end in good order, and run again without anybody who asks.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { chat, pg, queue, secure, sql, type Exchange } from './clients.ts';
import { underLoad } from './load.ts';
import { PostgresServer } from './postgres-server.ts';
import { again, Life, phasesOf, type Ended, type Subject, type Way } from './recorded.ts';
import { RedisServer } from './redis-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
/** Snapshots are taken every 25. */
const REQUESTS = 100;
/** Milliseconds: other work may share the machine. */
const LIMIT = 240_000;

const subjectOf = (name: string, way: Way, args: readonly string[] = []): Subject => ({
  file: `services/${name}.ts`,
  args,
  place: join(directory, `${name}-${way}`),
  into: join(directory, `${name}-recordings`),
});

interface Served {
  readonly ended: Ended;
  readonly found: unknown;
}

async function served(way: Way, subject: Subject, use: Exchange): Promise<Served> {
  const life = new Life(way, subject);
  onTestFinished(() => life.kill());
  const found = await use(await life.port, (text) => life.say(text));
  life.terminate();
  return { ended: await life.ended, found };
}

/** What came of a service that was recorded, when it runs again. */
function runsAgain(subject: Subject, ended: Ended): void {
  const { differences, replayed } = again(subject, ended);
  // Where a process ends by a signal, so does what is known of it.
  expect(differences.filter((each) => ended.code === 0 || !each.startsWith('truncated: '))).toEqual([]);
  expect(replayed.report.cuts.compared).toBe(phasesOf(subject).length);
}

it(
  'a service under load is recorded from a signal on, with the connections and requests it had before',
  async () => {
    const subject = subjectOf('http', 'later');
    const into = join(directory, 'later-recordings');
    const life = new Life('later', { ...subject, into });
    onTestFinished(() => life.kill());
    const port = await life.port;
    expect(await underLoad(port, REQUESTS)).toEqual([]);
    expect(existsSync(into)).toBe(false);
    const before = underLoad(port, REQUESTS);
    life.signal();
    await before;
    await vi.waitUntil(
      () => existsSync(into) && readdirSync(into).length > 0 && phasesOf({ ...subject, into }).length > 0,
      {
        timeout: LIMIT,
        interval: 10,
      },
    );
    await underLoad(port, REQUESTS);
    life.terminate();
    const ended = await life.ended;
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    const { differences, replayed } = again(
      { ...subject, into },
      { ...ended, stdout: ended.stdout.replace(/^listening .*\n/, '') },
    );
    expect(differences).toEqual([]);
    expect(replayed.report.cuts.compared).toBe(phasesOf({ ...subject, into }).length - 1);
    expect(replayed.report.cuts.compared).toBeGreaterThan(2);
  },
  LIMIT,
);

describe.each(['http', 'fastify', 'express', 'koa', 'hono', 'nest'])('a service of %s', (name) => {
  it(
    'answers under load, ends in good order, and does it again',
    async () => {
      const subject = subjectOf(name, 'recorded');
      const { ended, found } = await served('recorded', subject, (port) => underLoad(port, REQUESTS));
      expect(found).toEqual([]);
      // Nest ends by the signal that it was sent.
      expect(ended, ended.stderr).toMatchObject(name === 'nest' ? { signal: 'SIGTERM' } : { code: 0 });
      expect(ended.stdout).toMatch(/closed \d+ requests \d+ orders/);
      expect(phasesOf(subject).length).toBeGreaterThan(2);
      runsAgain(subject, ended);
    },
    LIMIT,
  );
});

const BACKENDS = { queue: RedisServer, pg: PostgresServer };

describe.each([
  ['a database in a file', 'sql', sql],
  ['a database behind a socket', 'pg', pg],
  ['a queue behind a socket', 'queue', queue],
  ['WebSockets', 'chat', chat],
  ['TLS, HTTP/2 and standard input', 'secure', secure],
] as const)('a service with %s', (_, name, use) => {
  it(
    'answers as on Node alone, and does it again when what it talked to is gone',
    async () => {
      const lives: Record<string, Served> = {};
      for (const way of ['plain', 'recorded'] as const) {
        const backend = name in BACKENDS ? new BACKENDS[name as keyof typeof BACKENDS]() : undefined;
        const args = backend === undefined ? [] : [String(await backend.listen())];
        const subject = { ...subjectOf(name, way, args), listens: name === 'secure' };
        lives[way] = await served(way, subject, use);
        await backend?.close();
        if (way === 'recorded') runsAgain(subject, lives[way].ended);
      }
      expect(lives['recorded']?.found).toEqual(lives['plain']?.found);
      expect(lives['recorded']?.ended).toMatchObject({ code: 0 });
    },
    LIMIT,
  );
});
