// Warnings, as the program's listeners hear of them: Node makes one where it is caused and tells of it in a tick. Such a tick is a step of a recorded program
// like all of its others, or nobody could say on which side of it a cut is. What is outside causes warnings, too (too many listeners of a socket, a device's
// own), and a run again has nobody who would: that is an act of the outside, and both runs tell of it in the same tick. What a builtin says when it is
// loaded, and what Turntable says, belongs to the process, not to the run: that stays Node's.
import { getCallSites } from 'node:util';
import { isNodeShim, notedTick, standInBy } from '@turntable/loader';

export interface WarningsParts {
  /** The program waits for the outside. */
  isOutside(): boolean;
  /** Nothing of the program has led to what runs now. */
  isAlone(): boolean;
  /** Whether a file is Turntable's. */
  isOurs(file: string): boolean;
  /** Has Node tell of it in a tick of the program's. */
  warn(warning: unknown): unknown;
  /** The same, for the outside; a run again has none. */
  warnByOutside: ((warning: unknown) => unknown) | undefined;
}

type Site = { readonly scriptName: string };

const { apply } = Reflect;
const WITHOUT_MAPS = { sourceMap: false };
const FRAMES = 200;
/** On a stack that begins with this module, behind it and what puts functions in the places of others: who has called Node's function. */
const CALLER = 2;
/** Said of promises, and of builtins when they are loaded: each process does so by itself. */
const OF_PROCESS: ReadonlySet<unknown> = new Set([
  'ExperimentalWarning',
  'PromiseRejectionHandledWarning',
  'UnhandledPromiseRejectionWarning',
]);

export function followWarnings({ isOutside, isAlone, isOurs, warn, warnByOutside }: WarningsParts): void {
  const isOfOutside = (sites: readonly Site[]): boolean =>
    isOutside() || (isAlone() && !sites.some(({ scriptName }) => isOurs(scriptName)));
  standInBy(process, 'emitWarning', (native, self, args) => {
    const sites = getCallSites(FRAMES, WITHOUT_MAPS).slice(CALLER);
    const caller = sites[0]?.scriptName ?? '';
    const isExiting = (process as { _exiting?: boolean })._exiting === true;
    if (isExiting || (isOurs(caller) && !isNodeShim(caller))) return apply(native, self, args);
    const tick = notedTick(() => apply(native, self, args));
    if (tick === undefined) return undefined;
    const [callback, warning] = tick as [() => void, { readonly name?: unknown } | undefined];
    if (warning === undefined || OF_PROCESS.has(warning.name)) process.nextTick(callback, warning);
    else if (warnByOutside !== undefined && isOfOutside(sites)) warnByOutside(warning);
    else warn(warning);
    return undefined;
  });
}
