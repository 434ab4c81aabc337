// Debug mode: a probe before each position at which a program can be paused, `tt$s && tt$h("file", number, live
// locals…);`, and before the first statement of each list `--tt$c || tt$h(…);`. `tt$s` is true while a stop is near.
// `tt$c` counts down the lists to enter before the stop. Both are lexical variables of the context, shared by all files
// and reachable from no object (declared by core's statement-clock.ts).
//
// The program must not be able to tell. A probe reads nothing that could throw or run code, and adds no captures.
// Frames, slots and ordinals are the same as without probes, so that state can move between both forms of the code.
// This file decides on the positions of probes and their arguments. The emitters request the code. Guarded by `npm run
// bench:probes`.

import {
  skipParens,
  childrenOf,
  headEnd,
  isAnonymousFunction,
  isClass,
  isFunction,
  markDirty,
  type Node,
  statements,
} from './ast.ts';
import type { Analysis } from './analysis.ts';
import { fitsIntoBlock, isRepeatedInCall, mayCallFunctions } from './call-reports.ts';
import { captureCode } from './class-emitter.ts';
import { type Code, MappingPoint } from './code.ts';
import type { CodeEmitter } from './code-emitter.ts';
import { captureReadCode } from './function-emitter.ts';
import { NOT_KEPT } from './kept-variables.ts';
import type { FileKind } from './module-emitter.ts';
import { type FunctionInfo, isReadableAt, type Scope, type Variable } from './scope.ts';
import type { StatementEntry, StatementKind } from './code-table.ts';
import { BARRIER_NAMES } from './write-barriers.ts';
import type { OriginalRange } from './original-ranges.ts';

const COUNTER = 'tt$c';
const HIT = 'tt$h';
const NEAR = 'tt$s';
const CAUGHT_HOOK = 'tt$e';
const CALL_STARTED = 'tt$n';
const CALL_ENDED = 'tt$u';
/** Value of a field's initialiser, while the end of the initialiser is reported. */
const FIELD_VALUE = 'tt$r';
/** Name of the error in a `catch` without a simple parameter. */
const CAUGHT_NAME = 'tt$x';

const PROBE_NAMES = [
  COUNTER,
  HIT,
  NEAR,
  CAUGHT_HOOK,
  CAUGHT_NAME,
  CALL_STARTED,
  CALL_ENDED,
  FIELD_VALUE,
  NOT_KEPT,
  ...BARRIER_NAMES,
];

/** Locals that all probes of a function may pass together, since V8 optimises functions only up to 60 kB. */
const MAX_LOCALS_OF_FUNCTION = 8000;
const MIN_LOCALS = 8;
const MAX_LOCALS = 64;

/** Whether a file uses names of probes or barriers itself. Such a file gets neither. */
export function usesReservedNames({ identifiers }: Analysis): boolean {
  return PROBE_NAMES.some((name) => identifiers.has(name));
}

interface ProbePosition {
  readonly number: number;
  readonly kind: StatementKind;
  /** Source node at the position. */
  readonly node: Node;
  /** `list`: in a statement list; `body`, `value`: where the grammar allows only one statement or expression. */
  readonly placement: 'list' | 'body' | 'value';
  readonly fn: FunctionInfo;
  readonly scope: Scope;
  locals: readonly ProbeLocal[] | null;
  /** Whether the position counts as the entry of a list: the first of a list, or alone. Every loop passes one. */
  isCounted: boolean;
  /** Whether a call starts here that does not report its start; and whether it reports its end nevertheless. */
  startsCall: boolean;
  readonly reportsEnd: boolean;
}

interface ProbeLocal {
  readonly name: string;
  /** Code of the value; null for `this` and `arguments`, whose code depends on the position. */
  readonly code: string | null;
  readonly boxed: boolean;
  /** Whether the value may only be kept beside the frame (kept-variables.ts). */
  readonly kept: boolean;
}

interface ProbeScope {
  readonly fn: FunctionInfo;
  readonly scope: Scope;
}

