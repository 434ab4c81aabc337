// npm run soak:services: the services of fixtures and the programs that show what of the outside is used, each so often: recorded under its load, replayed, and replayed from its snapshots. A failure prints what was wrong
// and keeps the recording.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openRecording } from '@turntable/recording';
import { recordingIn, someOf } from '../replay/again.ts';
import { inputOf, PARTS } from './feature-programs.ts';
import { chat, pg, queue, secure, sql, type Exchange } from './clients.ts';
import { behaviour, shop } from './fastify-clients.ts';
import { Client, underLoad } from './load.ts';
import { PostgresServer } from './postgres-server.ts';
import { again, Life, phasesOf, type Again, type Ended, type Subject } from './recorded.ts';
import { RedisServer } from './redis-server.ts';

const USAGE = `Usage: npm run soak:services -- [--count 1] [--only NAME] [--from N|all] [--requests 100] [--snapshots requests=25,end]

  --count N       each service so often (1)
  --only NAME     services with that in their names
  --from N        replayed from so many of its snapshots as well, or from all (the default)
  --requests N    of those that are put under load
  --snapshots     when they are taken (requests=25,end, and every=10ms,end of programs that serve nobody)`;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1' },
    only: { type: 'string' },
    from: { type: 'string', default: 'all' },
    requests: { type: 'string', default: '100' },
    snapshots: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const requests = Number(values.requests);
/** Milliseconds that a service may take, on a machine that has much else to do, and that its end may take to be known. */
const LIMIT = 600_000;
const PATIENCE = 500;

interface Service {
  readonly file: string;
  /** Of a program that ends by itself, none. */
  readonly use?: Exchange;
  readonly snapshots?: string;
  readonly listens?: boolean;
  readonly input?: string;
  backend?(): { listen(): Promise<number>; close(): Promise<void> | void };
}

const load: Exchange = async (port) => {
  const wrong = await underLoad(port, requests);
  if (wrong.length > 0) throw new Error(wrong.join('; '));
};

/** Three workers are lost meanwhile. */
const shelves: Exchange = async (port) => {
  const client = new Client(port);
  const path = (i: number): string =>
    i % (requests >> 2) === 10 ? `/break?shelf=${(i >> 3) % 2}` : `/thing${i}?shelf=${i % 2}`;
  await Promise.all(Array.from({ length: requests }, (_, i) => client.ask({ method: 'GET', path: path(i) })));
  client.hangUp();
};

const services = new Map<string, Service>([
  ...['http', 'fastify', 'express', 'koa', 'hono', 'nest'].map((name): [string, Service] => [
    name,
    { file: `services/${name}.ts`, use: load },
  ]),
  ['sql', { file: 'services/sql.ts', use: sql }],
  ['pg', { file: 'services/pg.ts', use: pg, backend: () => new PostgresServer() }],
  ['queue', { file: 'services/queue.ts', use: queue, backend: () => new RedisServer() }],
  ['chat', { file: 'services/chat.ts', use: chat }],
  ['secure', { file: 'services/secure.ts', use: secure, listens: true }],
  ['shelves', { file: 'services/shelves.ts', use: shelves }],
  ['plugin', { file: 'with-plugin/service.ts', use: load }],
  ['plugin, all its ways', { file: 'with-plugin/behaviour.ts', use: behaviour }],
  ['plugin and actors', { file: 'with-plugin/shop.ts', use: shop }],
  ...[...PARTS, 'actors'].map((name): [string, Service] => [
    `features, ${name}`,
    {
      file: `features/${name}.ts`,
      snapshots: 'every=10ms,end',
      ...inputOf(name),
    },
  ]),
]);

