// Functions: the probe, parameters that move into the body, and the forms of a function in an expression, a member or a
// hoisted declaration. The step emitter makes the bodies of suspendable functions.

import {
  skipParens,
  boundIdentifiers,
  containsFunction,
  isAnonymousFunction,
  isFunction,
  memberName,
  type Node,
  statements,
} from './ast.ts';
import { captureCode } from './class-emitter.ts';
import { type Code, isEmptyCode, join, NATIVE_CODE, Span } from './code.ts';
import { emitPatternDeclaration, emitHoists } from './declaration-emitter.ts';
import type { CodeEmitter } from './code-emitter.ts';
import type { FunctionInfo, Variable } from './scope.ts';
import { emitWrapper } from './wrapper-emitter.ts';
import { emitPatternSource } from './target-emitter.ts';

export interface FunctionForm {
  /** Class member or object property whose value is the function. */
  member?: Node;
  /** Temporary in which the member's computed key is stored. */
  key?: string;
  /** Name that a hoisted declaration must have. */
  name?: string;
}

export function emitFunction(e: CodeEmitter, node: Node): Code {
  const info = node.fn as FunctionInfo;
  return info.isWrapped ? emitFunctionExpression(e, node, {}) : emitFunctionText(e, node, info);
}

/** Function as an expression, in the form that its original position requires. */
export function emitFunctionExpression(e: CodeEmitter, node: Node, form: FunctionForm): Code {
  const info = node.fn as FunctionInfo;
  const { member } = form;
  if (member !== undefined) return emitMemberFunction(e, node, info, member, form.key ?? null);
  if (!info.isWrapped) {
    const name = JSON.stringify(form.name);
    return [`({ [${name}]: `, emitAnonymousFunction(e, node, info), ` })[${name}]`];
  }
  return emitWrapperExpression(e, node, info, form.name);
}

function emitWrapperExpression(e: CodeEmitter, node: Node, info: FunctionInfo, hoistedName: string | undefined): Code {
  const { params, body } = emitWrapper(e, info);
  const helper = prototypeHelper(e, info);
  const ownName = node.id?.name ?? hoistedName;
  const name = ownName ?? contextName(node);
  const computedName = ownName === undefined && name === null ? computedNames.get(node) : undefined;
  const key = computedName ?? JSON.stringify(name ?? '');
  let value: Code;
  if (info.isArrow) {
    value = ['(', params, ') => ', body];
    if (name !== null || computedName !== undefined) value = [`({ [${key}]: `, value, ` })[${key}]`];
  } else value = [`({ [${key}](`, params, ') ', body, ` })[${key}]`];
  value = [`${helper.name}(`, value, helper.rest, ')'];
  const hasName = node.type === 'FunctionExpression' && node.id !== null && usesOwnName(node);
  return withSelfVariables(e, info, value, hasName ? [(node.id as Node).name] : []);
}

/** Wraps a function in variables that refer to it, for access to its `prototype` and for its own name. */
function withSelfVariables(e: CodeEmitter, info: FunctionInfo, value: Code, names: readonly string[] = []): Code {
  const selfNames = info.generator ? [selfName(e, info), ...names] : names;
  if (selfNames.length === 0) return value;
  return [`((${selfNames.join(', ')}) => `, selfNames.map((self) => `${self} = `), value, ')()'];
}

function usesOwnName(node: Node): boolean {
  const variable = node.fn?.scope.parent?.variables.get((node.id as Node).name);
  return variable !== undefined && variable.kind === 'name' && variable.references.length > 0;
}

/** Name of the variable through which the wrapper of a generator function reaches its own `prototype`. */
function selfName(e: CodeEmitter, info: FunctionInfo): string {
  return `${e.prefix}g${info.ordinal}`;
}

/** Code through which the wrapper of a class's generator method reaches itself, for each evaluation of the class. */
export function methodCode(e: CodeEmitter, info: FunctionInfo): string {
  const handle = info.classInfo?.handle ?? null;
  if (handle !== null && !handle.isRoot) return `${e.handleCode(handle)}.${selfName(e, info)}`;
  const name = selfName(e, info);
  if (!e.rootVariables.includes(name)) e.rootVariables.push(name);
  return name;
}

