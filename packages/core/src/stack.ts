// Stack traces as Node would print them: transformed frames at their original places under their original names, core's own
// frames left out, and the awaiting frames below (`at async f (file:line:column)`), which V8 cannot know of.
// Pure: what positions mean comes in through `StackMapping`.

import { callSiteName, isMapped, createMappedCallSite, type CallSite, type OriginalLocation } from './call-site.ts';
import type { AsyncParent, AwaitingFrame, StackOrigin } from './async-parents.ts';
import { Frame } from './frame.ts';

export interface StackMapping {
  /** Where generated code came from: `undefined` for other code, `null` for core's frames, `wrapper` for a frame that only shows its step's receiver. */
  locate(
    file: string,
    line: number,
    column: number,
    functionName: string | null,
  ): StepLocation | 'wrapper' | null | undefined;
  /** What V8 calls the object that a frame's function was called on; `knownType` if the frame does not keep it. */
  receiverType(frame: Frame, knownType: string | undefined): string | undefined;
  /** Where a suspended frame waits. */
  awaitLocation(frame: AwaitingFrame): OriginalLocation | undefined;
}

export interface StepLocation extends OriginalLocation {
  /** For the step of a generator: what V8 calls the generator in the frame of its `next`. */
  generator?: string | undefined;
}

/** Node's frames between its task queue and an anchor of core: natively there is nothing there. */
const ANCHOR_FRAMES = new Set(['AsyncResource.runInAsyncScope', 'AsyncResource.runMicrotask', 'runMicrotask']);
const GENERATOR_METHODS = new Set(['next', 'return', 'throw']);

/** A step whose wrapper has not been met yet, further down the stack. */
interface OpenStep {
  readonly index: number;
  readonly site: CallSite;
  readonly location: StepLocation;
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
  let isBelowCore = false;
  let openStep: OpenStep | undefined;
  const bottomFrame = bottomStep(sites, origin);
  for (const site of sites) {
    const file = site.getFileName();
    const location =
      typeof file === 'string'
        ? mapping.locate(file, site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0, site.getFunctionName())
        : undefined;
    if (location === 'wrapper') {
      if (openStep !== undefined)
        shown[openStep.index] = createMappedCallSite({
          site: openStep.site,
          location: openStep.location,
          caller: site,
        });
      openStep = undefined;
      continue;
    }
    if (location === null) {
      isBelowCore = true;
      const method = site.getFunctionName() ?? '';
      if (openStep?.location.generator === undefined || !GENERATOR_METHODS.has(method)) continue;
      // Natively a built-in frame between a generator's code and whoever steps it.
      shown.push(createMappedCallSite({ site, builtin: `${openStep.location.generator}.${method}` }));
      openStep = undefined;
      continue;
    }
    openStep = undefined;
    if (isBelowCore && ANCHOR_FRAMES.has(callSiteName(site))) continue;
    isBelowCore = false;
    if (location === undefined) {
      shown.push(site);
      continue;
    }
    if (location.name !== undefined) {
      openStep = { index: shown.length, site, location };
      if (site === bottomFrame?.site) location.type = mapping.receiverType(bottomFrame.frame, location.type);
    }
    shown.push(createMappedCallSite({ site, location }));
  }
  shown.push(...awaitingSites(origin.parents, mapping));
  return shown.slice(0, limit);
}

/** The frames of what awaits. */
export function awaitingSites(parents: readonly AsyncParent[], mapping: StackMapping): CallSite[] {
  const shown: CallSite[] = [];
  for (const parent of parents) {
    if ('combinator' in parent) shown.push(createMappedCallSite({ isAsync: true, element: parent }));
    else {
      const location = mapping.awaitLocation(parent);
      if (location !== undefined)
        shown.push(createMappedCallSite({ location: { ...location, name: location.name ?? '' }, isAsync: true }));
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
function bottomStep(
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
