// Warnings as the program's listeners get them. Node emits a warning in a tick after its cause. The tick must be a step
// of the program like any other, otherwise the position of a cut relative to the tick would be unknown. Warnings that
// the host causes (too many listeners of a socket, a device's own) are host callbacks, which emit them in the same tick
// when recorded and replayed. Node itself emits warnings of builtins that are being loaded, and of Turntable.
import { getCallSites } from 'node:util';
import { isNodeShim, captureTick, wrapFunction } from '@turntable/loader';

export interface WarningDeps {
  isInHostCall(): boolean;
  /** Whether the host has started the running code. */
  isHostInitiated(): boolean;
  isTurntableFile(file: string): boolean;
  /** Emits a warning in a tick of the program. */
  emitInProgramTick(warning: unknown): unknown;
  /** Emits a warning of the host as a host callback; undefined in a replay. */
  emitAsHost: ((warning: unknown) => unknown) | undefined;
}

type CallerSite = { readonly scriptName: string };

const { apply } = Reflect;
const UNMAPPED = { sourceMap: false };
const MAX_FRAMES = 200;
/** Number of frames of this module and of the wrapper above the caller of Node's function. */
const CALLER_DEPTH = 2;
/** Warnings about promises and about loading builtins. Each process emits these by itself. */
const PROCESS_WARNINGS: ReadonlySet<unknown> = new Set([
  'ExperimentalWarning',
  'PromiseRejectionHandledWarning',
  'UnhandledPromiseRejectionWarning',
]);

export function trackWarnings(deps: WarningDeps): void {
  const { isInHostCall, isHostInitiated, isTurntableFile, emitInProgramTick, emitAsHost } = deps;
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
