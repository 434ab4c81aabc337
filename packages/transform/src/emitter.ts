// Turns analysed trees into code. What needs no change stays a span of the source; this file holds the walk, expressions and
// plain statements. Where values go, declarations, functions, classes, suspended code and modules have files of their own.

import type { Analysis } from './analysis.ts';
import {
  bare,
  boundIdentifiers,
  childrenOf,
  containsFunction,
  isAnonymousFunction,
  isFunction,
  markDirty,
  type Node,
  statements,
} from './ast.ts';
import { emitClass } from './class-emitter.ts';
import { type Code, isEmpty, OWN_CODE, Span, textOf } from './code.ts';
import {
  declarePattern,
  declaredFunction,
  emitDeclaration,
  emitHoists,
  isDeclaredAhead,
  isNativeDeclaration,
} from './declaration-emitter.ts';
import { dynamicNames, emitFunction, functionExpression } from './function-emitter.ts';
import { emitChain, emitPrivateMember, emitSuperMember, outsideClassOf } from './home-emitter.ts';
import { emitKept, keepingOf } from './kept-iterators.ts';
import type { ModuleExports } from './module-emitter.ts';
import type { ClassInfo, FunctionInfo, Scope, Variable } from './scope.ts';
import type { StatementProbes } from './statement-probes.ts';
import type { StepEmitter } from './step-emitter.ts';
import type { StepEntry } from './table.ts';
import type { WriteBarriers } from './write-barriers.ts';
import {
  caughtSource,
  emitAssignment,
  emitPattern,
  emitUpdate,
  isForbiddenWrite,
  patternSource,
} from './target-emitter.ts';

/** What surrounds the code being emitted. */
export interface Surroundings {
  /** How `this`, `arguments` and `new.target` are written here. */
  thisCode: string;
  argumentsCode: string;
  newTargetCode: string;
  /** The suspendable function whose step function this text is in, nested functions included. */
  stepOf: FunctionInfo | null;
  /** Set while emitting statements of the step function itself. */
  step: StepEmitter | null;
  /** In the body of an async function without a frame: `return` settles its eventual. */
  settles: boolean;
  fn: FunctionInfo;
}

export class Emitter {
  readonly source: string;
  readonly analysis: Analysis;
  readonly prefix: string;
  /** Names the file in the markers of its functions. */
  readonly id: string;
  readonly ambientNames: ReadonlySet<string>;
  /** Realm members in use, by emitted name. */
  readonly helpers = new Set<string>();
  /** Code hoisted to the file's own top scope: step functions. */
  readonly hoisted: Code[] = [];
  /** Variables of the file's own top scope that the transform adds. */
  readonly rootVariables: string[] = [];
  /** The step of a module with top-level await. */
  body: Code = '';
  readonly templates: Node[] = [];
  readonly substitutions = new Map<Node, Code>();
  around: Surroundings;
  exports: ModuleExports | null = null;
  readonly steps = new Map<FunctionInfo, StepEntry>();
  /** Only in debug mode. */
  readonly probes: StatementProbes | null;
  readonly barriers: WriteBarriers | null;
  /** Only in the form that restores: what a constructor begins with, and fields whose initialisers are conditional. */
  readonly guards = new Map<FunctionInfo, string>();
  readonly fieldGuards = new Map<Node, { readonly name: string | null }>();
  private counter = 0;

  constructor(
    source: string,
    analysis: Analysis,
    names: { prefix: string; id: string; ambient: ReadonlySet<string> },
    { probes, barriers }: { probes: StatementProbes | null; barriers: WriteBarriers | null },
  ) {
    this.probes = probes;
    this.barriers = barriers;
    this.ambientNames = names.ambient;
    this.id = names.id;
    this.source = source;
    this.analysis = analysis;
    this.prefix = names.prefix;
    this.around = {
      ...OWN_CODE,
      stepOf: null,
      step: null,
      settles: false,
      fn: analysis.root,
    };
  }

  /** The emitted name of a realm member. */
  use(helper: string): string {
    this.helpers.add(helper);
    return this.prefix + helper;
  }

  fresh(kind: string): string {
    return `${this.prefix}${kind}${this.counter++}`;
  }

  /** A variable for an intermediate value, declared at the top of the function being emitted. */
  temporary(): string {
    const name = this.fresh('t');
    this.around.fn.temporaries.push(name);
    return name;
  }