export function prototypeCode(e: CodeEmitter, info: FunctionInfo): string {
  const member = info.node.parent;
  if (info.kind !== 'method' || member?.type === 'Property') return `${selfName(e, info)}.prototype`;
  // A private method can be reached only from instances, so its `prototype` is not available.
  return member?.key.type === 'PrivateIdentifier' ? 'void 0' : `${methodCode(e, info)}.prototype`;
}

/** Realm function that gives a wrapper its prototype, with the code of its further arguments. */
export function prototypeHelper(e: CodeEmitter, info: FunctionInfo): { name: string; rest: Code } {
  if (!info.generator) return { name: e.helper('asyncFunction'), rest: '' };
  const name = e.helper(info.async ? 'asyncGeneratorFunction' : 'generatorFunction');
  return { name, rest: `, ${e.helper(info.async ? 'asyncGeneratorPrototype' : 'generatorPrototype')}()` };
}

/** Temporaries with the values of computed keys, by the function that gets its name from the key. */
export const computedNames = new WeakMap<Node, string>();

/** Name that an anonymous function or class gets from its context; null if it gets none. */
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

function emitMemberFunction(e: CodeEmitter, node: Node, info: FunctionInfo, member: Node, key: string | null): Code {
  const { key: keyNode } = member;
  const emittedKey = e.emit(keyNode);
  // The method's own marker must be the first in its text, before markers of functions in the key.
  let keyCode: Code = containsFunction(keyNode) ? [markerCode(e, info), emittedKey] : emittedKey;
  if (member.computed) keyCode = key === null ? ['[', keyCode, ']'] : [`[${key} = ${e.helper('key')}(`, keyCode, ')]'];
  if (info.isWrapped) {
    const { params, body } = emitWrapper(e, info);
    if (member.type === 'Property') {
      // The method becomes a value, so that it gets its prototype when it is made.
      const helper = prototypeHelper(e, info);
      const name = memberName(member);
      const key = name === null ? e.addTemporary() : JSON.stringify(name);
      const value: Code = [`${helper.name}(({ [${key}](`, params, ') ', body, ` })[${key}]`, helper.rest, ')'];
      const head: Code = name === null ? [`[${key} = ${e.helper('key')}(`, emittedKey, ')]: '] : `[${key}]: `;
      return [head, withSelfVariables(e, info, value)];
    }
    return [member.static ? 'static ' : '', keyCode, '(', params, ') ', body];
  }
  const head = member.computed ? e.source.indexOf('[', member.start) : keyNode.start;
  const keyEnd = member.computed ? e.source.indexOf(']', keyNode.end) + 1 : keyNode.end;
  if (info.kind === 'constructor') return [new Span(member.start, keyEnd), emitFunctionText(e, node, info)];
  return [new Span(member.start, head), keyCode, new Span(keyEnd, node.start), emitFunctionText(e, node, info)];
}

/** Source text of a function, with its probe and boxes. */
export function emitFunctionText(e: CodeEmitter, node: Node, info: FunctionInfo): Code {
  return inFunctionContext(e, info, () => {
    const plan = planParameters(e, info);
    const body = emitPlainBody(e, node, info, plan);
    const parts: Code[] = [];
    let offset = node.start;
    for (const param of node.params) {
      parts.push(new Span(offset, param.start), markerBefore(e, info, param), plan.codes.get(param) ?? e.emit(param));
      offset = param.end;
    }
    parts.push(new Span(offset, node.body.start), body);
    return parts;
  });
}

function emitAnonymousFunction(e: CodeEmitter, node: Node, info: FunctionInfo): Code {
  return inFunctionContext(e, info, () => {
    const plan = planParameters(e, info);
    const body = emitPlainBody(e, node, info, plan);
    return ['function (', parameterList(e, info, plan), ') ', body];
  });
}

/** All parameters, with the function's marker unless it is in the body. */
export function parameterList(e: CodeEmitter, info: FunctionInfo, plan: ParameterPlan): Code {
  const { params } = info.node;
  return join(
    params.map((param): Code => [markerBefore(e, info, param), plan.codes.get(param) ?? e.emit(param)]),
    ', ',
  );
}

export function inFunctionContext<T>(e: CodeEmitter, info: FunctionInfo, run: () => T): T {
  return e.inContext({ fn: info, step: null, hasEventual: false, ...(info.isArrow ? {} : NATIVE_CODE) }, run);
}

