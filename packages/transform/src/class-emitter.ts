// Classes stay native with native private names, so that brand checks, freezing, proxies and `#x in o` are exact. A new
// first static block registers the class with core, and gives core accessors for the class's private members.

import { isAnonymousFunction, memberName, type Node, statements } from './ast.ts';
import { type Code, NATIVE_CODE, Span } from './code.ts';
import { emitHoists } from './declaration-emitter.ts';
import type { CodeEmitter } from './code-emitter.ts';
import {
  contextName,
  emitFunctionExpression,
  methodCode,
  prototypeHelper,
  captureReadCode,
} from './function-emitter.ts';
import { emitPrivateTable } from './home-emitter.ts';
import type { ClassInfo, FunctionInfo, Variable } from './scope.ts';
import type { ClassEntry } from './code-table.ts';
import { emitInitialisation } from './target-emitter.ts';

export function emitClass(e: CodeEmitter, node: Node): Code {
  const storage = node.type === 'ClassDeclaration' && node.id !== null ? node.id.ref?.variable?.storage : 'local';
  if (storage === 'box') return [`let ${(node.id as Node).name} = { v: `, emitClassExpression(e, node), ' };'];
  if (storage === 'cell') return [emitInitialisation(e, node.id as Node, emitClassExpression(e, node)), ';'];
  const info = node.classInfo as ClassInfo;
  const { handle } = info;
  const hasOwnHandle = handle !== null && handle.scope === info.scope;
  if (!hasOwnHandle) return emitClassText(e, node, info);
  // Each evaluation has its own handle. The class gets its inferred name inside the function that declares the handle.
  const name = e.handleCode(handle);
  const classCode = emitClassText(e, node, info);
  const inferredName = isAnonymousFunction(node) ? contextName(node) : null;
  const value: Code =
    inferredName === null
      ? classCode
      : [`{ [${JSON.stringify(inferredName)}]: `, classCode, ` }[${JSON.stringify(inferredName)}]`];
  const expression: Code = [`(() => { let ${name}; return (`, value, '); })()'];
  if (node.type === 'ClassDeclaration') return [`let ${(node.id as Node).name} = `, expression, ';'];
  // Without the parentheses, `new` would apply to the function and not to the class.
  return node.parent?.type === 'NewExpression' && node.parent.callee === node ? ['(', expression, ')'] : expression;
}

/** Code of a class as an expression, for a declaration that became an assignment. */
export function emitClassExpression(e: CodeEmitter, node: Node): Code {
  const info = node.classInfo as ClassInfo;
  const { handle } = info;
  if (handle !== null && handle.scope === info.scope) {
    return [`(() => { let ${e.handleCode(handle)}; return (`, emitClassText(e, node, info), '); })()'];
  }
  return emitClassText(e, node, info);
}

function emitClassText(e: CodeEmitter, node: Node, info: ClassInfo): Code {
  const { body } = node;
  const fixups: Code[] = [];
  const members: Code[] = [];
  const keys: string[] = [];
  let offset = body.start + 1;
  for (const member of statements(body)) {
    if (member.start > offset) members.push(new Span(offset, member.start));
    const code = isKeyedField(member) ? emitKeyedField(e, member, keys) : emitMember(e, member, fixups);
    members.push(code, e.lacksSemicolon(member) ? ';' : '');
    offset = member.end;
  }
  members.push(new Span(offset, body.end));
  const keysCode = keys.length === 0 ? null : `[${keys.join(', ')}]`;
  return [emitClassHead(e, node), '{ ', emitRegistration(e, info, fixups, keysCode), members];
}

/** Whether a member is an instance field with a computed key. Instances made after a restore need the key's value. */
function isKeyedField(member: Node): boolean {
  return member.type === 'PropertyDefinition' && member.computed && !member.static;
}

function emitKeyedField(e: CodeEmitter, member: Node, keys: string[]): Code {
  const { key } = member;
  const outerSubstitution = e.substitutions.get(key);
  const name = e.addTemporary();
  keys.push(name);
  e.substitutions.set(key, [`${name} = ${e.helper('key')}(`, e.emit(key), ')']);
  const code = emitMember(e, member, []);
  if (outerSubstitution === undefined) e.substitutions.delete(key);
  else e.substitutions.set(key, outerSubstitution);
  return code;
}

/** `class Name extends Base `. The class keeps its original name, whatever the storage of its variable. */
function emitClassHead(e: CodeEmitter, node: Node): Code {
  const { id } = node;
  if (id !== null) e.substitutions.set(id, id.name);
  const head = e.emitChildren(node, node.start, node.body.start);
  if (id !== null) e.substitutions.delete(id);
  return head;
}

