// EventTarget, AbortSignal and AbortController. A controller and its signal are one unit: signals are created through
// new controllers, and a captured signal belongs to the controller that created it. Signals of `AbortSignal.any` refer
// to their sources, and a source refers weakly to its dependants in order. A dependant without listeners and other
// references is no state.

import { CaptureRefusal } from '../heap-error.ts';
import {
  passesBrandCheck,
  apply,
  descriptorOf,
  getterOf,
  hasNoStringKeys,
  prototypeOf,
  setAdd,
  setClear,
  setForEach,
  setDelete,
  symbolsOf,
  weakMapDelete,
  weakMapGet,
  weakMapSet,
  weakRefTarget,
} from '../intrinsics.ts';
import { FIRST_KIND } from '../tags.ts';
import {
  fillListeners,
  isEventTarget,
  listenerCount,
  visitListeners,
  addAndRemoveListener,
  writeListeners,
} from './listeners.ts';
import { hasOnlySymbols, isTargetSymbol, targetSymbols } from './target-symbols.ts';
import type { SymbolProperties } from './listeners.ts';
import type { ObjectKind } from '../object-kind.ts';
import type { HeapPorts } from '../ports.ts';
import type { HeapReader } from '../heap-reader.ts';
import type { HeapWriter } from '../heap-writer.ts';

type References = Set<WeakRef<object>>;
type Native = (thisValue: unknown, ...args: unknown[]) => unknown;

const targetPrototype: object = EventTarget.prototype;
const signalPrototype: object = AbortSignal.prototype;
const controllerPrototype: object = AbortController.prototype;
const signalOf = getterOf<AbortSignal>(AbortController.prototype, 'signal');
const { any: abortSignalAny } = AbortSignal as unknown as { any: Native };
const NativeEventTarget = EventTarget;
const NativeAbortSignal = AbortSignal;
const NativeAbortController = AbortController;
const NativeWeakRef = WeakRef;

/**
 * Returns whether the object inherits from `prototype` with no other host class, which may have hidden state, in
 * between.
 */
export function isDirectInstance(object: object, prototype: object, { known, types }: HeapPorts): boolean {
  for (let ancestor = prototypeOf(object); ancestor !== prototype; ancestor = prototypeOf(ancestor))
    if (ancestor === null || types.isProxy(ancestor) || known.hostClassOf(ancestor) !== undefined) return false;
  return true;
}

/** Returns whether all own properties are the host's. */
function hasOnlyHostProperties(object: object): boolean {
  return hasNoStringKeys(object) && hasOnlySymbols(object, isTargetSymbol);
}

const eventTargetKind: ObjectKind = {
  tag: FIRST_KIND + 24,
  name: 'EventTarget',
  canBelongToHost: true,
  prototype: targetPrototype,
  isHostKey: isTargetSymbol,
  matches: (object, ports) => isEventTarget(object) && isDirectInstance(object, targetPrototype, ports),
  isBare: hasOnlyHostProperties,
  writeContents: (writer, object) => writeListeners(writer, object),
  allocate: () => new NativeEventTarget(),
  fill: (reader, object) => fillListeners(reader, object, targetPrototype),
  edges: visitListeners,
};

const ABORTED = 1;
const HAS_SOURCES = 2;
const FOLLOWING = 4;

/** Controllers of restored signals, until their own place in the state is read. */
const controllerBySignal = new WeakMap<object, AbortController>();

function symbolProperty(object: object, description: string): unknown {
  const keys = symbolsOf(object);
  for (let i = 0; i < keys.length; i++)
    if ((keys[i] as symbol).description === description) return descriptorOf(object, keys[i] as symbol)?.value;
  return undefined;
}

function derefAll(references: unknown): object[] {
  const objects: object[] = [];
  if (references !== undefined)
    setForEach(references as References, (reference: WeakRef<object>) => {
      const object = weakRefTarget(reference) as object | undefined;
      if (object !== undefined) objects[objects.length] = object;
    });
  return objects;
}

/** Returns the dependants of a signal that have listeners. */
function listeningDependants(object: object): object[] {
  const { dependants, aborted } = targetSymbols();
  const dependantSignals =
    (object as SymbolProperties)[aborted] === true ? [] : derefAll((object as SymbolProperties)[dependants]);
  const listening: object[] = [];
  for (let i = 0; i < dependantSignals.length; i++)
    if (listenerCount(dependantSignals[i] as object, 'abort') > 0)
      listening[listening.length] = dependantSignals[i] as object;
  return listening;
}