  within<T>(around: Partial<Surroundings>, run: () => T): T {
    const outer = this.around;
    this.around = { ...outer, ...around };
    const result = run();
    this.around = outer;
    return result;
  }

  text(node: Node): string {
    return this.source.slice(node.start, node.end);
  }

  emit(node: Node): Code {
    const substitution = this.substitutions.get(node);
    if (substitution !== undefined) return substitution;
    if (node.dirty !== true) return new Span(node.start, node.end);
    let code = this.emitDirty(node);
    if (this.barriers !== null) code = this.barriers.around(this, node, code);
    return this.probes === null ? code : this.probes.around(this, node, code);
  }

  private emitDirty(node: Node): Code {
    switch (node.type) {
      case 'Identifier':
        return this.emitIdentifier(node);
      case 'ThisExpression':
        return node.sloppyThis === true ? `${this.use('view')}(${this.around.thisCode})` : this.around.thisCode;
      case 'MetaProperty':
        return node.meta.name === 'import' ? `${this.prefix}M.meta` : this.around.newTargetCode;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        return emitFunction(this, node);
      case 'ClassDeclaration':
      case 'ClassExpression':
        return emitClass(this, node);
      case 'Property':
        return this.emitProperty(node);
      case 'ObjectExpression':
        return this.emitObject(node);
      case 'CallExpression':
        return this.emitCall(node);
      case 'ChainExpression':
        return emitChain(this, node);
      case 'MemberExpression':
        return this.emitMember(node);
      case 'BinaryExpression': {
        const info = node.left.type === 'PrivateIdentifier' ? outsideClassOf(this, node.left) : null;
        if (info === null) return this.emitChildren(node);
        return [this.privateAccessors(info, node.left.name), '.has(', this.emit(node.right), ')'];
      }
      case 'TaggedTemplateExpression':
        return this.emitTaggedTemplate(node);
      case 'ImportExpression':
        return [
          `${this.prefix}M.dynamicImport(`,
          this.emit(node.source as Node),
          node.options === null ? '' : [', ', this.emit(node.options)],
          typeof node.phase === 'string'
            ? [node.options === null ? ', void 0' : '', `, ${JSON.stringify(node.phase)}`]
            : '',
          ')',
        ];
      case 'AssignmentExpression':
        return emitAssignment(this, node);
      case 'UpdateExpression':
        return emitUpdate(this, node);
      case 'UnaryExpression':
        if (node.operator === 'delete' && bare(node.argument as Node).type === 'Identifier') return 'false';
        return this.emitChildren(node);
      case 'VariableDeclaration':
        return emitDeclaration(this, node);
      case 'BlockStatement':
        return this.emitBlock(node);
      case 'SwitchStatement':
        return this.emitSwitch(node);
      case 'ForStatement':
        return this.emitFor(node);
      case 'ForInStatement':
      case 'ForOfStatement':
        return this.emitForEach(node);
      case 'CatchClause':
        return this.emitCatch(node);
      case 'ReturnStatement':
      case 'BreakStatement':
      case 'ContinueStatement': {
        const { step, settles } = this.around;
        if (step !== null) return step.emitJump(node);
        if (!settles || node.type !== 'ReturnStatement') return this.emitChildren(node);
        const value = node.argument === null ? 'void 0' : this.emit(node.argument);
        return [`return ${this.use('fulfilled')}((`, value, '));'];
      }
      case 'LabeledStatement':
        return this.emitLabeled(node);
      default:
        return this.emitChildren(node);
    }
  }

  /** The node's own text with its children emitted in their places. */
  emitChildren(node: Node, from = node.start, to = node.end): Code {
    const parts: Code[] = [];
    let at = from;
    for (const child of childrenOf(node)) {
      if (child.start < at || child.end > to) continue;
      if (child.start > at) parts.push(new Span(at, child.start));
      parts.push(this.emit(child));
      at = child.end;
    }
    if (at < to) parts.push(new Span(at, to));
    return parts;
  }

