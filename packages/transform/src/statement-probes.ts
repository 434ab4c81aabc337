// Debug mode: a probe before everything at which a program can be stopped, `tt$s && tt$h("file", number, live locals…);`, and before the first
// statement of each list `--tt$c || tt$h(…);`. `tt$s` says that a stop is near, `tt$c` counts down the lists that are still to be entered before
// it; the names are lexicals of the thread's context, which all files share and no object leads to (core's statement-clock.ts declares them).
//
// The program must not be able to tell: a probe reads nothing that could throw or run code, adds nothing to what functions capture,
// and leaves frames, slots and ordinals as they are without it, so that a state goes from one form of the code to the other.
// What stands here is where probes are and what they pass; the emitters ask for the code.
//
// Guarded by `npm run bench:probes`.

import {
  bare,
  childrenOf,
  endOfHead,
  isAnonymousFunction,
  isClass,
  isFunction,
  markDirty,
  type Node,
  statements,
} from './ast.ts';
import type { Analysis } from './analysis.ts';
import { captureCode } from './class-emitter.ts';
import { type Code, Mark } from './code.ts';
import type { Emitter } from './emitter.ts';
import { readingCode } from './function-emitter.ts';
import type { FileKind } from './module-emitter.ts';
import { type FunctionInfo, isReadableAt, type Scope, type Variable } from './scope.ts';
import type { StatementEntry, StatementKind } from './table.ts';
import { BARRIER_NAMES } from './write-barriers.ts';
import type { WrittenPlace } from './written-statements.ts';

const COUNTER = 'tt$c';
const HIT = 'tt$h';
const NEAR = 'tt$s';
const TELL = 'tt$e';
/** Of a `catch` that takes nothing. */
const CAUGHT = 'tt$x';

/** Most locals that the probes of one function pass in all, and one of them at least and at most: V8 optimises no function of more than 60 kB. */
const LOCALS_OF_FUNCTION = 8000;
const FEWEST_LOCALS = 8;
const MOST_LOCALS = 64;

/** Whether a file uses the names of probes and barriers itself, whatever for: it stays as it is. */
export function usesNames({ identifiers }: Analysis): boolean {
  return [COUNTER, HIT, NEAR, TELL, CAUGHT, ...BARRIER_NAMES].some((name) => identifiers.has(name));
}

interface Position {
  readonly number: number;
  readonly kind: StatementKind;
  /** What it stands for in the source. */
  readonly node: Node;
  /** In a statement list, or where the grammar has one statement or expression. */
  readonly place: 'list' | 'body' | 'value';
  readonly fn: FunctionInfo;
  readonly scope: Scope;
  locals: readonly Local[] | null;
  /** The first of a list, or alone in its place: what begins again, goes through one of these. */
  counts: boolean;
}

interface Local {
  readonly name: string;
  /** Null for `this` and `arguments`, whose code depends on where it stands. */
  readonly code: string | null;
  readonly boxed: boolean;
}

interface Place {
  readonly fn: FunctionInfo;
  readonly scope: Scope;
}

export class StatementProbes {
  private readonly positions: Position[] = [];
  /** By the node before which the probe stands: a statement with its labels, an expression. */
  private readonly byNode = new Map<Node, Position>();
  /** Of loops without anything in their heads. */
  private readonly headless = new Map<Node, Position>();
  private readonly counts = new Map<FunctionInfo, number>();
  private readonly isScript: boolean;

  /** Finds the positions of a file. Kinds of files whose only statement is what wraps them have none there. */
  constructor(program: Node, root: FunctionInfo, kind: FileKind) {
    this.isScript = kind === 'script';
    const place = { fn: root, scope: root.scope };
    if (kind === 'function') this.visitAll(statements(program), place);
    else this.visitList(statements(program), place);
  }

  /** The table's entries. `scopes` are the ones it lists. @param written of lowered code */
  entries(scopes: readonly Scope[], text: string, written?: (node: Node) => WrittenPlace): StatementEntry[] {
    const indexes = new Map(scopes.map((scope, index) => [scope, index]));
    return this.positions.map(({ kind, node, fn, scope, locals }) => ({
      kind,
      start: node.start,
      end: endOfHead(node, text),
      ...(written === undefined ? {} : { written: written(node) }),
      function: fn.ordinal,
      scope: indexOf(indexes, scope),
      locals: (locals ?? []).map(({ name }) => name),
      boxed: (locals ?? []).map(({ boxed }) => boxed),
    }));
  }

