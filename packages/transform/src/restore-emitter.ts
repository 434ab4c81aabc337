// The second form of a file: not to be run from its beginning, but to give back functions, classes and suspended steps that a
// captured state refers to. It declares the file's top scope without evaluating anything, and answers a factory for each
// function and class that is asked for. A factory makes the function in a scope of its own, whose variables are the captured
// ones; they are set afterwards, because what they hold may refer to the function itself.
//
// `this`, `arguments` and `new.target` of an arrow function are such variables too. `super` and private names, where they are
// not those of a class that is remade as a whole, go through handles (home-emitter.ts).

import { childrenOf, isAnonymousFunction, isFunction, markDirty, memberName, type Node, statements } from './ast.ts';
import { captureCode, classCaptures, emitMember, privateMembers, registration } from './class-emitter.ts';
import type { Code } from './code.ts';
import type { Emitter } from './emitter.ts';
import {
  captureNames,
  contextName,
  dynamicNames,
  emitInside,
  functionExpression,
  functionText,
} from './function-emitter.ts';
import { type ClassInfo, FunctionInfo, type Variable } from './scope.ts';

/** What a captured state needs of a file, by ordinals of its table. */
export interface RestoreSelection {
  readonly functions: readonly number[];
  readonly classes: readonly number[];
  /** Variables of the top scope that an evaluation has left in their dead zones for ever. */
  readonly dead?: readonly string[];
}

/** Factories and steps, as the properties of the object that the code answers. */
export function emitFactories(e: Emitter, selection: Omit<RestoreSelection, 'dead'>): Code {
  const functions = selection.functions.map((ordinal): Code => {
    const info = e.analysis.functions[ordinal] as FunctionInfo;
    return [`${ordinal}: `, functionFactory(e, info), ',\n'];
  });
  const classes = selection.classes.map((ordinal): Code => {
    const info = e.analysis.classes[ordinal] as ClassInfo;
    return [`${ordinal}: `, classFactory(e, info), ',\n'];
  });
  const steps = [...e.steps].map(([info, step]) => `'${info.ordinal}': ${step.name}, `);
  return ['{ functions: {\n', functions, '}, classes: {\n', classes, '}, steps: { ', steps, '} }'];
}

function functionFactory(e: Emitter, info: FunctionInfo): Code {
  const { node } = info;
  const captured = captureNames(e, info);
  const special: Readonly<Record<string, string>> = {
    this: `${e.prefix}this`,
    arguments: `${e.prefix}arguments`,
    'new.target': `${e.prefix}target`,
  };
  const names = captured.map(({ code, name }) => {
    // A variable may be called as what every object inherits.
    const isSpecial = info.isArrow && Object.hasOwn(special, name);
    return isSpecial ? (special[name] as string) : code;
  });
  freeze(info.captures);
  markFree(node, info.isArrow);
  const calls = info.isArrow ? superCalls(node) : [];
  for (const callee of calls) e.substitutions.set(callee, e.use('superAgain'));
  const scratch = new FunctionInfo(node, 'block', info.parent, info.strict);
  const text = e.within(
    {
      fn: scratch,
      step: null,
      stepOf: info,
      settles: false,
      thisCode: special['this'] as string,
      argumentsCode: special['arguments'] as string,
      newTargetCode: special['new.target'] as string,
    },
    () => functionValue(e, info),
  );
  for (const callee of calls) e.substitutions.delete(callee);
  const directive = info.strict && !e.analysis.root.strict ? "'use strict'; " : '';
  const variables = names.map((code, i): Filled => ({ code, mayStayDead: captured[i]?.mayStayDead === true }));
  const body = [filler(e, variables), 'return ', text, '; '];
  return [`(${e.prefix}k) => { ${directive}`, declared(e, variables, scratch.temporaries, body), '}'];
}

interface Filled {
  readonly code: string;
  readonly mayStayDead: boolean;
}

/**
 * The factory's variables. One that is dead for ever stands in a clause of a `switch` that is not entered, so that the function uses a
 * variable whose declaration is never reached.
 */
function declared(e: Emitter, variables: readonly Filled[], temporaries: readonly string[], body: Code[]): Code {
  const locals = [...variables.filter(({ mayStayDead }) => !mayStayDead).map(({ code }) => code), ...temporaries];
  let code: Code[] = body;
  variables.forEach(({ code: name, mayStayDead }, i) => {
    if (mayStayDead) code = [`switch (${e.prefix}k.dead?.[${i}]) { case void 0: let ${name}; default: `, ...code, '} '];
  });
  return [locals.length === 0 ? '' : `var ${locals.join(', ')}; `, ...code];
}

