// Turns analysed trees into code. Unchanged nodes stay spans of the source. This file has the walk, expressions and
// plain statements. Assignments, declarations, functions, classes, suspended code and modules have their own files.

import type { Analysis } from './analysis.ts';
import {
  skipParens,
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
import { type Code, isEmptyCode, NATIVE_CODE, Span, textOf } from './code.ts';
import {
  emitPatternDeclaration,
  declaredFunction,
  emitDeclaration,
  emitHoists,
  isDeclaredAhead,
  isNativeDeclaration,
} from './declaration-emitter.ts';
import { computedNames, emitFunction, emitFunctionExpression } from './function-emitter.ts';
import { emitChain, emitPrivateMember, emitSuperMember, classOutsideStep } from './home-emitter.ts';
import { emitKept, keptUse } from './kept-iterators.ts';
import type { ModuleExports } from './module-emitter.ts';
import type { ClassInfo, FunctionInfo, Scope, Variable } from './scope.ts';
import type { StatementProbes } from './statement-probes.ts';
import type { StepEmitter } from './step-emitter.ts';
import type { StepEntry } from './code-table.ts';
import type { WriteBarriers } from './write-barriers.ts';
import {
  emitCaughtSource,
  emitAssignment,
  emitPattern,
  emitUpdate,
  isForbiddenWrite,
  emitPatternSource,
} from './target-emitter.ts';

/** Settings for the code being emitted, such as the enclosing function. */
export interface EmitContext {
  /** Code for `this`, `arguments` and `new.target` at this point. */
  thisCode: string;
  argumentsCode: string;
  newTargetCode: string;
  /** Suspendable function whose step function contains this code, possibly in a nested function; otherwise null. */
  stepOf: FunctionInfo | null;
  /** Emitter of the step function, only while the step's own statements are emitted. */
  step: StepEmitter | null;
  /** Whether this is the body of an async function without a frame, in which `return` settles the eventual. */
  hasEventual: boolean;
  fn: FunctionInfo;
}

export class CodeEmitter {
  readonly source: string;
  readonly analysis: Analysis;
  readonly prefix: string;
  /** Name of the file in the markers of its functions. */
  readonly id: string;
  readonly ambientNames: ReadonlySet<string>;
  /** Realm members that the code uses. */
  readonly helpers = new Set<string>();
  /** Step functions, which are emitted into the file's top scope. */
  readonly hoisted: Code[] = [];
  /** Variables that the transform adds to the file's top scope. */
  readonly rootVariables: string[] = [];
  /** Step function of a module with top-level await. */
  topLevelStep: Code = '';
  readonly templates: Node[] = [];
  readonly substitutions = new Map<Node, Code>();
  context: EmitContext;
  exports: ModuleExports | null = null;
  readonly steps = new Map<FunctionInfo, StepEntry>();
  /** Null except in debug mode. */
  readonly probes: StatementProbes | null;
  readonly barriers: WriteBarriers | null;
  /** For the form that restores: code at the start of a constructor, and fields with conditional initialisers. */
  readonly constructorGuards = new Map<FunctionInfo, string>();
  readonly fieldGuards = new Map<Node, { readonly name: string | null }>();
  private nameCounter = 0;

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
    this.context = {
      ...NATIVE_CODE,
      stepOf: null,
      step: null,
      hasEventual: false,
      fn: analysis.root,
    };
  }

  /** Name of a realm member in emitted code. Marks the member as used. */
  helper(helper: string): string {
    this.helpers.add(helper);
    return this.prefix + helper;
  }

  freshName(kind: string): string {
    return `${this.prefix}${kind}${this.nameCounter++}`;
  }

  /** Adds a variable for an intermediate value, declared at the top of the function being emitted. */
  addTemporary(): string {
    const name = this.freshName('t');
    this.context.fn.temporaries.push(name);
    return name;
  }

  inContext<T>(changes: Partial<EmitContext>, run: () => T): T {
    const outer = this.context;
    this.context = { ...outer, ...changes };
    const result = run();
    this.context = outer;
    return result;
  }

  textOfNode(node: Node): string {
    return this.source.slice(node.start, node.end);
  }

  emit(node: Node): Code {
    const substitution = this.substitutions.get(node);
    if (substitution !== undefined) return substitution;
    if (node.isDirty !== true) return new Span(node.start, node.end);
    let code = this.emitDirty(node);
    if (this.barriers !== null) code = this.barriers.withBarrier(this, node, code);
    return this.probes === null ? code : this.probes.withProbe(this, node, code);
  }

  private emitDirty(node: Node): Code {
    switch (node.type) {
      case 'Identifier':
        return this.emitIdentifier(node);
      case 'ThisExpression':
        return node.isSloppyThis === true ? `${this.helper('view')}(${this.context.thisCode})` : this.context.thisCode;
      case 'MetaProperty':
        return node.meta.name === 'import' ? `${this.prefix}M.meta` : this.context.newTargetCode;
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
        const info = node.left.type === 'PrivateIdentifier' ? classOutsideStep(this, node.left) : null;
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
        if (node.operator === 'delete' && skipParens(node.argument as Node).type === 'Identifier') return 'false';
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
        const { step, hasEventual } = this.context;
        if (step !== null) return step.emitJump(node);
        if (!hasEventual || node.type !== 'ReturnStatement') return this.emitChildren(node);
        const value = node.argument === null ? 'void 0' : this.emit(node.argument);
        return [`return ${this.helper('fulfilled')}((`, value, '));'];
      }
      case 'LabeledStatement':
        return this.emitLabeled(node);
      default:
        return this.emitChildren(node);
    }
  }

  /** Source text of a node, with the code of its children in their places. */
  emitChildren(node: Node, from = node.start, to = node.end): Code {
    const parts: Code[] = [];
    let offset = from;
    for (const child of childrenOf(node)) {
      if (child.start < offset || child.end > to) continue;
      if (child.start > offset) parts.push(new Span(offset, child.start));
      parts.push(this.emit(child));
      offset = child.end;
    }
    if (offset < to) parts.push(new Span(offset, to));
    return parts;
  }

  emitIdentifier(node: Node): Code {
    const { ref, name } = node;
    const span = new Span(node.start, node.end);
    if (ref === undefined) return span;
    const { variable } = ref;
    if (ref.isDead === true) return `${this.helper('dead')}(${JSON.stringify(name)})`;
    if (variable === null) {
      if (name === 'arguments') return this.context.argumentsCode;
      return this.ambientNames.has(name) ? [`${this.helper('A')}.`, span] : span;
    }
    if (variable.storage === 'binding') return `${variable.bindingCode}.v`;
    return variable.storage === 'local' ? span : [span, '.v'];
  }

  isPlain(node: Node): boolean {
    const { ref } = node;
    if (ref === undefined) return true;
    const { variable } = ref;
    if (ref.isDead === true) return false;
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
      const isChanged = this.substitutions.has(node.value) || !this.isPlain(value) || isForbiddenWrite(value);
      return isChanged ? [value.name, ': ', inner] : inner;
    }
    if (isFunction(node.value) && (node.method || node.kind !== 'init')) {
      return emitFunctionExpression(this, node.value, { member: node });
    }
    const value = skipParens(node.value);
    if (node.computed && isAnonymousFunction(value) && value.fn?.isWrapped === true) {
      const key = this.addTemporary();
      computedNames.set(value, key);
      return [`[${key} = ${this.helper('key')}(`, this.emit(node.key), ')]: ', this.emit(node.value)];
    }
    return this.emitChildren(node);
  }

  private emitObject(node: Node): Code {
    const handle = node.scope?.variables.values().next().value;
    if (handle === undefined) return this.emitChildren(node);
    // A method of this literal uses `super` in suspended code, and needs the literal as its home object.
    const name = this.handleCode(handle);
    return [`((${name}) => ${name} = `, this.emitChildren(node), ')()'];
  }

  /** Code of a callee. A name that has become a member must not receive the object as `this`. */
  emitCallee(callee: Node): Code {
    if (this.substitutions.has(callee) || (callee.type === 'Identifier' && !this.isPlain(callee))) {
      return ['(0, ', this.emit(callee), ')'];
    }
    return this.emit(callee);
  }

  private emitCall(node: Node): Code {
    const { callee } = node;
    const member = skipParens(callee);
    if (member.type === 'MemberExpression' && !this.substitutions.has(callee)) {
      const call = node.optional ? '?.call(' : '.call(';
      const superMember = emitSuperMember(this, member);
      if (superMember !== null)
        return [superMember, `${call}${this.context.thisCode}`, this.emitFurtherArguments(node), ')'];
      const info = classOutsideStep(this, member.property);
      if (info !== null) {
        const { object, setup } = this.emitOnce(member.object);
        const method = `${this.privateAccessors(info, member.property.name)}.get(`;
        return [method, setup, ')', call, object, this.emitFurtherArguments(node), ')'];
      }
    }
    const keeping = keptUse(node);
    if (keeping !== null) return emitKept(this, node, keeping, this.emitChildren(node));
    if (callee.isDirty !== true) return this.emitChildren(node);
    // Lenient mode keeps direct `eval`, which must stay the native one.
    if (this.analysis.refused.some((each) => each.node === node)) return ['eval', this.emitChildren(node, callee.end)];
    return [this.emitCallee(callee), this.emitChildren(node, callee.end)];
  }

  private emitFurtherArguments(node: Node): Code {
    return node.arguments.map((argument) => [', ', this.emit(argument)]);
  }

  /** `setup` evaluates an expression once. `object` repeats the value afterwards. */
  emitOnce(node: Node): { object: Code; setup: Code } {
    const inner = skipParens(node);
    const code = this.emit(node);
    if (inner.type === 'ThisExpression' || (inner.type === 'Identifier' && this.isPlain(inner))) {
      return { object: code, setup: code };
    }
    const name = this.addTemporary();
    return { object: name, setup: [`${name} = `, code] };
  }

  private emitMember(node: Node): Code {
    return (
      emitSuperMember(this, node) ??
      emitPrivateMember(this, node) ??
      this.barriers?.emitMember(this, node) ??
      this.emitChildren(node)
    );
  }

  emitTaggedTemplate(node: Node, apply: ((strings: string, values: Code) => Code) | null = null): Code {
    const { quasi } = node;
    const existing = this.templates.indexOf(quasi);
    const ordinal = existing === -1 ? this.templates.push(quasi) - 1 : existing;
    const name = `${this.prefix}T${ordinal}`;
    if (existing === -1) this.rootVariables.push(name);
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
    const tag = skipParens(node.tag);
    const superMember = tag.type === 'MemberExpression' ? emitSuperMember(this, tag) : null;
    if (superMember !== null) return [superMember, `.call(${this.context.thisCode}, ${strings}`, values, ')'];
    const call: Code = [this.emitCallee(node.tag), `(${strings}`, values, ')'];
    return node.parent?.type === 'NewExpression' && node.parent.callee === node ? ['(', call, ')'] : call;
  }

  /** Code of a value. An anonymous function or class gets the name that its context gives it. */
  emitNamed(name: string, node: Node): Code {
    const code = this.emit(node);
    if (!isAnonymousFunction(node)) return code;
    const key = JSON.stringify(name);
    return ['({ [', key, ']: ', code, ` })[${key}]`];
  }

  emitStatements(list: readonly Node[], from: number, to: number): Code {
    const parts: Code[] = [];
    let offset = from;
    for (const node of list) {
      if (node.start > offset) parts.push(new Span(offset, node.start));
      if (this.probes !== null) parts.push(this.probes.probeInList(this, node));
      const declared = declaredFunction(node);
      if (declared === null || isNativeDeclaration(declared)) parts.push(this.emit(node));
      else parts.push(';');
      if (this.lacksSemicolon(node)) parts.push(';');
      offset = node.end;
    }
    if (offset < to) parts.push(new Span(offset, to));
    return parts;
  }

  /** Whether a semicolon must be added, because the next code may start differently from the source. */
  lacksSemicolon(node: Node): boolean {
    let last = node;
    for (let inner = trailingStatement(last); inner !== null; inner = trailingStatement(inner)) last = inner;
    return SIMPLE_STATEMENT.test(last.type) && this.source.charCodeAt(node.end - 1) !== 59;
  }

  private emitBlock(node: Node, prologue = ''): Code {
    const list = statements(node);
    const hoists = emitHoists(this, node.scope as Scope, list, 'let');
    return ['{', prologue, hoists, this.emitStatements(list, node.start + 1, node.end)];
  }

  private emitSwitch(node: Node): Code {
    const list = node.cases.flatMap((each) => statements(each));
    const hoists = emitHoists(this, node.scope as Scope, list, 'let');
    // The discriminant is evaluated first, because the names of the cases must not be in scope there.
    const discriminant = isEmptyCode(hoists) ? null : this.freshName('d');
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
      const test = this.probes?.headlessLoopTest(this, node) ?? null;
      if (test === null) return this.emitChildren(node);
      return ['for (', init === null ? '' : this.emit(init), '; ', test, '; ) ', this.emit(node.body)];
    }
    // Each iteration has its own variables, so the next iteration starts with a new box of the same value.
    const head = this.emit(init);
    const boxRenewals = boxed.map((variable) => `${variable.name} = { v: ${variable.name}.v }`).join(', ');
    const first = containsFunction(init) ? `, ${this.freshName('_')} = (${boxRenewals})` : '';
    const update = node.update === null ? '' : [', ', this.emit(node.update)];
    return [
      'for (',
      head,
      first,
      '; ',
      node.test === null ? (this.probes?.headlessLoopTest(this, node) ?? '') : this.emit(node.test),
      `; ${boxRenewals}`,
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
    const isChanged = isDeclaration ? isAhead || ids.some((id) => !this.isPlain(id)) : left.isDirty === true;
    if (!isChanged) return this.emitChildren(node);
    if (!isDeclaration || left.kind === 'var') {
      return [new Span(node.start, left.start), emitPattern(this, pattern), this.emitChildren(node, left.end)];
    }
    const itemName = this.freshName('e');
    return [
      new Span(node.start, left.start),
      `const ${itemName}`,
      this.emitChildren(node, left.end, node.body.start),
      '{ ',
      emitPatternDeclaration(this, pattern, emitPatternSource(this, pattern, itemName, '.for')),
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
      if (param === null) return [`catch (${caughtName}) `, this.emitBlock(body, probes.caughtHook(caughtName))];
      const head = this.emitChildren(node, node.start, body.start);
      if (param.type === 'Identifier') return [head, this.emitBlock(body, probes.caughtHook(param.name as string))];
      // The error is reported first. Its destructuring then fails natively, with the native message.
      const hook = probes.caughtHook(caughtName);
      return [`catch (${caughtName}) {${hook}try { throw ${caughtName}; } `, head, this.emitBlock(body), ' }'];
    }
    const caughtVariable = this.freshName('e');
    return [
      `catch (${caughtVariable}) { `,
      probes?.caughtHook(caughtVariable) ?? '',
      emitPatternDeclaration(this, param, emitCaughtSource(this, param, caughtVariable)),
      this.emit(body),
      ' }',
    ];
  }

  /** Marks every use of a name that is emitted in another form than in the source. */
  markStorage(): void {
    for (const reference of this.analysis.references) {
      const { node, variable, name, isDead: dead } = reference;
      if (node === null || node.parent === undefined) continue;
      const isChanged =
        dead === true ||
        (variable === null
          ? this.ambientNames.has(name)
          : variable.storage !== 'local' ||
            ((variable.kind === 'const' || variable.kind === 'name') && variable.writeCount > 0));
      if (isChanged) markDirty(node);
    }
  }

  sourceText(code: Code): string {
    return textOf(code, this.source);
  }
}

/** Last statement inside a statement, if its semicolon also ends the outer one; otherwise null. */
function trailingStatement(node: Node): Node | null {
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
