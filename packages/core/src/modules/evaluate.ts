// Evaluate of Cyclic Module Records (ECMA-262 §16.2.1.6.1.3), step by step: depth-first order, strongly connected
// components, asynchronous modules with counts of pending dependencies, their parents in order, errors through cycle
// roots. Between turns, the whole state is in the records. A waiting module is a frame (`moduleEndStep`) at point 1.
import { Eventual, PENDING } from '../eventual.ts';
import { journal } from '../undo/journal.ts';
import { init } from '../cell.ts';
import { rethrownError } from '../rethrown-error.ts';
import { importCycle } from './errors.ts';
import { loadedModule } from './export-resolution.ts';
import type { ModuleFrame } from './ports.ts';
import { ORDER_DONE, ORDER_UNSET, type ModuleRecord } from './record.ts';

/** Evaluates a linked module, and returns the eventual of its completion. */
export function evaluate(module: ModuleRecord): object {
  const record = evaluationRoot(module);
  if (record.completion !== undefined) return record.completion;
  const { realm } = record;
  const completion = realm.createEventual();
  record.completion = completion;
  const failure = evaluateGraph(record);
  if (failure !== undefined) realm.rejectEventual(completion, failure.reason);
  // The graph is synchronous, or it had completed before this first evaluation of the module by itself.
  else if (record.asyncEvaluationOrder === ORDER_UNSET || record.asyncEvaluationOrder === ORDER_DONE)
    realm.resolveEventual(completion, undefined);
  return completion;
}

/** Evaluates a module for the host. A rejection counts as handled, because the host subscribes only in a microtask. */
export function evaluateForHost(module: ModuleRecord): object {
  const completion = evaluate(module);
  if (Eventual.is(completion) && Eventual.state(completion) === PENDING) Eventual.markHandled(completion);
  return completion;
}

/** Evaluates a linked module whose graph is synchronous. Throws the error of its evaluation. */
export function evaluateNow(module: ModuleRecord): void {
  const record = evaluationRoot(module);
  if (record.failure !== undefined) throw rethrownError(record.failure.reason, 'node-do-not-add-exception-line');
  if (record.status !== 'linked') return;
  const failure = evaluateGraph(record);
  if (failure !== undefined) throw rethrownError(failure.reason, 'node-do-not-add-exception-line');
}

function evaluationRoot(record: ModuleRecord): ModuleRecord {
  if (record.status === 'evaluating-async' || record.status === 'evaluated') return record.cycleRoot ?? record;
  return record;
}

function evaluateGraph(record: ModuleRecord): ModuleRecord['failure'] {
  const stack: ModuleRecord[] = [];
  try {
    evaluateFrom(record, stack, 0);
    return record.failure;
  } catch (reason) {
    record.graph.host.explainFailure?.(record, reason);
    const failure = { reason };
    for (const unfinished of stack) {
      unfinished.status = 'evaluated';
      unfinished.failure = failure;
      unfinished.body = undefined;
    }
    // If the module itself had failed before, the stack is empty.
    if (record.failure === undefined) record.failure = failure;
    return failure;
  }
}

function evaluateFrom(record: ModuleRecord, stack: ModuleRecord[], nextIndex: number): number {
  if (record.status === 'evaluating-async' || record.status === 'evaluated') {
    if (record.failure !== undefined) throw record.failure.reason;
    return nextIndex;
  }
  if (record.status === 'evaluating') return nextIndex;
  record.status = 'evaluating';
  record.dfsIndex = nextIndex;
  record.dfsAncestorIndex = nextIndex;
  record.pendingAsyncDependencies = 0;
  let index = nextIndex + 1;
  stack.push(record);

  for (let i = 0; i < record.table.requests.length; i++) {
    let target = loadedModule(record, i);
    index = evaluateFrom(target, stack, index);
    if (target.status === 'evaluating') {
      // Only a `require` during an evaluation can reach a module that an outer evaluation is evaluating.
      if (!stack.includes(target)) throw importCycle('Module', record.table.requests[i]?.specifier ?? '', record.key);
      record.dfsAncestorIndex = Math.min(record.dfsAncestorIndex, target.dfsAncestorIndex);
    } else {
      target = target.cycleRoot ?? target;
      if (target.failure !== undefined) throw target.failure.reason;
    }
    if (target.asyncEvaluationOrder > 0) {
      record.pendingAsyncDependencies++;
      target.asyncParents.push(record);
    }
  }

  if (record.pendingAsyncDependencies > 0 || record.isAsync) {
    record.asyncEvaluationOrder = record.graph.nextAsyncOrder();
    if (record.pendingAsyncDependencies === 0) executeAsync(record);
  } else {
    executeSync(record);
  }

  if (record.dfsAncestorIndex === record.dfsIndex) {
    let done: ModuleRecord | undefined;
    do {
      done = stack.pop();
      if (done === undefined) break;
      done.status = done.asyncEvaluationOrder === ORDER_UNSET ? 'evaluated' : 'evaluating-async';
      done.cycleRoot = record;
    } while (done !== record);
  }
  return index;
}

