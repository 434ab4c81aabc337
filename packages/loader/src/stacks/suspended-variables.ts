// Variables of a suspended function, read from its frame without evaluating any code. The code table has the names of
// the frame's slots, and of the variables that debug mode keeps beside them; the scopes tell which of them are boxes.
import type { Frame, ModuleRecord, Realm } from '@turntable/core';
import type { CodeTable, StepEntry } from '@turntable/transform';
import type { CodeLoader } from '../code/code-loader.ts';
import { originOf } from '../code/record-origin.ts';
import { visibleVariables } from './scope-variables.ts';

export interface SuspendedVariables {
  /** Values by name; undefined for a variable that is still uninitialized. */
  readonly variables: ReadonlyMap<string, { readonly value: unknown } | undefined>;
  /** Names of variables without a slot, in a frame that comes from a snapshot. */
  readonly notKept: readonly string[];
}

type AnyFunction = (...args: never[]) => unknown;
type Scopes = CodeTable['scopes'];

const INLINE_SLOT_COUNT = 8;
/** Values that a frame keeps beside variables. */
const RECEIVERS: ReadonlySet<string> = new Set(['this', 'arguments', 'new.target']);
const NO_VARIABLES: SuspendedVariables = { variables: new Map(), notKept: [] };

/** Creates a function that reads the variables of a suspended frame. They are empty for code compiled at run time. */
export function createSuspendedVariables(
  realm: Pick<Realm, 'identify'>,
  code: CodeLoader,
): (frame: Frame) => SuspendedVariables {
  return (frame) => {
    const identity = realm.identify(frame.step as AnyFunction);
    if (identity === undefined || typeof identity.module !== 'object' || identity.module === null) return NO_VARIABLES;
    const running = originOf(identity.module as ModuleRecord)?.running;
    if (running === undefined) return NO_VARIABLES;
    const { functions, scopes, topLevelStep } = code.describeRunning(running).table as unknown as CodeTable;
    const step = identity.ordinal === -1 ? topLevelStep : functions[identity.ordinal]?.step;
    return step === undefined || step === null ? NO_VARIABLES : variablesOf(frame, step, scopes);
  };
}

function variablesOf(frame: Frame, step: StepEntry, scopes: Scopes): SuspendedVariables {
  const point = step.points[frame.pc - 1];
  const variables = new Map<string, { readonly value: unknown } | undefined>();
  if (point === undefined) return NO_VARIABLES;
  const { at, live, names, kept: keys = [] } = point;
  const visible = visibleVariables(at, scopes);
  const add = (name: string, value: unknown): void => {
    const storage = RECEIVERS.has(name) ? 'local' : visible.get(name)?.storage;
    const isBoxed = storage === 'box' || storage === 'cell';
    if (storage !== undefined) variables.set(name, isBoxed ? boxContent(value) : { value });
  };
  live.forEach((slot, i) => add(names?.[i] ?? step.slots[slot] ?? '', valueInSlot(frame, slot)));
  const kept = keptOf(frame);
  if (kept === undefined) return { variables, notKept: keys.map(nameOfKey) };
  for (const key of keys) add(nameOfKey(key), kept[key]);
  return { variables, notKept: [] };
}

/** The variables that debug mode has kept at the suspension of a frame; undefined if the frame comes from a snapshot. */
function keptOf(frame: Frame): Readonly<Record<string, unknown>> | undefined {
  const { kept } = frame as { readonly kept?: Readonly<Record<string, unknown>> };
  return kept?.['at'] === frame.pc ? kept : undefined;
}

/** Name of the variable that is kept with a key, such as `k0_name`. */
function nameOfKey(key: string): string {
  return key.slice(key.indexOf('_') + 1);
}

function valueInSlot(frame: Frame, slot: number): unknown {
  const inlineSlots = frame as unknown as Record<string, unknown>;
  return slot < INLINE_SLOT_COUNT ? inlineSlots[`s${slot}`] : frame.more?.[slot - INLINE_SLOT_COUNT];
}

/** Value in a box or cell; undefined if the variable is uninitialized. */
export function boxContent(box: unknown): { readonly value: unknown } | undefined {
  if (typeof box !== 'object' || box === null) return undefined;
  const descriptor = Object.getOwnPropertyDescriptor(box, 'v');
  return descriptor !== undefined && 'value' in descriptor ? { value: descriptor.value as unknown } : undefined;
}