/** Static block that registers the class. @param keys code for the values of the fields' computed keys */
export function emitRegistration(e: CodeEmitter, info: ClassInfo, fixups: Code[], keys: string | null): Code {
  const captures = classCaptures(info);
  const privates = info.privates.size === 0 ? 'null' : emitPrivateTable(e, info);
  const codes = captures.map((each) =>
    captureReadCode(e, { code: captureCode(e, each), mayStayDead: each.mayStayDead }),
  );
  const readCode = captures.length === 0 ? 'null' : `() => [${codes.join(', ')}]`;
  const handle = info.handle === null ? '' : `${e.handleCode(info.handle)} = `;
  return [
    `static { ${handle}${e.helper('defineClass')}(${e.prefix}M, ${info.ordinal}, this, ${readCode}, ${privates}${keys === null ? '' : `, ${keys}`}); `,
    fixups,
    '} ',
  ];
}

export function captureCode(e: CodeEmitter, variable: Variable): string {
  return variable.kind === 'handle' ? e.handleCode(variable) : variable.name;
}

/** Outer variables that members capture. Static fields and blocks are left out, because they have already run. */
export function classCaptures(info: ClassInfo): Variable[] {
  const { node } = info;
  const found = new Set<Variable>();
  for (const member of statements(node.body)) {
    if (member.type === 'StaticBlock' || (member.type === 'PropertyDefinition' && member.static)) continue;
    const fn = member.type === 'MethodDefinition' ? member.value.fn : member.fn;
    for (const variable of fn?.captures ?? []) {
      const scopeNode = variable.scope.node;
      if (scopeNode.start < node.start || scopeNode.end > node.end) found.add(variable);
    }
  }
  return [...found];
}

export function emitMember(e: CodeEmitter, member: Node, fixups: Code[]): Code {
  if (member.type === 'StaticBlock') {
    const fn = member.fn as FunctionInfo;
    return e.inContext(pseudoFunctionContext(e, fn), () => {
      const list = statements(member);
      const open = e.source.indexOf('{', member.start) + 1;
      const body: Code = [emitHoists(e, fn.scope, list, 'var'), e.emitStatements(list, open, member.end)];
      return ['static {', declareTemporaries(fn), e.probes?.withReports(fn, body) ?? body];
    });
  }
  if (member.type === 'MethodDefinition') {
    const info = member.value.fn as FunctionInfo;
    if (!info.isWrapped || member.key.type === 'PrivateIdentifier')
      return emitFunctionExpression(e, member.value, { member });
    const holder = member.static ? 'this' : 'this.prototype';
    const helper = prototypeHelper(e, info);
    const keepCode = info.generator ? `${methodCode(e, info)} = ` : '';
    const key = member.computed ? e.addTemporary() : JSON.stringify(memberName(member));
    fixups.push([`${keepCode}${helper.name}(${holder}[${key}]`, helper.rest, '); ']);
    return emitFunctionExpression(e, member.value, member.computed ? { member, key } : { member });
  }
  const guard = e.fieldGuards.get(member);
  if (member.value === null || (member.value.isDirty !== true && guard === undefined)) return e.emitChildren(member);
  const parts: Code[] = [e.emitChildren(member, member.start, member.value.start)];
  const info = member.fn as FunctionInfo;
  let value = e.inContext(pseudoFunctionContext(e, info), () => e.emit(member.value));
  if (guard !== undefined) {
    const named: Code = guard.name === null ? value : [`{ [${guard.name}]: `, value, ` }[${guard.name}]`];
    value = [`${e.helper('P')}.blank ? void 0 : (`, named, ')'];
  }
  if (info.temporaries.length === 0) parts.push(value);
  else parts.push(['(() => { ', declareTemporaries(info), 'return ', value, '; })()']);
  parts.push(new Span(member.value.end, member.end));
  return parts;
}

function pseudoFunctionContext(e: CodeEmitter, fn: FunctionInfo): Partial<CodeEmitter['context']> {
  return { fn, step: null, ...NATIVE_CODE, stepOf: e.context.stepOf, hasEventual: false };
}

function declareTemporaries(fn: FunctionInfo): string {
  return fn.temporaries.length === 0 ? '' : `let ${fn.temporaries.join(', ')}; `;
}

/** Private names of instance fields and static fields, and one private name that every instance has. */
export function privateMembers({ node }: ClassInfo): Pick<ClassEntry, 'fields' | 'statics' | 'brand'> {
  const fields: string[] = [];
  const statics: string[] = [];
  let brand: string | null = null;
  for (const member of statements(node.body)) {
    if (member.type === 'StaticBlock' || member.key.type !== 'PrivateIdentifier') continue;
    const { name } = member.key;
    if (!member.static) brand ??= name;
    if (member.type === 'PropertyDefinition') (member.static ? statics : fields).push(name);
  }
  return { fields, statics, brand };
}