  emitIdentifier(node: Node): Code {
    const { ref, name } = node;
    const own = new Span(node.start, node.end);
    if (ref === undefined) return own;
    const { variable } = ref;
    if (ref.dead === true) return `${this.use('dead')}(${JSON.stringify(name)})`;
    if (variable === null) {
      if (name === 'arguments') return this.around.argumentsCode;
      return this.ambientNames.has(name) ? [`${this.use('A')}.`, own] : own;
    }
    if (variable.storage === 'binding') return `${variable.bindingCode}.v`;
    return variable.storage === 'local' ? own : [own, '.v'];
  }

  isPlain(node: Node): boolean {
    const { ref } = node;
    if (ref === undefined) return true;
    const { variable } = ref;
    if (ref.dead === true) return false;
    if (variable === null) return !this.ambientNames.has(node.name) && node.name !== 'arguments';
    return variable.storage === 'local';
  }

  handleCode(handle: Variable): string {
    return this.prefix + handle.name.replace('class ', 'h').replace('object ', 'o');
  }

  privateAccessors(info: ClassInfo, name: string): string {
    return `${this.handleCode(info.handle as Variable)}.p.${name}`;
  }

  private emitProperty(node: Node): Code {
    if (node.shorthand) {
      const value = node.value.type === 'AssignmentPattern' ? node.value.left : node.value;
      const inner = this.emit(node.value);
      const changed = this.substitutions.has(node.value) || !this.isPlain(value) || isForbiddenWrite(value);
      return changed ? [value.name, ': ', inner] : inner;
    }
    if (isFunction(node.value) && (node.method || node.kind !== 'init')) {
      return functionExpression(this, node.value, { member: node });
    }
    const value = bare(node.value);
    if (node.computed && isAnonymousFunction(value) && value.fn?.wrapped === true) {
      const key = this.temporary();
      dynamicNames.set(value, key);
      return [`[${key} = ${this.use('key')}(`, this.emit(node.key), ')]: ', this.emit(node.value)];
    }
    return this.emitChildren(node);
  }

  private emitObject(node: Node): Code {
    const handle = node.scope?.variables.values().next().value;
    if (handle === undefined) return this.emitChildren(node);
    // A method that suspends and uses `super` needs the literal itself.
    const name = this.handleCode(handle);
    return [`((${name}) => ${name} = `, this.emitChildren(node), ')()'];
  }

  /** A callee that is written as a member for our reasons must not receive the object as `this`. */
  emitCallee(callee: Node): Code {
    if (this.substitutions.has(callee) || (callee.type === 'Identifier' && !this.isPlain(callee))) {
      return ['(0, ', this.emit(callee), ')'];
    }
    return this.emit(callee);
  }

  private emitCall(node: Node): Code {
    const { callee } = node;
    const member = bare(callee);
    if (member.type === 'MemberExpression' && !this.substitutions.has(callee)) {
      const call = node.optional ? '?.call(' : '.call(';
      const home = emitSuperMember(this, member);
      if (home !== null) return [home, `${call}${this.around.thisCode}`, this.restOfArguments(node), ')'];
      const info = outsideClassOf(this, member.property);
      if (info !== null) {
        const { object, setup } = this.once(member.object);
        const method = `${this.privateAccessors(info, member.property.name)}.get(`;
        return [method, setup, ')', call, object, this.restOfArguments(node), ')'];
      }
    }
    const keeping = keepingOf(node);
    if (keeping !== null) return emitKept(this, node, keeping, this.emitChildren(node));
    if (callee.dirty !== true) return this.emitChildren(node);
    // Direct eval, which only lenient mode lets through, must stay the native one.
    if (this.analysis.refused.some((each) => each.node === node)) return ['eval', this.emitChildren(node, callee.end)];
    return [this.emitCallee(callee), this.emitChildren(node, callee.end)];
  }

  private restOfArguments(node: Node): Code {
    return node.arguments.map((argument) => [', ', this.emit(argument)]);
  }

  /** Code that evaluates an expression once, and code that repeats its value. */
  once(node: Node): { object: Code; setup: Code } {
    const inner = bare(node);
    const code = this.emit(node);
    if (inner.type === 'ThisExpression' || (inner.type === 'Identifier' && this.isPlain(inner))) {
      return { object: code, setup: code };
    }
    const name = this.temporary();
    return { object: name, setup: [`${name} = `, code] };
  }

  private emitMember(node: Node): Code {
    return (
      emitSuperMember(this, node) ??
      emitPrivateMember(this, node) ??
      this.barriers?.member(this, node) ??
      this.emitChildren(node)
    );
  }