/** ExecuteModule. A synthetic module that returns a promise becomes asynchronous, before any module waits for it. */
function executeSync(record: ModuleRecord): void {
  const pending = runModule(record);
  if (pending === undefined) return;
  record.asyncEvaluationOrder = record.graph.nextAsyncOrder();
  awaitEnd(record, pending);
}

function runModule(record: ModuleRecord): unknown {
  if (record.kind === 'synthetic') return record.produce?.(record);
  journal.log?.noteObstacle('a module has been evaluated');
  const body = record.body as Generator;
  record.body = undefined;
  record.factory = undefined;
  body.next();
  return undefined;
}

function executeAsync(record: ModuleRecord): void {
  const { realm } = record;
  journal.log?.noteObstacle('a module has been evaluated');
  const frame = record.body as ModuleFrame;
  record.factory = undefined;
  awaitEnd(record, realm.async(frame));
}

function awaitEnd(record: ModuleRecord, completion: unknown): void {
  const waitingFrame = record.realm.createFrame(moduleEndStep);
  waitingFrame.s0 = record;
  waitingFrame.s1 = completion;
  record.realm.async(waitingFrame);
}

/** Step function that waits for an asynchronous module to end, then evaluates the modules that depend on it. */
export function moduleEndStep(frame: ModuleFrame, value: unknown, how: 0 | 1 | 2): unknown {
  const record = frame.s0 as ModuleRecord;
  if (frame.pc === 0) return record.realm.await(frame, 1, frame.s1);
  frame.pc = 0;
  if (how === 0) asyncFulfilled(record);
  else asyncRejected(record, value);
  return undefined;
}

function finishAsync(record: ModuleRecord): void {
  record.body = undefined;
  record.asyncEvaluationOrder = ORDER_DONE;
  record.status = 'evaluated';
  if (record.completion !== undefined) record.realm.resolveEventual(record.completion, undefined);
}

function asyncFulfilled(record: ModuleRecord): void {
  if (record.status === 'evaluated') return;
  finishAsync(record);
  const available: ModuleRecord[] = [];
  gatherAvailableAncestors(record, available);
  available.sort((a, b) => a.asyncEvaluationOrder - b.asyncEvaluationOrder);
  for (const parent of available) {
    if (parent.status === 'evaluated') continue;
    if (parent.isAsync) {
      executeAsync(parent);
      continue;
    }
    let pending: unknown;
    try {
      pending = runModule(parent);
    } catch (error) {
      asyncRejected(parent, error);
      continue;
    }
    if (pending === undefined) finishAsync(parent);
    else awaitEnd(parent, pending);
  }
}

function gatherAvailableAncestors(record: ModuleRecord, available: ModuleRecord[]): void {
  for (const parent of record.asyncParents) {
    if (available.includes(parent) || (parent.cycleRoot ?? parent).failure !== undefined) continue;
    parent.pendingAsyncDependencies--;
    if (parent.pendingAsyncDependencies > 0) continue;
    available.push(parent);
    if (!parent.isAsync) gatherAvailableAncestors(parent, available);
  }
}

function asyncRejected(record: ModuleRecord, reason: unknown): void {
  if (record.status === 'evaluated') return;
  record.failure = { reason };
  record.status = 'evaluated';
  record.body = undefined;
  record.asyncEvaluationOrder = ORDER_DONE;
  if (record.completion !== undefined) record.graph.host.explainFailure?.(record, reason);
  if (record.completion !== undefined) record.realm.rejectEventual(record.completion, reason);
  for (const parent of record.asyncParents) asyncRejected(parent, reason);
}

/** Whether evaluating the module would suspend. `require` refuses such a module. */
export function hasAsyncGraph(record: ModuleRecord, visited: Set<ModuleRecord> = new Set()): boolean {
  if (visited.has(record)) return false;
  visited.add(record);
  if (record.isAsync) return true;
  return record.loadedModules.some((target) => target !== undefined && hasAsyncGraph(target, visited));
}

/** SetSyntheticModuleExport of ECMA-262. */
export function setExport(record: ModuleRecord, name: string, value: unknown): void {
  init(record.cell(name), value);
}
