// One random program with snapshots at random moments of a random schedule. Each snapshot is restored, checked before
// anything runs, and run to its end under another schedule, in which further snapshots may be taken. The seed
// determines everything.
import type { Snapshot } from '@turntable/runtime';
import { workerHash, finalOutcome, invariantViolations } from './checks.ts';
import { SimulatedCluster } from './simulated-cluster.ts';
import { randomPlan } from './plan.ts';
import { PIECE } from '../../../packages/runtime/src/snapshot/worker-snapshot.ts';
import { seededRandom } from './random.ts';
import { SimulatedProgram } from './simulated-program.ts';

const WORKER_COUNT = 3;

export interface CheckTotals {
  snapshots: number;
  /** Snapshots taken of restored programs. */
  restoredAgain: number;
  bytes: number;
  /** Messages in flight in the restored parts. */
  inFlight: number;
  turns: number;
}

export interface CheckResult extends Readonly<CheckTotals> {
  readonly problems: readonly string[];
}

/** Snapshots of one program, with the hashes of all workers at their cuts. */
interface TakenSnapshots {
  readonly snapshots: readonly Snapshot[];
  readonly hashes: ReadonlyMap<string, string>;
}

/** Programs to reuse: they are expensive to create, and reusable after a run that has ended cleanly. */
let programs: SimulatedProgram[] | undefined;

export async function checkSeed(seed: number, maxSnapshots = 8): Promise<CheckResult> {
  const totals = { snapshots: 0, restoredAgain: 0, bytes: 0, inFlight: 0, turns: 0 };
  try {
    const problems = await findProblems(seed, maxSnapshots, totals);
    return { ...totals, problems };
  } catch (error) {
    return { ...totals, problems: [error instanceof Error ? String(error.stack) : String(error)] };
  }
}

async function findProblems(seed: number, maxSnapshots: number, totals: CheckTotals): Promise<readonly string[]> {
  const random = seededRandom(seed);
  const plan = randomPlan(random, WORKER_COUNT);
  const problems: string[] = [];
  const report = (label: string, lines: readonly string[]): void =>
    void problems.push(...lines.map((line) => `${label}: ${line}`));

  const runToEnd = async (
    label: string,
    start: (cluster: SimulatedCluster) => Promise<() => void>,
    expected: string | undefined,
    count: number,
  ): Promise<{ taken: TakenSnapshots; outcome: string }> => {
    const ownPrograms = (programs ??= Array.from({ length: WORKER_COUNT }, () => new SimulatedProgram()));
    programs = undefined;
    const hashes = new Map<string, string>();
    const cluster = new SimulatedCluster(ownPrograms, random, {
      cut: (worker, phase) => void hashes.set(`${phase} ${worker.scheduler.index}`, workerHash(worker)),
    });
    try {
      const resume = await start(cluster);
      resume();
      const pending: Promise<Snapshot>[] = [];
      const interval = 1 + random(count === 1 ? 100 : 40);
      cluster.run(() => {
        if (pending.length < count && random(interval) === 0) pending.push(cluster.takeSnapshot());
      });
      const { outcome, problems: found } = finalOutcome(cluster);
      report(label, found);
      report(label, invariantViolations(cluster, plan));
      if (expected !== undefined && outcome !== expected)
        report(label, [`ended with\n${outcome}\ninstead of\n${expected}`]);
      const snapshots = await awaitSnapshots(pending, (line) => report(label, [line]));
      totals.turns += cluster.workers.reduce((sum, { scheduler }) => sum + scheduler.turns, 0);
      if (problems.length === 0) programs = ownPrograms;
      return { taken: { snapshots, hashes }, outcome };
    } finally {
      cluster.close();
    }
  };

  const original = await runToEnd('the program', async (cluster) => () => cluster.load(plan), undefined, maxSnapshots);
  const restore = async (label: string, { snapshots, hashes }: TakenSnapshots, depth: number): Promise<void> => {
    for (const snapshot of snapshots) {
      if (problems.length > 0) return;
      const name = `${label}, snapshot ${snapshot.phase}`;
      totals.snapshots++;
      if (depth > 0) totals.restoredAgain++;
      totals.bytes += snapshot.parts.reduce((sum, { size }) => sum + size, 0);
      const { taken } = await runToEnd(
        name,
        async (cluster) => {
          const resume = await cluster.restore(snapshot, (worker) => {
            const { index } = worker.scheduler;
            totals.inFlight += (worker.program.roots as { piece: number }[]).filter(
              ({ piece }) => piece === PIECE.inFlight,
            ).length;
            if (workerHash(worker) !== hashes.get(`${snapshot.phase} ${index}`))
              report(`${name}, restored`, [`worker ${index} differs from its state at the cut`]);
          });
          report(`${name}, restored`, invariantViolations(cluster, plan));
          return resume;
        },
        original.outcome,
        depth === 0 && random(8) === 0 ? 1 : 0,
      );
      await restore(name, taken, depth + 1);
    }
  };
  await restore('the program', original.taken, 0);
  return problems;
}

/** Reports snapshots that were requested and not completed. */
async function awaitSnapshots(
  pending: readonly Promise<Snapshot>[],
  report: (line: string) => void,
): Promise<readonly Snapshot[]> {
  const found = new Map<number, Snapshot>();
  const timeout = Promise.resolve()
    .then(() => Promise.resolve())
    .then(() => Promise.resolve());
  for (const promise of pending) {
    try {
      const snapshot = await Promise.race([promise, timeout.then(() => undefined)]);
      if (snapshot === undefined) report('a snapshot was not completed');
      else found.set(snapshot.phase, snapshot);
    } catch (error) {
      report(error instanceof Error ? String(error.stack) : String(error));
    }
  }
  return [...found.values()];
}
