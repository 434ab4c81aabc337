// One random program whose workers are lost at random moments of a random schedule while snapshots are taken. The
// successor of a lost worker must have the state of the last snapshot. The seed determines everything.
import type { Snapshot } from '@turntable/runtime';
import type { ActorCell } from '../../../packages/runtime/src/actors/actor-cell.ts';
import { FarReference } from '../../../packages/runtime/src/references/far-reference.ts';
import { PIECE } from '../../../packages/runtime/src/snapshot/worker-snapshot.ts';
import { actorHashes, referenceMismatches } from './checks.ts';
import { SimulatedCluster, type SimulatedWorker } from './simulated-cluster.ts';
import { randomPlan, type PlanStep } from './plan.ts';
import { pickOne, seededRandom } from './random.ts';
import { SimulatedProgram } from './simulated-program.ts';

const WORKER_COUNT = 3;
const MAX_STEPS = 100_000;
const REFERENCE_GONE = 'had a reference to it any more';
/** Steps between two jobs of Node. */
const STEPS_PER_JOB = 15;

export interface ReviveResult {
  readonly problems: readonly string[];
  readonly snapshots: number;
  readonly losses: number;
  /** Actors restored with their state. */
  readonly revived: number;
  /** References that restored actors had to claim from other workers. */
  readonly claimed: number;
}

interface Account {
  readonly number: number | string;
  readonly peers: readonly FarReference[];
}

/** Programs to reuse: they are expensive to create, and reusable after a run that has ended cleanly. */
const programs: SimulatedProgram[] = [];
const takeProgram = (): SimulatedProgram => programs.pop() ?? new SimulatedProgram();

export async function checkRevival(seed: number): Promise<ReviveResult> {
  const random = seededRandom(seed);
  const plan = randomPlan(random, WORKER_COUNT);
  const accounts = plan.accounts.map((account) => ({ ...account, supervise: pickOne(random, SUPERVISION_MODES) }));
  const problems: string[] = [];
  /** Digests of accounts at the cuts, by phase and actor. */
  const known = new Map<string, string>();
  const totals = { snapshots: 0, losses: 0, revived: 0, claimed: 0 };
  let last: Snapshot | undefined;
  /**
   * Set when a worker was lost before the first snapshot, so that references known only to its actors are gone for
   * good.
   */
  let hasLostWithoutSnapshot = false;
  /** Set when no more workers will be lost. */
  let isFinished = false;
  /** Hashes of all actors at the last cut, including unreachable ones, which the snapshot leaves out. */
  const hashes = new Map<number, string>();
  const cluster = new SimulatedCluster(Array.from({ length: WORKER_COUNT }, takeProgram), random, {
    cut(worker, phase) {
      const { actors } = worker;
      if (isFinished) for (const [id, hash] of actorHashes(worker)) hashes.set(id, hash);
      for (const { id, root } of actors) if (root !== undefined) known.set(`${phase} ${id}`, digestOf(root as Account));
    },
  });

  /** Compares restored actors with their state at the cut, before anything runs there. */
  const inspect = (worker: SimulatedWorker, { phase }: Snapshot): void => {
    const { program, actors } = worker;
    for (const { piece, actor, root } of program.roots as {
      piece: number;
      actor: ActorCell;
      root: object | undefined;
    }[]) {
      if (piece !== PIECE.actor || root === undefined || actor.id < WORKER_COUNT) continue;
      actors.add(actor);
      totals.revived++;
      const [current, previous] = [digestOf(root as Account), known.get(`${phase} ${actor.id}`)];
      if (current !== previous) problems.push(`${actor.name} is ${current} and was ${previous}`);
    }
    totals.claimed += worker.scheduler.workerLinks.references.held;
  };
  const loseWorker = (): void => {
    const index = 1 + random(WORKER_COUNT - 1);
    const from = last;
    if (from === undefined) hasLostWithoutSnapshot = true;
    totals.losses++;
    cluster.replaceWorker(index, takeProgram(), from, (worker) => inspect(worker, from as Snapshot));
  };
  const takeSnapshot = (): void => {
    const { losses } = totals;
    void cluster.takeSnapshot().then(
      (snapshot) => {
        totals.snapshots++;
        // A second successor must not know more about the first one's run than the first one did.
        if (losses === totals.losses) last = snapshot;
      },
      () => undefined,
    );
  };
  try {
    const isKept = (): boolean => random(2) === 0;
    const steps = plan.steps.map((step) => withKept(step, isKept));
    cluster.load({ accounts, steps });
    const interval = 20 + random(200);
    let losses = 1 + random(3);
    await runCluster(cluster, () => {
      if (random(interval >> 1) === 0 && totals.snapshots < 6) takeSnapshot();
      if (losses > 0 && random(interval) === 0) {
        losses--;
        loseWorker();
      }
    });
    // Loses a worker while the program is idle, too.
    takeSnapshot();
    await runCluster(cluster, () => undefined);
    loseWorker();
    await runCluster(cluster, () => undefined);
    isFinished = true;
    takeSnapshot();
    await runCluster(cluster, () => undefined);
    problems.push(...(await restoredProblems(last as unknown as Snapshot, hashes)));
    problems.push(...(await finalProblems(cluster)));
  } catch (error) {
    problems.push(error instanceof Error ? String(error.stack) : String(error));
  } finally {
    cluster.close();
  }
  if (problems.length === 0) programs.push(...cluster.workers.map((worker) => worker.program));
  return { problems: problems.filter((line) => !(hasLostWithoutSnapshot && line.endsWith(REFERENCE_GONE))), ...totals };
}