export class StatementProbes {
  private readonly positions: ProbePosition[] = [];
  /** Positions by the node after the probe: a statement with its labels, or an expression. */
  private readonly byNode = new Map<Node, ProbePosition>();
  /** Positions in loops with an empty head, by the loop. */
  private readonly headlessLoops = new Map<Node, ProbePosition>();
  private readonly positionCounts = new Map<FunctionInfo, number>();
  /** Functions that report their calls. */
  private readonly reportingFunctions = new Set<FunctionInfo>();
  private readonly isScript: boolean;

  /** Finds the positions of a file. Of kind `function`, the wrapping statement has no position. */
  constructor(program: Node, root: FunctionInfo, kind: FileKind) {
    this.isScript = kind === 'script';
    const probeScope = { fn: root, scope: root.scope };
    if (kind === 'function') this.visitAll(statements(program), probeScope);
    else this.visitList(statements(program), probeScope);
    const hasStatements = this.positionCounts.has(root);
    if (hasStatements && kind !== 'script' && !root.hasTopLevelAwait) this.reportingFunctions.add(root);
  }

  /** Entries of the table. @param scopes scopes of the table @param originalRangeOf given for lowered code */
  statementEntries(
    scopes: readonly Scope[],
    text: string,
    originalRangeOf?: (node: Node) => OriginalRange,
  ): StatementEntry[] {
    const indexes = new Map(scopes.map((scope, index) => [scope, index]));
    return this.positions.map(({ kind, node, fn, scope, locals, startsCall, reportsEnd }) => ({
      kind,
      ...(startsCall ? { startsCall } : {}),
      ...(reportsEnd ? { reportsEnd } : {}),
      ...(kind === 'field' ? constructorOf(node) : {}),
      start: node.start,
      end: headEnd(node, text),
      ...(originalRangeOf === undefined ? {} : { originalRange: originalRangeOf(node) }),
      function: fn.ordinal,
      scope: scopeIndex(indexes, scope),
      locals: (locals ?? []).map(({ name }) => name),
      boxed: (locals ?? []).map(({ boxed }) => boxed),
      ...keptIndexes(locals ?? []),
    }));
  }

  /** Probe before a statement in a list; empty if the node has no position there. */
  probeInList(e: CodeEmitter, node: Node): Code {
    const position = this.byNode.get(node);
    return position?.placement === 'list' ? this.emitStatementProbe(e, position) : '';
  }

  /** Probe before a statement or expression that suspends. */
  probeAhead(e: CodeEmitter, node: Node): Code {
    const position = this.byNode.get(node);
    return position === undefined ? '' : this.emitStatementProbe(e, position);
  }

  /** Adds a probe to code where the grammar allows one statement or expression. */
  withProbe(e: CodeEmitter, node: Node, code: Code): Code {
    const position = this.byNode.get(node);
    // The emitters split a suspending node, and emit the probe before its parts.
    if (position === undefined || position.placement === 'list' || node.suspends === true) return code;
    if (position.placement === 'body') return ['{ ', this.emitStatementProbe(e, position), code, ' }'];
    const probe = this.emitExpressionProbe(e, position);
    // An error skips the report. The next report or probe of an outer call ends the call of the field, too.
    return position.reportsEnd
      ? ['(', probe, `, ${FIELD_VALUE} = `, code, `, ${NEAR} && ${CALL_ENDED}(), ${FIELD_VALUE})`]
      : ['(', probe, ', ', code, ')'];
  }

  /** Adds the reports of a function's calls to its statements. @param code statements, with the brace after them */
  withReports(fn: FunctionInfo, code: Code): Code {
    const { start, end } = this.callReports(fn);
    return start === '' || !fitsIntoBlock(fn) ? code : [start, 'try { ', code, end, ' }'];
  }

  /** The reports of a function's calls: a statement, and the clause after a `try`. */
  callReports(fn: FunctionInfo): { readonly start: string; readonly end: string } {
    if (!this.reportingFunctions.has(fn)) return { start: '', end: '' };
    return { start: `${NEAR} && ${CALL_STARTED}(); `, end: ` finally { ${NEAR} && ${CALL_ENDED}(); }` };
  }

