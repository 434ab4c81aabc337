// npm run soak:services: records the services and feature programs of fixtures under their load, replays them, and
// replays them from their snapshots. A failure prints the problem and keeps the recording.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openRecording } from '@turntable/recording';
import { recordingIn, sample } from '../replay/record-and-replay.ts';
import { featureInput, FEATURES } from './feature-programs.ts';
import {
  exerciseChat,
  exercisePg,
  exerciseQueue,
  exerciseSecure,
  exerciseSql,
  type ServiceExercise,
} from './clients.ts';
import { exerciseBehaviour, exerciseShop } from './fastify-clients.ts';
import { LoadClient, loadProblems } from './load.ts';
import { FakePostgresServer } from './postgres-server.ts';
import {
  replayAndCompare,
  ProgramProcess,
  snapshotPhasesOf,
  type ReplayCheck,
  type ProgramExit,
  type Subject,
} from './recorded.ts';
import { FakeRedisServer } from './redis-server.ts';

const USAGE = `Usage: npm run soak:services -- [--count 1] [--only NAME] [--from N|all] [--requests 100] [--snapshots requests=25,end]

  --count N       runs of each service (1)
  --only NAME     only services whose names contain NAME
  --from N        number of snapshots to replay from (all)
  --requests N    requests to services under load (100)
  --snapshots     snapshot triggers (requests=25,end; every=10ms,end for programs that serve no requests)`;

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
/** Timeout of a service on a busy machine, and the time to wait for news of its exit. */
const TIMEOUT_MS = 600_000;
const EXIT_GRACE_MS = 500;

interface SoakService {
  readonly file: string;
  /** Client of the service; missing for a program that ends by itself. */
  readonly exercise?: ServiceExercise;
  readonly snapshots?: string;
  readonly keepsStdinOpen?: boolean;
  readonly input?: string;
  backend?(): { listen(): Promise<number>; close(): Promise<void> | void };
}

const exerciseLoad: ServiceExercise = async (port) => {
  const problems = await loadProblems(port, requests);
  if (problems.length > 0) throw new Error(problems.join('; '));
};

/** Causes the loss of three workers. */
const exerciseShelves: ServiceExercise = async (port) => {
  const client = new LoadClient(port);
  const path = (i: number): string =>
    i % (requests >> 2) === 10 ? `/break?shelf=${(i >> 3) % 2}` : `/thing${i}?shelf=${i % 2}`;
  await Promise.all(Array.from({ length: requests }, (_, i) => client.request({ method: 'GET', path: path(i) })));
  client.close();
};

const services = new Map<string, SoakService>([
  ...['http', 'fastify', 'express', 'koa', 'hono', 'nest'].map((name): [string, SoakService] => [
    name,
    { file: `services/${name}.ts`, exercise: exerciseLoad },
  ]),
  ['sql', { file: 'services/sql.ts', exercise: exerciseSql }],
  ['pg', { file: 'services/pg.ts', exercise: exercisePg, backend: () => new FakePostgresServer() }],
  ['queue', { file: 'services/queue.ts', exercise: exerciseQueue, backend: () => new FakeRedisServer() }],
  ['chat', { file: 'services/chat.ts', exercise: exerciseChat }],
  ['secure', { file: 'services/secure.ts', exercise: exerciseSecure, keepsStdinOpen: true }],
  ['shelves', { file: 'services/shelves.ts', exercise: exerciseShelves }],
  ['plugin', { file: 'with-plugin/service.ts', exercise: exerciseLoad }],
  ['plugin, all kinds of replies', { file: 'with-plugin/behaviour.ts', exercise: exerciseBehaviour }],
  ['plugin and actors', { file: 'with-plugin/shop.ts', exercise: exerciseShop }],
  ...[...FEATURES, 'actors'].map((name): [string, SoakService] => [
    `features, ${name}`,
    {
      file: `features/${name}.ts`,
      snapshots: 'every=10ms,end',
      ...featureInput(name),
    },
  ]),
]);