function emitPlainBody(e: CodeEmitter, node: Node, info: FunctionInfo, plan: ParameterPlan): Code {
  const { body } = node;
  const probe = info.kind === 'constructor' || plan.hasProbe ? null : captureProbe(e, info);
  const marker = info.kind === 'constructor' ? '' : bodyMarker(e, info);
  if (body.type !== 'BlockStatement') {
    const value = e.emit(body);
    const result: Code = ['return ', value, '; }'];
    const inner = e.probes?.withReports(info, result) ?? result;
    if (isEmptyCode(plan.prologue) && info.temporaries.length === 0 && inner === result) {
      return [marker, probe === null ? value : [`${e.helper('P')}.on ? `, probe, ' : ', value]];
    }
    const statement = captureProbeStatement(e, probe);
    return [`{ ${marker}`, statement, plan.prologue, declareTemporaries(info), inner];
  }
  const list = statements(body);
  const directives = list.filter((each) => typeof each.directive === 'string');
  const start = directives.at(-1)?.end ?? body.start + 1;
  const bodyStatements = list.slice(directives.length);
  const inner = emitBody(e, info, plan, () => e.emitStatements(bodyStatements, start, body.end), bodyStatements);
  const head: Code = start === body.start + 1 ? '{' : [new Span(body.start, start), '; '];
  return [
    head,
    marker,
    captureProbeStatement(e, probe),
    e.constructorGuards.get(info) ?? '',
    plan.prologue,
    declareTemporaries(info),
    e.probes?.withReports(info, inner) ?? inner,
  ];
}

/** Statements of a body, after their declarations. If the body has its own scope, its names may hide parameters. */
function emitBody(
  e: CodeEmitter,
  info: FunctionInfo,
  plan: ParameterPlan,
  emit: () => Code,
  list: readonly Node[],
): Code {
  const scope = info.bodyScope;
  if (scope === null) return [emitHoists(e, info.scope, list, 'var'), emit()];
  if (isEmptyCode(plan.prologue)) {
    // The parameters stay where they are, so that V8 itself separates the two scopes.
    for (const [variable, parameter] of variablesNamedLikeParameters(info))
      variable.initialCode = parameter ?? e.context.argumentsCode;
    return [emitHoists(e, scope, list, 'var'), emit()];
  }
  const copies: Code[] = [];
  for (const variable of scope.variables.values()) variable.isDeclaredAtHead = /^(var|function)$/.test(variable.kind);
  for (const [variable, parameter] of variablesNamedLikeParameters(info)) {
    variable.initialCode = e.freshName('b');
    copies.push(`const ${variable.initialCode} = ${parameter ?? e.context.argumentsCode}; `);
  }
  return [copies, '{ ', emitHoists(e, scope, list, 'let'), emit(), '}'];
}

