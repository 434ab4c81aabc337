// One seed: a random program of actors is recorded in a simulated process, whose workers are lost and which may be
// killed, and replayed several times in others, each time with the threads in another order.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  createTraceSink,
  describeProcess,
  listRecordings,
  openRecording,
  startWriter,
  type TraceHandle,
  type TraceReader,
  type TraceSource,
} from '@turntable/recording';
import { ActorSystem, serve, type ThreadData } from '@turntable/runtime';
import { serveDisk, type DiskThreadData } from '../../packages/recording/src/disk-thread.ts';
import { setFileFault, type FileFault } from '../../packages/recording/src/file-operations.ts';
import type { WriterThreadStart } from '../../packages/recording/src/writer-messages.ts';
import { serveWriter } from '../../packages/recording/src/writer-thread.ts';
import { ReadableTrace } from '../../packages/replayer/src/replay/thread/readable-trace.ts';
import { readWorkerReplacements } from '../../packages/replayer/src/replay/thread/worker-replacements.ts';
import type { ThreadStop } from '../../packages/runtime/src/replay-monitor.ts';
import { ANY, randomRun, type RandomRun } from '../../packages/runtime/test/random-actors.ts';
import { createTestThread, type ThreadTrace } from '../../packages/runtime/test/threads/test-thread.ts';
import { seededRandom } from '../../scripts/test-run/seeded-random.ts';
import { closeLeftFiles } from './simulated-fs.ts';
import { forgetWaits } from './simulated-globals.ts';
import { setThreadEntry } from './simulated-ports.ts';
import {
  SimulatedProcess,
  type SimulatedThread,
  type SimulationOptions,
  type ThreadLoss,
} from './simulated-process.ts';

/** What happens to the recorded process. */
export interface RunPlan {
  readonly program: RandomRun;
  readonly losses: readonly ThreadLoss[];
  readonly killAt: number | undefined;
  readonly fault: Omit<FileFault, 'counter'> | undefined;
  readonly cutsAt: readonly number[];
  readonly flushesAt: readonly number[];
}

/** Messages that each actor has received, by `worker.epoch` of its thread. */
type Logs = Record<string, string[][]>;

export interface SimulatedRun {
  readonly problems: readonly string[];
  readonly operations: number;
  readonly verdict: string;
}

const WORKERS = 2;
const WORKER_ENTRY = new URL('simulated:worker');
/** Losses and kills happen before this operation, most of them early. A run has some 1,400. */
const LAST_OPERATION = 6000;

setThreadEntry('/writer-thread.ts', (data, port) =>
  (data as { readonly type: string }).type === 'writer'
    ? serveWriter(data as WriterThreadStart, port as never)
    : serveDisk(data as DiskThreadData, port as never),
);

export function planRun(seed: number): RunPlan {
  const random = seededRandom(seed);
  const [program] = fc.sample(randomRun(ANY), { numRuns: 1, seed }) as [RandomRun];
  const at = (): number => Math.floor(random() ** 2 * LAST_OPERATION);
  const lossCount = Math.floor(random() * 4);
  const kinds = ['ENOSPC', 'EIO', 'EMFILE', 'short'] as const;
  const losses = Array.from({ length: lossCount }, () => ({ at: at(), isOutOfMemory: random() < 0.3 }));
  losses.sort((one, other) => one.at - other.at);
  const killAt = random() < 0.4 ? at() : undefined;
  const flushesAt = Array.from({ length: 5 }, () => random() * 20);
  // Traces that begin after a fault can be replayed from a snapshot only, and there is none.
  if (random() >= 0.2)
    return {
      program,
      losses,
      killAt,
      fault: undefined,
      cutsAt: Array.from({ length: 3 }, () => random() * 15),
      flushesAt,
    };
  const kind = kinds[Math.floor(random() * kinds.length)] ?? 'EIO';
  const fault = { kind, at: 1 + Math.floor(random() * 60), count: 1 + Math.floor(random() * 10) };
  return { program, losses, killAt, fault, cutsAt: [], flushesAt };
}

