// Stack traces as Node would print them. Transformed frames have their original positions and names, and core's own
// frames are left out. The awaiting frames, which V8 cannot know, follow below (`at async f (file:line:column)`). The
// file is pure: `StackMapping` supplies the meaning of positions.

import { callSiteName, isMapped, createMappedCallSite, type CallSite, type OriginalLocation } from './call-site.ts';
import type { AsyncParent, AwaitingFrame, StackOrigin } from './async-parents.ts';
import { Frame } from './frame.ts';

export interface StackMapping {
  /** Original location; undefined for other code, null for core's own, `wrapper` for the wrapper of a step. */
  locate(
    file: string,
    line: number,
    column: number,
    functionName: string | null,
  ): StepLocation | 'wrapper' | null | undefined;
  /** V8's name for the receiver of a frame; `knownType` if the frame does not hold the receiver. */
  receiverType(frame: Frame, knownType: string | undefined): string | undefined;
  /** Location at which a suspended frame waits. */
  awaitLocation(frame: AwaitingFrame): OriginalLocation | undefined;
}

export interface StepLocation extends OriginalLocation {
  /** For the step of a generator: V8's name for the generator in the frame of its `next`. */
  generator?: string | undefined;
}

/** Frames of Node between its task queue and an anchor of core. They would not exist without the transform. */
const ANCHOR_FRAMES = new Set(['AsyncResource.runInAsyncScope', 'AsyncResource.runMicrotask', 'runMicrotask']);
const GENERATOR_METHODS = new Set(['next', 'return', 'throw']);

/** A step whose wrapper, further down the stack, has not been found yet. */
interface OpenStep {
  readonly index: number;
  readonly site: CallSite;
  readonly location: StepLocation;
}

/** Frames that the program sees of a stack, at most `limit`. */
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
      // Natively there is a frame of a builtin (`next`) between a generator's code and its caller.
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

/** Frames of functions that await, from the nearest to the farthest. */
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

/** Text of `error.stack`. */
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

/** Frame of the step that the job queue was running; undefined if it was running something else. */
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