  /** Ahead of a statement in a list; nothing for what has no position there. */
  inList(e: Emitter, node: Node): Code {
    const position = this.byNode.get(node);
    return position?.place === 'list' ? this.statement(e, position) : '';
  }

  /** Ahead of a statement or expression that suspends, wherever it stands. */
  ahead(e: Emitter, node: Node): Code {
    const position = this.byNode.get(node);
    return position === undefined ? '' : this.statement(e, position);
  }

  /** Around code that stands where the grammar has one statement or expression. */
  around(e: Emitter, node: Node, code: Code): Code {
    const position = this.byNode.get(node);
    // What suspends is taken apart, with the probe ahead of its parts.
    if (position === undefined || position.place === 'list' || node.suspends === true) return code;
    if (position.place === 'body') return ['{ ', this.statement(e, position), code, ' }'];
    return ['(', this.expression(e, position), ', ', code, ')'];
  }

  /** The test of a loop that has nothing to go on with in its head: it could swallow an abort for ever. */
  headlessTest(e: Emitter, loop: Node): Code | null {
    const position = this.headless.get(loop);
    return position === undefined ? null : ['(', this.expression(e, position), ', true)'];
  }

  /** What a `catch` takes here that takes nothing, or takes it apart. */
  get caughtName(): string {
    return CAUGHT;
  }

  /** First in a `catch`: tells what has come to it. @param error its name */
  caught(error: string): string {
    return ` ${TELL}(${error}); `;
  }

  private statement(e: Emitter, position: Position): Code {
    const code = this.expression(e, position);
    // A declaration has no completion value: that of a script stays the one it was.
    const isCompletion = this.isScript && position.fn.kind === 'root';
    return isCompletion ? ['{ let tt$_ = ', code, '; } '] : [code, '; '];
  }

  private expression(e: Emitter, position: Position): Code {
    position.locals ??= this.localsAt(e, position);
    const { thisCode, argumentsCode } = e.around;
    const passed = position.locals.map(({ name, code }) => code ?? (name === 'this' ? thisCode : argumentsCode));
    const given = [JSON.stringify(e.id), position.number, ...passed].join(', ');
    // What stands on the stack at a stop is the statement.
    return [
      new Mark(position.node.start),
      position.counts ? `--${COUNTER} || ${HIT}(${given})` : `${NEAR} && ${HIT}(${given})`,
    ];
  }

  /** What code at a position can read without any doubt: of its own function, and of what that captures anyway. */
  private localsAt(e: Emitter, { fn, scope, node }: Position): Local[] {
    const values: Local[] = [];
    const functions: Local[] = [];
    const hidden = new Set<string>();
    for (let at: Scope | null = scope; at !== null && at.kind !== 'root'; at = at.parent) {
      for (const variable of at.variables.values()) {
        const { name, kind } = variable;
        if (kind === 'handle' || hidden.has(name)) continue;
        // Inside its class a name that is never assigned is the class declaration's.
        if (kind === 'name' && isClass(at.node) && !fn.captures.has(variable) && isSameAsOuter(variable)) continue;
        hidden.add(name);
        const code =
          variable.scope.fn === fn ? ownCode(variable, fn, node.start) : capturedCode(e, variable, fn, node.start);
        if (code === null) continue;
        const boxed = variable.storage === 'box' || variable.storage === 'cell';
        (kind === 'function' ? functions : values).push({ name, code, boxed });
      }
    }
    const most = Math.floor(LOCALS_OF_FUNCTION / (this.counts.get(fn) ?? 1));
    const locals = [...values, ...functions].slice(0, Math.min(MOST_LOCALS, Math.max(FEWEST_LOCALS, most)));
    if (hasThis(fn, node.start)) locals.push({ name: 'this', code: null, boxed: false });
    if (fn.usesArguments && fn.kind !== 'root' && !hidden.has('arguments'))
      locals.push({ name: 'arguments', code: null, boxed: false });
    return locals;
  }

  private add(kind: StatementKind, node: Node, place: Position['place'], { fn, scope }: Place): Position {
    const position = { number: this.positions.length, kind, node, place, fn, scope, locals: null, counts: true };
    this.positions.push(position);
    this.counts.set(fn, (this.counts.get(fn) ?? 0) + 1);
    markDirty(node);
    return position;
  }

