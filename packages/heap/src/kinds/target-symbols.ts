// Symbols under which Node keeps the state of event targets and abort signals, and its internal options, found on
// sample objects at the first use. A Node version without them is refused by name.

import { HeapError } from '../heap-error.ts';
import { apply, getterOf, ownKeys, SafeSet, symbolsOf } from '../intrinsics.ts';

export interface TargetSymbols {
  readonly events: symbol;
  readonly maxListeners: symbol;
  readonly maxListenersWarned: symbol;
  readonly handlers: symbol;
  readonly aborted: symbol;
  readonly reason: symbol;
  readonly composite: symbol;
  readonly sources: symbol;
  readonly dependants: symbol;
  readonly following: symbol;
  readonly reference: symbol;
  readonly weak: symbol;
  readonly resist: symbol;
  readonly nodeStyle: symbol;
}

type Native = (this: unknown, ...args: unknown[]) => unknown;

const addListener = EventTarget.prototype.addEventListener as unknown as Native;
const removeListener = EventTarget.prototype.removeEventListener as unknown as Native;
const { any: abortSignalAny } = AbortSignal as unknown as { any: Native };
const NativeAbortSignal = AbortSignal;
const NativeAbortController = AbortController;
const NativeProxy = Proxy;
const signalOf = getterOf<AbortSignal>(AbortController.prototype, 'signal');
const noListener = (): undefined => undefined;

let cachedSymbols: TargetSymbols | undefined;
let cachedKeys: SafeSet<symbol> | undefined;

/** Returns Node's symbol with the description, of an object or from a list. Throws a `HeapError` if it is missing. */
export function nodeSymbol(candidatesOrObject: object | readonly symbol[], description: string): symbol {
  const candidates = Array.isArray(candidatesOrObject)
    ? (candidatesOrObject as symbol[])
    : symbolsOf(candidatesOrObject);
  for (let i = 0; i < candidates.length; i++)
    if ((candidates[i] as symbol).description === description) return candidates[i] as symbol;
  throw new HeapError(
    'TT_FOREIGN_STATE',
    `this Node (${process.version}) has no ${description} in event targets and events; run the program on a supported Node (24 or 26)`,
  );
}

/** Returns the symbols that Node reads from the options it is called with. */
export function requestedSymbols(callWith: (options: object) => void): symbol[] {
  const requested: symbol[] = [];
  callWith(
    new NativeProxy({}, { get: (_, key) => void (typeof key === 'symbol' && (requested[requested.length] = key)) }),
  );
  return requested;
}

export function symbolSetOf(...samples: readonly object[]): SafeSet<symbol> {
  const collected = new SafeSet<symbol>();
  for (let s = 0; s < samples.length; s++) {
    const symbols = symbolsOf(samples[s] as object);
    for (let i = 0; i < symbols.length; i++) collected.add(symbols[i] as symbol);
  }
  return collected;
}

/** Returns whether all symbol keys of an object are keys of the host. */
export function hasOnlySymbols(object: object, isHostSymbol: (key: symbol) => boolean): boolean {
  const symbols = symbolsOf(object);
  for (let i = 0; i < symbols.length; i++) if (!isHostSymbol(symbols[i] as symbol)) return false;
  return true;
}

export function targetSymbols(): TargetSymbols {
  return (cachedSymbols ??= findSymbols());
}

function findSymbols(): TargetSymbols {
  const source = signalOf(new NativeAbortController());
  const composite = apply(abortSignalAny, NativeAbortSignal, [[source]]) as object;
  // Node 24 follows sources from the first listener on.
  apply(addListener, composite, ['abort', noListener]);
  const optionSymbols = requestedSymbols((proxy) => apply(addListener, new EventTarget(), ['x', noListener, proxy]));
  const symbols = {
    events: nodeSymbol(source, 'kEvents'),
    maxListeners: nodeSymbol(source, 'events.maxEventTargetListeners'),
    maxListenersWarned: nodeSymbol(source, 'events.maxEventTargetListenersWarned'),
    handlers: nodeSymbol(source, 'kHandlers'),
    aborted: nodeSymbol(source, 'kAborted'),
    reason: nodeSymbol(source, 'kReason'),
    composite: nodeSymbol(source, 'kComposite'),
    sources: nodeSymbol(composite, 'kSourceSignals'),
    dependants: nodeSymbol(source, 'kDependantSignals'),
    following: nodeSymbol(composite, 'kFollowing'),
    reference: nodeSymbol(composite, 'kResultSignalWeakRef'),
    weak: nodeSymbol(optionSymbols, 'kWeak'),
    resist: nodeSymbol(optionSymbols, 'kResistStopPropagation'),
    nodeStyle: nodeSymbol(optionSymbols, 'kIsNodeStyleListener'),
  };
  // Node keeps signals with listeners alive.
  apply(removeListener, composite, ['abort', noListener]);
  return symbols;
}

/** Returns whether a symbol key of an event target or abort signal is one under which Node keeps its state. */
export function isTargetSymbol(key: symbol): boolean {
  if (cachedKeys === undefined) {
    const symbols = targetSymbols();
    const names = ownKeys(symbols) as (keyof TargetSymbols)[];
    cachedKeys = new SafeSet<symbol>();
    for (let i = 0; i < names.length; i++) cachedKeys.add(symbols[names[i] as keyof TargetSymbols]);
  }
  return cachedKeys.has(key);
}
