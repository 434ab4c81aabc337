// Turns source text into code whose state can be captured, with a source map and a table. Uses no files or clock.

import remapping from '@jridgewell/remapping';
import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { parseSync } from 'oxc-parser';
import { AMBIENT_NAMES, LOWERED_AMBIENT_NAMES } from './ambient-names.ts';
import { analyze, type RefusedConstruct } from './analysis.ts';
import { boundIdentifiers, memberName, type Node } from './ast.ts';
import { classCaptures, privateMembers } from './class-emitter.ts';
import { flatten } from './code.ts';
import { CodeEmitter } from './code-emitter.ts';
import { exclusionRemedy, packageNameOf, TransformError } from './transform-error.ts';
import { locationAt } from './lines.ts';
import { capturesOf } from './function-emitter.ts';
import { emitFile, type FileKind } from './module-emitter.ts';
import { isAllowedRedeclaration } from './redeclaration.ts';
import { encodeSpans, sourceMap, type SourceMapObject } from './source-map.ts';
import type { RestoreSelection } from './restore-emitter.ts';
import type { FunctionInfo } from './scope.ts';
import { StatementProbes, usesReservedNames } from './statement-probes.ts';
import { ABI_VERSION, type CodeTable, type MemberEntry } from './code-table.ts';
import { isTypeScript, type TypeScriptOptions } from './typescript-options.ts';
import { lowerTypeScript } from './typescript-lowering.ts';
import { WriteBarriers } from './write-barriers.ts';
import { createOriginalRanges } from './original-ranges.ts';

export interface TransformOptions {
  /** Path of the text, for errors, maps and stacks. The extension decides whether it is TypeScript. */
  readonly path: string;
  readonly kind: FileKind;
  readonly typescript?: TypeScriptOptions;
  /** Prefix of the names that the transform adds. Scripts of one realm need different prefixes. */
  readonly prefix?: string;
  /** Name of the file in markers. If a realm loads a file twice, each instance needs a different name. */
  readonly id?: string;
  /** Whether direct `eval` and `with` are kept instead of refused, or where. Their variables cannot be captured. */
  readonly lenient?: boolean | ((location: { readonly line: number; readonly column: number }) => boolean);
  /** Emits the form that restores these functions and classes, instead of the normal form. */
  readonly restore?: RestoreSelection;
  /** Emits probes before statements and barriers before writes, or only barriers (docs/internals/abi.md, "Debug mode"). */
  readonly debug?: boolean | 'barriers';
}

export interface TransformResult {
  readonly code: string;
  /** Source map, made at the first read. */
  readonly map: SourceMapObject;
  /** Input of `readMap`, made at the first read. It is short and quick to write. */
  readonly mapText: string;
  readonly table: CodeTable;
  /** Text to which offsets in the table refer: the source itself, or the lowered TypeScript. */
  readonly source: string;
}