  emitTaggedTemplate(node: Node, apply: ((strings: string, values: Code) => Code) | null = null): Code {
    const { quasi } = node;
    const known = this.templates.indexOf(quasi);
    const ordinal = known === -1 ? this.templates.push(quasi) - 1 : known;
    const name = `${this.prefix}T${ordinal}`;
    if (known === -1) this.rootVariables.push(name);
    const cooked: string[] = [];
    const raw: string[] = [];
    for (const part of quasi.quasis) {
      const value = part.value as unknown as { raw: string; cooked: string | null };
      cooked.push(value.cooked === null ? 'void 0' : JSON.stringify(value.cooked));
      raw.push(JSON.stringify(value.raw));
    }
    const strings = `${name} ??= ${this.prefix}M.template(${ordinal}, [${cooked.join(', ')}], [${raw.join(', ')}])`;
    const values = quasi.expressions.map((each): Code => [', ', this.emit(each)]);
    if (apply !== null) return apply(strings, values);
    const tag = bare(node.tag);
    const home = tag.type === 'MemberExpression' ? emitSuperMember(this, tag) : null;
    if (home !== null) return [home, `.call(${this.around.thisCode}, ${strings}`, values, ')'];
    const call: Code = [this.emitCallee(node.tag), `(${strings}`, values, ')'];
    return node.parent?.type === 'NewExpression' && node.parent.callee === node ? ['(', call, ')'] : call;
  }

  /** Gives an anonymous function or class the name its context would give it. */
  named(name: string, node: Node): Code {
    const code = this.emit(node);
    if (!isAnonymousFunction(node)) return code;
    const key = JSON.stringify(name);
    return ['({ [', key, ']: ', code, ` })[${key}]`];
  }

  emitStatements(list: readonly Node[], from: number, to: number): Code {
    const parts: Code[] = [];
    let at = from;
    for (const node of list) {
      if (node.start > at) parts.push(new Span(at, node.start));
      if (this.probes !== null) parts.push(this.probes.inList(this, node));
      const declared = declaredFunction(node);
      if (declared === null || isNativeDeclaration(declared)) parts.push(this.emit(node));
      else parts.push(';');
      if (this.lacksSemicolon(node)) parts.push(';');
      at = node.end;
    }
    if (at < to) parts.push(new Span(at, to));
    return parts;
  }

  /** What follows may begin differently from the source, so that automatic semicolons cannot be relied on. */
  lacksSemicolon(node: Node): boolean {
    let last = node;
    for (let inner = lastPart(last); inner !== null; inner = lastPart(inner)) last = inner;
    return SIMPLE_STATEMENT.test(last.type) && this.source.charCodeAt(node.end - 1) !== 59;
  }

  private emitBlock(node: Node, ahead = ''): Code {
    const list = statements(node);
    const hoists = emitHoists(this, node.scope as Scope, list, 'let');
    return ['{', ahead, hoists, this.emitStatements(list, node.start + 1, node.end)];
  }

  private emitSwitch(node: Node): Code {
    const list = node.cases.flatMap((each) => statements(each));
    const hoists = emitHoists(this, node.scope as Scope, list, 'let');
    // The names of the cases are not yet in scope where the discriminant is evaluated.
    const discriminant = isEmpty(hoists) ? null : this.fresh('d');
    const parts: Code[] = ['switch (', discriminant ?? this.emit(node.discriminant), ') {'];
    for (const each of node.cases) {
      const body = statements(each);
      const bodyStart = body[0]?.start ?? each.end;
      if (each.test === null) parts.push(' default: ');
      else parts.push(' case ', this.emit(each.test), ': ');
      parts.push(this.emitStatements(body, bodyStart, body.at(-1)?.end ?? bodyStart));
    }
    parts.push(' }');
    if (discriminant === null) return parts;
    return [`{ const ${discriminant} = (`, this.emit(node.discriminant), '); { ', hoists, parts, ' } }'];
  }

  private emitLabeled(node: Node): Code {
    const declared = declaredFunction(node);
    if (declared !== null && !isNativeDeclaration(declared)) return ';';
    return this.emitChildren(node);
  }