  /** Adds the reports of the evaluation of a file without top-level `await`. An error skips the second report. */
  withFileReports(fn: FunctionInfo, code: Code): Code {
    if (!this.reportingFunctions.has(fn)) return code;
    return [`${NEAR} && ${CALL_STARTED}(); `, code, `\n${NEAR} && ${CALL_ENDED}();`];
  }

  /** Test with a probe for a loop with an empty head. Without it, the loop might never notice that it was abandoned. */
  headlessLoopTest(e: CodeEmitter, loop: Node): Code | null {
    const position = this.headlessLoops.get(loop);
    return position === undefined ? null : ['(', this.emitExpressionProbe(e, position), ', true)'];
  }

  /** Name of the error for a `catch` that has no parameter, or destructures the error. */
  get caughtName(): string {
    return CAUGHT_NAME;
  }

  /** First statement of a `catch`, which reports the error. @param error name of the error */
  caughtHook(error: string): string {
    return ` ${CAUGHT_HOOK}(${error}); `;
  }

  private emitStatementProbe(e: CodeEmitter, position: ProbePosition): Code {
    const code = this.emitExpressionProbe(e, position);
    // The probe is in a declaration, which has no completion value, so that the script's own value is kept.
    const isCompletion = this.isScript && position.fn.kind === 'root';
    return isCompletion ? ['{ let tt$_ = ', code, '; } '] : [code, '; '];
  }

  private emitExpressionProbe(e: CodeEmitter, position: ProbePosition): Code {
    position.locals ??= this.localsAt(e, position);
    const { thisCode, argumentsCode } = e.context;
    const localCodes = position.locals.map(({ name, code }) => code ?? (name === 'this' ? thisCode : argumentsCode));
    const args = [JSON.stringify(e.id), position.number, ...localCodes].join(', ');
    // The stack at a stop must show the position of the statement.
    return [
      new MappingPoint(position.node.start),
      position.isCounted ? `--${COUNTER} || ${HIT}(${args})` : `${NEAR} && ${HIT}(${args})`,
    ];
  }

  /** Variables that a probe can read safely: the function's own, and captures that the function has anyway. */
  private localsAt(e: CodeEmitter, { fn, scope, node }: ProbePosition): ProbeLocal[] {
    const values: ProbeLocal[] = [];
    const functions: ProbeLocal[] = [];
    const hiddenNames = new Set<string>();
    for (let current: Scope | null = scope; current !== null && current.kind !== 'root'; current = current.parent) {
      for (const variable of current.variables.values()) {
        const { name, kind } = variable;
        if (kind === 'handle' || hiddenNames.has(name)) continue;
        // Inside a class, the class's own name is that of the declaration, unless one of them is assigned.
        if (kind === 'name' && isClass(current.node) && !fn.captures.has(variable) && isSameAsOuter(variable)) continue;
        hiddenNames.add(name);
        const code =
          variable.scope.fn === fn
            ? ownVariableCode(variable, fn, node.start)
            : capturedVariableCode(e, variable, fn, node.start);
        if (code === null) continue;
        const boxed = variable.storage === 'box' || variable.storage === 'cell';
        const kept = fn.kept.has(variable) && !isReadableAt(variable, node.start, fn);
        (kind === 'function' ? functions : values).push({ name, code, boxed, kept });
      }
    }
    const maxLocals = Math.floor(MAX_LOCALS_OF_FUNCTION / (this.positionCounts.get(fn) ?? 1));
    const locals = [...values, ...functions].slice(0, Math.min(MAX_LOCALS, Math.max(MIN_LOCALS, maxLocals)));
    if (hasThis(fn, node.start)) locals.push({ name: 'this', code: null, boxed: false, kept: fn.keepsThis });
    if (fn.usesArguments && fn.kind !== 'root' && !hiddenNames.has('arguments'))
      locals.push({ name: 'arguments', code: null, boxed: false, kept: false });
    return locals;
  }

  private addPosition(
    kind: StatementKind,
    node: Node,
    placement: ProbePosition['placement'],
    { fn, scope }: ProbeScope,
  ): ProbePosition {
    const number = this.positions.length;
    const isField = kind === 'field';
    const calls = { startsCall: isField, reportsEnd: isField && mayCallFunctions(node) };
    const position = { number, kind, node, placement, fn, scope, locals: null, isCounted: true, ...calls };
    this.positions.push(position);
    this.positionCounts.set(fn, (this.positionCounts.get(fn) ?? 0) + 1);
    markDirty(node);
    return position;
  }

