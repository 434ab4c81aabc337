// Functions: the probe, parameters that have to move into the body, and the forms a function takes in an expression, a
// member or a hoisted declaration. Suspendable ones get their body from the step emitter.

import {
  bare,
  boundIdentifiers,
  containsFunction,
  isAnonymousFunction,
  isFunction,
  memberName,
  type Node,
  statements,
} from './ast.ts';
import { captureCode } from './class-emitter.ts';
import { type Code, isEmpty, join, OWN_CODE, Span } from './code.ts';
import { declarePattern, emitHoists } from './declaration-emitter.ts';
import type { Emitter } from './emitter.ts';
import type { FunctionInfo, Variable } from './scope.ts';
import { emitWrapper } from './wrapper-emitter.ts';
import { patternSource } from './target-emitter.ts';

export interface FunctionForm {
  /** The class member or object property that is the function. */
  member?: Node;
  /** A temporary that is to hold the member's computed key. */
  key?: string;
  /** The name a hoisted declaration must have. */
  name?: string;
}

export function emitFunction(e: Emitter, node: Node): Code {
  const info = node.fn as FunctionInfo;
  return info.wrapped ? functionExpression(e, node, {}) : functionText(e, node, info);
}

/** A function in the form its place needs. */
export function functionExpression(e: Emitter, node: Node, form: FunctionForm): Code {
  const info = node.fn as FunctionInfo;
  const { member } = form;
  if (member !== undefined) return memberText(e, node, info, member, form.key ?? null);
  if (!info.wrapped) {
    const name = JSON.stringify(form.name);
    return [`({ [${name}]: `, anonymousText(e, node, info), ` })[${name}]`];
  }
  return wrapperExpression(e, node, info, form.name);
}

function wrapperExpression(e: Emitter, node: Node, info: FunctionInfo, hoistedName: string | undefined): Code {
  const { params, body } = emitWrapper(e, info);
  const helper = prototypeHelper(e, info);
  const ownName = node.id?.name ?? hoistedName;
  const name = ownName ?? contextName(node);
  const dynamic = ownName === undefined && name === null ? dynamicNames.get(node) : undefined;
  const key = dynamic ?? JSON.stringify(name ?? '');
  let value: Code;
  if (info.isArrow) {
    value = ['(', params, ') => ', body];
    if (name !== null || dynamic !== undefined) value = [`({ [${key}]: `, value, ` })[${key}]`];
  } else value = [`({ [${key}](`, params, ') ', body, ` })[${key}]`];
  value = [`${helper.name}(`, value, helper.rest, ')'];
  const hasName = node.type === 'FunctionExpression' && node.id !== null && usesOwnName(node);
  return knowingItself(e, info, value, hasName ? [(node.id as Node).name] : []);
}

/** A function with variables around it that lead to it: for its `prototype`, and for a name of its own. */
function knowingItself(e: Emitter, info: FunctionInfo, value: Code, names: readonly string[] = []): Code {
  const selves = info.generator ? [selfName(e, info), ...names] : names;
  if (selves.length === 0) return value;
  return [`((${selves.join(', ')}) => `, selves.map((self) => `${self} = `), value, ')()'];
}

function usesOwnName(node: Node): boolean {
  const variable = node.fn?.scope.parent?.variables.get((node.id as Node).name);
  return variable !== undefined && variable.kind === 'name' && variable.references.length > 0;
}

/** The variable that leads the wrapper of a generator function to itself, for the sake of its `prototype`. */
function selfName(e: Emitter, info: FunctionInfo): string {
  return `${e.prefix}g${info.ordinal}`;
}

/** Where a generator method of a class is kept for its own wrapper: beside each evaluation of the class. */
export function methodCode(e: Emitter, info: FunctionInfo): string {
  const handle = info.classInfo?.handle ?? null;
  if (handle !== null && !handle.isRoot) return `${e.handleCode(handle)}.${selfName(e, info)}`;
  const name = selfName(e, info);
  if (!e.rootVariables.includes(name)) e.rootVariables.push(name);
  return name;
}

export function prototypeCode(e: Emitter, info: FunctionInfo): string {
  const member = info.node.parent;
  if (info.kind !== 'method' || member?.type === 'Property') return `${selfName(e, info)}.prototype`;
  // Nothing but an instance leads to a private method.
  return member?.key.type === 'PrivateIdentifier' ? 'void 0' : `${methodCode(e, info)}.prototype`;
}

