// What the transform tells about a file beside its code: the contract is docs/abi.md.

export const ABI_VERSION = 4;

export interface FunctionEntry {
  readonly name: string;
  /** Offsets in the text that was transformed; for TypeScript that is the lowered text, see `TransformResult.source`. */
  readonly start: number;
  readonly end: number;
  readonly arrow: boolean;
  readonly async: boolean;
  readonly generator: boolean;
  readonly strict: boolean;
  /** What the probe passes, in this order: variable names, and `this`, `arguments`, `new.target`. */
  readonly captures: readonly string[];
  /** Which of the captures are boxes or cells rather than values. */
  readonly boxed: readonly boolean[];
  readonly step: StepEntry | null;
  /** The `length` it is made with. */
  readonly length: number;
  /** For a method, accessor or constructor of a class, with which it is made again. */
  readonly member: MemberEntry | null;
}

export interface MemberEntry {
  readonly class: number;
  readonly static: boolean;
  readonly kind: 'constructor' | 'method' | 'get' | 'set';
  /** Null if it is computed. Private names begin with `#`. */
  readonly key: string | null;
}

export interface StepEntry {
  readonly name: string;
  readonly slots: readonly string[];
  /** Per suspension point: where it stands and which slots are live there. `points[0]` is point 1. */
  readonly points: readonly { readonly at: number; readonly live: readonly number[] }[];
}

export interface ClassEntry {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly captures: readonly string[];
  readonly privates: readonly string[];
  /** Private fields of instances and of the class itself: the ones among `privates` that hold values. */
  readonly fields: readonly string[];
  readonly statics: readonly string[];
  /** Whether it extends something, `null` included. */
  readonly derived: boolean;
  /** A private name that every instance has; null if they have none. */
  readonly brand: string | null;
}

export interface ScopeEntry {
  readonly function: number;
  readonly start: number;
  readonly end: number;
  readonly variables: readonly { readonly name: string; readonly kind: string; readonly storage: string }[];
}

export interface ImportEntry {
  readonly request: number;
  readonly name: string;
  readonly local: string;
}

export interface ExportEntry {
  readonly exported: string | null;
  readonly cell?: string;
  readonly request?: number;
  readonly name?: string;
}

export interface ModuleEntry {
  readonly kind: 'module' | 'commonjs' | 'script' | 'function';
  /** Has top-level await. */
  readonly async: boolean;
  readonly requests: readonly { specifier: string; attributes: Readonly<Record<string, string>>; start: number }[];
  readonly imports: readonly ImportEntry[];
  readonly exports: readonly ExportEntry[];
  readonly cells: readonly string[];
  /** Module-level variables in the order `$$M.scope` reads them. */
  readonly variables: readonly string[];
}

/** What a probe stands before: a statement, the part of a loop that each further turn of it begins with, or an expression that is code of its own. */
export type StatementKind =
  | 'statement'
  | 'declaration'
  | 'branch'
  | 'loop'
  | 'return'
  | 'throw'
  | 'jump'
  | 'iteration'
  | 'value'
  | 'field';

export interface StatementEntry {
  readonly kind: StatementKind;
  readonly start: number;
  /** Of what has other statements in it, and of a class: where its head ends. */
  readonly end: number;
  /** Of TypeScript: where it begins and ends in the file as it was written; null where nothing of the kind begins there. */
  readonly originalRange?: readonly [start: number, end: number] | null;
  /** Ordinal of the function it is in; -1 for the file itself, class fields and static blocks. */
  readonly function: number;
  /** Index in `scopes` of the innermost scope with variables around it; -1 if there is none. */
  readonly scope: number;
  /** What the probe passes, in this order: variable names, and `this` and `arguments`. */
  readonly locals: readonly string[];
  /** Which of them are boxes or cells rather than values. */
  readonly boxed: readonly boolean[];
}

export interface CodeTable {
  readonly abi: number;
  /** What the markers in the code name this file by. */
  readonly id: string;
  readonly functions: readonly FunctionEntry[];
  readonly classes: readonly ClassEntry[];
  readonly scopes: readonly ScopeEntry[];
  readonly module: ModuleEntry;
  /** What the probes of debug mode number, in source order. Empty in code that has none. */
  readonly statements: readonly StatementEntry[];
}