  private visitList(list: readonly Node[], place: Place): void {
    let isFirst = true;
    for (const node of list) {
      if (typeof node.directive === 'string') continue;
      const position = this.visitStatement(node, 'list', place);
      if (position === undefined) continue;
      position.counts = isFirst;
      isFirst = false;
    }
  }

  /** A statement with the labels and the `export` before it. */
  private visitStatement(node: Node, where: 'list' | 'body', place: Place): Position | undefined {
    const exported = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
    let inner = exported;
    while (inner?.type === 'LabeledStatement') inner = inner.body;
    if (exported === null || inner === null) return undefined;
    const kind = kindOf(inner);
    const position = kind === null ? undefined : this.add(kind, inner, where, place);
    if (position !== undefined) this.byNode.set(anchorOf(exported), position);
    // What `with` names is found at run time, and looking for a name can be seen.
    if (inner.type !== 'WithStatement') this.visit(inner, place);
    return position;
  }

  private visitBody(node: Node, place: Place): void {
    this.visitStatement(node, 'body', place);
  }

  private visitValue(kind: StatementKind, node: Node, place: Place): void {
    this.byNode.set(node, this.add(kind, bare(node), 'value', place));
  }

  private visitAll(nodes: readonly Node[], place: Place): void {
    for (const node of nodes) this.visit(node, place);
  }