/** The realm function that gives a wrapper its prototype, and its further arguments. */
export function prototypeHelper(e: Emitter, info: FunctionInfo): { name: string; rest: Code } {
  if (!info.generator) return { name: e.use('asyncFunction'), rest: '' };
  const name = e.use(info.async ? 'asyncGeneratorFunction' : 'generatorFunction');
  return { name, rest: `, ${e.use(info.async ? 'asyncGeneratorPrototype' : 'generatorPrototype')}()` };
}

/** Names given by computed keys: the temporary that holds the key. */
export const dynamicNames = new WeakMap<Node, string>();

/** The name an anonymous function or class gets from where it stands. */
export function contextName(node: Node): string | null {
  let child = node;
  let parent = node.parent;
  while (parent !== null && parent.type === 'ParenthesizedExpression') {
    child = parent;
    parent = parent.parent;
  }
  if (parent === null) return null;
  switch (parent.type) {
    case 'VariableDeclarator':
      return (parent.id as Node).type === 'Identifier' ? (parent.id as Node).name : null;
    case 'AssignmentExpression':
      if (parent.right !== child || !/^(=|\|\|=|&&=|\?\?=)$/.test(parent.operator)) return null;
      return parent.left.type === 'Identifier' ? parent.left.name : null;
    case 'AssignmentPattern':
      return parent.right === child && parent.left.type === 'Identifier' ? parent.left.name : null;
    case 'Property':
      return parent.value === child && parent.parent?.type === 'ObjectExpression' ? memberName(parent) : null;
    case 'PropertyDefinition':
      return parent.value === child ? memberName(parent) : null;
    case 'ExportDefaultDeclaration':
      return 'default';
    default:
      return null;
  }
}

function memberText(e: Emitter, node: Node, info: FunctionInfo, member: Node, key: string | null): Code {
  const { key: keyNode } = member;
  const emittedKey = e.emit(keyNode);
  // The first marker in the text of a method is to be its own.
  let keyCode: Code = containsFunction(keyNode) ? [markerCode(e, info), emittedKey] : emittedKey;
  if (member.computed) keyCode = key === null ? ['[', keyCode, ']'] : [`[${key} = ${e.use('key')}(`, keyCode, ')]'];
  if (info.wrapped) {
    const { params, body } = emitWrapper(e, info);
    if (member.type === 'Property') {
      // As a value, so that it gets its prototype at once.
      const helper = prototypeHelper(e, info);
      const name = memberName(member);
      const key = name === null ? e.temporary() : JSON.stringify(name);
      const value: Code = [`${helper.name}(({ [${key}](`, params, ') ', body, ` })[${key}]`, helper.rest, ')'];
      const head: Code = name === null ? [`[${key} = ${e.use('key')}(`, emittedKey, ')]: '] : `[${key}]: `;
      return [head, knowingItself(e, info, value)];
    }
    return [member.static ? 'static ' : '', keyCode, '(', params, ') ', body];
  }
  const head = member.computed ? e.source.indexOf('[', member.start) : keyNode.start;
  const keyEnd = member.computed ? e.source.indexOf(']', keyNode.end) + 1 : keyNode.end;
  if (info.kind === 'constructor') return [new Span(member.start, keyEnd), functionText(e, node, info)];
  return [new Span(member.start, head), keyCode, new Span(keyEnd, node.start), functionText(e, node, info)];
}

/** The function's own text with probe and boxes. */
export function functionText(e: Emitter, node: Node, info: FunctionInfo): Code {
  return emitInside(e, info, () => {
    const plan = planParameters(e, info);
    const body = plainBody(e, node, info, plan);
    const parts: Code[] = [];
    let at = node.start;
    for (const param of node.params) {
      parts.push(new Span(at, param.start), markerBefore(e, info, param), plan.codes.get(param) ?? e.emit(param));
      at = param.end;
    }
    parts.push(new Span(at, node.body.start), body);
    return parts;
  });
}

function anonymousText(e: Emitter, node: Node, info: FunctionInfo): Code {
  return emitInside(e, info, () => {
    const plan = planParameters(e, info);
    const body = plainBody(e, node, info, plan);
    return ['function (', parameterList(e, info, plan), ') ', body];
  });
}