  private visitList(list: readonly Node[], probeScope: ProbeScope): void {
    let isFirst = true;
    for (const node of list) {
      if (typeof node.directive === 'string') continue;
      const position = this.visitStatement(node, 'list', probeScope);
      if (position === undefined) continue;
      position.isCounted = isFirst;
      isFirst = false;
    }
  }

  /** Visits a statement, with the labels and the `export` before it. */
  private visitStatement(node: Node, placement: 'list' | 'body', probeScope: ProbeScope): ProbePosition | undefined {
    const exported = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    let inner = exported;
    while (inner?.type === 'LabeledStatement') inner = inner.body;
    if (exported === null || inner === null) return undefined;
    const kind = statementKind(inner);
    const position = kind === null ? undefined : this.addPosition(kind, inner, placement, probeScope);
    if (position !== undefined) this.byNode.set(probeAnchor(exported), position);
    // `with` resolves names at run time, so the lookup of the probe's names would be visible to the program.
    if (inner.type !== 'WithStatement') this.visit(inner, probeScope);
    return position;
  }

  private visitBody(node: Node, probeScope: ProbeScope): void {
    this.visitStatement(node, 'body', probeScope);
  }

  private visitValue(kind: StatementKind, node: Node, probeScope: ProbeScope): void {
    this.byNode.set(node, this.addPosition(kind, skipParens(node), 'value', probeScope));
  }

  private visitAll(nodes: readonly Node[], probeScope: ProbeScope): void {
    for (const node of nodes) this.visit(node, probeScope);
  }

  private visit(node: Node, probeScope: ProbeScope): void {
    if (isFunction(node)) return this.visitFunction(node);
    const inner = node.scope === undefined ? probeScope : { ...probeScope, scope: node.scope };
    switch (node.type) {
      case 'BlockStatement':
        return this.visitList(statements(node), inner);
      case 'IfStatement':
        this.visit(node.test as Node, probeScope);
        this.visitBody(node.consequent, probeScope);
        if (node.alternate !== null) this.visitBody(node.alternate, probeScope);
        return;
      case 'WhileStatement':
      case 'DoWhileStatement': {
        const test = node.test as Node;
        const isIteration = !isPlainIteration(node);
        if (isIteration && node.type === 'WhileStatement') this.visitValue('iteration', test, probeScope);
        this.visit(test, probeScope);
        this.visitBody(node.body, probeScope);
        if (isIteration && node.type === 'DoWhileStatement') this.visitValue('iteration', test, probeScope);
        return;
      }
      case 'ForStatement':
        return this.visitFor(node, inner);
      case 'ForInStatement':
      case 'ForOfStatement':
        this.visit(node.left, inner);
        this.visit(node.right, inner);
        return this.visitBody(node.body, inner);
      case 'SwitchStatement':
        this.visit(node.discriminant, probeScope);
        for (const each of node.cases) {
          if (each.test !== null) this.visit(each.test, inner);
          this.visitList(statements(each), inner);
        }
        return;
      case 'CatchClause':
        markDirty(node);
        return this.visitAll(childrenOf(node), inner);
      case 'StaticBlock':
        return this.visitStaticBlock(node.fn as FunctionInfo, inner.scope);
      case 'PropertyDefinition':
        return this.visitField(node, probeScope);
      default:
        return this.visitAll(childrenOf(node), inner);
    }
  }

  /** Adds a position for each further round: in the head or, if the head is empty, in place of the missing test. */
  private visitFor(node: Node, probeScope: ProbeScope): void {
    const { init, test, update } = node;
    if (init !== null) this.visit(init, probeScope);
    if (test !== null) this.visit(test, probeScope);
    const iterationNode = isPlainIteration(node) ? undefined : (update ?? test);
    if (iterationNode === undefined) {
      // The first statement of the body is the position of each round.
    } else if (iterationNode === null)
      this.headlessLoops.set(node, this.addPosition('iteration', node, 'value', probeScope));
    else this.visitValue('iteration', iterationNode, probeScope);
    if (update !== null) this.visit(update, probeScope);
    this.visitBody(node.body, probeScope);
  }

