// The second form of a file, which does not run the file. It restores the functions, classes and suspended steps of a
// captured state. It declares the file's top scope without evaluating anything, and returns a factory for each
// requested function and class. A factory makes the function in a separate scope, whose variables are the captured
// ones. Their values are set later, because they may refer to the function itself.
//
// `this`, `arguments` and `new.target` of an arrow function are such variables too. `super` and private names go
// through handles (home-emitter.ts), unless their class is restored as a whole.

import { childrenOf, isAnonymousFunction, isFunction, markDirty, memberName, type Node, statements } from './ast.ts';
import { captureCode, classCaptures, emitMember, privateMembers, emitRegistration } from './class-emitter.ts';
import type { Code } from './code.ts';
import type { CodeEmitter } from './code-emitter.ts';
import {
  capturesOf,
  contextName,
  computedNames,
  inFunctionContext,
  emitFunctionExpression,
  emitFunctionText,
} from './function-emitter.ts';
import { type ClassInfo, FunctionInfo, type Variable } from './scope.ts';

/** Functions and classes of a file that a captured state needs, by their ordinals in the file's table. */
export interface RestoreSelection {
  readonly functions: readonly number[];
  readonly classes: readonly number[];
  /** Variables of the top scope that were never initialised, because the evaluation ended before. */
  readonly dead?: readonly string[];
}

/** Code of an object with the factories and the step functions. */
export function emitFactories(e: CodeEmitter, selection: Omit<RestoreSelection, 'dead'>): Code {
  const functions = selection.functions.map((ordinal): Code => {
    const info = e.analysis.functions[ordinal] as FunctionInfo;
    return [`${ordinal}: `, emitFunctionFactory(e, info), ',\n'];
  });
  const classes = selection.classes.map((ordinal): Code => {
    const info = e.analysis.classes[ordinal] as ClassInfo;
    return [`${ordinal}: `, emitClassFactory(e, info), ',\n'];
  });
  const steps = [...e.steps].map(([info, step]) => `'${info.ordinal}': ${step.name}, `);
  return ['{ functions: {\n', functions, '}, classes: {\n', classes, '}, steps: { ', steps, '} }'];
}

function emitFunctionFactory(e: CodeEmitter, info: FunctionInfo): Code {
  const { node } = info;
  const captured = capturesOf(e, info);
  const specialNames: Readonly<Record<string, string>> = {
    this: `${e.prefix}this`,
    arguments: `${e.prefix}arguments`,
    'new.target': `${e.prefix}target`,
  };
  const names = captured.map(({ code, name }) => {
    // `hasOwn`, because a variable may have the name of a property that all objects inherit.
    const isSpecial = info.isArrow && Object.hasOwn(specialNames, name);
    return isSpecial ? (specialNames[name] as string) : code;
  });
  markConstantsWritten(info.captures);
  markOuterReferences(node, info.isArrow);
  const callees = info.isArrow ? superCallees(node) : [];
  for (const callee of callees) e.substitutions.set(callee, e.helper('superAgain'));
  const scratchInfo = new FunctionInfo(node, 'block', info.parent, info.strict);
  const text = e.inContext(
    {
      fn: scratchInfo,
      step: null,
      stepOf: info,
      hasEventual: false,
      thisCode: specialNames['this'] as string,
      argumentsCode: specialNames['arguments'] as string,
      newTargetCode: specialNames['new.target'] as string,
    },
    () => emitFunctionValue(e, info),
  );
  for (const callee of callees) e.substitutions.delete(callee);
  const directive = info.strict && !e.analysis.root.strict ? "'use strict'; " : '';
  const variables = names.map((code, i): FactoryVariable => ({ code, mayStayDead: captured[i]?.mayStayDead === true }));
  const body = [emitFiller(e, variables), 'return ', text, '; '];
  return [`(${e.prefix}k) => { ${directive}`, emitFactoryBody(e, variables, scratchInfo.temporaries, body), '}'];
}

interface FactoryVariable {
  readonly code: string;
  readonly mayStayDead: boolean;
}

/** Code of a factory. A variable that stays in its dead zone is declared in a `switch` clause that is never entered. */
function emitFactoryBody(
  e: CodeEmitter,
  variables: readonly FactoryVariable[],
  temporaries: readonly string[],
  body: Code[],
): Code {
  const locals = [...variables.filter(({ mayStayDead }) => !mayStayDead).map(({ code }) => code), ...temporaries];
  let code: Code[] = body;
  variables.forEach(({ code: name, mayStayDead }, i) => {
    if (mayStayDead) code = [`switch (${e.prefix}k.dead?.[${i}]) { case void 0: let ${name}; default: `, ...code, '} '];
  });
  return [locals.length === 0 ? '' : `var ${locals.join(', ')}; `, ...code];
}