/** All parameters, with the function's marker if the body is not to carry it. */
export function parameterList(e: Emitter, info: FunctionInfo, plan: ParameterPlan): Code {
  const { params } = info.node;
  return join(
    params.map((param): Code => [markerBefore(e, info, param), plan.codes.get(param) ?? e.emit(param)]),
    ', ',
  );
}

export function emitInside<T>(e: Emitter, info: FunctionInfo, run: () => T): T {
  return e.within({ fn: info, step: null, settles: false, ...(info.isArrow ? {} : OWN_CODE) }, run);
}

function plainBody(e: Emitter, node: Node, info: FunctionInfo, plan: ParameterPlan): Code {
  const { body } = node;
  const probe = info.kind === 'constructor' || plan.probed ? null : probeHit(e, info);
  const marker = info.kind === 'constructor' ? '' : bodyMarker(e, info);
  if (body.type !== 'BlockStatement') {
    const value = e.emit(body);
    if (isEmpty(plan.prologue) && info.temporaries.length === 0) {
      return [marker, probe === null ? value : [`${e.use('P')}.on ? `, probe, ' : ', value]];
    }
    return [`{ ${marker}`, probeStatement(e, probe), plan.prologue, temporariesOf(info), 'return ', value, '; }'];
  }
  const list = statements(body);
  const directives = list.filter((each) => typeof each.directive === 'string');
  const start = directives.at(-1)?.end ?? body.start + 1;
  const rest = list.slice(directives.length);
  const inner = bodyCode(e, info, plan, () => e.emitStatements(rest, start, body.end), rest);
  const head: Code = start === body.start + 1 ? '{' : [new Span(body.start, start), '; '];
  return [head, marker, probeStatement(e, probe), e.guards.get(info) ?? '', plan.prologue, temporariesOf(info), inner];
}

/** Statements with what they need ahead of them. In a body with a scope of its own, names may hide those of parameters. */
function bodyCode(e: Emitter, info: FunctionInfo, plan: ParameterPlan, emit: () => Code, list: readonly Node[]): Code {
  const scope = info.bodyScope;
  if (scope === null) return [emitHoists(e, info.scope, list, 'var'), emit()];
  if (isEmpty(plan.prologue)) {
    // Parameters stand where they stood, so that V8 tells the scopes apart.
    for (const [variable, parameter] of namesakes(info)) variable.initial = parameter ?? e.around.argumentsCode;
    return [emitHoists(e, scope, list, 'var'), emit()];
  }
  const copies: Code[] = [];
  for (const variable of scope.variables.values()) variable.declaredAhead = /^(var|function)$/.test(variable.kind);
  for (const [variable, parameter] of namesakes(info)) {
    variable.initial = e.fresh('b');
    copies.push(`const ${variable.initial} = ${parameter ?? e.around.argumentsCode}; `);
  }
  return [copies, '{ ', emitHoists(e, scope, list, 'let'), emit(), '}'];
}

/** Variables of a body's own scope that begin with the value of a parameter, and that one's code; null for `arguments`. */
export function namesakes(info: FunctionInfo): [Variable, string | null][] {
  const found: [Variable, string | null][] = [];
  for (const variable of info.bodyScope?.variables.values() ?? []) {
    if (variable.kind !== 'var') continue;
    const parameter = info.scope.variables.get(variable.name);
    if (parameter !== undefined)
      found.push([variable, parameter.storage === 'local' ? parameter.name : `${parameter.name}.v`]);
    else if (variable.name === 'arguments' && !info.isArrow) found.push([variable, null]);
  }
  return found;
}

export function temporariesOf(info: FunctionInfo): string {
  return info.temporaries.length === 0 ? '' : `var ${info.temporaries.join(', ')}; `;
}

/**
 * An async function that never suspends: no frame, and its eventual is settled where the function returns or throws. What
 * parameters throw rejects as well, so patterns and defaults are evaluated inside.
 */
