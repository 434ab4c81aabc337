// `error.stack` in terms of what was written: positions through the source maps of running code (parsed when first asked for),
// functions under their own names, the loader's and core's frames left out. Core prints it (stack.ts there).
import { GREATEST_LOWER_BOUND, LEAST_UPPER_BOUND, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { isAbsolute } from 'node:path';
import type { CallSite, OriginalPlace, Realm, StackMapping } from '@turntable/core';
import type { CodeLoader, RunningCode } from './code.ts';

interface StepTable {
  readonly name: string;
  readonly points: readonly { readonly at: number }[];
}

interface FunctionsTable {
  readonly functions: readonly {
    readonly name: string;
    readonly start: number;
    readonly end: number;
    readonly step: StepTable | null;
  }[];
  readonly classes: readonly { readonly name: string; readonly start: number; readonly end: number }[];
}

interface MappedCode {
  readonly map: TraceMap;
  readonly lines: readonly string[];
  /** By the name of the step function. */
  readonly steps: ReadonlyMap<string, { readonly name: string; readonly step: StepTable }>;
}

type StepFunction = (...args: never[]) => unknown;

/** `own`: prefixes of the files whose frames a program is not to see. */
export function createStackMapping(
  code: CodeLoader,
  own: readonly string[],
  sourceText: (fn: StepFunction) => string,
): StackMapping {
  const mapped = new Map<RunningCode, MappedCode>();
  const places = new WeakMap<StepFunction, { readonly file: string; readonly running: RunningCode }>();

  function mappedCode(running: RunningCode): MappedCode {
    let known = mapped.get(running);
    if (known === undefined) {
      const table = JSON.parse(running.entry.table) as FunctionsTable;
      known = {
        map: new TraceMap(running.entry.map),
        lines: running.entry.code.split('\n'),
        steps: new Map(
          table.functions.flatMap((fn) =>
            fn.step === null ? [] : [[fn.step.name, { name: qualifiedName(table, fn), step: fn.step }]],
          ),
        ),
      };
      mapped.set(running, known);
    }
    return known;
  }

  function fileOf(step: StepFunction): { readonly file: string; readonly running: RunningCode } | undefined {
    const known = places.get(step);
    if (known !== undefined) return known;
    const text = sourceText(step);
    for (const [file, running] of code.running) {
      if (!running.entry.code.includes(text)) continue;
      const found = { file, running };
      places.set(step, found);
      return found;
    }
    return undefined;
  }

  return {
    place(file, line, column, functionName) {
      if (own.some((prefix) => file.startsWith(prefix))) return null;
      const running = code.running.get(file);
      if (running === undefined) return undefined;
      const { map, lines, steps } = mappedCode(running);
      // The call that starts a step: the wrapper is not the programmer's.
      if (/^\$+\w*(?:async|generator|asyncGenerator)\(/.test(lines[line - 1]?.slice(column - 1) ?? '')) return null;
      const found = originalPositionFor(map, { line, column: column - 1, bias: GREATEST_LOWER_BOUND });
      if (found.line === null) return null;
      const place: OriginalPlace = { file, line: found.line, column: found.column + 1 };
      if (functionName !== null && functionName.startsWith('$')) {
        const step = steps.get(functionName);
        if (step !== undefined) place.name = step.name;
        else if (/^\$+body$/.test(functionName)) place.name = '';
      }
      return place;
    },
    awaiting({ step, pc }) {
      const found = fileOf(step as StepFunction);
      if (found === undefined) return undefined;
      const { map, steps } = mappedCode(found.running);
      const entry = steps.get(step.name);
      const at = entry?.step.points[pc - 1]?.at;
      const { entry: kept, source } = found.running;
      if (at !== undefined && kept.lowered === '') {
        return { file: found.file, ...lineAndColumn(source, at), name: entry?.name };
      }
      // A module's own frame, or TypeScript, whose table speaks of the lowered text: by where the emitted step suspends.
      const suspends = new RegExp(`\\(\\$+F, ${pc}[,)]`).exec(sourceText(step as StepFunction));
      if (suspends === null) return undefined;
      const generated = lineAndColumn(
        kept.code,
        kept.code.indexOf(sourceText(step as StepFunction)) + suspends.index + suspends[0].length + 1,
      );
      const original = originalPositionFor(map, {
        line: generated.line,
        column: generated.column - 1,
        bias: LEAST_UPPER_BOUND,
      });
      if (original.line === null) return undefined;
      // What is mapped is the operand; the keyword stands before it.
      const before = (source.split('\n')[original.line - 1] ?? '').slice(0, original.column);
      const keyword = /\b(?:await|yield)[\s(]*$/.exec(before)?.[0].length ?? 0;
      return { file: found.file, line: original.line, column: original.column - keyword + 1, name: entry?.name ?? '' };
    },
  };
}

/** `Class.method`, as V8 names a frame by its receiver. */
function qualifiedName({ functions, classes }: FunctionsTable, fn: FunctionsTable['functions'][number]): string {
  const inside = (outer: { start: number; end: number }): boolean => outer.start < fn.start && fn.end < outer.end;
  const owner = classes.filter(inside).at(-1);
  if (owner === undefined || owner.name === '') return fn.name;
  return functions.some((other) => inside(other) && other.start > owner.start) ? fn.name : `${owner.name}.${fn.name}`;
}

function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line++;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}

type PrepareStackTrace = (error: Error, sites: readonly CallSite[]) => unknown;

export function installStackTraces(realm: Realm, mapping: StackMapping): void {
  const prepare: PrepareStackTrace = (error, sites) => {
    const text = realm.stackText(
      error,
      sites.filter((site, i) => !isModuleStart(site, sites[i + 1], mapping)),
      mapping,
    );
    return withCode(error, text);
  };
  (Error as { prepareStackTrace?: unknown }).prepareStackTrace = prepare;
}

/** `Generator.next`, by which core evaluates a module: no frame of the program. */
function isModuleStart(site: CallSite, caller: CallSite | undefined, mapping: StackMapping): boolean {
  if (site.getFunctionName() !== 'next' || site.getFileName() || caller === undefined) return false;
  const file = caller.getFileName();
  return typeof file === 'string' && mapping.place(file, 1, 1, null) === null;
}

/** Node's own errors show their code in the first line; whoever replaces the formatter has to see to it. */
function withCode(error: Error, text: string): string {
  if (NODE_ERROR === undefined || !(NODE_ERROR in error)) return text;
  const { code, name, message } = error as Error & { code?: string };
  const plain = Error.prototype.toString.call(error);
  return text.startsWith(plain) ? `${name} [${code}]: ${message}${text.slice(plain.length)}` : text;
}

/** The mark of Node's own errors, found on one of them. */
const NODE_ERROR = findNodeErrorMark();

function findNodeErrorMark(): symbol | undefined {
  let error: unknown;
  try {
    isAbsolute(undefined as unknown as string);
  } catch (thrown) {
    error = thrown;
  }
  for (let at = error; typeof at === 'object' && at !== null; at = Object.getPrototypeOf(at) as unknown) {
    const mark = Object.getOwnPropertySymbols(at).find((symbol) => symbol.description === 'kIsNodeError');
    if (mark !== undefined) return mark;
  }
  return undefined;
}