export function transform(source: string, options: TransformOptions): TransformResult {
  const { path, kind } = options;
  const lowered = isTypeScript(path)
    ? lowerTypeScript(
        source,
        path,
        options.typescript ?? {},
        kind === 'module' || kind === 'commonjs' ? kind : undefined,
      )
    : null;
  // A hashbang line becomes a comment, because the code is put into a function.
  const text = (lowered === null ? source : lowered.code).replace(/^#!/, '//');
  const locate = (offset: number): FileLocation => {
    const location = locationAt(text, offset);
    return { path, ...(lowered === null ? location : originalLocation(lowered.map, location)) };
  };
  const program = parse(text, kind, locate);
  const analysis = analyze(program, {
    strict: kind === 'module',
    globalThisAtRoot: kind === 'script' || kind === 'function',
  });
  throwIfRefused(analysis.refused, locate, options.lenient ?? false);

  const prefix = choosePrefix(options.prefix ?? '$$', analysis.identifiers);
  const id = options.id ?? fileId(path, source);
  const { debug = false } = options;
  const canAddProbes = debug !== false && !usesReservedNames(analysis);
  const probes = canAddProbes && debug === true ? new StatementProbes(program, analysis.root, kind) : null;
  const ambient = lowered === null ? AMBIENT_NAMES : LOWERED_AMBIENT_NAMES;
  const barriers = canAddProbes ? new WriteBarriers(program, analysis) : null;
  const e = new CodeEmitter(text, analysis, { prefix, id, ambient }, { probes, barriers });
  const file = emitFile(e, program, kind, options.restore);
  const { text: code, spans } = flatten(file.code, text);
  const scopes = analysis.scopes.filter((scope) => scope.variables.size > 0);
  const originalRanges = lowered === null || probes === null ? undefined : createOriginalRanges(source, path, lowered);
  const table: CodeTable = {
    abi: ABI_VERSION,
    id,
    functions: analysis.functions.map((info) => {
      const captured = capturesOf(e, info);
      return {
        name: functionName(info.node),
        start: sourceStart(info.node, text),
        end: info.node.end,
        arrow: info.isArrow,
        async: info.async,
        generator: info.generator,
        strict: info.strict,
        captures: captured.map((each) => each.name),
        boxed: captured.map((each) => each.boxed),
        step: e.steps.get(info) ?? null,
        length: declaredLength(info.node),
        member: memberEntry(info),
      };
    }),
    classes: analysis.classes.map((info) => ({
      name: info.node.id?.name ?? '',
      start: info.node.start,
      end: info.node.end,
      captures: classCaptures(info).map((variable) => variable.name),
      privates: [...info.privates.keys()],
      derived: info.node.superClass !== null,
      ...privateMembers(info),
    })),
    scopes: scopes.map((scope) => ({
      function: scope.fn.ordinal,
      start: scope.node.start,
      end: scope.node.end,
      variables: [...scope.variables.values()]
        .filter((variable) => variable.kind !== 'handle')
        .map(({ name, kind: variableKind, storage }) => ({ name, kind: variableKind, storage })),
    })),
    topLevelStep: e.steps.get(analysis.root),
    module: file.module,
    statements: probes?.statementEntries(scopes, text, originalRanges) ?? [],
  };
  let map: SourceMapObject | undefined;
  const composeMap = (): SourceMapObject => {
    const ownMap = sourceMap(code, spans, text, path);
    if (lowered === null) return ownMap;
    const composedMap = remapping([ownMap as never, lowered.map as never], () => null) as unknown as SourceMapObject;
    return { ...composedMap, sourcesContent: [source] };
  };
  return {
    code,
    get map(): SourceMapObject {
      return (map ??= composeMap());
    },
    get mapText(): string {
      return lowered === null ? encodeSpans(spans) : JSON.stringify(this.map);
    },
    table,
    source: text,
  };
}

interface FileLocation {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** Position in the TypeScript source that corresponds to a position in the lowered code. */
function originalLocation(
  map: object,
  { line, column }: { line: number; column: number },
): { line: number; column: number } {
  const original = originalPositionFor(new TraceMap(map as never), { line, column: column - 1 });
  return original.line === null ? { line, column } : { line: original.line, column: original.column + 1 };
}

function parse(text: string, kind: FileKind, locate: (offset: number) => FileLocation): Node {
  const sourceType = kind === 'module' ? 'module' : kind === 'commonjs' ? 'commonjs' : 'script';
  const { program, errors } = parseSync('file.js', text, {
    sourceType,
    lang: 'js',
    preserveParens: true,
    showSemanticErrors: true,
  });
  const tree = program as unknown as Node;
  const error = errors.find(({ labels: [first, second] }) => {
    return first === undefined || second === undefined || !isAllowedRedeclaration(tree, first.start, second.start);
  });
  if (error !== undefined) {
    const location = locate(error.labels[0]?.start ?? 0);
    // In a package, the user cannot correct the file.
    const remedy = packageNameOf(location.path) === undefined ? '' : `; ${exclusionRemedy(location.path)}`;
    throw new TransformError('TT_SYNTAX', `${error.message}${remedy}`, location);
  }
  return tree;
}

/** Reasons of refusals, with remedies for the author of the file. */
const REFUSALS: Readonly<Record<RefusedConstruct['construct'], { readonly reason: string; readonly remedy: string }>> =
  {
    eval: {
      reason:
        'direct eval cannot be captured, because it reads and declares variables that the transform does not know',
      remedy: 'use `(0, eval)(…)` for global code or `new Function(…)` for a function',
    },
    with: {
      reason: '`with` cannot be captured, because its names are known only at run time',
      remedy: 'read the properties explicitly',
    },
    super: {
      reason:
        '`super()` in an async arrow function cannot be captured, because the object is created while its function is suspended',
      remedy: 'call it before the arrow function',
    },
  };

function refusalMessage(construct: RefusedConstruct['construct'], path: string): string {
  const { reason, remedy } = REFUSALS[construct];
  const exclusion = exclusionRemedy(path);
  return packageNameOf(path) === undefined ? `${reason}; ${remedy}, or ${exclusion}` : `${reason}; ${exclusion}`;
}

function throwIfRefused(
  refused: readonly RefusedConstruct[],
  locate: (offset: number) => FileLocation,
  lenient: NonNullable<TransformOptions['lenient']>,
): void {
  const isLenient = typeof lenient === 'boolean' ? () => lenient : lenient;
  // Lenient mode cannot keep a `super()`, because the surrounding arrow function is replaced.
  const firstRefused = refused.find(({ construct, node }) => construct === 'super' || !isLenient(locate(node.start)));
  if (firstRefused === undefined) return;
  const location = locate(firstRefused.node.start);
  throw new TransformError('TT_REFUSED', refusalMessage(firstRefused.construct, location.path), location);
}

/** Short name of a file: a 64-bit hash (FNV-1a) of its path and text. */
function fileId(path: string, source: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (const text of [path, source]) {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code, 0x85ebca6b) ^ (high >>> 13);
    }
  }
  return (low >>> 0).toString(36) + (high >>> 0).toString(36);
}

