// EventTarget, AbortSignal and AbortController. A controller and its signal are one thing in two objects: signals are made by new
// controllers, and the controller that belongs to a captured signal is the one that made it. Signals of `AbortSignal.any` know their
// sources; a source lists those that listen to it, in their order. Node refers to them weakly: one that nobody listens to and nobody
// holds is no state.

import { Refusal } from '../heap-error.ts';
import {
  accepts,
  apply,
  descriptorOf,
  getterOf,
  hasNoNames,
  prototypeOf,
  setAdd,
  setClear,
  setForEach,
  setRemove,
  symbolsOf,
  weakMapDelete,
  weakMapGet,
  weakMapSet,
  weakRefTarget,
} from '../intrinsics.ts';
import { FIRST_KIND } from '../tags.ts';
import { fillListeners, isTarget, listenerCount, listenerEdges, touch, writeListeners } from './listeners.ts';
import { hasOnlySymbols, isTargetSymbol, targetSymbols } from './target-symbols.ts';
import type { State } from './listeners.ts';
import type { Kind } from '../kind.ts';
import type { HeapPorts } from '../ports.ts';
import type { HeapReader } from '../reader.ts';
import type { HeapWriter } from '../writer.ts';

type References = Set<WeakRef<object>>;
type Native = (this: unknown, ...args: unknown[]) => unknown;

const targetPrototype: object = EventTarget.prototype;
const signalPrototype: object = AbortSignal.prototype;
const controllerPrototype: object = AbortController.prototype;
const signalOf = getterOf<AbortSignal>(AbortController.prototype, 'signal');
const { any } = AbortSignal as unknown as { any: Native };
const Target = EventTarget;
const Signal = AbortSignal;
const Controller = AbortController;
const NativeWeakRef = WeakRef;

/** Whether no other class of the host stands between the object and `prototype`: such a class keeps more than we know. */
export function isDirectlyBelow(object: object, prototype: object, { known, types }: HeapPorts): boolean {
  for (let each = prototypeOf(object); each !== prototype; each = prototypeOf(each))
    if (each === null || types.isProxy(each) || known.hostOf(each) !== undefined) return false;
  return true;
}

/** Whether all own properties are the host's. */
function hasNothingElse(object: object): boolean {
  return hasNoNames(object) && hasOnlySymbols(object, isTargetSymbol);
}

const eventTarget: Kind = {
  tag: FIRST_KIND + 24,
  name: 'EventTarget',
  foreign: true,
  prototype: targetPrototype,
  hides: isTargetSymbol,
  is: (object, ports) => isTarget(object) && isDirectlyBelow(object, targetPrototype, ports),
  bare: hasNothingElse,
  contents: (writer, object) => writeListeners(writer, object),
  allocate: () => new Target(),
  fill: (reader, object) => fillListeners(reader, object, targetPrototype),
  edges: listenerEdges,
};

const ABORTED = 1;
const SOURCES = 2;
const FOLLOWING = 4;

/** Of signals that have been made for a state whose controller has not been met. */
const controllers = new WeakMap<object, AbortController>();

function hiddenProperty(object: object, description: string): unknown {
  const keys = symbolsOf(object);
  for (let i = 0; i < keys.length; i++)
    if ((keys[i] as symbol).description === description) return descriptorOf(object, keys[i] as symbol)?.value;
  return undefined;
}

function living(references: unknown): object[] {
  const objects: object[] = [];
  if (references !== undefined)
    setForEach(references as References, (reference: WeakRef<object>) => {
      const object = weakRefTarget(reference) as object | undefined;
      if (object !== undefined) objects[objects.length] = object;
    });
  return objects;
}

/** Signals that would be aborted with this one, as far as somebody listens to them. */
function listeningDependants(object: object): object[] {
  const { dependants, aborted } = targetSymbols();
  const all = (object as State)[aborted] === true ? [] : living((object as State)[dependants]);
  const listening: object[] = [];
  for (let i = 0; i < all.length; i++)
    if (listenerCount(all[i] as object, 'abort') > 0) listening[listening.length] = all[i] as object;
  return listening;
}

function writeAll(writer: HeapWriter, objects: readonly object[]): void {
  writer.varint(objects.length);
  for (let i = 0; i < objects.length; i++) writer.value(objects[i]);
}

function readSignals(reader: HeapReader): object[] {
  const signals: object[] = [];
  for (let left = reader.count(1, 'signals'); left > 0; left--) {
    const at = reader.at;
    const signal = reader.value();
    if (!isSignal(signal)) throw reader.corrupt('a signal', at);
    signals[signals.length] = signal;
  }
  return signals;
}

function isSignal(value: unknown): value is object {
  return isTarget(value) && descriptorOf(value, targetSymbols().aborted) !== undefined;
}