/** Code that sets the captured variables. It runs when all objects exist, because values may refer to the function. */
function emitFiller(e: CodeEmitter, variables: readonly FactoryVariable[]): string {
  if (variables.length === 0) return '';
  const assignments = variables
    .map(({ code, mayStayDead }, index) => {
      const filling = `${code} = ${e.prefix}c[${index}]; `;
      return mayStayDead ? `if (${e.prefix}k.dead?.[${index}] === void 0) ${filling}` : filling;
    })
    .join('');
  return `${e.prefix}k.fill = (${e.prefix}c) => { ${assignments}}; `;
}

/** Marks constants as declared by assignment: restored code assigns them, so V8 does not protect them from writes. */
export function markConstantsWritten(variables: Iterable<Variable>): void {
  for (const variable of variables) if (variable.kind === 'const') variable.isDeclaredByAssignment = true;
}

function emitFunctionValue(e: CodeEmitter, info: FunctionInfo): Code {
  const { node } = info;
  if (info.isWrapped) {
    // A computed key is not evaluated again. The function's name is restored with its own properties.
    computedNames.delete(node);
    return emitFunctionExpression(e, node, node.type === 'FunctionDeclaration' ? declaredName(node) : {});
  }
  if (info.kind === 'method') {
    const member = node.parent as Node;
    const key = restoredMemberKey(e, info, member);
    const kind = member.kind === 'get' || member.kind === 'set' ? member.kind : 'value';
    const head = kind === 'value' ? '' : `${kind} `;
    return [
      `${e.helper('memberOf')}({ ${head}[${key}]`,
      inFunctionContext(e, info, () => emitFunctionText(e, node, info)),
      ` }, ${key}, ${JSON.stringify(kind)})`,
    ];
  }
  // The name of a declaration is an outer variable, which may be reassigned. An expression has its own name.
  if (node.type === 'FunctionDeclaration') return emitFunctionExpression(e, node, declaredName(node));
  const name = isAnonymousFunction(node) ? contextName(node) : null;
  const text = e.emit(node);
  return name === null ? ['(', text, ')'] : [`({ [${JSON.stringify(name)}]: `, text, ` })[${JSON.stringify(name)}]`];
}

function declaredName(node: Node): { name: string } {
  return { name: node.id === null || node.id === undefined ? 'default' : node.id.name };
}

/** Key under which a member is made. For a computed key this is a placeholder, because the key is not evaluated. */
function restoredMemberKey(e: CodeEmitter, info: FunctionInfo, member: Node): string {
  const name = memberName(member);
  return name === null || name === '__proto__' ? `${e.helper('memberKey')}(${info.ordinal})` : JSON.stringify(name);
}

/** Key of a class member. For a computed key, it is the captured value if the class still has this member. */
function restoredClassMemberKey(e: CodeEmitter, info: FunctionInfo, member: Node): string {
  const key = restoredMemberKey(e, info, member);
  return member.computed ? `(${e.prefix}k.keys?.[${info.ordinal}] ?? ${key})` : key;
}

/**
 * Marks references to names outside of the text: `this`, `arguments` and `new.target` of an arrow function, `super`,
 * private names. Extra marks are harmless, because the emitted text is then the same as the source.
 */
function markOuterReferences(node: Node, isOuterThis: boolean): void {
  for (const child of childrenOf(node)) {
    if (child.type === 'PrivateIdentifier' || child.type === 'Super') markDirty(child);
    if (isOuterThis && (child.type === 'ThisExpression' || child.type === 'MetaProperty')) markDirty(child);
    if (isOuterThis && child.type === 'Identifier' && child.name === 'arguments') markDirty(child);
    // Methods have their own `this`, while keys and heritage do not. Extra marks are harmless.
    markOuterReferences(child, isOuterThis && !(isFunction(child) && child.type !== 'ArrowFunctionExpression'));
  }
}

/** Callees of the `super()` calls in an arrow function, which belong to the constructor around it. */
function superCallees(node: Node): Node[] {
  return childrenOf(node).flatMap((child) => {
    if (child.type === 'CallExpression' && child.callee.type === 'Super') return [child.callee, ...superCallees(child)];
    const isOfAnother = isFunction(child) && child.type !== 'ArrowFunctionExpression';
    return isOfAnother ? [] : superCallees(child);
  });
}

/**
 * Code of a class without parts that would run code: heritage and keys of fields are parameters, other computed keys
 * have placeholders, static fields and blocks are left out. If instances have private members, the class can make
 * *blank* instances (`$$P.blank`), for which the constructor runs no code of the program.
 */
