// The transform's description of a file, which accompanies the code. docs/internals/abi.md is the contract.

export const ABI_VERSION = 4;

export interface FunctionEntry {
  readonly name: string;
  /** Offset in the transformed text. For TypeScript, this is the lowered text (`TransformResult.source`). */
  readonly start: number;
  readonly end: number;
  readonly arrow: boolean;
  readonly async: boolean;
  readonly generator: boolean;
  readonly strict: boolean;
  /** Names of the captured variables, and `this`, `arguments`, `new.target`. */
  readonly captures: readonly string[];
  /** Whether each captured value is a box or cell that holds the variable's value. */
  readonly boxed: readonly boolean[];
  readonly step: StepEntry | null;
  /** Initial value of the function's `length`. */
  readonly length: number;
  /** Class member whose restoring also restores the function; null for other functions. */
  readonly member: MemberEntry | null;
}

export interface MemberEntry {
  readonly class: number;
  readonly static: boolean;
  readonly kind: 'constructor' | 'method' | 'get' | 'set';
  /** Name of the member; null if it is computed. Private names start with `#`. */
  readonly key: string | null;
}

export interface StepEntry {
  readonly name: string;
  /** Names of the slots. A slot that several variables use one after the other has the name of the last one. */
  readonly slots: readonly string[];
  /** `points[0]` describes suspension point 1. */
  readonly points: readonly SuspensionPointEntry[];
}

export interface SuspensionPointEntry {
  readonly at: number;
  readonly live: readonly number[];
  /** Names of the live slots at this point, in their order; absent if they are those in `slots`. Empty: hidden. */
  readonly names?: readonly string[];
  /** Keys of the other variables in scope, which debug mode keeps beside the frame: `k0_name`. Absent if there are none. */
  readonly kept?: readonly string[];
}

export interface ClassEntry {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly captures: readonly string[];
  readonly privates: readonly string[];
  /** Private names of instance fields. `statics` has the private names of static fields. */
  readonly fields: readonly string[];
  readonly statics: readonly string[];
  /** Whether the class has an `extends`, including `extends null`. */
  readonly derived: boolean;
  /** A private name that every instance has; null if there is none. */
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
  /** Whether the module has top-level await. */
  readonly async: boolean;
  readonly requests: readonly { specifier: string; attributes: Readonly<Record<string, string>>; start: number }[];
  readonly imports: readonly ImportEntry[];
  readonly exports: readonly ExportEntry[];
  readonly cells: readonly string[];
  /** Variables of the top scope, in the order in which `$$M.scope` reads them. */
  readonly variables: readonly string[];
}

/** Kind of the code after a probe: a statement, the start of a loop's round, or an expression with separate code. */
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
  /** End of the statement. For classes, and statements that contain statements, this is the end of the head. */
  readonly end: number;
  /** Range in the original TypeScript file; null if no such statement starts there. */
  readonly originalRange?: readonly [start: number, end: number] | null;
  /** Ordinal of the enclosing function; -1 for the file itself, class fields and static blocks. */
  readonly function: number;
  /** Index in `scopes` of the innermost enclosing scope with variables; -1 if there is none. */
  readonly scope: number;
  /** Whether a call starts here that does not report its start; and whether it reports its end nevertheless. */
  readonly startsCall?: boolean;
  readonly reportsEnd?: boolean;
  /** Of a field whose initialiser runs before the constructor: the ordinal of the constructor. */
  readonly constructorOrdinal?: number;
  /** Names of the values that the probe passes, in order: variables, and `this` and `arguments`. */
  readonly locals: readonly string[];
  /** Whether each passed value is a box or cell that holds the variable's value. */
  readonly boxed: readonly boolean[];
  /** Indexes of the values that a frame from a snapshot does not have (kept-variables.ts). */
  readonly kept?: readonly number[];
}

export interface CodeTable {
  readonly abi: number;
  /** Name of this file in the markers of the code. */
  readonly id: string;
  readonly functions: readonly FunctionEntry[];
  readonly classes: readonly ClassEntry[];
  readonly scopes: readonly ScopeEntry[];
  /** Step of the module's own code, if it has top-level `await`. */
  readonly topLevelStep?: StepEntry | undefined;
  readonly module: ModuleEntry;
  /** Positions of the probes of debug mode, by probe number and in source order. Empty for code without probes. */
  readonly statements: readonly StatementEntry[];
}