export function emitSettling(e: Emitter, info: FunctionInfo): { params: Code; body: Code } {
  const { node } = info;
  return emitInside(e, info, () => {
    const firstComplex = node.params.findIndex((param) => !isSimple(param));
    const plan = firstComplex === -1 ? planParameters(e, info) : moveParameters(e, info, firstComplex);
    const params = parameterList(e, info, plan);
    const head = [bodyMarker(e, info), probeStatement(e, probeHit(e, info))];
    const isBlock = node.body.type === 'BlockStatement';
    const list = isBlock ? statements(node.body) : [];
    const directives = list.filter((each) => typeof each.directive === 'string');
    const start = directives.at(-1)?.end ?? node.body.start + 1;
    const rest = list.slice(directives.length);
    const strict = directives.length === 0 ? '' : [new Span(node.body.start + 1, start), '; '];
    const run = e.within({ settles: true }, (): Code =>
      isBlock
        ? bodyCode(
            e,
            info,
            plan,
            () => [e.emitStatements(rest, start, node.body.end - 1), ` return ${e.use('fulfilled')}(void 0); `],
            rest,
          )
        : [`return ${e.use('fulfilled')}((`, e.emit(node.body), ')); '],
    );
    const failed = e.fresh('e');
    const body: Code = [
      '{ ',
      strict,
      head,
      'try { ',
      plan.prologue,
      temporariesOf(info),
      run,
      `} catch (${failed}) { return ${e.use('rejected')}(${failed}); } }`,
    ];
    return { params, body };
  });
}

export function probeStatement(e: Emitter, probe: Code | null): Code {
  return probe === null ? '' : [`if (${e.use('P')}.on) return `, probe, '; '];
}

/** What a function answers when it is asked for its captures; null if it captures nothing and need not be asked. */
export function probeHit(e: Emitter, info: FunctionInfo, how: 'take' | 'stop' = 'take'): Code | null {
  const captured = captureNames(e, info);
  if (captured.length === 0) return null;
  return `${e.use('P')}.${how}([${captured.map((each) => readingCode(e, each)).join(', ')}])`;
}

/**
 * A function's identity is a comment in its own text: it costs no bytecode, so that small functions stay small enough for
 * V8 to inline at once. It must be the first marker in the text, and parameters may hold functions. A `+` says that the
 * function has a probe and may be called for its captures.
 */
function markerCode(e: Emitter, info: FunctionInfo): string {
  const asks = captureNames(e, info).length > 0 ? '+' : '';
  return `/*@${e.id}:${info.ordinal}${asks}*/`;
}

export function markerBefore(e: Emitter, info: FunctionInfo, param: Node): string {
  return param === info.node.params[0] && !info.node.params.every(isSimple) ? markerCode(e, info) : '';
}

export function bodyMarker(e: Emitter, info: FunctionInfo): string {
  return info.node.params.every(isSimple) ? markerCode(e, info) : '';
}

/** What capture reads: a variable that is dead for ever must not keep it from the others. */
export function readingCode(e: Emitter, { code, mayStayDead }: { code: string; mayStayDead: boolean }): string {
  return mayStayDead ? `${e.use('P')}.read(() => ${code})` : code;
}

export interface CaptureName {
  readonly code: string;
  readonly name: string;
  readonly boxed: boolean;
  readonly mayStayDead: boolean;
}

/** What a function captures: emitted code and the name in the table. */
export function captureNames(e: Emitter, info: FunctionInfo): CaptureName[] {
  const found = [...info.captures].map((variable) => ({
    code: captureCode(e, variable),
    name: variable.name,
    boxed: variable.storage === 'box' || variable.storage === 'cell',
    mayStayDead: variable.mayStayDead,
  }));
  if (info.isArrow) {
    const { around } = e;
    const plain = { boxed: false, mayStayDead: false };
    if (info.usesThis) found.push({ code: around.thisCode, name: 'this', ...plain });
    if (info.usesArguments) found.push({ code: around.argumentsCode, name: 'arguments', ...plain });
    if (info.usesNewTarget) found.push({ code: around.newTargetCode, name: 'new.target', ...plain });
  }
  return found;
}

export interface ParameterPlan {
  /** Parameters that are written differently. */
  readonly codes: ReadonlyMap<Node, Code>;
  /** What the body does first. */
  readonly prologue: Code;
  /** The probe stands in a parameter's initialiser. */
  readonly probed: boolean;
}