function writeValues(writer: HeapWriter, objects: readonly object[]): void {
  writer.varint(objects.length);
  for (let i = 0; i < objects.length; i++) writer.value(objects[i]);
}

function readSignals(reader: HeapReader): object[] {
  const signals: object[] = [];
  for (let remaining = reader.count(1, 'signals'); remaining > 0; remaining--) {
    const start = reader.offset;
    const signal = reader.value();
    if (!isSignal(signal)) throw reader.corrupt('a signal', start);
    signals[signals.length] = signal;
  }
  return signals;
}

function isSignal(value: unknown): value is object {
  return isEventTarget(value) && descriptorOf(value, targetSymbols().aborted) !== undefined;
}

const abortSignalKind: ObjectKind = {
  tag: FIRST_KIND + 25,
  name: 'AbortSignal',
  canBelongToHost: true,
  prototype: signalPrototype,
  isHostKey: isTargetSymbol,
  matches: (object, ports) => isSignal(object) && isDirectInstance(object, signalPrototype, ports),
  isBare: hasOnlyHostProperties,
  writeHeader(writer, object) {
    if (symbolProperty(object, 'kTimeout') === true)
      throw new CaptureRefusal(
        object,
        'an internal timer of Node aborts it',
        'create it in transformed code, with AbortSignal.timeout(…) or a timer that aborts a controller',
      );
    if (symbolProperty(object, 'kCloneData') !== undefined)
      throw new CaptureRefusal(
        object,
        'it was sent to another thread',
        'send a message that aborts a controller there',
      );
    writer.byte((object as SymbolProperties)[targetSymbols().composite] === true ? 1 : 0);
  },
  writeContents(writer, object) {
    const { aborted, reason, sources, following } = targetSymbols();
    const state = object as SymbolProperties;
    const isAborted = state[aborted] === true;
    const hasSources = !isAborted && state[sources] !== undefined;
    const isFollowing = hasSources && state[following] === true;
    writer.byte((isAborted ? ABORTED : 0) | (hasSources ? HAS_SOURCES : 0) | (isFollowing ? FOLLOWING : 0));
    if (isAborted) writer.value(state[reason]);
    if (hasSources) writeValues(writer, derefAll(state[sources]));
    writeValues(writer, listeningDependants(object));
    writeListeners(writer, object);
  },
  allocate(reader) {
    const start = reader.offset;
    const form = reader.byte();
    if (form > 1) throw reader.corrupt('the form of a signal', start);
    if (form === 1) return apply(abortSignalAny, NativeAbortSignal, [[]]) as object;
    const controller = new NativeAbortController();
    const signal = signalOf(controller);
    weakMapSet(controllerBySignal, signal, controller);
    return signal;
  },
  fill(reader, object) {
    const { aborted, reason } = targetSymbols();
    const state = object as SymbolProperties;
    const start = reader.offset;
    const flags = reader.byte();
    if ((flags & ABORTED) !== 0) {
      state[reason] = reader.value();
      state[aborted] = true;
    }
    if ((flags & HAS_SOURCES) !== 0) adoptSources(reader, object, readSignals(reader));
    prependDependants(object, readSignals(reader));
    if ((flags & ABORTED) === 0 && hasAbortedSource(object)) {
      // The source is aborted but the signal is not yet: adding a listener would abort it and call its listeners.
      if ((flags & FOLLOWING) !== 0) throw reader.corrupt('a signal that is aborted with its sources', start);
      return fillWithoutSources(reader, object);
    }
    fillListeners(reader, object, signalPrototype);
    if ((flags & FOLLOWING) !== 0 && state[targetSymbols().following] !== true)
      addAndRemoveListener(object, signalPrototype);
  },
  edges(object, edge) {
    const { aborted, reason, sources } = targetSymbols();
    if ((object as SymbolProperties)[aborted] === true) edge('.reason', (object as SymbolProperties)[reason]);
    derefAll((object as SymbolProperties)[sources]).forEach((source, index) => edge(` source ${index}`, source));
    listeningDependants(object).forEach((signal, index) => edge(` dependent signal ${index}`, signal));
    visitListeners(object, edge);
  },
};