const SUPERVISION_MODES = ['restore', 'restore', 'restore', 'restart'] as const;

/** Lets some children live on the worker of their creator, with the same supervision. */
function withKept(step: PlanStep, isKept: () => boolean): PlanStep & { readonly isKept: boolean } {
  return { ...step, isKept: isKept(), then: step.then.map((each) => withKept(each, isKept)) };
}

/** Runs until no worker has anything to do. */
async function runCluster(cluster: SimulatedCluster, beforeStep: () => void): Promise<void> {
  for (let steps = 0; ; steps += STEPS_PER_JOB) {
    let hasMore = true;
    // Lets pending restores and snapshot promises progress between batches of steps.
    for (let stepsInJob = 0; stepsInJob < STEPS_PER_JOB && hasMore; stepsInJob++) hasMore = cluster.step(beforeStep);
    for (let i = 0; i < 20; i++) await undefined;
    if (!hasMore && !cluster.step(beforeStep)) return;
    if (steps > MAX_STEPS) throw new Error(`the cluster is not idle after ${MAX_STEPS} steps`);
  }
}

/** Restores a snapshot of a cluster that contains revived workers. */
async function restoredProblems(snapshot: Snapshot, hashes: ReadonlyMap<number, string>): Promise<string[]> {
  const problems: string[] = [];
  const epochs = snapshot.parts.map(({ epoch }) => epoch);
  const cluster = new SimulatedCluster(
    snapshot.parts.map(takeProgram),
    seededRandom(snapshot.phase),
    { cut: () => undefined },
    epochs,
  );
  try {
    const resume = await cluster.restore(snapshot, (worker) => {
      for (const [id, hash] of actorHashes(worker))
        if (hash !== hashes.get(id)) problems.push(`actor ${id}, restored, differs from its state at the cut`);
    });
    resume();
    await runCluster(cluster, () => undefined);
    problems.push(...(await finalProblems(cluster)).map((line) => `restored: ${line}`));
  } finally {
    cluster.close();
  }
  if (problems.length === 0) programs.push(...cluster.workers.map((worker) => worker.program));
  return problems;
}

/** All supervised actors must answer, and all references to them must work. */
async function finalProblems(cluster: SimulatedCluster): Promise<string[]> {
  const problems: string[] = [];
  const [{ program }] = cluster.workers as [SimulatedWorker];
  const answers = new Map<number, unknown>();
  (program.exports['accounts'] as { reach(): PromiseLike<number> }[]).forEach((account, i) => {
    answers.set(i, 'nothing');
    account.reach().then(
      (count) => answers.set(i, count),
      (error: unknown) => answers.set(i, error),
    );
  });
  await runCluster(cluster, () => undefined);
  for (const [i, answer] of answers)
    if (typeof answer !== 'number') problems.push(`account ${i} answers ${String(answer)}`);
  for (const { scheduler } of cluster.workers) {
    if (!scheduler.isIdle) problems.push(`worker ${scheduler.index} is not idle`);
    const { orphans } = scheduler.getState().workerLinks.references;
    for (const { incarnation, unclaimedBy } of orphans)
      problems.push(
        `worker ${scheduler.index} waits for ${unclaimedBy.join()} to claim the references of ${incarnation}`,
      );
  }
  problems.push(...referenceMismatches(cluster));
  return problems;
}

/** Text of an account's own state. */
function digestOf({ peers, ...account }: Account): string {
  return JSON.stringify(
    [...Object.entries(account), ['peers', peers.map((peer) => FarReference.actorOf(peer).id)]],
    (_, value: unknown) =>
      value instanceof Map
        ? [...value.keys()]
        : value instanceof Set
          ? [...value]
          : typeof value === 'function'
            ? 'function'
            : value,
  );
}