export function planParameters(e: Emitter, info: FunctionInfo): ParameterPlan {
  const { params } = info.node;
  const codes = new Map<Node, Code>();
  const bound = params.flatMap((param) => boundIdentifiers(param));
  const boxed = bound.filter((id) => !e.isPlain(id));
  const firstComplex = params.findIndex((param) => !isSimple(param));
  if (firstComplex === -1) {
    const mapped = boxed.length > 0 && info.mapsArguments;
    const prologue = boxed.map((id): Code => {
      // Assigning the parameter would show in a mapped `arguments`.
      const raw = mapped ? e.fresh('a') : id.name;
      const rest = id.parent?.type === 'RestElement';
      codes.set(rest ? (id.parent as Node) : id, rest ? `...${raw}` : raw);
      if (!mapped) return `${id.name} = { v: ${raw} }; `;
      return `var ${id.name} = ${e.use('parameter')}(arguments, ${bound.indexOf(id)}, ${raw}); `;
    });
    return { codes, prologue, probed: false };
  }
  if (e.guards.has(info)) return moveParameters(e, info, firstComplex);
  const first = params[firstComplex] as Node;
  const probe = probeHit(e, info, 'stop');
  if (boxed.length === 0 && probe === null) return { codes, prologue: '', probed: true };
  if (boxed.length === 0 && first.type === 'AssignmentPattern') {
    const code: Code = [e.emit(first.left), ` = ${e.use('P')}.on ? `, probe as Code, ' : ', probedDefault(e, first)];
    codes.set(first, code);
    return { codes, prologue: '', probed: true };
  }
  return moveParameters(e, info, firstComplex);
}

/** A default keeps the name it would give to an anonymous function although a conditional stands around it. */
function probedDefault(e: Emitter, pattern: Node): Code {
  const { left, right } = pattern;
  if (left.type === 'Identifier' && isAnonymousFunction(right)) return e.named(left.name, right);
  return ['(', e.emit(right), ')'];
}

export function isSimple(param: Node): boolean {
  if (param.type === 'RestElement') return (param.argument as Node).type === 'Identifier';
  return param.type === 'Identifier';
}

/** Plain parameters in the list, patterns and defaults in the body. The first default stays for the sake of `length`. */
function moveParameters(e: Emitter, info: FunctionInfo, from: number): ParameterPlan {
  const { params } = info.node;
  const codes = new Map<Node, Code>();
  const prologue: Code[] = [];
  let counted = true;
  for (const param of params.slice(0, from)) {
    for (const id of boundIdentifiers(param)) {
      if (e.isPlain(id)) continue;
      codes.set(param, id.name);
      prologue.push(`${id.name} = { v: ${id.name} }; `);
    }
  }
  for (const param of params.slice(from)) {
    const raw = e.fresh('a');
    if (param.type === 'RestElement') {
      codes.set(param, `...${raw}`);
      prologue.push(declareParameter(e, param.argument as Node, raw));
    } else if (param.type === 'AssignmentPattern') {
      codes.set(param, counted ? `${raw} = void 0` : raw);
      counted = false;
      prologue.push(declareParameter(e, param.left, defaulted(e, param, raw)));
    } else {
      codes.set(param, raw);
      prologue.push(declareParameter(e, param, patternSource(e, param, raw, null)));
    }
  }
  return { codes, prologue, probed: false };
}

/** `raw === void 0 ? default : raw` */
export function defaulted(e: Emitter, param: Node, raw: Code): Code {
  const target = bare(param.left);
  const value = target.type === 'Identifier' ? e.named(target.name, param.right) : e.emit(param.right);
  return [raw, ' === void 0 ? ', isFunction(bare(param.right)) ? ['(', value, ')'] : value, ' : ', raw];
}

function declareParameter(e: Emitter, pattern: Node, value: Code): Code {
  const ids = boundIdentifiers(pattern);
  const redeclared = ids.some((id) => (id.ref?.variable?.declarations ?? 1) > 1);
  if (ids.every((id) => e.isPlain(id))) {
    return [redeclared ? 'var ' : 'let ', e.emit(pattern), ' = ', value, '; '];
  }
  if (pattern.type === 'Identifier') return [redeclared ? 'var ' : 'let ', `${pattern.name} = { v: `, value, ' }; '];
  return declarePattern(e, pattern, value, redeclared ? 'var' : 'let');
}

export function isConstLike(variable: Variable): boolean {
  return variable.writes === 0 && variable.kind !== 'var' && variable.storage === 'local';
}