const abortSignal: Kind = {
  tag: FIRST_KIND + 25,
  name: 'AbortSignal',
  foreign: true,
  prototype: signalPrototype,
  hides: isTargetSymbol,
  is: (object, ports) => isSignal(object) && isDirectlyBelow(object, signalPrototype, ports),
  bare: hasNothingElse,
  header(writer, object) {
    if (hiddenProperty(object, 'kTimeout') === true)
      throw new Refusal(
        object,
        "a timer of Node's own aborts it",
        'make it in transformed code: AbortSignal.timeout(…), or a timer that aborts a controller',
      );
    if (hiddenProperty(object, 'kCloneData') !== undefined)
      throw new Refusal(object, 'it was sent to another thread', 'send a message that aborts a controller there');
    writer.byte((object as State)[targetSymbols().composite] === true ? 1 : 0);
  },
  contents(writer, object) {
    const { aborted, reason, sources, following } = targetSymbols();
    const state = object as State;
    const isAborted = state[aborted] === true;
    const hasSources = !isAborted && state[sources] !== undefined;
    const follows = hasSources && state[following] === true;
    writer.byte((isAborted ? ABORTED : 0) | (hasSources ? SOURCES : 0) | (follows ? FOLLOWING : 0));
    if (isAborted) writer.value(state[reason]);
    if (hasSources) writeAll(writer, living(state[sources]));
    writeAll(writer, listeningDependants(object));
    writeListeners(writer, object);
  },
  allocate(reader) {
    const at = reader.at;
    const form = reader.byte();
    if (form > 1) throw reader.corrupt('the form of a signal', at);
    if (form === 1) return apply(any, Signal, [[]]) as object;
    const controller = new Controller();
    const signal = signalOf(controller);
    weakMapSet(controllers, signal, controller);
    return signal;
  },
  fill(reader, object) {
    const { aborted, reason } = targetSymbols();
    const state = object as State;
    const at = reader.at;
    const flags = reader.byte();
    if ((flags & ABORTED) !== 0) {
      state[reason] = reader.value();
      state[aborted] = true;
    }
    if ((flags & SOURCES) !== 0) adoptSources(reader, object, readSignals(reader));
    putDependants(object, readSignals(reader));
    if ((flags & ABORTED) === 0 && hasAbortedSource(object)) {
      // It has not been asked since: to add a listener now would abort it, and call those that are there.
      if ((flags & FOLLOWING) !== 0) throw reader.corrupt('a signal that is aborted with its sources', at);
      return fillUnasked(reader, object);
    }
    fillListeners(reader, object, signalPrototype);
    if ((flags & FOLLOWING) !== 0 && state[targetSymbols().following] !== true) touch(object, signalPrototype);
  },
  edges(object, edge) {
    const { aborted, reason, sources } = targetSymbols();
    if ((object as State)[aborted] === true) edge('.reason', (object as State)[reason]);
    living((object as State)[sources]).forEach((source, index) => edge(` source ${index}`, source));
    listeningDependants(object).forEach((signal, index) => edge(` dependent signal ${index}`, signal));
    listenerEdges(object, edge);
  },
};

function hasAbortedSource(object: object): boolean {
  const { sources, aborted } = targetSymbols();
  const all = living((object as State)[sources]);
  for (let i = 0; i < all.length; i++) if ((all[i] as State)[aborted] === true) return true;
  return false;
}

/** While it has no sources. */
function fillUnasked(reader: HeapReader, object: object): void {
  const { sources } = targetSymbols();
  const state = object as State;
  const own = state[sources];
  state[sources] = undefined;
  try {
    fillListeners(reader, object, signalPrototype);
  } finally {
    state[sources] = own;
  }
}

/** Node's own set of references to the sources, from a signal that is made for it. */
function adoptSources(reader: HeapReader, object: object, signals: readonly object[]): void {
  const { sources, composite, aborted, dependants, reference } = targetSymbols();
  const at = reader.at;
  if ((object as State)[composite] !== true) throw reader.corrupt('a signal without sources', at);
  const were: unknown[] = [];
  for (let i = 0; i < signals.length; i++) {
    const source = signals[i] as State;
    if (source[composite] === true) throw reader.corrupt('a source that has none itself', at);
    were[i] = source[aborted];
    // `any` would answer a signal that is aborted.
    source[aborted] = false;
  }
  const made = reader.guarded(at, () => apply(any, Signal, [signals]) as State);
  for (let i = 0; i < signals.length; i++) {
    const source = signals[i] as State;
    source[aborted] = were[i];
    const followers = source[dependants] as References | undefined;
    const own = made[reference] as WeakRef<object> | undefined;
    if (followers !== undefined && own !== undefined) setRemove(followers, own);
  }
  (object as State)[sources] = made[sources] ?? emptyReferences();
}

/** A set of the kind that Node keeps references in. */
function emptyReferences(): References {
  const { sources } = targetSymbols();
  const made = apply(any, Signal, [[signalOf(new Controller())]]) as State;
  const references = made[sources] as References;
  setClear(references);
  return references;
}

/** In this order, before any that nobody listens to. */
function putDependants(object: object, signals: readonly object[]): void {
  if (signals.length === 0) return;
  const { dependants, reference } = targetSymbols();
  const state = object as State;
  const references = (state[dependants] ??= emptyReferences()) as References;
  const others: WeakRef<object>[] = [];
  setForEach(references, (each: WeakRef<object>) => {
    others[others.length] = each;
  });
  setClear(references);
  for (let i = 0; i < signals.length; i++) {
    const signal = signals[i] as State;
    setAdd(references, (signal[reference] ??= new NativeWeakRef(signal)) as WeakRef<object>);
  }
  for (let i = 0; i < others.length; i++) setAdd(references, others[i] as WeakRef<object>);
}

const abortController: Kind = {
  tag: FIRST_KIND + 26,
  name: 'AbortController',
  foreign: true,
  prototype: controllerPrototype,
  is: (object, ports) =>
    accepts(signalOf as (value: never) => unknown, object) && isDirectlyBelow(object, controllerPrototype, ports),
  bare: hasNoNames,
  header: (writer, object) => writer.shallow(signalOf(object)),
  allocate(reader) {
    const at = reader.at;
    const signal = reader.reference();
    const controller = weakMapGet(controllers, signal) as AbortController | undefined;
    if (controller === undefined) throw reader.corrupt('a signal that has no controller yet', at);
    weakMapDelete(controllers, signal);
    return controller;
  },
  edges: (object, edge) => edge('.signal', signalOf(object)),
};

export const TARGET_KINDS: readonly Kind[] = [eventTarget, abortSignal, abortController];