/** Captured variables are set after everything has been made: what they hold may lead back to the function. */
function filler(e: Emitter, variables: readonly Filled[]): string {
  if (variables.length === 0) return '';
  const assignments = variables
    .map(({ code, mayStayDead }, index) => {
      const filling = `${code} = ${e.prefix}c[${index}]; `;
      return mayStayDead ? `if (${e.prefix}k.dead?.[${index}] === void 0) ${filling}` : filling;
    })
    .join('');
  return `${e.prefix}k.fill = (${e.prefix}c) => { ${assignments}}; `;
}

/** Constants are filled like other variables, so V8 no longer keeps writes from them. */
export function freeze(variables: Iterable<Variable>): void {
  for (const variable of variables) if (variable.kind === 'const') variable.converted = true;
}

function functionValue(e: Emitter, info: FunctionInfo): Code {
  const { node } = info;
  if (info.wrapped) {
    // A computed key is not computed again; what the function was called by it is among its properties.
    dynamicNames.delete(node);
    return functionExpression(e, node, node.type === 'FunctionDeclaration' ? nameOf(node) : {});
  }
  if (info.kind === 'method') {
    const member = node.parent as Node;
    const key = memberKey(e, info, member);
    const kind = member.kind === 'get' || member.kind === 'set' ? member.kind : 'value';
    const head = kind === 'value' ? '' : `${kind} `;
    return [
      `${e.use('memberOf')}({ ${head}[${key}]`,
      emitInside(e, info, () => functionText(e, node, info)),
      ` }, ${key}, ${JSON.stringify(kind)})`,
    ];
  }
  // A declaration's name is a variable around it, which may be assigned; as an expression it would be its own.
  if (node.type === 'FunctionDeclaration') return functionExpression(e, node, nameOf(node));
  const name = isAnonymousFunction(node) ? contextName(node) : null;
  const text = e.emit(node);
  return name === null ? ['(', text, ')'] : [`({ [${JSON.stringify(name)}]: `, text, ` })[${JSON.stringify(name)}]`];
}

function nameOf(node: Node): { name: string } {
  return { name: node.id === null || node.id === undefined ? 'default' : node.id.name };
}

/** The key a member is made under: its own, unless that is computed, which is not done again. */
function memberKey(e: Emitter, info: FunctionInfo, member: Node): string {
  const name = memberName(member);
  return name === null || name === '__proto__' ? `${e.use('memberKey')}(${info.ordinal})` : JSON.stringify(name);
}

/** Likewise for a class, which is told what its computed keys were, as far as the members still stand there. */
function classMemberKey(e: Emitter, info: FunctionInfo, member: Node): string {
  const key = memberKey(e, info, member);
  return member.computed ? `(${e.prefix}k.keys?.[${info.ordinal}] ?? ${key})` : key;
}

/**
 * Marks what stands for something outside the text: `this`, `arguments` and `new.target` of an arrow, `super` and private
 * names. Over-marking is harmless, the text stays the same.
 */
function markFree(node: Node, free: boolean): void {
  for (const child of childrenOf(node)) {
    if (child.type === 'PrivateIdentifier' || child.type === 'Super') markDirty(child);
    if (free && (child.type === 'ThisExpression' || child.type === 'MetaProperty')) markDirty(child);
    if (free && child.type === 'Identifier' && child.name === 'arguments') markDirty(child);
    // Class members have a `this` of their own, but keys and heritage have not; over-marking costs nothing.
    markFree(child, free && !(isFunction(child) && child.type !== 'ArrowFunctionExpression'));
  }
}

/** What is called by the `super()` of the constructor around an arrow function. */
function superCalls(node: Node): Node[] {
  return childrenOf(node).flatMap((child) => {
    if (child.type === 'CallExpression' && child.callee.type === 'Super') return [child.callee, ...superCalls(child)];
    const isOfAnother = isFunction(child) && child.type !== 'ArrowFunctionExpression';
    return isOfAnother ? [] : superCalls(child);
  });
}

/**
 * The class without anything that evaluates: heritage and keys of fields are given, other computed keys are replaced, static
 * fields and blocks are left out. A class with private members of its instances can make *blank* ones (`$$P.blank`), by a
 * constructor that runs no code of the program.
 */
