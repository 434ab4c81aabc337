// Turns analysed trees into code. What needs no change stays a span of the source; this file holds the walk and what is said
// in one expression or declaration. Functions, classes, suspended code and modules have files of their own.

import type { Analysis } from './analysis.ts';
import {
  bare,
  boundIdentifiers,
  childrenOf,
  isClass,
  isFunction,
  literalValue,
  markDirty,
  type Node,
  statements,
} from './ast.ts';
import { emitClass } from './class-emitter.ts';
import { type Code, Span, textOf } from './code.ts';
import { dynamicNames, emitFunction, functionExpression } from './function-emitter.ts';
import { emitPrivateMember, emitPrivateWrite, emitSuperMember, outsideClassOf } from './home-emitter.ts';
import type { ModuleExports } from './module-emitter.ts';
import type { ClassInfo, FunctionInfo, Scope, Variable } from './scope.ts';
import type { StepEmitter } from './step-emitter.ts';
import type { StepEntry } from './table.ts';

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
  readonly templates: Node[] = [];
  readonly substitutions = new Map<Node, Code>();
  around: Surroundings;
  exports: ModuleExports | null = null;
  readonly steps = new Map<FunctionInfo, StepEntry>();
  private counter = 0;

  constructor(source: string, analysis: Analysis, names: { prefix: string; id: string; ambient: ReadonlySet<string> }) {
    this.ambientNames = names.ambient;
    this.id = names.id;
    this.source = source;
    this.analysis = analysis;
    this.prefix = names.prefix;
    this.around = {
      thisCode: 'this',
      argumentsCode: 'arguments',
      newTargetCode: 'new.target',
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

  // ── The walk ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  emit(node: Node): Code {
    const substitution = this.substitutions.get(node);
    if (substitution !== undefined) return substitution;
    if (node.dirty !== true) return new Span(node.start, node.end);
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
        return this.emitChildren(node);
      case 'MemberExpression':
        return this.emitMember(node);
      case 'BinaryExpression':
        if (node.left.type === 'PrivateIdentifier') {
          const info = outsideClassOf(this, node.left);
          if (info !== null) {
            return [this.privateAccessors(info, node.left.name), '.has(', this.emit(node.right), ')'];
          }
        }
        return this.emitChildren(node);
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
        return this.emitAssignment(node);
      case 'UpdateExpression':
        return this.emitUpdate(node);
      case 'UnaryExpression':
        if (node.operator === 'delete' && bare(node.argument as Node).type === 'Identifier') return 'false';
        return this.emitChildren(node);
      case 'VariableDeclaration':
        return this.emitDeclaration(node);
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

  // ── Names ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  emitIdentifier(node: Node): Code {
    const reference = node.ref;
    if (reference === undefined) return new Span(node.start, node.end);
    const { variable } = reference;
    if (reference.dead === true) return `${this.use('dead')}(${JSON.stringify(node.name)})`;
    if (variable === null) {
      if (node.name === 'arguments') return this.around.argumentsCode;
      if (this.ambientNames.has(node.name)) return [`${this.use('A')}.`, new Span(node.start, node.end)];
      return new Span(node.start, node.end);
    }
    switch (variable.storage) {
      case 'box':
      case 'cell':
        return [new Span(node.start, node.end), '.v'];
      case 'binding':
        return `${variable.bindingCode}.v`;
      default:
        return new Span(node.start, node.end);
    }
  }

  isPlain(node: Node): boolean {
    const variable = node.ref?.variable;
    if (node.ref?.dead === true) return false;
    if (variable === undefined) return true;
    if (variable === null) return !this.ambientNames.has(node.name) && node.name !== 'arguments';
    return variable.storage === 'local';
  }

  handleCode(handle: Variable): string {
    return this.prefix + handle.name.replace('class ', 'h').replace('object ', 'o');
  }

  privateAccessors(info: ClassInfo, name: string): string {
    return `${this.handleCode(info.handle as Variable)}.p.${name}`;
  }

  /** A write that must fail because the variable is constant, though its storage would let it. */
  isForbiddenWrite(node: Node): boolean {
    const variable = node.ref?.variable;
    if (variable === undefined || variable === null || node.ref?.initialises === true) return false;
    if (variable.kind === 'import') return true;
    if (variable.kind === 'name') return this.isOwnNameOfSuspendable(variable);
    return variable.kind === 'const' && (variable.storage !== 'local' || variable.converted);
  }

  /** The name of a function expression is a parameter around its wrapper: V8 does not protect it there. */
  private isOwnNameOfSuspendable(variable: Variable): boolean {
    return variable.scope.node.fn?.wrapped === true && variable.scope.kind === 'name';
  }

  /** What a forbidden write does: sloppy code ignores writes to a function expression's own name. */
  private failWrite(target: Node, value: Code): Code {
    const variable = target.ref?.variable;
    if (variable?.kind === 'name' && variable.scope.node.fn?.strict === false) return ['(', value, ')'];
    // Before its initialisation the variable fails as any other one does.
    const alive = variable?.storage === 'cell' ? `, ${variable.name}.v` : '';
    return [`${this.use('constAssign')}(${JSON.stringify(target.name)}, `, value, `${alive})`];
  }

  // ── Expressions ──────────────────────────────────────────────────────────────────────────────────────────────────────

  private emitProperty(node: Node): Code {
    if (node.shorthand) {
      const value = node.value.type === 'AssignmentPattern' ? node.value.left : node.value;
      const inner = this.emit(node.value);
      const changed = this.substitutions.has(node.value) || !this.isPlain(value) || this.isForbiddenWrite(value);
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
      const home = emitSuperMember(this, member);
      if (home !== null) {
        return [home, `.call(${this.around.thisCode}`, this.restOfArguments(node), ')'];
      }
      const info = outsideClassOf(this, member.property);
      if (info !== null) {
        const { object, setup } = this.once(member.object);
        return [
          `${this.privateAccessors(info, member.property.name)}.get(`,
          setup,
          ').call(',
          object,
          this.restOfArguments(node),
          ')',
        ];
      }
    }
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
    return emitSuperMember(this, node) ?? emitPrivateMember(this, node) ?? this.emitChildren(node);
  }

  emitTaggedTemplate(node: Node, apply: ((strings: string, values: Code) => Code) | null = null): Code {
    const { quasi } = node;
    const ordinal = this.templates.length;
    this.templates.push(quasi);
    const name = `${this.prefix}T${ordinal}`;
    this.rootVariables.push(name);
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

  private emitAssignment(node: Node): Code {
    const { left, right, operator } = node;
    const target = bare(left);
    if (target.type === 'Identifier') {
      if (target.ref?.dead === true) {
        // A plain assignment evaluates its right-hand side first, any other one reads first.
        return operator === '='
          ? ['(', this.emit(right), ', ', this.emitIdentifier(target), ')']
          : this.emitIdentifier(target);
      }
      if (this.isForbiddenWrite(target)) return this.emitForbiddenWrite(node, target);
      if (this.isPlain(target)) return this.emitChildren(node);
      const value = /^(=|\|\|=|&&=|\?\?=)$/.test(operator) ? this.named(target.name, right) : this.emit(right);
      return [this.emitIdentifier(target), ` ${operator} `, value];
    }
    if (target.type === 'MemberExpression') {
      const write = emitPrivateWrite(this, target, operator, () => this.emit(right));
      if (write !== null) return write;
    }
    if (target.type === 'ObjectPattern' || target.type === 'ArrayPattern') {
      return [this.emitPattern(target), ' = ', this.emit(right)];
    }
    return this.emitChildren(node);
  }

  /** `target = value`, whatever the target is. */
  emitWrite(target: Node, value: Code): Code {
    if (target.type === 'Identifier') {
      if (this.isForbiddenWrite(target)) return this.failWrite(target, value);
      return [this.emitIdentifier(target), ' = ', value];
    }
    return emitPrivateWrite(this, target, '=', () => value) ?? [this.emit(target), ' = ', value];
  }

  private emitForbiddenWrite(node: Node, target: Node): Code {
    const fail = (value: Code): Code => this.failWrite(target, value);
    const { operator } = node;
    if (operator === '=') return fail(this.emit(node.right));
    const read = this.emitIdentifier(target);
    if (/^(\|\|=|&&=|\?\?=)$/.test(operator)) {
      return ['(', read, ` ${operator.slice(0, -1)} `, fail(this.emit(node.right)), ')'];
    }
    return fail([read, ` ${operator.slice(0, -1)} (`, this.emit(node.right), ')']);
  }

  private emitUpdate(node: Node): Code {
    const target = bare(node.argument as Node);
    if (target.ref?.dead === true) return this.emitIdentifier(target);
    if (target.type === 'Identifier' && this.isForbiddenWrite(target)) {
      return this.failWrite(target, ['+', this.emitIdentifier(target)]);
    }
    if (target.type === 'MemberExpression') {
      const operator = node.operator === '++' ? 'increment' : 'decrement';
      const write = emitPrivateWrite(this, target, node.prefix ? `${operator} prefix` : operator, () => '');
      if (write !== null) return write;
    }
    return this.emitChildren(node);
  }

  // ── Patterns and declarations ────────────────────────────────────────────────────────────────────────────────────────

  /** A pattern in the form of an assignment target. */
  emitPattern(pattern: Node): Code {
    if (this.substitutions.has(pattern)) return this.emit(pattern);
    switch (pattern.type) {
      case 'Identifier': {
        if (pattern.ref?.dead === true) return [this.emitIdentifier(pattern), '.v'];
        const variable = pattern.ref?.variable ?? null;
        if (variable?.kind === 'name' && this.isForbiddenWrite(pattern) && variable.scope.node.fn?.strict === false)
          return '({}).v';
        if (this.isForbiddenWrite(pattern)) {
          const alive = variable?.storage === 'cell' ? `, ${pattern.name}.v` : '';
          return `${this.use('constTarget')}(${JSON.stringify(pattern.name)}${alive}).v`;
        }
        if (variable !== null && pattern.ref?.initialises === true && this.isInitialisedCell(variable)) {
          return `${this.use('initializer')}(${this.storageCode(variable)}).v`;
        }
        return this.emitIdentifier(pattern);
      }
      case 'ObjectPattern': {
        const parts: Code[] = ['{ '];
        for (const property of pattern.properties) {
          if (property.type === 'RestElement') parts.push('...', this.emitPattern(property.argument as Node));
          else {
            const key: Code = property.computed
              ? ['[', this.emit(property.key), ']']
              : new Span(property.key.start, property.key.end);
            parts.push(key, ': ', this.emitPattern(property.value));
          }
          parts.push(', ');
        }
        if (pattern.properties.at(-1)?.type === 'RestElement') parts.pop();
        return [...parts, ' }'];
      }
      case 'ArrayPattern': {
        const parts: Code[] = ['['];
        pattern.elements.forEach((element, index) => {
          if (element !== null) parts.push(this.emitPattern(element));
          if (index < pattern.elements.length - 1 || element === null) parts.push(', ');
        });
        return [...parts, ']'];
      }
      case 'AssignmentPattern': {
        const target = bare(pattern.left);
        const left = this.emitPattern(pattern.left);
        const plain = target.type !== 'Identifier' || (this.isPlain(target) && !this.isForbiddenWrite(target));
        return [left, ' = ', plain ? this.emit(pattern.right) : this.named(target.name, pattern.right)];
      }
      case 'RestElement':
        return ['...', this.emitPattern(pattern.argument as Node)];
      case 'ParenthesizedExpression':
        return this.emitPattern(pattern.expression);
      case 'MemberExpression': {
        const info = outsideClassOf(this, pattern.property);
        if (info !== null) {
          const accessors = this.privateAccessors(info, pattern.property.name);
          return [`${this.use('privateTarget')}(${accessors}, `, this.emit(pattern.object), ').v'];
        }
        if (pattern.object.type === 'Super' && this.around.stepOf !== null)
          return emitSuperMember(this, pattern, true) as Code;
        return this.emit(pattern);
      }
      default:
        return this.emit(pattern);
    }
  }

  /** Storage that has to be initialised rather than assigned. */
  isInitialisedCell(variable: Variable): boolean {
    return variable.storage === 'cell' || (variable.storage === 'binding' && variable.isLexical);
  }

  storageCode(variable: Variable): string {
    return variable.storage === 'binding' ? (variable.bindingCode as string) : variable.name;
  }

  /** `target = value` for the initialisation of one declared name. */
  emitInitialisation(id: Node, value: Code): Code {
    const variable = id.ref?.variable ?? null;
    if (variable !== null && this.isInitialisedCell(variable)) {
      return [`${this.use('init')}(${this.storageCode(variable)}, `, value, ')'];
    }
    return [this.emitIdentifier(id), ' = ', value];
  }

  private emitDeclaration(node: Node): Code {
    const names = node.declarations.flatMap((declarator) => boundIdentifiers(declarator.id as Node));
    const isAhead = node.kind === 'var' && names.some((id) => this.isDeclaredAhead(id));
    if (!isAhead && names.every((id) => this.isPlain(id))) return this.emitChildren(node);
    const inFor = node.parent !== null && node.parent.type === 'ForStatement' && node.parent.init === node;
    if (node.kind === 'var' || names.every((id) => id.ref?.variable?.storage === 'binding')) {
      return this.emitDeclarationAsAssignments(node, inFor);
    }
    const parts: Code[] = [];
    let keyword = node.kind;
    for (const declarator of node.declarations) {
      const id = declarator.id as Node;
      const variable = id.ref?.variable;
      if (id.type === 'Identifier' && variable !== undefined && variable !== null) {
        if (variable.storage === 'box' || (variable.storage === 'cell' && inFor)) {
          variable.storage = 'box';
          const value = declarator.init === null ? 'void 0' : this.named(id.name, declarator.init);
          parts.push([new Span(id.start, id.end), ' = { v: ', value, ' }']);
        } else if (variable.storage === 'cell' || variable.storage === 'binding') {
          const value = declarator.init === null ? 'void 0' : this.named(id.name, declarator.init);
          parts.push([`${this.fresh('_')} = `, this.emitInitialisation(id, value)]);
        } else parts.push(this.emit(declarator));
        continue;
      }
      if (declarator.init !== null && !inFor && !this.usesOwnNames(id)) {
        parts.push(this.declareThenBox(id, declarator.init));
        continue;
      }
      keyword = 'let';
      for (const each of boundIdentifiers(id)) {
        const bound = each.ref?.variable as Variable;
        if (bound.storage === 'box') parts.push([each.name, ' = { v: void 0 }']);
        else if (bound.storage === 'local') {
          bound.converted = true;
          parts.push(each.name);
        }
      }
      parts.push([`${this.fresh('_')} = (`, this.emitPattern(id), ' = ', this.emit(declarator.init as Node), ')']);
    }
    return [`${keyword} `, join(parts, ', '), inFor ? '' : ';'];
  }

  /** A pattern whose defaults or keys use the names it binds. */
  private usesOwnNames(pattern: Node): boolean {
    return boundIdentifiers(pattern).some(
      (id) =>
        !this.isPlain(id) &&
        (id.ref?.variable?.references ?? []).some(
          ({ node, initialises }) =>
            node !== null && !initialises && node.start >= pattern.start && node.end <= pattern.end,
        ),
    );
  }

  /** `[$1, b] = init, a = { v: $1 }`: boxes come after the pattern, so that V8 keeps the dead zone of every name. */
  private declareThenBox(pattern: Node, init: Node): Code {
    const boxes: Code[] = [];
    const replaced: Node[] = [];
    for (const id of boundIdentifiers(pattern)) {
      if (this.isPlain(id)) continue;
      const raw = this.fresh('b');
      this.substitutions.set(id, raw);
      replaced.push(id);
      const variable = id.ref?.variable as Variable;
      boxes.push([
        ', ',
        variable.storage === 'box'
          ? `${id.name} = { v: ${raw} }`
          : [`${this.fresh('_')} = `, this.emitInitialisation(id, raw)],
      ]);
    }
    const code: Code = [this.emitPattern(pattern), ' = ', this.emit(init), boxes];
    for (const id of replaced) this.substitutions.delete(id);
    return code;
  }

  /** In a step function, a `var` that lives across suspensions is declared at the head of its list. */
  private isDeclaredAhead(id: Node): boolean {
    const { step } = this.around;
    const variable = id.ref?.variable;
    return step !== null && variable !== null && variable !== undefined && step.isAssigned(variable);
  }

  /** `var` declarations of boxed names, and exported declarations, whose storage exists already. */
  private emitDeclarationAsAssignments(node: Node, inFor: boolean): Code {
    const parts: Code[] = [];
    for (const declarator of node.declarations) {
      const id = declarator.id as Node;
      if (declarator.init === null) {
        const variable = id.ref?.variable ?? null;
        if (variable !== null && variable.isLexical) parts.push(this.emitInitialisation(id, 'void 0'));
        else if (variable !== null && variable.storage === 'local' && !this.isDeclaredAhead(id))
          this.around.fn.temporaries.push(id.name);
        continue;
      }
      for (const each of boundIdentifiers(id)) {
        if (each.ref?.variable?.storage === 'local' && !this.isDeclaredAhead(each))
          this.around.fn.temporaries.push(each.name);
      }
      if (id.type === 'Identifier') parts.push(this.emitInitialisation(id, this.named(id.name, declarator.init)));
      else parts.push(['(', this.emitPattern(id), ' = ', this.emit(declarator.init), ')']);
    }
    return [join(parts, ', '), inFor ? '' : ';'];
  }

  /** A declaration whose names are declared already, as expressions to run in order. */
  assignmentsOf(declarator: Node): Code {
    const id = declarator.id as Node;
    if (declarator.init === null) return this.emitInitialisation(id, 'void 0');
    return this.assignPattern(id, declarator.init);
  }

  assignPattern(id: Node, init: Node): Code {
    if (id.type !== 'Identifier') return ['(', this.emitPattern(id), ' = ', this.emit(init), ')'];
    if (this.substitutions.has(init)) return this.emitInitialisation(id, this.emit(init));
    return this.emitInitialisation(id, this.isPlain(id) ? this.emit(init) : this.named(id.name, init));
  }

  // ── Statements ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** What a scope needs at its start: boxes, cells, and functions that are no native declarations any more. */
  emitHoists(scope: Scope, list: readonly Node[], keyword: 'var' | 'let'): Code {
    const parts: Code[] = [];
    for (const variable of scope.variables.values()) {
      if (variable.storage === 'cell') {
        parts.push(`const ${variable.name} = new ${this.use('Cell')}(${JSON.stringify(variable.name)}); `);
      } else if (variable.storage === 'box' && (variable.kind === 'var' || variable.kind === 'function')) {
        parts.push(`${keyword} ${variable.name} = { v: void 0 }; `);
      }
    }
    const declared = new Set<string>();
    for (const node of hoistedFunctions(list)) {
      const name = (node.id as Node).name;
      const variable = (node.id as Node).ref?.variable as Variable;
      if (this.isNativeDeclaration(node)) continue;
      const isNew = variable.storage === 'local' && !declared.has(name) && variable.kind !== 'param';
      declared.add(name);
      const value = functionExpression(this, node, { name });
      if (variable.storage === 'binding') {
        parts.push([`${this.use('init')}(${this.storageCode(variable)}, `, value, '); ']);
        continue;
      }
      const target: Code = isNew ? `${keyword} ${name}` : variable.storage === 'local' ? name : `${name}.v`;
      parts.push([target, ' = ', value, '; ']);
    }
    return parts;
  }

  isNativeDeclaration(node: Node): boolean {
    const info = node.fn as FunctionInfo;
    const variable = (node.id as Node).ref?.variable;
    return !info.wrapped && (variable === null || variable === undefined || variable.storage === 'local');
  }

  emitStatements(list: readonly Node[], from: number, to: number): Code {
    const parts: Code[] = [];
    let at = from;
    for (const node of list) {
      if (node.start > at) parts.push(new Span(at, node.start));
      const declared = declaredFunction(node);
      if (declared === null || this.isNativeDeclaration(declared)) parts.push(this.emit(node));
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
    if (last.type === 'ExportNamedDeclaration' && last.declaration !== null) last = last.declaration;
    return SIMPLE_STATEMENT.test(last.type) && this.source.charCodeAt(node.end - 1) !== 59;
  }

  private emitBlock(node: Node): Code {
    const list = statements(node);
    const hoists = this.emitHoists(node.scope as Scope, list, 'let');
    return ['{', hoists, this.emitStatements(list, node.start + 1, node.end)];
  }

  private emitSwitch(node: Node): Code {
    const list = node.cases.flatMap((each) => statements(each));
    const hoists = this.emitHoists(node.scope as Scope, list, 'let');
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
    if (declared !== null && !this.isNativeDeclaration(declared)) return ';';
    return this.emitChildren(node);
  }

  private emitFor(node: Node): Code {
    const boxed = [...(node.scope as Scope).variables.values()].filter((variable) => variable.storage !== 'local');
    if (boxed.length === 0) return this.emitChildren(node);
    // Each iteration has variables of its own: the next one starts with a new box of the same value.
    const init = node.init as Node;
    const head = this.emit(init);
    const renew = boxed.map((variable) => `${variable.name} = { v: ${variable.name}.v }`).join(', ');
    const first = containsFunction(init) ? `, ${this.fresh('_')} = (${renew})` : '';
    const update = node.update === null ? '' : [', ', this.emit(node.update)];
    return [
      'for (',
      head,
      first,
      '; ',
      node.test === null ? '' : this.emit(node.test),
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
    const isAhead = isDeclaration && left.kind === 'var' && ids.some((id) => this.isDeclaredAhead(id));
    const special = isAhead || ids.some((id) => !this.isPlain(id));
    if (!isDeclaration || !special) {
      if (isDeclaration || left.dirty !== true) return this.emitChildren(node);
      return [new Span(node.start, left.start), this.emitPattern(left), this.emitChildren(node, left.end)];
    }
    if (left.kind === 'var') {
      return [new Span(node.start, left.start), this.emitPattern(pattern), this.emitChildren(node, left.end)];
    }
    const each = this.fresh('e');
    return [
      new Span(node.start, left.start),
      `const ${each}`,
      this.emitChildren(node, left.end, node.body.start),
      '{ ',
      this.declarePattern(pattern, each),
      this.emit(node.body),
      ' }',
    ];
  }

  /** `let` declarations of a pattern's names, boxes included, and its assignment from a value. */
  declarePattern(pattern: Node, value: Code, keyword = 'let'): Code {
    const parts: Code[] = [];
    for (const id of boundIdentifiers(pattern)) {
      const variable = id.ref?.variable as Variable;
      if (variable.storage === 'cell') variable.storage = 'box';
      if (variable.storage === 'box') parts.push(`${keyword} ${id.name} = { v: void 0 }; `);
      else {
        variable.converted = true;
        parts.push(`${keyword} ${id.name}; `);
      }
    }
    const assignment: Code = [this.emitPattern(pattern), ' = ', value];
    parts.push(pattern.type === 'ObjectPattern' ? ['(', assignment, '); '] : [assignment, '; ']);
    return parts;
  }

  private emitCatch(node: Node): Code {
    const { param } = node;
    if (param === null || boundIdentifiers(param).every((id) => this.isPlain(id))) return this.emitChildren(node);
    const caught = this.fresh('e');
    return [`catch (${caught}) { `, this.declarePattern(param, caught), this.emit(node.body), ' }'];
  }

  /** Marks every use of a name that is emitted in another form. */
  markStorage(): void {
    for (const { node, variable, name, dead } of this.analysis.references) {
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

  /** Whether a variable of the file's top scope is declared there rather than where its declaration stands. */
  isDeclaredAtRoot(variable: Variable): boolean {
    return this.analysis.root.topLevelAwait && variable.isRoot;
  }

  /** `import` and `export` in a module with top-level await. */
  emitModuleStatement(step: StepEmitter, node: Node): void {
    this.exports?.statement(step, node);
  }

  sourceText(code: Code): string {
    return textOf(code, this.source);
  }
}

const SIMPLE_STATEMENT =
  /^(Expression|Return|Throw|Break|Continue|DoWhile|Debugger)Statement$|^(VariableDeclaration|PropertyDefinition)$/;

export function join(parts: readonly Code[], separator: string): Code {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
}

export function isEmpty(code: Code): boolean {
  if (typeof code === 'string') return code === '';
  return Array.isArray(code) && code.every(isEmpty);
}

/** An anonymous function or class in the sense of NamedEvaluation. */
export function isAnonymousFunction(node: Node): boolean {
  const inner = bare(node);
  if (isFunction(inner)) return inner.id === null || inner.id === undefined;
  if (!isClass(inner)) return false;
  return inner.id === null && !statements(inner.body).some((member) => isStaticName(member));
}

function isStaticName(member: Node): boolean {
  return member.type !== 'StaticBlock' && member.static && !member.computed && memberName(member) === 'name';
}

/** The name of a property or member with a literal key. */
export function memberName(member: Node): string | null {
  const { key } = member;
  if (member.computed) return key.type === 'Literal' ? String(literalValue(key)) : null;
  if (key.type === 'Identifier') return key.name;
  if (key.type === 'PrivateIdentifier') return `#${key.name}`;
  return String(literalValue(key));
}

/** The function a statement declares, through labels and `export`. */
export function declaredFunction(statement: Node): Node | null {
  let node = statement;
  while (node.type === 'LabeledStatement') node = node.body;
  if (node.type === 'FunctionDeclaration' && node.id !== null) return node;
  return null;
}

export function hoistedFunctions(list: readonly Node[]): Node[] {
  const found: Node[] = [];
  for (const statement of list) {
    const exported = statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration';
    const node = exported ? statement.declaration : statement;
    const declared = node === null ? null : declaredFunction(node);
    if (declared !== null) found.push(declared);
  }
  return found;
}

export function containsFunction(node: Node): boolean {
  if (isFunction(node) || isClass(node)) return true;
  return childrenOf(node).some(containsFunction);
}