/** @param replays number of replays, which must not differ */
export function simulateRun(seed: number, replays: number, plan = planRun(seed)): SimulatedRun {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-simulation-'));
  try {
    const recorded = record(directory, seed, plan);
    const problems = [...recorded.problems];
    const [entry] = listRecordings(directory);
    if (entry === undefined) {
      // It was killed before its writer could do anything, or its disk failed at once.
      if (plan.killAt === undefined && plan.fault === undefined) problems.push('nothing was recorded');
      return { ...recorded, problems };
    }
    const outcomes = Array.from({ length: replays }, (_, i) => replay(entry.directory, plan, seed * 1000 + i));
    const [first] = outcomes as [Replayed, ...Replayed[]];
    outcomes.forEach((outcome, i) => {
      problems.push(...outcome.problems.map((problem) => `replay ${i}: ${problem}`));
      const difference = differenceOf(first, outcome);
      if (difference !== undefined) problems.push(`replay ${i} differs from replay 0: ${difference}`);
    });
    problems.push(...compareWithRecorded(recorded, first, plan));
    return { problems, operations: recorded.operations, verdict: first.verdict };
  } finally {
    closeLeftFiles();
    forgetWaits();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Recorded {
  readonly problems: readonly string[];
  readonly operations: number;
  readonly verdict: string;
  /** Logs of all threads when they ended. */
  readonly logs: Logs;
  readonly lost: readonly string[];
  readonly isKilled: boolean;
  /** Number of lines in each log of the main thread for which a flush has confirmed that they survive a kill. */
  readonly durable: readonly number[];
}

function record(directory: string, seed: number, plan: RunPlan): Recorded {
  const readers = new Map<string, () => string[][]>();
  const names = new Map<SimulatedThread, string>();
  const lost: string[] = [];
  const logs: Logs = {};
  const readLogs = (): void => {
    for (const [thread, read] of readers) logs[thread] ??= read();
  };
  const problems: string[] = [];
  let durable: readonly number[] = [];
  const options: SimulationOptions = {
    seed,
    killAt: plan.killAt,
    losses: plan.losses,
    onLost: (thread) => lost.push(names.get(thread) ?? ''),
    onKilled: readLogs,
  };
  const simulated = new SimulatedProcess(options);
  setThreadEntry(WORKER_ENTRY.href, (workerData) => {
    const { turntable } = workerData as { readonly turntable: ThreadData };
    const { index, epoch } = turntable;
    const sink = createTraceSink(turntable.trace as TraceHandle);
    const { scheduler, host, readLogs: readOwn } = createTestThread(index, { sink });
    readers.set(`${index}.${epoch}`, readOwn);
    names.set(simulated.thread, `${index}.${epoch}`);
    serve(turntable, scheduler, host);
    process.on('exit', () => sink.end());
  });
  setFileFault(plan.fault && { ...plan.fault, counter: new SharedArrayBuffer(4) });
  const end = simulated.run(() => {
    const writer = startWriter({ recordings: directory, onError: (error) => simulated.warnings.push(error) });
    const recording = writer.create(describeProcess({ turntable: '0', workers: WORKERS }));
    const sink = createTraceSink(recording.trace(0, 0));
    const thread = createTestThread(0, { sink });
    readers.set('0.0', thread.readLogs);
    const app = new ActorSystem(thread.scheduler, thread.host, {
      workers: WORKERS,
      entry: WORKER_ENTRY,
      trace: (worker, epoch, phase, earlierLosses) => {
        const handle = recording.trace(worker, epoch, phase, earlierLosses);
        return { data: handle, transfer: [handle.port] };
      },
      traceLost: (worker, epoch, isOutOfMemory) => recording.workerLost(worker, epoch, isOutOfMemory),
    });
    process.on('exit', () => {
      readLogs();
      sink.end();
      recording.end();
      writer.closeSync();
    });
    thread.startProgram(app, plan.program);
    const flush = (): void => {
      const lines = thread.readLogs().map((log) => log.length);
      void sink.flush(false).then(() => (durable = lines));
    };
    for (const delay of plan.flushesAt) setTimeout(flush, delay).unref();
    for (const delay of plan.cutsAt) setTimeout(() => app.startPhase(), delay);
  });
  setFileFault(undefined);
  if (end === 'hung') problems.push(`the recorded process hangs after ${simulated.steps} steps`);
  problems.push(...simulated.errors.map((error) => `recorded process: ${describe(error)}`));
  if (plan.fault === undefined) problems.push(...simulated.warnings.map((warning) => `warning: ${describe(warning)}`));
  readLogs();
  return { problems, operations: simulated.operations, verdict: end, logs, lost, isKilled: end === 'killed', durable };
}

interface Replayed {
  readonly problems: readonly string[];
  readonly verdict: string;
  /** The threads that have traces. */
  readonly expected: readonly string[];
  /** How each thread stopped. */
  readonly stops: Readonly<Record<string, string>>;
  readonly logs: Logs;
}

function replay(directory: string, plan: RunPlan, seed: number): Replayed {
  const recording = openRecording(directory);
  const traces = recording.traces();
  const lastEpochs: number[] = [0];
  for (const { worker, epoch } of traces) lastEpochs[worker] = Math.max(lastEpochs[worker] ?? 0, epoch);
  const expected = traces.map(({ worker, epoch }) => `${worker}.${epoch}`);
  const openTraces: TraceReader[] = [];
  const traceOf = (worker: number, epoch: number): ThreadTrace => {
    const open = (): TraceSource | undefined => {
      if (!expected.includes(`${worker}.${epoch}`)) return undefined;
      const trace = recording.trace(worker, epoch);
      openTraces.push(trace);
      return trace;
    };
    return { source: new ReadableTrace(open) };
  };
  const logs: Logs = {};
  const stops: Record<string, string> = {};
  const problems: string[] = [];
  const readers = new Map<string, () => string[][]>();
  const simulated = new SimulatedProcess({ seed });
  const onThreadStop = ({ worker, epoch, reason, events, divergence }: ThreadStop): void => {
    const name = `${worker}.${epoch}`;
    stops[name] = `${reason} after ${events}`;
    if (divergence !== undefined)
      problems.push(
        `${name}, event ${divergence.ordinal}: recorded: ${divergence.expected}; now: ${divergence.actual}`,
      );
    if (reason === 'failed') problems.push(`${name} failed`);
    if (expected.every((each) => each in stops)) simulated.finish('ended');
  };
  const trackHalt = (name: string, { tape, readLogs }: ReturnType<typeof createTestThread>): void => {
    readers.set(name, readLogs);
    if (tape.isReplay) tape.onHalt(() => (logs[name] ??= readLogs()));
  };
  setThreadEntry(WORKER_ENTRY.href, (workerData) => {
    const { turntable } = workerData as { readonly turntable: ThreadData };
    const { index, epoch } = turntable;
    const thread = createTestThread(index, traceOf(index, epoch));
    trackHalt(`${index}.${epoch}`, thread);
    serve(turntable, thread.scheduler, thread.host);
  });
  const end = simulated.run(() => {
    const thread = createTestThread(0, traceOf(0, 0));
    trackHalt('0.0', thread);
    const app = new ActorSystem(thread.scheduler, thread.host, {
      workers: WORKERS,
      entry: WORKER_ENTRY,
      replayedRun: {
        lastEpochs: Array.from(lastEpochs, (epoch) => epoch ?? 0),
        replacements: readWorkerReplacements(recording),
        onThreadStop,
      },
    });
    thread.startProgram(app, plan.program);
  });
  for (const trace of openTraces) trace.close();
  problems.push(...simulated.errors.map(describe));
  const missing = expected.filter((name) => !(name in stops));
  if (missing.length > 0) problems.push(`${end === 'hung' ? 'hangs' : 'ends'}; not stopped: ${missing.join(', ')}`);
  const verdict = Object.values(stops).every((stop) => stop.startsWith('ended')) ? 'ended' : 'cut off';
  return { problems, verdict: problems.length > 0 ? 'failed' : verdict, expected, stops, logs };
}

function differenceOf(one: Replayed, other: Replayed): string | undefined {
  for (const name of one.expected) {
    const [first, second] = [one.stops[name], other.stops[name]];
    if (first !== second) return `${name} stopped: ${first}, and ${second}`;
    if (JSON.stringify(one.logs[name]) !== JSON.stringify(other.logs[name])) return `the log of ${name}`;
  }
  return undefined;
}

/** A thread that reached its end has the same log; one whose trace is cut off, the beginning of it. */
function compareWithRecorded(recorded: Recorded, replayed: Replayed, plan: RunPlan): string[] {
  const isWhole = !recorded.isKilled && plan.fault === undefined;
  if (plan.fault === undefined) {
    const replayedLines = (replayed.logs['0.0'] ?? []).map((log) => log.length);
    if (recorded.durable.some((lines, actor) => lines > (replayedLines[actor] ?? 0)))
      return [`lines of the main thread that survive a kill: ${recorded.durable}, replayed: ${replayedLines}`];
  }
  return Object.entries(recorded.logs).flatMap(([name, log]) => {
    const stop = replayed.stops[name];
    const again = replayed.logs[name];
    if (stop === undefined || again === undefined) return isWhole ? [`${name} was not replayed`] : [];
    const shouldEnd = isWhole && !recorded.lost.includes(name);
    if (shouldEnd && !stop.startsWith('ended')) return [`${name} was recorded whole, and stopped: ${stop}`];
    if (stop.startsWith('ended'))
      return JSON.stringify(log) === JSON.stringify(again) ? [] : [`log of ${name} differs`];
    return again.flatMap((lines, actor) =>
      lines.flatMap((line, i) => {
        const recordedLine = log[actor]?.[i];
        return recordedLine === undefined || recordedLine === line
          ? []
          : [`actor ${actor} on ${name}, line ${i} of its log: recorded: ${recordedLine}; now: ${line}`];
      }),
    );
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
