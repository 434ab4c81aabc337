// The transform's description of a file beside its code. docs/abi.md is the contract.

export const ABI_VERSION = 4;

export interface FunctionEntry {
  readonly name: string;
  /** Offset in the transformed text: for TypeScript the lowered text, see `TransformResult.source`. */
  readonly start: number;
  readonly end: number;
  readonly arrow: boolean;
  readonly async: boolean;
  readonly generator: boolean;
  readonly strict: boolean;
  /** Values that the probe passes, in order: variable names, and `this`, `arguments`, `new.target`. */
  readonly captures: readonly string[];
  /** Whether each capture is a box or cell, rather than a value. */
  readonly boxed: readonly boolean[];
  readonly step: StepEntry | null;
  /** Its initial `length`. */
  readonly length: number;
  /** For a method, accessor or constructor: the class member that restores it. */
  readonly member: MemberEntry | null;
}

export interface MemberEntry {
  readonly class: number;
  readonly static: boolean;
  readonly kind: 'constructor' | 'method' | 'get' | 'set';
  /** Null if it is computed. Private names start with `#`. */
  readonly key: string | null;
}

export interface StepEntry {
  readonly name: string;
  readonly slots: readonly string[];
  /** Position and live slots of each suspension point. `points[0]` is point 1. */
  readonly points: readonly { readonly at: number; readonly live: readonly number[] }[];
}

export interface ClassEntry {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly captures: readonly string[];
  readonly privates: readonly string[];
  /** Private fields among `privates`, of instances and of the class itself. */
  readonly fields: readonly string[];
  readonly statics: readonly string[];
  /** Whether it has an `extends`, `null` included. */
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

/**
 * Position of a probe: before a statement, the part of a loop that starts a round, or an expression with separate code.
 */
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
  /** End of the head, for statements with nested ones and for classes. */
  readonly end: number;
  /** Range in the original TypeScript file; null if no such statement starts there. */
  readonly originalRange?: readonly [start: number, end: number] | null;
  /** Ordinal of the enclosing function; -1 for the file itself, class fields and static blocks. */
  readonly function: number;
  /** Index in `scopes` of the innermost enclosing scope with variables; -1 if there is none. */
  readonly scope: number;
  /** Values that the probe passes, in order: variable names, and `this` and `arguments`. */
  readonly locals: readonly string[];
  /** Whether each of them is a box or cell, rather than a value. */
  readonly boxed: readonly boolean[];
}

export interface CodeTable {
  readonly abi: number;
  /** Name of this file in the markers of the code. */
  readonly id: string;
  readonly functions: readonly FunctionEntry[];
  readonly classes: readonly ClassEntry[];
  readonly scopes: readonly ScopeEntry[];
  readonly module: ModuleEntry;
  /** Positions that the probes of debug mode number, in source order. Empty in code without probes. */
  readonly statements: readonly StatementEntry[];
}