  private visit(node: Node, place: Place): void {
    if (isFunction(node)) return this.visitFunction(node);
    const inner = node.scope === undefined ? place : { ...place, scope: node.scope };
    switch (node.type) {
      case 'BlockStatement':
        return this.visitList(statements(node), inner);
      case 'IfStatement':
        this.visit(node.test as Node, place);
        this.visitBody(node.consequent, place);
        if (node.alternate !== null) this.visitBody(node.alternate, place);
        return;
      case 'WhileStatement':
      case 'DoWhileStatement': {
        const test = node.test as Node;
        const isTurn = !isPlainTurn(node);
        if (isTurn && node.type === 'WhileStatement') this.visitValue('turn', test, place);
        this.visit(test, place);
        this.visitBody(node.body, place);
        if (isTurn && node.type === 'DoWhileStatement') this.visitValue('turn', test, place);
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
        this.visit(node.discriminant, place);
        for (const each of node.cases) {
          if (each.test !== null) this.visit(each.test, inner);
          this.visitList(statements(each), inner);
        }
        return;
      case 'CatchClause':
        markDirty(node);
        return this.visitAll(childrenOf(node), inner);
      case 'StaticBlock':
        return this.visitList(statements(node), { fn: node.fn as FunctionInfo, scope: inner.scope });
      case 'PropertyDefinition':
        return this.visitField(node, place);
      default:
        return this.visitAll(childrenOf(node), inner);
    }
  }

  /** One position for each further turn: where the head has nothing to go on with, ahead of a test that is not there. */
  private visitFor(node: Node, place: Place): void {
    const { init, test, update } = node;
    if (init !== null) this.visit(init, place);
    if (test !== null) this.visit(test, place);
    const turn = isPlainTurn(node) ? undefined : (update ?? test);
    if (turn === undefined) {
      // The body's first statement is the turn's.
    } else if (turn === null) this.headless.set(node, this.add('turn', node, 'value', place));
    else this.visitValue('turn', turn, place);
    if (update !== null) this.visit(update, place);
    this.visitBody(node.body, place);
  }

  private visitFunction(node: Node): void {
    const fn = node.fn as FunctionInfo;
    this.visitAll(node.params, { fn, scope: fn.scope });
    const place = { fn, scope: fn.bodyScope ?? fn.scope };
    if (node.body.type === 'BlockStatement') return this.visitList(statements(node.body), place);
    this.visitValue('value', node.body, place);
    this.visit(node.body, place);
  }

  private visitField(node: Node, place: Place): void {
    if (node.computed) this.visit(node.key, place);
    if (node.value === null) return;
    const own = { fn: node.fn as FunctionInfo, scope: node.scope as Scope };
    // A function has its name from the field, as long as it stands there alone.
    if (!isAnonymousFunction(node.value)) this.visitValue('field', node.value, own);
    this.visit(node.value, own);
  }
}

/**
 * Whether each turn of a loop is as good as its body's first statement: nothing in the head could be stepped into, and an abort at that
 * statement leaves the loop. Counting loops take half the time without a position of their own.
 */
function isPlainTurn({ test, update, body }: Node): boolean {
  const first = body.type === 'BlockStatement' ? statements(body)[0] : body;
  if (first === undefined || !BEGINS_A_TURN.test(first.type) || kindOf(first) === null) return false;
  return [test, update].every((each) => each === null || each === undefined || !calls(each));
}

const BEGINS_A_TURN = /^(Expression|If|Return|Throw|Break|Continue|Switch)Statement$|^VariableDeclaration$/;

function calls(node: Node): boolean {
  return CALLS.test(node.type) || isFunction(node) || isClass(node) || childrenOf(node).some(calls);
}

const CALLS = /^(Call|New|TaggedTemplate|Await|Yield|Import)Expression$/;

/** The kind of the position before a statement; null where nothing happens but what has positions of its own. */
function kindOf(node: Node): StatementKind | null {
  switch (node.type) {
    case 'VariableDeclaration':
      return node.kind === 'var' && node.declarations.every(({ init }) => init === null) ? null : 'declaration';
    case 'ClassDeclaration':
      return 'declaration';
    case 'ExportDefaultDeclaration':
      return kindOfDefault(node.declaration as Node);
    case 'IfStatement':
    case 'SwitchStatement':
      return 'branch';
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
      return 'loop';
    case 'WhileStatement':
      return isPlainTurn(node) ? 'loop' : null;
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

function kindOfDefault(declaration: Node): StatementKind | null {
  if (declaration.type === 'FunctionDeclaration') return null;
  return declaration.type === 'ClassDeclaration' ? 'declaration' : 'statement';
}

/** Where the emitters meet a statement: an exported class by its declaration. */
function anchorOf(node: Node): Node {
  const { declaration } = node;
  const isNamed =
    node.type === 'ExportDefaultDeclaration' && declaration?.type === 'ClassDeclaration' && declaration.id !== null;
  return isNamed ? declaration : node;
}

function indexOf(indexes: ReadonlyMap<Scope, number>, scope: Scope): number {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const index = indexes.get(at);
    if (index !== undefined) return index;
  }
  return -1;
}

/** A variable of the very function. */
function ownCode(variable: Variable, fn: FunctionInfo, at: number): string | null {
  const { kind, scope, name } = variable;
  if (kind === 'name') return null;
  if (variable.isLexical) {
    if (Math.max(variable.declarationEnd, variable.settledAt) > at) return null;
    // A switch can enter behind the declaration.
    if (scope.node.type === 'SwitchStatement' && !isInSameCase(scope.node, variable.declarationStart, at)) return null;
  }
  if (!fn.suspendable) return name;
  // A parameter that nobody uses stays in the wrapper.
  if (kind === 'param' && variable.slot === null) return null;
  return isReadableAt(variable, at, fn) ? name : null;
}

/** A variable of a function around it, which a closure has anyway. */
function capturedCode(e: Emitter, variable: Variable, fn: FunctionInfo, at: number): string | null {
  if (!fn.captures.has(variable)) return null;
  const code = captureCode(e, variable);
  if (fn.suspendable) return isReadableAt(variable, at, fn) ? code : null;
  return readingCode(e, { code, mayStayDead: variable.mayStayDead || isMadeAhead(variable, fn) });
}

/** A closure among parameters, in a `catch` pattern or among the keys of a class may run before their names have values. */
function isMadeAhead({ kind, scope }: Variable, fn: FunctionInfo): boolean {
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
  return scope.node.type === 'ClassDeclaration' && outer?.storage === 'local' && outer.writes === 0;
}

/** Whether `this` can be passed: where it costs nothing to have it, and not before `super()`. */
function hasThis(fn: FunctionInfo, at: number): boolean {
  const owner = fn.thisFunction;
  if (owner.kind === 'root') return false;
  if (owner.kind === 'constructor' && owner.classInfo?.node.superClass !== null) {
    return fn === owner && statements(fn.node.body).some((each) => each.end <= at && isSuperCall(each));
  }
  return fn.isArrow || fn.suspendable ? fn.usesThis : true;
}

function isSuperCall({ type, expression }: Node): boolean {
  return type === 'ExpressionStatement' && expression.type === 'CallExpression' && expression.callee.type === 'Super';
}
