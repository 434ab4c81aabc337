// Stack traces as Node would print them: transformed frames at their original places under their original names, core's own
// frames left out, and the awaiting frames below (`at async f (file:line:column)`), which V8 cannot know of.
// Pure: what positions mean comes in through `StackMapping`.

import { calledName, isMapped, mappedCallSite, type CallSite, type OriginalPlace } from './call-site.ts';
import type { AsyncParent, AwaitingFrame, StackOrigin } from './awaiting.ts';
import { Frame } from './frame.ts';

export interface StackMapping {
  /** Where generated code came from: `undefined` for other code, `null` for core's frames, `wrapper` for a frame that only shows its step's receiver. */
  place(
    file: string,
    line: number,
    column: number,
    functionName: string | null,
  ): StepPlace | 'wrapper' | null | undefined;
  /** What V8 calls the object that a frame's function was called on; `known` if the frame does not keep it. */
  receiverType(frame: Frame, known: string | undefined): string | undefined;
  /** Where a suspended frame waits. */
  awaiting(frame: AwaitingFrame): OriginalPlace | undefined;
}

export interface StepPlace extends OriginalPlace {
  /** For the step of a generator: what V8 calls the generator in the frame of its `next`. */
  generator?: string | undefined;
}

/** Node's frames between its task queue and an anchor of core: natively there is nothing there. */
const ANCHOR_FRAMES = new Set(['AsyncResource.runInAsyncScope', 'AsyncResource.runMicrotask', 'runMicrotask']);
const GENERATOR_METHODS = new Set(['next', 'return', 'throw']);

/** A step whose wrapper has not been met yet, further down the stack. */
interface OpenStep {
  readonly at: number;
  readonly site: CallSite;
  readonly place: StepPlace;
}

/** The frames a program is to see, at most `limit`. */
export function mappedSites(
  sites: readonly CallSite[],
  origin: StackOrigin,
  mapping: StackMapping,
  limit: number,
): CallSite[] {
  if (sites.some(isMapped)) return [...sites];
  const shown: CallSite[] = [];
  let belowCore = false;
  let open: OpenStep | undefined;
  const bottom = bottomOf(sites, origin);
  for (const site of sites) {
    const file = site.getFileName();
    const place =
      typeof file === 'string'
        ? mapping.place(file, site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0, site.getFunctionName())
        : undefined;
    if (place === 'wrapper') {
      if (open !== undefined) shown[open.at] = mappedCallSite({ site: open.site, place: open.place, caller: site });
      open = undefined;
      continue;
    }
    if (place === null) {
      belowCore = true;
      const method = site.getFunctionName() ?? '';
      if (open?.place.generator === undefined || !GENERATOR_METHODS.has(method)) continue;
      // Natively a built-in frame between a generator's code and whoever steps it.
      shown.push(mappedCallSite({ site, builtin: `${open.place.generator}.${method}` }));
      open = undefined;
      continue;
    }
    open = undefined;
    if (belowCore && ANCHOR_FRAMES.has(calledName(site))) continue;
    belowCore = false;
    if (place === undefined) {
      shown.push(site);
      continue;
    }
    if (place.name !== undefined) {
      open = { at: shown.length, site, place };
      if (site === bottom?.site) place.type = mapping.receiverType(bottom.frame, place.type);
    }
    shown.push(mappedCallSite({ site, place }));
  }
  shown.push(...awaitingSites(origin.parents, mapping));
  return shown.slice(0, limit);
}

/** The frames of what awaits. */
export function awaitingSites(parents: readonly AsyncParent[], mapping: StackMapping): CallSite[] {
  const shown: CallSite[] = [];
  for (const parent of parents) {
    if ('combinator' in parent) shown.push(mappedCallSite({ isAsync: true, element: parent }));
    else {
      const place = mapping.awaiting(parent);
      if (place !== undefined)
        shown.push(mappedCallSite({ place: { ...place, name: place.name ?? '' }, isAsync: true }));
    }
  }
  return shown;
}

/** The whole text of `error.stack`. */
export function stackText(
  error: unknown,
  sites: readonly CallSite[],
  origin: StackOrigin,
  mapping: StackMapping,
  limit = Infinity,
): string {
  const shown = mappedSites(sites, origin, mapping, limit);
  return [headerOf(error), ...shown.map((site) => `    at ${site.toString()}`)].join('\n');
}

/** The frame of the step that the job queue was running, if it was one. */
function bottomOf(
  sites: readonly CallSite[],
  { bottom }: StackOrigin,
): { readonly site: CallSite | undefined; readonly frame: Frame } | undefined {
  if (!(bottom instanceof Frame)) return undefined;
  return { site: sites.findLast((site) => site.getFunctionName() === bottom.step.name), frame: bottom };
}

function headerOf(error: unknown): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return '<error>';
  }
}