/** Variables of the body's scope that start with a parameter's value, with its code; null for `arguments`. */
export function variablesNamedLikeParameters(info: FunctionInfo): [Variable, string | null][] {
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

export function declareTemporaries(info: FunctionInfo): string {
  return info.temporaries.length === 0 ? '' : `var ${info.temporaries.join(', ')}; `;
}

/**
 * Code of an async function that never suspends. It has no frame, and settles its eventual when it returns or throws.
 * An error of its parameters must reject the eventual, so patterns and defaults are evaluated in the body.
 */
export function emitFramelessAsync(e: CodeEmitter, info: FunctionInfo): { params: Code; body: Code } {
  const { node } = info;
  return inFunctionContext(e, info, () => {
    const firstComplex = node.params.findIndex((param) => !isSimpleParameter(param));
    const plan = firstComplex === -1 ? planParameters(e, info) : moveParameters(e, info, firstComplex);
    const params = parameterList(e, info, plan);
    const head = [bodyMarker(e, info), captureProbeStatement(e, captureProbe(e, info))];
    const isBlock = node.body.type === 'BlockStatement';
    const list = isBlock ? statements(node.body) : [];
    const directives = list.filter((each) => typeof each.directive === 'string');
    const start = directives.at(-1)?.end ?? node.body.start + 1;
    const bodyStatements = list.slice(directives.length);
    const directivesCode = directives.length === 0 ? '' : [new Span(node.body.start + 1, start), '; '];
    const run = e.inContext({ hasEventual: true }, (): Code =>
      isBlock
        ? emitBody(
            e,
            info,
            plan,
            () => [
              e.emitStatements(bodyStatements, start, node.body.end - 1),
              ` return ${e.helper('fulfilled')}(void 0); `,
            ],
            bodyStatements,
          )
        : [`return ${e.helper('fulfilled')}((`, e.emit(node.body), ')); '],
    );
    const errorName = e.freshName('e');
    const reports = e.probes?.callReports(info);
    const body: Code = [
      '{ ',
      directivesCode,
      head,
      reports?.start ?? '',
      'try { ',
      plan.prologue,
      declareTemporaries(info),
      run,
      `} catch (${errorName}) { return ${e.helper('rejected')}(${errorName}); }${reports?.end ?? ''} }`,
    ];
    return { params, body };
  });
}

export function captureProbeStatement(e: CodeEmitter, probe: Code | null): Code {
  return probe === null ? '' : [`if (${e.helper('P')}.on) return `, probe, '; '];
}

/** Code that passes the function's captures to a probe; null if it captures nothing. */
export function captureProbe(e: CodeEmitter, info: FunctionInfo, probeMethod: 'take' | 'stop' = 'take'): Code | null {
  const captured = capturesOf(e, info);
  if (captured.length === 0) return null;
  return `${e.helper('P')}.${probeMethod}([${captured.map((each) => captureReadCode(e, each)).join(', ')}])`;
}

/**
 * Marker of a function: a comment in its own text, which needs no bytecode, so that V8 can still inline small
 * functions. It must be the first marker in the text, because parameters may contain functions. A `+` means that the
 * function has a probe, so a capture may call it.
 */
function markerCode(e: CodeEmitter, info: FunctionInfo): string {
  const captureFlag = capturesOf(e, info).length > 0 ? '+' : '';
  return `/*@${e.id}:${info.ordinal}${captureFlag}*/`;
}

export function markerBefore(e: CodeEmitter, info: FunctionInfo, param: Node): string {
  return param === info.node.params[0] && !info.node.params.every(isSimpleParameter) ? markerCode(e, info) : '';
}

export function bodyMarker(e: CodeEmitter, info: FunctionInfo): string {
  return info.node.params.every(isSimpleParameter) ? markerCode(e, info) : '';
}

/** Code that reads a captured variable. A variable in its dead zone must not prevent reading the others. */
export function captureReadCode(e: CodeEmitter, { code, mayStayDead }: { code: string; mayStayDead: boolean }): string {
  return mayStayDead ? `${e.helper('P')}.read(() => ${code})` : code;
}

export interface CaptureEntry {
  readonly code: string;
  readonly name: string;
  readonly boxed: boolean;
  readonly mayStayDead: boolean;
}

/** Captures of a function: their code, and their names in the table. */
export function capturesOf(e: CodeEmitter, info: FunctionInfo): CaptureEntry[] {
  const found = [...info.captures].map((variable) => ({
    code: captureCode(e, variable),
    name: variable.name,
    boxed: variable.storage === 'box' || variable.storage === 'cell',
    mayStayDead: variable.mayStayDead,
  }));
  if (info.isArrow) {
    const { context: around } = e;
    const plain = { boxed: false, mayStayDead: false };
    if (info.usesThis) found.push({ code: around.thisCode, name: 'this', ...plain });
    if (info.usesArguments) found.push({ code: around.argumentsCode, name: 'arguments', ...plain });
    if (info.usesNewTarget) found.push({ code: around.newTargetCode, name: 'new.target', ...plain });
  }
  return found;
}

export interface ParameterPlan {
  /** Code of the parameters that change. */
  readonly codes: ReadonlyMap<Node, Code>;
  /** Code at the start of the body. */
  readonly prologue: Code;
  /** Whether the probe is in the default of a parameter. */
  readonly hasProbe: boolean;
}

export function planParameters(e: CodeEmitter, info: FunctionInfo): ParameterPlan {
  const { params } = info.node;
  const codes = new Map<Node, Code>();
  const boundNames = params.flatMap((param) => boundIdentifiers(param));
  const boxed = boundNames.filter((id) => !e.isPlain(id));
  const firstComplex = params.findIndex((param) => !isSimpleParameter(param));
  if (firstComplex === -1) {
    const isMapped = boxed.length > 0 && info.hasMappedArguments;
    const prologue = boxed.map((id): Code => {
      // Reassigning the parameter would be visible in a mapped `arguments`, so the value has another name.
      const parameterName = isMapped ? e.freshName('a') : id.name;
      const isRest = id.parent?.type === 'RestElement';
      codes.set(isRest ? (id.parent as Node) : id, isRest ? `...${parameterName}` : parameterName);
      if (!isMapped) return `${id.name} = { v: ${parameterName} }; `;
      return `var ${id.name} = ${e.helper('parameter')}(arguments, ${boundNames.indexOf(id)}, ${parameterName}); `;
    });
    return { codes, prologue, hasProbe: false };
  }
  if (e.constructorGuards.has(info)) return moveParameters(e, info, firstComplex);
  const first = params[firstComplex] as Node;
  const probe = captureProbe(e, info, 'stop');
  if (boxed.length === 0 && probe === null) return { codes, prologue: '', hasProbe: true };
  if (boxed.length === 0 && first.type === 'AssignmentPattern') {
    const target = e.emit(first.left);
    const test = ` = ${e.helper('P')}.on ? `;
    const code: Code = [target, test, probe as Code, ' : ', emitDefaultAfterProbe(e, first)];
    codes.set(first, code);
    return { codes, prologue: '', hasProbe: true };
  }
  return moveParameters(e, info, firstComplex);
}

/** Default for use in a conditional, where it still names an anonymous function. */
function emitDefaultAfterProbe(e: CodeEmitter, pattern: Node): Code {
  const { left, right } = pattern;
  if (left.type === 'Identifier' && isAnonymousFunction(right)) return e.emitNamed(left.name, right);
  return ['(', e.emit(right), ')'];
}

export function isSimpleParameter(param: Node): boolean {
  if (param.type === 'RestElement') return (param.argument as Node).type === 'Identifier';
  return param.type === 'Identifier';
}

/** Moves patterns and defaults into the body. Plain parameters stay, as does the first default, for `length`. */
function moveParameters(e: CodeEmitter, info: FunctionInfo, from: number): ParameterPlan {
  const { params } = info.node;
  const codes = new Map<Node, Code>();
  const prologue: Code[] = [];
  let isFirstDefault = true;
  for (const param of params.slice(0, from)) {
    for (const id of boundIdentifiers(param)) {
      if (e.isPlain(id)) continue;
      codes.set(param, id.name);
      prologue.push(`${id.name} = { v: ${id.name} }; `);
    }
  }
  for (const param of params.slice(from)) {
    const parameterName = e.freshName('a');
    if (param.type === 'RestElement') {
      codes.set(param, `...${parameterName}`);
      prologue.push(declareParameter(e, param.argument as Node, parameterName));
    } else if (param.type === 'AssignmentPattern') {
      codes.set(param, isFirstDefault ? `${parameterName} = void 0` : parameterName);
      isFirstDefault = false;
      prologue.push(declareParameter(e, param.left, withDefault(e, param, parameterName)));
    } else {
      codes.set(param, parameterName);
      prologue.push(declareParameter(e, param, emitPatternSource(e, param, parameterName, null)));
    }
  }
  return { codes, prologue, hasProbe: false };
}

/** Code for the value of a parameter with a default: `raw === void 0 ? default : raw`. */
export function withDefault(e: CodeEmitter, param: Node, parameterName: Code): Code {
  const target = skipParens(param.left);
  const value = target.type === 'Identifier' ? e.emitNamed(target.name, param.right) : e.emit(param.right);
  const defaultCode: Code = isFunction(skipParens(param.right)) ? ['(', value, ')'] : value;
  return [parameterName, ' === void 0 ? ', defaultCode, ' : ', parameterName];
}

function declareParameter(e: CodeEmitter, pattern: Node, value: Code): Code {
  const ids = boundIdentifiers(pattern);
  const isRedeclared = ids.some((id) => (id.ref?.variable?.declarationCount ?? 1) > 1);
  if (ids.every((id) => e.isPlain(id))) {
    return [isRedeclared ? 'var ' : 'let ', e.emit(pattern), ' = ', value, '; '];
  }
  if (pattern.type === 'Identifier') return [isRedeclared ? 'var ' : 'let ', `${pattern.name} = { v: `, value, ' }; '];
  return emitPatternDeclaration(e, pattern, value, isRedeclared ? 'var' : 'let');
}

export function isConstLike(variable: Variable): boolean {
  return variable.writeCount === 0 && variable.kind !== 'var' && variable.storage === 'local';
}