/** Removes log lines: the host-side logger writes at any time, also during a replay. */
function withoutLogs(text: string): string {
  return text.replaceAll(/^\{"level":.*\n|^\((?:node:|Use ).*\n/gm, '');
}

/** Problems with a replay. From a snapshot, only the rest of the output is printed. */
function replayProblems(found: ReplayCheck, recorded: ProgramExit, states: number, from?: number): string[] {
  const { stdout: recordedOutput, code } = recorded;
  const { compared } = found.replay.report.cuts;
  const [expected, actual] = [withoutLogs(recordedOutput), withoutLogs(found.replay.output)];
  const isPrinted = from === undefined ? expected === actual : expected.endsWith(actual);
  return [
    // The recording of a process that was ended by a signal is truncated.
    ...found.differences.filter(
      (each) => !(code !== 0 && each.startsWith('truncated: ')) && !(isPrinted && each.startsWith('printed ')),
    ),
    ...(compared === states ? [] : [`${compared} of ${states} states were compared`]),
  ];
}

function choosePhases(phases: readonly number[], first: number): readonly number[] {
  return values.from === 'all' ? phases : sample(phases, Math.min(Number(values.from), phases.length), first);
}

/** Number of recorded worker states after a phase. */
function statesAfter(subject: Subject, phase: number): number {
  return openRecording(recordingIn(subject.recordings))
    .snapshots()
    .reduce((sum, snapshot) => sum + (snapshot.phase > phase ? snapshot.workers.length : 0), 0);
}

/** Runs a service once and returns a description of the problem. */
async function runOnce(
  { file, exercise, keepsStdinOpen, input, snapshots, backend }: SoakService,
  i: number,
): Promise<string | undefined> {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-soak-'));
  const server = backend?.();
  const args = server === undefined ? [] : [String(await server.listen())];
  const env = { TURNTABLE_SNAPSHOTS: values.snapshots ?? snapshots ?? 'requests=25,end' };
  const subject = {
    file,
    args,
    workingDirectory: join(directory, 'place'),
    recordings: join(directory, 'recordings'),
    env,
    keepsStdinOpen,
    input,
    timeoutMs: TIMEOUT_MS,
  };
  const program = new ProgramProcess('recorded', subject);
  let exit: ProgramExit | undefined;
  void program.exited.then((ended) => (exit = ended));
  try {
    if (exercise !== undefined) {
      await exercise(await program.port, (text) => program.writeInput(text));
      program.terminate();
    }
    const recorded = await program.exited;
    await server?.close();
    const found = replayProblems(replayAndCompare(subject, recorded), recorded, statesAfter(subject, 0));
    const phases = snapshotPhasesOf(subject).toSorted((a, b) => a - b);
    for (const phase of choosePhases(phases, i)) {
      const from = replayAndCompare(subject, recorded, ['--from', String(phase)]);
      found.push(
        ...replayProblems(from, recorded, statesAfter(subject, phase), phase).map((each) => `from ${phase}: ${each}`),
      );
    }
    replayCount += 1 + choosePhases(phases, i).length;
    if (found.length > 0) return `in ${directory}, of snapshots ${phases.join()}: ${found.join('; ')}`;
  } catch (error) {
    // The client only notices a lost connection; the reason follows with the exit.
    await new Promise((resolve) => setTimeout(resolve, EXIT_GRACE_MS));
    const end =
      exit === undefined ? 'it is still running' : `it ended: ${exit.code ?? exit.signal} ${exit.stderr.slice(-1000)}`;
    return `in ${directory}: ${(error as Error).message}; ${end}`;
  } finally {
    program.kill();
    await server?.close();
  }
  rmSync(directory, { recursive: true });
  return undefined;
}

let replayCount = 0;

async function soak(): Promise<void> {
  for (const [name, service] of services) {
    if (values.only !== undefined && !name.includes(values.only)) continue;
    let failed = 0;
    replayCount = 0;
    for (let i = 0; i < Number(values.count); i++) {
      const problem = await runOnce(service, i);
      if (problem === undefined) continue;
      failed++;
      process.exitCode = 1;
      console.error(`FAILED ${name} ${problem.slice(0, 2000)}`);
    }
    console.log(`${name}: ${values.count} runs, ${replayCount} replays, ${failed} failed`);
  }
}

if (values.help) console.log(USAGE);
else await soak();