  private visitFunction(node: Node): void {
    const fn = node.fn as FunctionInfo;
    this.visitAll(node.params, { fn, scope: fn.scope });
    const probeScope = { fn, scope: fn.bodyScope ?? fn.scope };
    const start = this.positions.length;
    if (node.body.type === 'BlockStatement') this.visitList(statements(node.body), probeScope);
    else {
      this.visitValue('value', node.body, probeScope);
      this.visit(node.body, probeScope);
    }
    const first = this.positions.slice(start).find((position) => position.fn === fn);
    // The runs of a suspendable function are reported by its frame.
    if (first === undefined || fn.isSuspendable) return;
    if (mayCallFunctions(node.body) || isRepeatedInCall(first.node, node)) this.reportingFunctions.add(fn);
    else first.startsCall = true;
  }

  private visitStaticBlock(fn: FunctionInfo, scope: Scope): void {
    this.visitList(statements(fn.node), { fn, scope });
    this.reportingFunctions.add(fn);
  }

  private visitField(node: Node, probeScope: ProbeScope): void {
    if (node.computed) this.visit(node.key, probeScope);
    if (node.value === null) return;
    const fieldScope = { fn: node.fn as FunctionInfo, scope: node.scope as Scope };
    // A function gets the field's name only if it is the whole initialiser, so there is no probe before it.
    if (!isAnonymousFunction(node.value)) this.visitValue('field', node.value, fieldScope);
    this.visit(node.value, fieldScope);
  }
}

/**
 * Whether the first statement of a loop's body can be the position of each round: the head has no code to step into,
 * and an abort at the statement leaves the loop. Counting loops take half the time without a separate position.
 */
function isPlainIteration({ test, update, body }: Node): boolean {
  const first = body.type === 'BlockStatement' ? statements(body)[0] : body;
  if (first === undefined || !STARTS_ITERATION.test(first.type) || statementKind(first) === null) return false;
  return [test, update].every((each) => each === null || each === undefined || !mayCall(each));
}

const STARTS_ITERATION = /^(Expression|If|Return|Throw|Break|Continue|Switch)Statement$|^VariableDeclaration$/;

function mayCall(node: Node): boolean {
  return CALL_EXPRESSION.test(node.type) || isFunction(node) || isClass(node) || childrenOf(node).some(mayCall);
}

const CALL_EXPRESSION = /^(Call|New|TaggedTemplate|Await|Yield|Import)Expression$/;

/** Kind of the position before a statement; null if only parts of the statement have positions. */
function statementKind(node: Node): StatementKind | null {
  switch (node.type) {
    case 'VariableDeclaration':
      return node.kind === 'var' && node.declarations.every(({ init }) => init === null) ? null : 'declaration';
    case 'ClassDeclaration':
      return 'declaration';
    case 'ExportDefaultDeclaration':
      return defaultExportKind(node.declaration as Node);
    case 'IfStatement':
    case 'SwitchStatement':
      return 'branch';
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
      return 'loop';
    case 'WhileStatement':
      return isPlainIteration(node) ? 'loop' : null;
    case 'ReturnStatement':
      return 'return';
    case 'ThrowStatement':
      return 'throw';
    case 'BreakStatement':
    case 'ContinueStatement':
      return 'jump';
    case 'ExpressionStatement':
    case 'DebuggerStatement':
    case 'WithStatement':
      return 'statement';
    default:
      return null;
  }
}

function defaultExportKind(declaration: Node): StatementKind | null {
  if (declaration.type === 'FunctionDeclaration') return null;
  return declaration.type === 'ClassDeclaration' ? 'declaration' : 'statement';
}

/** Node for which the emitters request the probe. For an exported class, this is the class declaration. */
function probeAnchor(node: Node): Node {
  const { declaration } = node;
  const isNamed =
    node.type === 'ExportDefaultDeclaration' && declaration?.type === 'ClassDeclaration' && declaration.id !== null;
  return isNamed ? declaration : node;
}