  private emitFor(node: Node): Code {
    const { init } = node;
    const boxed = [...(node.scope as Scope).variables.values()].filter((variable) => variable.storage !== 'local');
    if (boxed.length === 0 || init === null || init.kind !== 'let') {
      const test = this.probes?.headlessTest(this, node) ?? null;
      if (test === null) return this.emitChildren(node);
      return ['for (', init === null ? '' : this.emit(init), '; ', test, '; ) ', this.emit(node.body)];
    }
    // Each iteration has variables of its own: the next one starts with a new box of the same value.
    const head = this.emit(init);
    const renew = boxed.map((variable) => `${variable.name} = { v: ${variable.name}.v }`).join(', ');
    const first = containsFunction(init) ? `, ${this.fresh('_')} = (${renew})` : '';
    const update = node.update === null ? '' : [', ', this.emit(node.update)];
    return [
      'for (',
      head,
      first,
      '; ',
      node.test === null ? (this.probes?.headlessTest(this, node) ?? '') : this.emit(node.test),
      `; ${renew}`,
      update,
      ') ',
      this.emit(node.body),
    ];
  }

  private emitForEach(node: Node): Code {
    const { left } = node;
    const isDeclaration = left.type === 'VariableDeclaration';
    const pattern = isDeclaration ? ((left.declarations[0] as Node).id as Node) : left;
    const ids = boundIdentifiers(pattern);
    const isAhead = isDeclaration && left.kind === 'var' && ids.some((id) => isDeclaredAhead(this, id));
    const isChanged = isDeclaration ? isAhead || ids.some((id) => !this.isPlain(id)) : left.dirty === true;
    if (!isChanged) return this.emitChildren(node);
    if (!isDeclaration || left.kind === 'var') {
      return [new Span(node.start, left.start), emitPattern(this, pattern), this.emitChildren(node, left.end)];
    }
    const each = this.fresh('e');
    return [
      new Span(node.start, left.start),
      `const ${each}`,
      this.emitChildren(node, left.end, node.body.start),
      '{ ',
      declarePattern(this, pattern, patternSource(this, pattern, each, '.for')),
      this.emit(node.body),
      ' }',
    ];
  }

  private emitCatch(node: Node): Code {
    const { param, body } = node;
    const { probes } = this;
    if (param === null || boundIdentifiers(param).every((id) => this.isPlain(id))) {
      if (probes === null) return this.emitChildren(node);
      const { caughtName } = probes;
      if (param === null) return [`catch (${caughtName}) `, this.emitBlock(body, probes.caught(caughtName))];
      const head = this.emitChildren(node, node.start, body.start);
      if (param.type === 'Identifier') return [head, this.emitBlock(body, probes.caught(param.name as string))];
      // Told before it is taken apart, which goes as it does natively: with the same words where that fails.
      const telling = probes.caught(caughtName);
      return [`catch (${caughtName}) {${telling}try { throw ${caughtName}; } `, head, this.emitBlock(body), ' }'];
    }
    const caught = this.fresh('e');
    return [
      `catch (${caught}) { `,
      probes?.caught(caught) ?? '',
      declarePattern(this, param, caughtSource(this, param, caught)),
      this.emit(body),
      ' }',
    ];
  }

  /** Marks every use of a name that is emitted in another form. */
  markStorage(): void {
    for (const reference of this.analysis.references) {
      const { node, variable, name, dead } = reference;
      if (node === null || node.parent === undefined) continue;
      const changed =
        dead === true ||
        (variable === null
          ? this.ambientNames.has(name)
          : variable.storage !== 'local' ||
            ((variable.kind === 'const' || variable.kind === 'name') && variable.writes > 0));
      if (changed) markDirty(node);
    }
  }

  sourceText(code: Code): string {
    return textOf(code, this.source);
  }
}

/** The statement that a statement ends with, and whose semicolon is its own. */
function lastPart(node: Node): Node | null {
  switch (node.type) {
    case 'ExportNamedDeclaration':
      return node.declaration;
    case 'IfStatement':
      return node.alternate ?? node.consequent;
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'LabeledStatement':
      return node.body;
    default:
      return null;
  }
}

const SIMPLE_STATEMENT =
  /^(Expression|Return|Throw|Break|Continue|DoWhile|Debugger)Statement$|^(VariableDeclaration|PropertyDefinition)$/;