function emitClassFactory(e: CodeEmitter, info: ClassInfo): Code {
  const { node } = info;
  const captured = classCaptures(info);
  markConstantsWritten(captured);
  markOuterReferences(node, false);
  const hasOwnHandle = info.handle !== null && info.handle.scope === info.scope;
  const variables = captured.map((variable): FactoryVariable => ({
    code: captureCode(e, variable),
    mayStayDead: variable.mayStayDead,
  }));
  // As in a step function, `super` and private names of enclosing classes go through handles.
  const stepOf = { node } as FunctionInfo;
  const heritage = `${e.prefix}base`;
  const keys = `${e.prefix}keys`;
  const className = `${e.prefix}class`;
  const scratchInfo = new FunctionInfo(node, 'block', info.scope.fn, true);
  const text = e.inContext({ fn: scratchInfo, step: null, stepOf, hasEventual: false }, () =>
    emitRestoredClass(e, info, heritage, keys),
  );
  const name = isAnonymousFunction(node) ? contextName(node) : null;
  const value: Code = name === null ? text : [`({ [${JSON.stringify(name)}]: `, text, ` })[${JSON.stringify(name)}]`];
  const locals = [...(hasOwnHandle ? [e.handleCode(info.handle as Variable)] : []), ...scratchInfo.temporaries];
  const body: Code[] = [
    emitFiller(e, variables),
    `const ${className} = `,
    value,
    `; ${e.prefix}k.members = ${e.helper('membersOf')}(${className}, [`,
    emitMemberList(e, info),
    `]); return ${className}; `,
  ];
  return [`(${e.prefix}k, ${heritage}, ${keys}) => { `, emitFactoryBody(e, variables, locals, body), '}'];
}

function emitRestoredClass(e: CodeEmitter, info: ClassInfo, heritage: string, keys: string): Code {
  const { node } = info;
  const members: Code[] = [];
  const fixups: Code[] = [];
  const hasGuards = privateMembers(info).brand !== null;
  let fields = 0;
  for (const member of statements(node.body)) {
    if (member.type === 'StaticBlock') continue;
    if (member.type === 'PropertyDefinition') {
      if (!member.static) {
        const key = member.computed ? `${keys}[${fields++}]` : null;
        members.push(emitInstanceField(e, member, key, hasGuards), '; ');
      } else if (member.key.type === 'PrivateIdentifier') members.push(`static #${member.key.name}; `);
      continue;
    }
    if (member.computed)
      e.substitutions.set(member.key, restoredClassMemberKey(e, member.value.fn as FunctionInfo, member));
    if (member.kind === 'constructor' && hasGuards) {
      const call = node.superClass === null ? '' : 'super(); ';
      e.constructorGuards.set(member.value.fn as FunctionInfo, `if (${e.helper('P')}.blank) { ${call}return; } `);
    }
    members.push(emitMember(e, member, fixups), ' ');
    e.constructorGuards.delete(member.value.fn as FunctionInfo);
    e.substitutions.delete(member.key);
  }
  const name = node.id === null ? '' : ` ${node.id.name}`;
  const extending = node.superClass === null ? '' : ` extends ${heritage}`;
  return [`class${name}${extending} { `, emitRegistration(e, info, fixups, keys), members, '}'];
}

/** Code of an instance field. A blank instance has the field, but its initialiser ran in the captured process. */
function emitInstanceField(e: CodeEmitter, member: Node, key: string | null, hasGuards: boolean): Code {
  if (key !== null) e.substitutions.set(member.key, key);
  if (hasGuards && member.value !== null) {
    const fieldName = memberName(member);
    const name = fieldName === null ? key : JSON.stringify(fieldName);
    e.fieldGuards.set(member, { name: isAnonymousFunction(member.value) ? name : null });
  }
  const code = emitMember(e, member, []);
  e.fieldGuards.delete(member);
  e.substitutions.delete(member.key);
  return code;
}

/** Code of the list of a class's functions, each as `[ordinal, static, key, kind]`. */
function emitMemberList(e: CodeEmitter, info: ClassInfo): Code {
  const parts: Code[] = [];
  for (const member of statements(info.node.body)) {
    if (member.type !== 'MethodDefinition' || member.kind === 'constructor') continue;
    const fn = member.value.fn as FunctionInfo;
    const isPrivate = member.key.type === 'PrivateIdentifier';
    if (isPrivate && member.kind !== 'method') continue;
    const kind = isPrivate ? 'private' : member.kind === 'method' ? 'value' : member.kind;
    const key = isPrivate ? JSON.stringify(member.key.name) : restoredClassMemberKey(e, fn, member);
    parts.push(`[${fn.ordinal}, ${member.static === true}, ${key}, ${JSON.stringify(kind)}], `);
  }
  return parts;
}
