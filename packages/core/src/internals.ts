// Capture's only access to the state of core's objects: it reads an object as named fields, and makes an object from
// such fields. Restoring takes two steps, `allocate` and `fill`, because state is a graph with cycles. Objects with
// hidden state (eventuals, generators, iterators) and plain classes (frames, reactions …) have the same form here.
// Reading has no effect that a program can see.

import { AsyncGeneratorObject, AsyncGeneratorState } from './async-generator-state.ts';
import { Cell, init } from './cell.ts';
import { ClassHandle } from './class-registry.ts';
import { BoundFunction } from './bound-function.ts';
import { CoreError } from './core-error.ts';
import { AsyncDelegate, Delegate } from './delegate.ts';
import {
  allocateEngineObject,
  contextOfOperands,
  fillEngineObject,
  operandsOfContext,
  readEngineObject,
} from './engine-objects.ts';
import { Eventual, type EventualState } from './eventual.ts';
import { ForIn } from './for-in.ts';
import { ForOf } from './for-of.ts';
import { CallbackJob, Continuation, Frame, Reaction, ROOT_HOME, ThenableJob, type StepFunction } from './frame.ts';
import { GeneratorState } from './generator.ts';
import {
  apply,
  create,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  ownKeys,
  setPrototypeOf,
} from './intrinsics.ts';
import { ARRAY, OwnIterator, type IteratorData } from './iterator.ts';
import { keptPrototypes } from './kept-iterator.ts';
import { ArrayElements, AsyncIteration, DisposalStack } from './language.ts';
import { MappedParameter } from './mapped-parameter.ts';
import { importStep } from './modules/dynamic-import.ts';
import { moduleEndStep } from './modules/evaluate.ts';
import { codedErrorText } from './modules/errors.ts';
import { ModuleRecord } from './modules/record.ts';
import { withoutHostReactions } from './host-reactions.ts';
import { CORE, identify, hasMarker, UNINITIALISED } from './probe.ts';
import type { ContextRunner, Realm } from './realm.ts';

export type CoreKind =
  | 'eventual'
  | 'generator'
  | 'asyncGenerator'
  | 'asyncGeneratorState'
  | 'iterator'
  | 'asyncFromSync'
  | 'frame'
  | 'reaction'
  | 'continuation'
  | 'arrayElements'
  | 'asyncIteration'
  | 'disposalStack'
  | 'thenableJob'
  | 'callbackJob'
  | 'forOf'
  | 'forIn'
  | 'delegate'
  | 'asyncDelegate'
  | 'cell'
  | 'mappedParameter';

export interface CoreState {
  kind: CoreKind;
  fields: Record<string, unknown>;
}

/** Queues of a realm: all work that remains if no more input arrives. */
export interface Queues {
  jobs: { target: unknown; kind: number; value: unknown }[];
  ticks: CallbackJob[];
  /** Rejected eventuals that will be reported unless the program handles them. */
  rejections: object[];
  /** Eventuals handled after they were reported. This must be reported too. */
  handledLate: object[];
}

const emptyStep: StepFunction = () => undefined;
const blankContext = { home: ROOT_HOME, store: undefined, trail: undefined };

/** Classes whose state is their own properties. The function makes a blank instance. */
const PLAIN_CLASSES: [CoreKind, new (...args: never[]) => object, () => object][] = [
  ['frame', Frame, () => new Frame(emptyStep)],
  ['reaction', Reaction, () => new Reaction({}, undefined, undefined, blankContext)],
  ['continuation', Continuation, () => new Continuation(0, {}, undefined, blankContext)],
  ['thenableJob', ThenableJob, () => new ThenableJob({}, emptyStep as never, blankContext)],
  ['callbackJob', CallbackJob, () => new CallbackJob(emptyStep as never, [], blankContext)],
  ['asyncGeneratorState', AsyncGeneratorState, () => new AsyncGeneratorState(new Frame(emptyStep))],
  ['forOf', ForOf, () => new ForOf(new Frame(emptyStep), [])],
  ['forIn', ForIn, () => new ForIn(new Frame(emptyStep), {})],
  ['delegate', Delegate, () => new Delegate([])],
  ['asyncDelegate', AsyncDelegate, () => new AsyncDelegate(undefined)],
  ['arrayElements', ArrayElements, () => new ArrayElements([])],
  ['asyncIteration', AsyncIteration, () => new AsyncIteration({ iterator: {}, next: undefined })],
  ['disposalStack', DisposalStack, () => new DisposalStack()],
  ['mappedParameter', MappedParameter, () => new MappedParameter([], 0)],
];
const kindsByPrototype = new Map<object | null, CoreKind>([
  [Cell.prototype, 'cell'],
  ...PLAIN_CLASSES.map(([kind, { prototype }]) => [prototype as object, kind] as const),
]);
const getKind = kindsByPrototype.get;

