// Maps `error.stack` to the original program: positions are mapped through the source maps of running code (parsed when
// first needed), functions get their own names, and the frames of loader and core are removed. Core formats the result
// (stack.ts there).
import { GREATEST_LOWER_BOUND, LEAST_UPPER_BOUND, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { types } from 'node:util';
import type { StackMapping, StepLocation } from '@turntable/core';
import type { ClassEntry, FunctionEntry, StepEntry } from '@turntable/transform';
import { lineStarts, locationAt } from '@turntable/transform/source-map';
import type { CodeLoader, RunningCode } from '../code/code-loader.ts';

interface FunctionTable {
  readonly functions: readonly FunctionEntry[];
  readonly classes: readonly ClassEntry[];
}

interface MappedCode {
  readonly map: TraceMap;
  readonly lines: readonly string[];
  /** Offset of each line of the source. */
  readonly lineStarts: readonly number[];
  readonly functions: readonly FunctionEntry[];
  /** Functions that can be suspended, by the name of their step function. */
  readonly steps: ReadonlyMap<string, StepFunctionEntry>;
}

interface StepFunctionEntry {
  readonly name: string;
  /** V8's type name of the receiver, if the text shows it. */
  readonly type: string | undefined;
  readonly fn: FunctionEntry;
  readonly table: StepEntry;
}

type StepFunction = (...args: never[]) => unknown;

/** @param ownPrefixes prefixes of the files whose frames are hidden from the program */
export function createStackMapping(
  code: CodeLoader,
  ownPrefixes: readonly string[],
  sourceText: (fn: StepFunction) => string,
): StackMapping {
  const mappedByCode = new Map<RunningCode, MappedCode>();
  const filesByStep = new WeakMap<StepFunction, { readonly file: string; readonly running: RunningCode }>();

  function mappedCodeOf(running: RunningCode): MappedCode {
    let known = mappedByCode.get(running);
    if (known === undefined) {
      const table = JSON.parse(running.entry.table) as FunctionTable;
      const describedSource = running.entry.lowered === '' ? running.source : running.entry.lowered;
      known = {
        map: new TraceMap(code.mapOf(running) as never),
        lines: running.entry.code.split('\n'),
        lineStarts: lineStarts(running.source),
        functions: table.functions,
        steps: new Map(
          table.functions.flatMap((fn): [string, StepFunctionEntry][] =>
            fn.step === null ? [] : [[fn.step.name, stepOf(table, describedSource, fn, fn.step)]],
          ),
        ),
      };
      mappedByCode.set(running, known);
    }
    return known;
  }

  function fileOf(step: StepFunction): { readonly file: string; readonly running: RunningCode } | undefined {
    const known = filesByStep.get(step);
    if (known !== undefined) return known;
    const text = sourceText(step);
    for (const [file, running] of code.running) {
      if (!running.entry.code.includes(text)) continue;
      const found = { file, running };
      filesByStep.set(step, found);
      return found;
    }
    return undefined;
  }

  return {
    locate(file, line, column, functionName) {
      if (ownPrefixes.some((prefix) => file.startsWith(prefix))) return null;
      const running = code.running.get(file);
      if (running === undefined) return undefined;
      const { map, lines, lineStarts: starts, steps, functions } = mappedCodeOf(running);
      // The frame is the wrapper around the call that starts a step.
      if (/^\$+\w*(?:async|generator|asyncGenerator)\(/.test(lines[line - 1]?.slice(column - 1) ?? ''))
        return 'wrapper';
      const found = originalPositionFor(map, { line, column: column - 1, bias: GREATEST_LOWER_BOUND });
      if (found.line === null) return null;
      const isIndirect = (lines[line - 1] ?? '').slice(column - 2, column) === ')(';
      const calleeLength = isIndirect
        ? calleeNameLength(running.source, (starts[found.line - 1] ?? 0) + found.column)
        : 0;
      const location: StepLocation = { file, line: found.line, column: found.column + 1 - calleeLength };
      const position = (starts[found.line - 1] ?? 0) + found.column - calleeLength;
      location.position = position;
      location.enclosing = () => enclosingFunction(running, functions, position) ?? location;
      if (functionName === null) return location;
      const step = steps.get(functionName);
      if (step !== undefined) {
        location.name = step.name;
        location.type = step.type;
        if (step.fn.generator) location.generator = step.fn.name || (step.fn.async ? 'AsyncGenerator' : 'Generator');
      } else if (functionName.startsWith('$') && !running.source.includes(functionName)) {
        // V8 has inferred a name in emitted code for an anonymous function.
        location.name = '';
      }
      return location;
    },
    receiverType(frame, known) {
      const running = fileOf(frame.step as StepFunction)?.running;
      const step = running === undefined ? undefined : mappedCodeOf(running).steps.get(frame.step.name);
      const slot = step === undefined || step.fn.arrow ? -1 : step.table.slots.indexOf('this');
      if (slot === -1) return known;
      const slots = frame as unknown as Record<string, unknown>;
      return receiverTypeName(slot < INLINE_SLOT_COUNT ? slots[`s${slot}`] : frame.more?.[slot - INLINE_SLOT_COUNT]);
    },
    awaitLocation({ step, pc, frame }) {
      const found = fileOf(step as StepFunction);
      if (found === undefined) return undefined;
      const { map, steps } = mappedCodeOf(found.running);
      const entry = steps.get(step.name);
      const sourceOffset = entry?.table.points[pc - 1]?.at;
      const { entry: cacheEntry, source } = found.running;
      if (sourceOffset !== undefined && cacheEntry.lowered === '') {
        return {
          file: found.file,
          ...locationAt(source, sourceOffset),
          position: sourceOffset,
          enclosing: () => locationAt(source, entry?.fn.start ?? sourceOffset),
          name: entry?.name,
          type: this.receiverType(frame, entry?.type),
        };
      }
      // The table has no offset for a module's own frame, and for TypeScript it refers to the lowered text. The
      // location is then found from the suspension in the emitted step.
      const suspendMatch = new RegExp(`\\(\\$+F, ${pc}[,)]`).exec(sourceText(step as StepFunction));
      if (suspendMatch === null) return undefined;
      const generated = locationAt(
        cacheEntry.code,
        cacheEntry.code.indexOf(sourceText(step as StepFunction)) + suspendMatch.index + suspendMatch[0].length + 1,
      );
      const original = originalPositionFor(map, {
        line: generated.line,
        column: generated.column - 1,
        bias: LEAST_UPPER_BOUND,
      });
      if (original.line === null) return undefined;
      // The operand is mapped; the keyword precedes it.
      const lineBefore = (source.split('\n')[original.line - 1] ?? '').slice(0, original.column);
      const keyword = /\b(?:await|yield)[\s(]*$/.exec(lineBefore)?.[0].length ?? 0;
      return {
        file: found.file,
        line: original.line,
        column: original.column - keyword + 1,
        name: entry?.name ?? '',
        type: entry === undefined ? undefined : this.receiverType(frame, entry.type),
      };
    },
  };
}

/** Location of the innermost function around a position; the start of the file if there is none. */
function enclosingFunction(
  { entry, source }: RunningCode,
  functions: readonly FunctionEntry[],
  position: number,
): { line: number; column: number } | undefined {
  // The table of TypeScript refers to the lowered text.
  if (entry.lowered !== '') return undefined;
  let start = 0;
  for (const fn of functions) if (fn.start <= position && position < fn.end && fn.start > start) start = fn.start;
  return locationAt(source, start);
}

/**
 * Length of the callee's name before `position`, an opening parenthesis. For a call of an imported function, V8 reports
 * the parenthesis, since the call is emitted as `(0, cell.v)(…)`. Natively it reports the name.
 */
function calleeNameLength(source: string, position: number): number {
  const before = source.slice(Math.max(0, position - 80), position);
  return /[\p{ID_Continue}$]+(?:\?\.)?$/u.exec(before)?.[0].length ?? 0;
}

function stepOf(table: FunctionTable, text: string, fn: FunctionEntry, step: StepEntry): StepFunctionEntry {
  const isPrivate = /^(?:static\s+)?(?:async\s*)?\*?\s*#/.test(text.slice(fn.start, fn.start + 40));
  const name = isPrivate && !fn.name.startsWith('#') ? `#${fn.name}` : fn.name;
  return { name, type: staticType(table, text, fn), fn, table: step };
}

/** The probable receiver type of a method: the enclosing class, or `Object`. */
function staticType({ functions, classes }: FunctionTable, text: string, fn: FunctionEntry): string | undefined {
  const isWithin = (outer: { start: number; end: number }): boolean => outer.start < fn.start && fn.end < outer.end;
  const ownerClass = classes.filter(isWithin).at(-1);
  const isMember =
    ownerClass !== undefined && !functions.some((other) => isWithin(other) && other.start > ownerClass.start);
  if (isMember) {
    // In the class body itself or as the value of a field, not as an argument inside an initialiser.
    return fn.name === '' ? undefined : ownerClass.name || 'Object';
  }
  const start = text.slice(fn.start, fn.start + 16);
  if (!fn.arrow && !/^(?:async\s+)?function\b/.test(start)) return 'Object';
  const before = text.slice(Math.max(0, fn.start - fn.name.length - 16), fn.start);
  return fn.name !== '' && new RegExp(`(?:^|[{,\\s'"])${escapeRegExp(fn.name)}['"]?\\s*:\\s*$`).test(before)
    ? 'Object'
    : undefined;
}

function escapeRegExp(name: string): string {
  return name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Like V8's `CallSite.getTypeName`, without running code of the program. */
function receiverTypeName(receiver: unknown): string | undefined {
  if (receiver === undefined || receiver === null || receiver === globalThis) return undefined;
  if (types.isProxy(receiver)) return 'Proxy';
  if (typeof receiver === 'function') {
    const name = Object.getOwnPropertyDescriptor(receiver, 'name')?.value as unknown;
    return typeof name === 'string' && name !== '' ? name : 'Function';
  }
  for (
    let prototype: unknown = Object(receiver);
    prototype !== null && !types.isProxy(prototype);
    prototype = Object.getPrototypeOf(prototype)
  ) {
    const constructor = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value as unknown;
    if (typeof constructor !== 'function' || types.isProxy(constructor)) continue;
    const name = Object.getOwnPropertyDescriptor(constructor, 'name')?.value as unknown;
    if (typeof name === 'string' && name !== '') return name;
  }
  return 'Object';
}

const INLINE_SLOT_COUNT = 8;
