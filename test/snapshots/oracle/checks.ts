// Invariants of the whole program that hold at any moment, and its final outcome.
import { internals } from '@turntable/core';
import { ActorCell } from '../../../packages/runtime/src/actors/actor-cell.ts';
import { FarReference } from '../../../packages/runtime/src/references/far-reference.ts';
import { ReplyForward, PipelinedCall } from '../../../packages/runtime/src/messaging/answer/forward-targets.ts';
import { referenceKey } from '../../../packages/runtime/src/references/references.ts';
import { DeferredReferences } from '../../../packages/runtime/src/snapshot/deferred-references.ts';
import { runtimeObjects } from '../../../packages/runtime/src/snapshot/runtime-objects.ts';
import type { SimulatedCluster, SimulatedWorker } from './simulated-cluster.ts';
import type { ProgramPlan } from './plan.ts';

/** Root object of an actor, as defined by its class. */
interface Account {
  readonly number: number | string;
  readonly balance: number;
  readonly taken: number;
  readonly tokens: readonly { readonly token: number }[];
  readonly had: Readonly<Record<string, number>>;
  readonly counts: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}

function liveActors({ actors }: SimulatedWorker): ActorCell[] {
  return [...actors]
    .filter(({ root, failure }) => root !== undefined && failure === undefined)
    .toSorted((a, b) => a.id - b.id);
}

/** Hash of the state of all actors of a worker, and of the state that they share. */
export function workerHash(simulatedWorker: SimulatedWorker): string {
  const { program, scheduler } = simulatedWorker;
  const actors = liveActors(simulatedWorker).map((actor) => {
    const { id, name, root, exportCount: exports, turns, mark, limit } = actor;
    return { id, name, root, exports, turns, mark, limit };
  });
  const deferred = new DeferredReferences(scheduler.index, () => true);
  return program.hash([actors, program.exports], [runtimeObjects({ deferred })]);
}

/** Hash of each actor by itself. */
export function actorHashes(simulatedWorker: SimulatedWorker): Map<number, string> {
  const deferred = new DeferredReferences(simulatedWorker.scheduler.index, () => true);
  return new Map(
    liveActors(simulatedWorker).map(({ id, name, root, exportCount: exports, turns }) => [
      id,
      simulatedWorker.program.hash({ id, name, root, exports, turns }, [runtimeObjects({ deferred })]),
    ]),
  );
}

interface Assets {
  money: number;
  readonly tokens: number[];
}

/** All money and tokens, including those in queues, mailboxes, messages to unborn actors and pipelined calls. */
function findAssets(cluster: SimulatedCluster): Assets {
  const found: Assets = { money: 0, tokens: [] };
  const visited = new Set<unknown>();
  const queue: unknown[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || visited.has(value)) return;
    visited.add(value);
    queue.push(value);
  };
  for (const simulatedWorker of cluster.workers) {
    const { program, scheduler } = simulatedWorker;
    const visitAll = (parts: readonly unknown[]): void => parts.forEach(visit);
    visitAll(liveActors(simulatedWorker).map(({ root }) => root));
    visitAll([scheduler.getState(), program.timers, internals.readQueues(program.realm)]);
    for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
      if (value instanceof ActorCell || FarReference.has(value)) continue;
      if (value instanceof ReplyForward) continue;
      if (value instanceof PipelinedCall) {
        visitAll(value.args);
        continue;
      }
      if (ArrayBuffer.isView(value)) continue;
      const { money, balance, token } = value as Record<string, unknown>;
      if (typeof money === 'number') found.money += money;
      if (typeof balance === 'number') found.money += balance;
      if (typeof token === 'number') found.tokens.push(token);
      const state = internals.read(program.realm, value);
      if (state !== undefined) visitAll(Object.values(state.fields));
      if (value instanceof Map) visitAll([...value].flat());
      if (value instanceof Set) visitAll([...value]);
      visitAll(Object.values(value as object));
    }
  }
  return found;
}