/** Fields of a core object; undefined for other objects. */
function read(realm: Realm, value: unknown): CoreState | undefined {
  if (Eventual.is(value)) {
    const { rejections, eventuals } = realm.parts;
    const state = Eventual.read(value);
    return {
      kind: 'eventual',
      fields: {
        ...state,
        waiting: withoutHostReactions(state.waiting),
        reported: rejections.isReported(value),
        source: eventuals.nativeSourceOf(value),
      },
    };
  }
  if (GeneratorState.is(value)) return { kind: 'generator', fields: { frame: GeneratorState.frame(value) } };
  const asyncGenerator = AsyncGeneratorObject.state(value);
  if (asyncGenerator !== undefined) return { kind: 'asyncGenerator', fields: { state: asyncGenerator } };
  if (OwnIterator.is(value)) return { kind: 'iterator', fields: { ...OwnIterator.read(value) } };
  if (typeof value !== 'object' || value === null) return undefined;
  const prototype = getPrototypeOf(value);
  const kind = apply(getKind, kindsByPrototype, [prototype]) as CoreKind | undefined;
  // The prototype of a class is not an instance: its accessors would throw.
  if (kind !== undefined && !hasOwn(value, 'constructor')) return { kind, fields: ownFields(value) };
  if (prototype === realm.parts.asyncIterators.AsyncFromSync.prototype)
    return { kind: 'asyncFromSync', fields: ownFields(value) };
  return undefined;
}

function ownFields(object: object): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const keys = ownKeys(object) as string[];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    fields[key] = (object as Record<string, unknown>)[key];
  }
  return fields;
}

/** Makes a blank object. Eventuals and generators can get a `prototype` of the program. */
function allocate(realm: Realm, kind: CoreKind, prototype?: object): object {
  switch (kind) {
    case 'eventual': {
      const eventual = realm.parts.promise.eventuals.create();
      if (prototype !== undefined) setPrototypeOf(eventual, prototype);
      return eventual;
    }
    case 'generator':
      return new GeneratorState(create(prototype ?? realm.parts.generators.prototype) as object, new Frame(emptyStep));
    case 'asyncGenerator':
      return new AsyncGeneratorObject(
        create(prototype ?? realm.parts.asyncGenerators.prototype) as object,
        new AsyncGeneratorState(new Frame(emptyStep)),
      );
    case 'iterator':
      return new OwnIterator(ARRAY, undefined);
    case 'asyncFromSync':
      return new realm.parts.asyncIterators.AsyncFromSync({}, undefined);
    case 'cell':
      return new Cell('');
  }
  for (const [name, , make] of PLAIN_CLASSES) if (name === kind) return make();
  throw new CoreError(
    'TT_UNKNOWN_STATE',
    `allocate: core has no objects of kind ${JSON.stringify(kind)}; restore the state with the version that wrote it`,
  );
}

/** Sets the fields of an allocated object. The collection of an iterator must be filled before the iterator. */
function fill(realm: Realm, object: object, { kind, fields }: CoreState): void {
  switch (kind) {
    case 'eventual':
      Eventual.write(object as Eventual, fields as unknown as EventualState);
      if (fields['reported'] === true) realm.parts.rejections.markReported(object as Eventual);
      return;
    case 'generator':
      return GeneratorState.setFrame(object as GeneratorState, fields['frame'] as Frame | undefined);
    case 'asyncGenerator':
      return AsyncGeneratorObject.setState(object, fields['state'] as AsyncGeneratorState);
    case 'iterator':
      return OwnIterator.write(object as OwnIterator, fields as unknown as IteratorData);
    case 'cell':
      (object as { name: unknown }).name = fields['name'];
      if (hasOwn(fields, 'v')) init(object as Cell, fields['v']);
      return;
  }
  const keys = ownKeys(fields) as string[];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    (object as Record<string, unknown>)[key] = fields[key];
  }
}

/** Whether capture can read a function: transformed code, core's own closures, and bound functions. */
function isCapturable(fn: (...args: never[]) => unknown): boolean {
  return BoundFunction.parts(fn) !== undefined || identify(fn) !== undefined;
}

/** Fast approximation of `isCapturable`. It neither calls the function nor caches anything. */
function looksCapturable(fn: (...args: never[]) => unknown): boolean {
  return BoundFunction.parts(fn) !== undefined || hasMarker(fn);
}

