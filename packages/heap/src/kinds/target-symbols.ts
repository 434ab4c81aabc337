// The symbols under which Node keeps the state of event targets and abort signals, found on objects that have them, and the options it
// gives to itself. Looked for when the first target is captured or restored: a Node that keeps this otherwise is refused by name.

import { HeapError } from '../heap-error.ts';
import { apply, getterOf, ownKeys, SafeSet, symbolsOf } from '../intrinsics.ts';

export interface TargetSymbols {
  readonly events: symbol;
  readonly max: symbol;
  readonly warned: symbol;
  readonly handlers: symbol;
  readonly aborted: symbol;
  readonly reason: symbol;
  readonly composite: symbol;
  readonly sources: symbol;
  readonly dependants: symbol;
  readonly following: symbol;
  readonly reference: symbol;
  /** Options of `addEventListener`. */
  readonly weak: symbol;
  readonly resist: symbol;
  readonly nodeStyle: symbol;
}

type Native = (this: unknown, ...args: unknown[]) => unknown;

const addListener = EventTarget.prototype.addEventListener as unknown as Native;
const removeListener = EventTarget.prototype.removeEventListener as unknown as Native;
const { any } = AbortSignal as unknown as { any: Native };
const Signal = AbortSignal;
const Controller = AbortController;
const NativeProxy = Proxy;
const signalOf = getterOf<AbortSignal>(AbortController.prototype, 'signal');
const noListener = (): undefined => undefined;

let found: TargetSymbols | undefined;
let keys: SafeSet<symbol> | undefined;

/** Node's symbol of that description among the keys of an object or in a list. */
export function nodeSymbol(among: object | readonly symbol[], description: string): symbol {
  const candidates = Array.isArray(among) ? (among as symbol[]) : symbolsOf(among);
  for (let i = 0; i < candidates.length; i++)
    if ((candidates[i] as symbol).description === description) return candidates[i] as symbol;
  throw new HeapError(
    'TT_FOREIGN_STATE',
    `this Node (${process.version}) keeps no ${description} in event targets and events; run the program on a supported Node (24 or 26)`,
  );
}

/** Symbols under which Node looks for options in what `use` gives to it. */
export function askedSymbols(use: (options: object) => void): symbol[] {
  const asked: symbol[] = [];
  use(new NativeProxy({}, { get: (_, key) => void (typeof key === 'symbol' && (asked[asked.length] = key)) }));
  return asked;
}

export function symbolSetOf(...samples: readonly object[]): SafeSet<symbol> {
  const all = new SafeSet<symbol>();
  for (let s = 0; s < samples.length; s++) {
    const own = symbolsOf(samples[s] as object);
    for (let i = 0; i < own.length; i++) all.add(own[i] as symbol);
  }
  return all;
}

/** Whether the host accounts for all keys of an object that are symbols. */
export function hasOnlySymbols(object: object, isHosts: (key: symbol) => boolean): boolean {
  const own = symbolsOf(object);
  for (let i = 0; i < own.length; i++) if (!isHosts(own[i] as symbol)) return false;
  return true;
}

export function targetSymbols(): TargetSymbols {
  return (found ??= look());
}

function look(): TargetSymbols {
  const source = signalOf(new Controller());
  const composite = apply(any, Signal, [[source]]) as object;
  // Node 24 follows from the first listener on.
  apply(addListener, composite, ['abort', noListener]);
  const options = askedSymbols((given) => apply(addListener, new EventTarget(), ['x', noListener, given]));
  const symbols = {
    events: nodeSymbol(source, 'kEvents'),
    max: nodeSymbol(source, 'events.maxEventTargetListeners'),
    warned: nodeSymbol(source, 'events.maxEventTargetListenersWarned'),
    handlers: nodeSymbol(source, 'kHandlers'),
    aborted: nodeSymbol(source, 'kAborted'),
    reason: nodeSymbol(source, 'kReason'),
    composite: nodeSymbol(source, 'kComposite'),
    sources: nodeSymbol(composite, 'kSourceSignals'),
    dependants: nodeSymbol(source, 'kDependantSignals'),
    following: nodeSymbol(composite, 'kFollowing'),
    reference: nodeSymbol(composite, 'kResultSignalWeakRef'),
    weak: nodeSymbol(options, 'kWeak'),
    resist: nodeSymbol(options, 'kResistStopPropagation'),
    nodeStyle: nodeSymbol(options, 'kIsNodeStyleListener'),
  };
  // Node holds on to what listens.
  apply(removeListener, composite, ['abort', noListener]);
  return symbols;
}

/** Whether a key of a target or signal is Node's and accounted for. */
export function isTargetSymbol(key: symbol): boolean {
  if (keys === undefined) {
    const symbols = targetSymbols();
    const names = ownKeys(symbols) as (keyof TargetSymbols)[];
    keys = new SafeSet<symbol>();
    for (let i = 0; i < names.length; i++) keys.add(symbols[names[i] as keyof TargetSymbols]);
  }
  return keys.has(key);
}