/** Its logger is outside and writes by itself, at times of its own, and the same again with what a replay shows. */
function withoutLogs(text: string): string {
  return text.replaceAll(/^\{"level":.*\n|^\((?:node:|Use ).*\n/gm, '');
}

/** What is wrong with a run again; nothing if it is the same. From a snapshot, the end is printed. */
function wrongIn(found: Again, recorded: Ended, states: number, from?: number): string[] {
  const { stdout, code } = recorded;
  const { compared } = found.replayed.report.cuts;
  const [was, is] = [withoutLogs(stdout), withoutLogs(found.replayed.output)];
  const isPrinted = from === undefined ? was === is : was.endsWith(is);
  return [
    // Where a process ends by a signal, so does what is known of it.
    ...found.differences.filter(
      (each) => !(code !== 0 && each.startsWith('truncated: ')) && !(isPrinted && each.startsWith('printed ')),
    ),
    ...(compared === states ? [] : [`${compared} states were compared, and there are ${states}`]),
  ];
}

function chosen(phases: readonly number[], first: number): readonly number[] {
  return values.from === 'all' ? phases : someOf(phases, Math.min(Number(values.from), phases.length), first);
}

/** So many states there are behind a phase. */
function statesBehind(subject: Subject, phase: number): number {
  return openRecording(recordingIn(subject.into))
    .snapshots()
    .reduce((sum, snapshot) => sum + (snapshot.phase > phase ? snapshot.workers.length : 0), 0);
}

/** What was wrong, where. */
async function once(
  { file, use, listens, input, snapshots, backend }: Service,
  i: number,
): Promise<string | undefined> {
  const into = mkdtempSync(join(tmpdir(), 'turntable-soak-'));
  const server = backend?.();
  const args = server === undefined ? [] : [String(await server.listen())];
  const env = { TURNTABLE_SNAPSHOTS: values.snapshots ?? snapshots ?? 'requests=25,end' };
  const subject = {
    file,
    args,
    place: join(into, 'place'),
    into: join(into, 'recordings'),
    env,
    listens,
    input,
    limit: LIMIT,
  };
  const life = new Life('recorded', subject);
  let has: Ended | undefined;
  void life.ended.then((ended) => (has = ended));
  try {
    if (use !== undefined) {
      await use(await life.port, (text) => life.say(text));
      life.terminate();
    }
    const recorded = await life.ended;
    await server?.close();
    const found = wrongIn(again(subject, recorded), recorded, statesBehind(subject, 0));
    const phases = phasesOf(subject).toSorted((a, b) => a - b);
    for (const phase of chosen(phases, i)) {
      const from = again(subject, recorded, ['--from', String(phase)]);
      found.push(
        ...wrongIn(from, recorded, statesBehind(subject, phase), phase).map((each) => `from ${phase}: ${each}`),
      );
    }
    runs += 1 + chosen(phases, i).length;
    if (found.length > 0) return `in ${into}, of snapshots ${phases.join()}: ${found.join('; ')}`;
  } catch (error) {
    // Who asked hears of a lost connection, and not of who had it.
    await new Promise((resolve) => setTimeout(resolve, PATIENCE));
    const end = has === undefined ? 'it goes on' : `it ended: ${has.code ?? has.signal} ${has.stderr.slice(-1000)}`;
    return `in ${into}: ${(error as Error).message}; ${end}`;
  } finally {
    life.kill();
    await server?.close();
  }
  rmSync(into, { recursive: true });
  return undefined;
}

let runs = 0;

async function soak(): Promise<void> {
  for (const [name, service] of services) {
    if (values.only !== undefined && !name.includes(values.only)) continue;
    let failed = 0;
    runs = 0;
    for (let i = 0; i < Number(values.count); i++) {
      const wrong = await once(service, i);
      if (wrong === undefined) continue;
      failed++;
      process.exitCode = 1;
      console.error(`FAILED ${name} ${wrong.slice(0, 2000)}`);
    }
    console.log(`${name}: ${values.count} times, run again ${runs} times, ${failed} failed`);
  }
}

if (values.help) console.log(USAGE);
else await soak();
