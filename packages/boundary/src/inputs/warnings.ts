// Warnings, as the program's listeners hear of them: Node makes one where it is caused and tells of it in a tick. Such a tick is a step of a recorded program
// like all of its others, or nobody could say on which side of it a cut is. What is outside causes warnings, too (too many listeners of a socket, a device's
// own), and a run again has nobody who would: that is an act of the outside, and both runs tell of it in the same tick. What a builtin says when it is
// loaded, and what Turntable says, belongs to the process, not to the run: that stays Node's.
import { getCallSites } from 'node:util';
import { isNodeShim, captureTick, wrapFunction } from '@turntable/loader';

export interface WarningDeps {
  /** The program waits for the outside. */
  isInHostCall(): boolean;
  /** Nothing of the program has led to what runs now. */
  isHostInitiated(): boolean;
  /** Whether a file is Turntable's. */
  isTurntableFile(file: string): boolean;
  /** Has Node tell of it in a tick of the program's. */
  emitInProgramTick(warning: unknown): unknown;
  /** The same, for the outside; a run again has none. */
  emitAsHost: ((warning: unknown) => unknown) | undefined;
}

type CallerSite = { readonly scriptName: string };

const { apply } = Reflect;
const UNMAPPED = { sourceMap: false };
const MAX_FRAMES = 200;
/** On a stack that begins with this module, behind it and what puts functions in the places of others: who has called Node's function. */
const CALLER_DEPTH = 2;
/** Said of promises, and of builtins when they are loaded: each process does so by itself. */
const PROCESS_WARNINGS: ReadonlySet<unknown> = new Set([
  'ExperimentalWarning',
  'PromiseRejectionHandledWarning',
  'UnhandledPromiseRejectionWarning',
]);

export function trackWarnings({
  isInHostCall,
  isHostInitiated,
  isTurntableFile,
  emitInProgramTick,
  emitAsHost,
}: WarningDeps): void {
  const isHostWarning = (sites: readonly CallerSite[]): boolean =>
    isInHostCall() || (isHostInitiated() && !sites.some(({ scriptName }) => isTurntableFile(scriptName)));
  wrapFunction(process, 'emitWarning', (native, self, args) => {
    const sites = getCallSites(MAX_FRAMES, UNMAPPED).slice(CALLER_DEPTH);
    const caller = sites[0]?.scriptName ?? '';
    const isExiting = (process as { _exiting?: boolean })._exiting === true;
    if (isExiting || (isTurntableFile(caller) && !isNodeShim(caller))) return apply(native, self, args);
    const tick = captureTick(() => apply(native, self, args));
    if (tick === undefined) return undefined;
    const [callback, warning] = tick as [() => void, { readonly name?: unknown } | undefined];
    if (warning === undefined || PROCESS_WARNINGS.has(warning.name)) process.nextTick(callback, warning);
    else if (emitAsHost !== undefined && isHostWarning(sites)) emitAsHost(warning);
    else emitInProgramTick(warning);
    return undefined;
  });
}