function classFactory(e: Emitter, info: ClassInfo): Code {
  const { node } = info;
  const captured = classCaptures(info);
  freeze(captured);
  markFree(node, false);
  const nested = info.handle !== null && info.handle.scope === info.scope;
  const variables = captured.map((variable): Filled => ({
    code: captureCode(e, variable),
    mayStayDead: variable.mayStayDead,
  }));
  // For `super` and private names of enclosing classes.
  const stepOf = { node } as FunctionInfo;
  const heritage = `${e.prefix}base`;
  const keys = `${e.prefix}keys`;
  const made = `${e.prefix}class`;
  const scratch = new FunctionInfo(node, 'block', info.scope.fn, true);
  const text = e.within({ fn: scratch, step: null, stepOf, settles: false }, () => classText(e, info, heritage, keys));
  const name = isAnonymousFunction(node) ? contextName(node) : null;
  const value: Code = name === null ? text : [`({ [${JSON.stringify(name)}]: `, text, ` })[${JSON.stringify(name)}]`];
  const own = [...(nested ? [e.handleCode(info.handle as Variable)] : []), ...scratch.temporaries];
  const body: Code[] = [
    filler(e, variables),
    `const ${made} = `,
    value,
    `; ${e.prefix}k.members = ${e.use('membersOf')}(${made}, [`,
    memberList(e, info),
    `]); return ${made}; `,
  ];
  return [`(${e.prefix}k, ${heritage}, ${keys}) => { `, declared(e, variables, own, body), '}'];
}

function classText(e: Emitter, info: ClassInfo, heritage: string, keys: string): Code {
  const { node } = info;
  const members: Code[] = [];
  const fixes: Code[] = [];
  const guarded = privateMembers(info).brand !== null;
  let fields = 0;
  for (const member of statements(node.body)) {
    if (member.type === 'StaticBlock') continue;
    if (member.type === 'PropertyDefinition') {
      if (!member.static) {
        const key = member.computed ? `${keys}[${fields++}]` : null;
        members.push(instanceField(e, member, key, guarded), '; ');
      } else if (member.key.type === 'PrivateIdentifier') members.push(`static #${member.key.name}; `);
      continue;
    }
    if (member.computed) e.substitutions.set(member.key, classMemberKey(e, member.value.fn as FunctionInfo, member));
    if (member.kind === 'constructor' && guarded) {
      const call = node.superClass === null ? '' : 'super(); ';
      e.guards.set(member.value.fn as FunctionInfo, `if (${e.use('P')}.blank) { ${call}return; } `);
    }
    members.push(emitMember(e, member, fixes), ' ');
    e.guards.delete(member.value.fn as FunctionInfo);
    e.substitutions.delete(member.key);
  }
  const name = node.id === null ? '' : ` ${node.id.name}`;
  const extending = node.superClass === null ? '' : ` extends ${heritage}`;
  return [`class${name}${extending} { `, registration(e, info, fixes, keys), members, '}'];
}

/** A blank instance has its fields, but their initialisers have run in another life. */
function instanceField(e: Emitter, member: Node, key: string | null, guarded: boolean): Code {
  if (key !== null) e.substitutions.set(member.key, key);
  if (guarded && member.value !== null) {
    const own = memberName(member);
    const name = own === null ? key : JSON.stringify(own);
    e.fieldGuards.set(member, { name: isAnonymousFunction(member.value) ? name : null });
  }
  const code = emitMember(e, member, []);
  e.fieldGuards.delete(member);
  e.substitutions.delete(member.key);
  return code;
}

/** `[ordinal, static, key, kind]` of every function a class is made with. */
function memberList(e: Emitter, info: ClassInfo): Code {
  const parts: Code[] = [];
  for (const member of statements(info.node.body)) {
    if (member.type !== 'MethodDefinition' || member.kind === 'constructor') continue;
    const fn = member.value.fn as FunctionInfo;
    const isPrivate = member.key.type === 'PrivateIdentifier';
    if (isPrivate && member.kind !== 'method') continue;
    const kind = isPrivate ? 'private' : member.kind === 'method' ? 'value' : member.kind;
    const key = isPrivate ? JSON.stringify(member.key.name) : classMemberKey(e, fn, member);
    parts.push(`[${fn.ordinal}, ${member.static === true}, ${key}, ${JSON.stringify(kind)}], `);
  }
  return parts;
}