/** Violations of the invariants, whatever is in flight. */
export function invariantViolations(cluster: SimulatedCluster, plan: ProgramPlan): string[] {
  const problems: string[] = [];
  if (cluster.workers.some(({ program }) => program.exports['result'] !== undefined)) {
    const { money, tokens } = findAssets(cluster);
    const all = plan.accounts.reduce((sum, account) => sum + account.money, 0);
    if (money !== all) problems.push(`money is ${money} instead of ${all}`);
    const expected = plan.accounts.flatMap((account) => account.tokens).toSorted((a, b) => a - b);
    const found = tokens.toSorted((a, b) => a - b);
    if (found.join() !== expected.join()) problems.push(`tokens are ${found.join()} instead of ${expected.join()}`);
  }
  for (const simulatedWorker of cluster.workers) {
    const taken = liveActors(simulatedWorker).reduce((sum, { root }) => sum + (root as Account).taken, 0);
    const ledger = simulatedWorker.program.exports['ledger'] as { taken: number };
    if (taken !== ledger.taken)
      problems.push(
        `accounts of worker ${simulatedWorker.scheduler.index} have taken ${taken}, their ledger says ${ledger.taken}`,
      );
  }
  return problems;
}

/** With nothing in flight, each worker must hold exactly the references that the others have given to it. */
export function referenceMismatches({ workers }: SimulatedCluster): string[] {
  const givenCounts = new Map<string, number>();
  const heldCounts = new Map<string, number>();
  for (const { scheduler } of workers) {
    const index = scheduler.index;
    const { references } = scheduler.workerLinks;
    const { pins, unmatchedClaims, remoteActors } = references.getState();
    const incarnation = references.incarnationOf(index);
    const isLost = (actor: ActorCell): boolean =>
      actor.worker !== index && scheduler.workerLinks.linkTo(actor).hasLostActor(actor);
    for (const [worker, ref, count] of pins) {
      // Supervised actors pin themselves.
      if (worker === index || isLost(FarReference.actorOf(ref))) continue;
      givenCounts.set(
        `${incarnation} ${worker} ${referenceKey(FarReference.actorOf(ref).id, FarReference.exportIdOf(ref))}`,
        count,
      );
    }
    for (const [worker, key, count] of unmatchedClaims) givenCounts.set(`${incarnation} ${worker} ${key}`, count);
    for (const { actor, held } of remoteActors)
      for (const { exportId: number, counts } of isLost(actor) ? [] : held)
        for (const [from, count] of counts)
          // References given by lost workers mean nothing to their successors.
          if (references.isCurrent(from)) heldCounts.set(`${from} ${index} ${referenceKey(actor.id, number)}`, count);
  }
  const keys = [...new Set([...givenCounts.keys(), ...heldCounts.keys()])];
  return keys.flatMap((key) => {
    const [from, to, reference] = key.split(' ');
    const [givenCount, heldCount] = [givenCounts.get(key) ?? 0, heldCounts.get(key) ?? 0];
    if (givenCount === heldCount) return [];
    return [
      `worker ${from} gave worker ${to} reference ${reference} ${givenCount} times, and it arrived ${heldCount} times`,
    ];
  });
}

/** Final state of all accounts; the same for every schedule. */
export function finalOutcome(cluster: SimulatedCluster): { outcome: string; problems: string[] } {
  const problems = referenceMismatches(cluster);
  const lines: string[] = [];
  for (const simulatedWorker of cluster.workers) {
    const { scheduler, reports, program } = simulatedWorker;
    problems.push(...reports.map((report) => `reported: ${report}`));
    if (!scheduler.isIdle) problems.push(`worker ${scheduler.index} is not idle`);
    if (program.exports['result'] !== undefined) lines.push(`result ${String(program.exports['result'])}`);
    for (const { root } of liveActors(simulatedWorker)) {
      const { number, balance, taken, had, counts, wrong } = root as Account;
      problems.push(...wrong.map((line) => `account ${number}: ${line}`));
      const pairs = Object.entries(had)
        .map(([key, count]) => `${key} ${count}`)
        .toSorted();
      lines.push(`${number}: ${balance}, ${taken} taken (${pairs.join(', ')}) ${JSON.stringify(counts)}`);
    }
  }
  return { outcome: lines.toSorted().join('\n'), problems };
}