function readQueues(realm: Realm): Queues {
  const { jobs: queued, ticks } = realm.jobs.readQueues();
  const jobs: Queues['jobs'] = [];
  for (let i = 0; i < queued.length; i++) {
    const job = queued[i] as (typeof queued)[number];
    jobs[i] = { target: job[0], kind: job[1], value: job[2] };
  }
  const { candidates, handledLate } = realm.parts.rejections.read();
  return { jobs, ticks, rejections: candidates, handledLate };
}

/** Appends restored entries to a realm's queues. They run as if they had been queued here. */
function writeQueues(realm: Realm, queues: Queues): void {
  for (let i = 0; i < queues.jobs.length; i++) {
    const { target, kind, value } = queues.jobs[i] as Queues['jobs'][number];
    realm.jobs.enqueue(target, kind, value);
  }
  for (let i = 0; i < queues.ticks.length; i++) {
    const tick = queues.ticks[i] as CallbackJob;
    // The tick is queued in its original asynchronous context, because the host runs it in that context.
    const store = tick.context.store as ContextRunner | undefined;
    if (store === undefined) realm.jobs.addTick(tick);
    else store(() => realm.jobs.addTick(tick), undefined, 0, undefined);
  }
  realm.parts.rejections.restore(queues.rejections as Eventual[], queues.handledLate as Eventual[]);
}

/** Makes one of core's closures, given the result of `identify`. */
function createClosure(realm: Realm, ordinal: number, captures: unknown[]): (...args: never[]) => unknown {
  const maker = realm.parts.closures.makers[ordinal];
  if (maker === undefined)
    throw new CoreError(
      'TT_UNKNOWN_STATE',
      `closure: core has no closure ${ordinal}; restore the state with the version that wrote it`,
    );
  return maker(...(captures as never[]));
}

/** Core's own prototypes and constructors: captured by name, never as state. */
function wellKnown(realm: Realm): Record<string, object> {
  const { kinds, parts } = realm;
  const named: Record<string, object> = {
    importing: importStep,
    settled: moduleEndStep,
    UNINITIALISED,
    codedErrorText,
    'ModuleRecord.prototype': ModuleRecord.prototype,
    ClassHandle,
    'ClassHandle.prototype': ClassHandle.prototype,
    Promise: realm.Promise,
    'Promise.prototype': realm.Promise.prototype,
    Function: kinds.Function,
    WeakRef: parts.weak.WeakRef,
    FinalizationRegistry: parts.weak.FinalizationRegistry,
    ...parts.disposables.constructors,
    AsyncFunction: kinds.AsyncFunction,
    GeneratorFunction: kinds.GeneratorFunction,
    'GeneratorFunction.prototype': kinds.GeneratorFunction.prototype,
    AsyncGeneratorFunction: kinds.AsyncGeneratorFunction,
    'AsyncGeneratorFunction.prototype': kinds.AsyncGeneratorFunction.prototype,
    GeneratorPrototype: parts.generators.prototype,
    AsyncGeneratorPrototype: parts.asyncGenerators.prototype,
    OwnIteratorPrototype: OwnIterator.prototype,
    ...keptPrototypes,
    AsyncFromSyncPrototype: parts.asyncIterators.AsyncFromSync.prototype as object,
  };
  for (const name of [
    'Promise',
    'Promise.prototype',
    'GeneratorPrototype',
    'AsyncGeneratorPrototype',
    'OwnIteratorPrototype',
    ...(ownKeys(keptPrototypes) as string[]),
    'AsyncFromSyncPrototype',
  ]) {
    const holder = named[name] as object;
    for (const key of ownKeys(holder)) {
      const value: unknown = getOwnPropertyDescriptor(holder, key)?.value;
      if (typeof value === 'function' && value !== realm.Promise) named[`${name}.${String(key)}`] = value;
    }
  }
  return named;
}

export const internals = {
  CORE,
  isCapturable,
  looksCapturable,
  /** Parts of a bound function; undefined for other functions. */
  boundParts: (fn: object) => BoundFunction.parts(fn),
  /** Prototype of `ClassHandle`, through which code reaches its class. */
  handlePrototype: ClassHandle.prototype as object,
  identify,
  read,
  allocate,
  fill,
  readEngineObject,
  allocateEngineObject,
  contextOfOperands,
  operandsOfContext,
  fillEngineObject,
  readQueues,
  writeQueues,
  createClosure,
  wellKnown,
};