function hasAbortedSource(object: object): boolean {
  const { sources, aborted } = targetSymbols();
  const sourceSignals = derefAll((object as SymbolProperties)[sources]);
  for (let i = 0; i < sourceSignals.length; i++)
    if ((sourceSignals[i] as SymbolProperties)[aborted] === true) return true;
  return false;
}

/** Adds the listeners of a signal while the signal has no sources. */
function fillWithoutSources(reader: HeapReader, object: object): void {
  const { sources } = targetSymbols();
  const state = object as SymbolProperties;
  const savedSources = state[sources];
  state[sources] = undefined;
  try {
    fillListeners(reader, object, signalPrototype);
  } finally {
    state[sources] = savedSources;
  }
}

/** Takes Node's set of references to the sources from a signal created for this purpose. */
function adoptSources(reader: HeapReader, object: object, signals: readonly object[]): void {
  const { sources, composite, aborted, dependants, reference } = targetSymbols();
  const start = reader.offset;
  if ((object as SymbolProperties)[composite] !== true) throw reader.corrupt('a signal without sources', start);
  const wasAborted: unknown[] = [];
  for (let i = 0; i < signals.length; i++) {
    const source = signals[i] as SymbolProperties;
    if (source[composite] === true) throw reader.corrupt('a source that has none itself', start);
    wasAborted[i] = source[aborted];
    // `any` would return an aborted signal.
    source[aborted] = false;
  }
  const anySignal = reader.guard(start, () => apply(abortSignalAny, NativeAbortSignal, [signals]) as SymbolProperties);
  for (let i = 0; i < signals.length; i++) {
    const source = signals[i] as SymbolProperties;
    source[aborted] = wasAborted[i];
    const sourceDependants = source[dependants] as References | undefined;
    const ownReference = anySignal[reference] as WeakRef<object> | undefined;
    if (sourceDependants !== undefined && ownReference !== undefined) setDelete(sourceDependants, ownReference);
  }
  (object as SymbolProperties)[sources] = anySignal[sources] ?? createReferenceSet();
}

/** Creates a set like those in which Node keeps references. */
function createReferenceSet(): References {
  const { sources } = targetSymbols();
  const emptyComposite = apply(abortSignalAny, NativeAbortSignal, [
    [signalOf(new NativeAbortController())],
  ]) as SymbolProperties;
  const references = emptyComposite[sources] as References;
  setClear(references);
  return references;
}

/** Adds dependants in the given order, before the dependants without listeners. */
function prependDependants(object: object, signals: readonly object[]): void {
  if (signals.length === 0) return;
  const { dependants, reference } = targetSymbols();
  const state = object as SymbolProperties;
  const references = (state[dependants] ??= createReferenceSet()) as References;
  const otherReferences: WeakRef<object>[] = [];
  setForEach(references, (each: WeakRef<object>) => {
    otherReferences[otherReferences.length] = each;
  });
  setClear(references);
  for (let i = 0; i < signals.length; i++) {
    const signal = signals[i] as SymbolProperties;
    setAdd(references, (signal[reference] ??= new NativeWeakRef(signal)) as WeakRef<object>);
  }
  for (let i = 0; i < otherReferences.length; i++) setAdd(references, otherReferences[i] as WeakRef<object>);
}

const abortControllerKind: ObjectKind = {
  tag: FIRST_KIND + 26,
  name: 'AbortController',
  canBelongToHost: true,
  prototype: controllerPrototype,
  matches: (object, ports) =>
    passesBrandCheck(signalOf as (value: never) => unknown, object) &&
    isDirectInstance(object, controllerPrototype, ports),
  isBare: hasNoStringKeys,
  writeHeader: (writer, object) => writer.shallow(signalOf(object)),
  allocate(reader) {
    const start = reader.offset;
    const signal = reader.objectValue();
    const controller = weakMapGet(controllerBySignal, signal) as AbortController | undefined;
    if (controller === undefined) throw reader.corrupt('a signal that has no controller yet', start);
    weakMapDelete(controllerBySignal, signal);
    return controller;
  },
  edges: (object, edge) => edge('.signal', signalOf(object)),
};

export const TARGET_KINDS: readonly ObjectKind[] = [eventTargetKind, abortSignalKind, abortControllerKind];