/** The constructor that runs after a field. @param value initialiser of the field */
function constructorOf(value: Node): Pick<StatementEntry, 'constructorOrdinal'> {
  let field = value;
  while (field.type !== 'PropertyDefinition' && field.type !== 'AccessorProperty') field = field.parent as Node;
  const classNode = (field.parent as Node).parent as Node;
  const constructor = statements(field.parent as Node).find(({ kind }) => kind === 'constructor');
  const { ordinal } = (constructor?.value?.fn ?? {}) as Partial<FunctionInfo>;
  return ordinal === undefined || field.static || classNode.superClass !== null ? {} : { constructorOrdinal: ordinal };
}

function keptIndexes(locals: readonly ProbeLocal[]): Pick<StatementEntry, 'kept'> {
  const kept = locals.flatMap((local, index) => (local.kept ? [index] : []));
  return kept.length === 0 ? {} : { kept };
}

function scopeIndex(indexes: ReadonlyMap<Scope, number>, scope: Scope): number {
  for (let current: Scope | null = scope; current !== null; current = current.parent) {
    const index = indexes.get(current);
    if (index !== undefined) return index;
  }
  return -1;
}

/** Code of a variable of the function itself; null if the variable may be unreadable at the position. */
function ownVariableCode(variable: Variable, fn: FunctionInfo, position: number): string | null {
  const { kind, scope, name } = variable;
  if (kind === 'name') return null;
  if (variable.isLexical) {
    if (Math.max(variable.declarationEnd, variable.fullDeclarationEnd) > position) return null;
    // A switch can be entered after the declaration.
    if (scope.node.type === 'SwitchStatement' && !isInSameCase(scope.node, variable.declarationStart, position))
      return null;
  }
  if (!fn.isSuspendable || fn.kept.has(variable)) return name;
  // A parameter without a slot is only in the wrapper.
  if (kind === 'param' && variable.slot === null) return null;
  return isReadableAt(variable, position, fn) ? name : null;
}

/** Code of a variable of an outer function; null unless the function captures it anyway. */
function capturedVariableCode(e: CodeEmitter, variable: Variable, fn: FunctionInfo, position: number): string | null {
  if (!fn.captures.has(variable)) return null;
  const code = captureCode(e, variable);
  if (fn.isSuspendable) return fn.kept.has(variable) || isReadableAt(variable, position, fn) ? code : null;
  return captureReadCode(e, { code, mayStayDead: variable.mayStayDead || mayRunBeforeValue(variable, fn) });
}

/** Whether a closure in parameters, a `catch` pattern or keys of a class may run before the variable has a value. */
function mayRunBeforeValue({ kind, scope }: Variable, fn: FunctionInfo): boolean {
  if (kind === 'param' || kind === 'catch') return fn.node.start < scope.node.body.start;
  if (kind !== 'name' || !isClass(scope.node)) return false;
  let outer = fn;
  while (outer.parent !== null && outer.parent !== scope.fn) outer = outer.parent;
  const isMember = outer.kind === 'field' || outer.kind === 'block' || outer.node.parent?.type === 'MethodDefinition';
  return !isMember;
}

function isInSameCase(node: Node, a: number, b: number): boolean {
  return node.cases.some(({ start, end }) => a >= start && a < end && b >= start && b < end);
}

function isSameAsOuter({ name, scope }: Variable): boolean {
  const outer = scope.parent?.variables.get(name);
  return scope.node.type === 'ClassDeclaration' && outer?.storage === 'local' && outer.writeCount === 0;
}

/** Whether a probe passes `this`: only where this costs nothing, and never before `super()`. */
function hasThis(fn: FunctionInfo, position: number): boolean {
  const owner = fn.thisFunction;
  if (owner.kind === 'root') return false;
  if (owner.kind === 'constructor' && owner.classInfo?.node.superClass !== null) {
    return fn === owner && statements(fn.node.body).some((each) => each.end <= position && isSuperCall(each));
  }
  return fn.isArrow || fn.isSuspendable ? fn.usesThis || fn.keepsThis : true;
}

function isSuperCall({ type, expression }: Node): boolean {
  return type === 'ExpressionStatement' && expression.type === 'CallExpression' && expression.callee.type === 'Super';
}