function choosePrefix(preferred: string, usedNames: ReadonlySet<string>): string {
  let prefix = preferred;
  for (let n = 0; [...usedNames].some((name) => name.startsWith(prefix)); n++) prefix = `${preferred}${n}_`;
  return prefix;
}

/** Value of a function's `length`: the number of parameters before the first optional one. */
function declaredLength({ params }: Node): number {
  const firstOptional = params.findIndex((param) => param.type === 'AssignmentPattern' || param.type === 'RestElement');
  return firstOptional === -1 ? params.length : firstOptional;
}

function memberEntry({ node, classInfo }: FunctionInfo): MemberEntry | null {
  const { parent } = node;
  if (parent?.type !== 'MethodDefinition' || classInfo === null) return null;
  const { kind } = parent;
  return {
    class: classInfo.ordinal,
    static: parent.static,
    kind: kind === 'constructor' || kind === 'get' || kind === 'set' ? kind : 'method',
    key: memberName(parent),
  };
}

const WHITESPACE_AND_COMMENTS = /(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*\n)*/y;

/** Start of a function's text in `toString()`. For a method, this is the first modifier other than `static`. */
function sourceStart(node: Node, text: string): number {
  const { parent } = node;
  if (parent?.type === 'MethodDefinition' && parent.value === node) {
    if (!parent.static) return parent.start;
    WHITESPACE_AND_COMMENTS.lastIndex = parent.start + 'static'.length;
    WHITESPACE_AND_COMMENTS.test(text);
    return WHITESPACE_AND_COMMENTS.lastIndex;
  }
  if (parent?.type === 'Property' && (parent.method || parent.kind !== 'init')) return parent.start;
  return node.start;
}

function functionName(node: Node): string {
  if (node.id !== null && node.id !== undefined) return node.id.name;
  const { parent } = node;
  if (parent === null) return '';
  if (parent.type === 'MethodDefinition' || parent.type === 'Property' || parent.type === 'PropertyDefinition') {
    return parent.computed ? '' : String(parent.key.name ?? (parent.key.value as unknown));
  }
  if (parent.type === 'VariableDeclarator') return boundIdentifiers(parent.id as Node)[0]?.name ?? '';
  return '';
}
