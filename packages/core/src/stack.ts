// Stack traces as Node would print them: transformed frames at their original places under their original names, core's own
// frames left out, and the awaiting frames below (`at async f (file:line:column)`), which V8 cannot know of.
// Pure: what positions mean comes in through `StackMapping`.

import type { AsyncParent, AwaitingFrame } from './awaiting.ts';

/** What is used of V8's CallSite. */
export interface CallSite {
  getTypeName(): string | null;
  getFunctionName(): string | null;
  getMethodName(): string | null;
  getFileName(): string | null | undefined;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
  getEvalOrigin(): string | undefined;
  isToplevel(): boolean;
  isEval(): boolean;
  isNative(): boolean;
  isConstructor(): boolean;
  isAsync(): boolean;
  toString(): string;
}

export interface OriginalPlace {
  file: string;
  line: number;
  column: number;
  /** The function's original name; '' for one that has none; undefined when V8's name is right. */
  name?: string | undefined;
}

export interface StackMapping {
  /**
   * Where generated code came from. `undefined`: the place is not of transformed code and stays as it is.
   * `null`: the frame is a wrapper or core's own, and is left out.
   */
  place(file: string, line: number, column: number, functionName: string | null): OriginalPlace | null | undefined;
  /** Where a suspended frame waits. */
  awaiting(frame: AwaitingFrame): OriginalPlace | undefined;
}

/** Node's frames between its task queue and an anchor of core: natively there is nothing there. */
const ANCHOR_FRAMES = new Set(['AsyncResource.runInAsyncScope', 'AsyncResource.runMicrotask', 'runMicrotask']);

/** The lines below the header, without indentation: at most `limit`. */
export function stackLines(
  sites: readonly CallSite[],
  parents: readonly AsyncParent[],
  mapping: StackMapping,
  limit: number,
): string[] {
  const lines: string[] = [];
  let belowCore = false;
  for (const site of sites) {
    const file = site.getFileName();
    const place =
      typeof file === 'string'
        ? mapping.place(file, site.getLineNumber() ?? 0, site.getColumnNumber() ?? 0, site.getFunctionName())
        : undefined;
    if (place === null) {
      belowCore = true;
      continue;
    }
    if (belowCore && ANCHOR_FRAMES.has(calledName(site, undefined))) continue;
    belowCore = false;
    lines.push(place === undefined ? site.toString() : siteText(site, place));
  }
  for (const parent of parents) {
    if ('combinator' in parent) lines.push(`async Promise.${parent.combinator} (index ${parent.index})`);
    else {
      const place = mapping.awaiting(parent);
      if (place !== undefined) lines.push(`async ${withLocation(place.name ?? '', locationText(place))}`);
    }
  }
  return lines.slice(0, limit);
}

/** The whole text of `error.stack`. */
export function stackText(
  error: unknown,
  sites: readonly CallSite[],
  parents: readonly AsyncParent[],
  mapping: StackMapping,
  limit = Infinity,
): string {
  const lines = stackLines(sites, parents, mapping, limit);
  return [headerOf(error), ...lines.map((line) => `    at ${line}`)].join('\n');
}

function headerOf(error: unknown): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return '<error>';
  }
}

function siteText(site: CallSite, place: OriginalPlace): string {
  const text = withLocation(calledName(site, place.name), locationText(place));
  return site.isAsync() ? `async ${text}` : text;
}

function locationText({ file, line, column }: OriginalPlace): string {
  return `${file}:${line}:${column}`;
}

function withLocation(name: string, location: string): string {
  return name === '' ? location : `${name} (${location})`;
}

/** What V8 prints before the location (`new C`, `Object.method [as alias]`), with the original name where there is one. */
function calledName(site: CallSite, original: string | undefined): string {
  const name = original ?? site.getFunctionName() ?? '';
  if (site.isConstructor()) return `new ${name === '' ? '<anonymous>' : name}`;
  const type = site.isToplevel() ? null : site.getTypeName();
  if (type === null || type === '') return name;
  const method = original === undefined ? site.getMethodName() : null;
  if (name === '') return `${type}.${method ?? '<anonymous>'}`;
  const qualified = name.startsWith(type) ? name : `${type}.${name}`;
  const alias =
    method !== null && method !== '' && name !== method && !name.endsWith(`.${method}`) && !name.endsWith(` ${method}`);
  return alias ? `${qualified} [as ${method}]` : qualified;
}
