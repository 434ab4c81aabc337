// `super` and private names in suspended code. A step function is outside of its class. It reaches the class through
// the *handle* `{ home, p: { name: { get, set, has } } }`, which the class's first static block makes.

import { skipParens, type Node } from './ast.ts';
import { privateMembers } from './class-emitter.ts';
import type { Code } from './code.ts';
import type { CodeEmitter } from './code-emitter.ts';
import type { ClassInfo, FunctionInfo } from './scope.ts';

/** Class of a private name, if the code is in a step function outside of this class; otherwise null. */
export function classOutsideStep(e: CodeEmitter, name: Node): ClassInfo | null {
  const { stepOf } = e.context;
  if (stepOf === null || name.type !== 'PrivateIdentifier') return null;
  for (let ancestor: Node | null = name; ancestor !== null; ancestor = ancestor.parent) {
    if (ancestor.type !== 'ClassDeclaration' && ancestor.type !== 'ClassExpression') continue;
    const info = ancestor.classInfo as ClassInfo;
    if (!info.privates.has(name.name)) continue;
    const encloses = ancestor.start < stepOf.node.start && ancestor.end > stepOf.node.end;
    return encloses ? info : null;
  }
  return null;
}

function homeCode(e: CodeEmitter): Code | null {
  const { stepOf } = e.context;
  if (stepOf === null) return null;
  const method: FunctionInfo = e.context.fn.thisFunction;
  if (method.node.start > stepOf.node.start || method.node.end < stepOf.node.end) return null;
  if (method.objectHandle !== null) return e.handleCode(method.objectHandle);
  const handle = method.classInfo?.handle;
  if (handle === null || handle === undefined) return null;
  const member = method.kind === 'method' ? (method.node.parent as Node) : method.node;
  const isStatic = member.type === 'StaticBlock' || member.static;
  return `${e.handleCode(handle)}.home${isStatic ? '' : '.prototype'}`;
}

function memberKeyCode(e: CodeEmitter, member: Node): Code {
  return member.computed ? e.emit(member.property) : JSON.stringify(member.property.name);
}

/** Code for `super.x` where it is not native; null where it is. @param target whether it must be assignable */
export function emitSuperMember(e: CodeEmitter, member: Node, target = false): Code | null {
  if (member.object.type !== 'Super') return null;
  const home = homeCode(e);
  if (home === null) return null;
  const key = memberKeyCode(e, member);
  if (target) return [`${e.helper('superTarget')}(`, home, ', ', key, `, ${e.context.thisCode}).v`];
  return [`${e.helper('superGet')}(`, home, ', ', key, `, ${e.context.thisCode})`];
}

export function emitPrivateMember(e: CodeEmitter, member: Node): Code | null {
  const info = classOutsideStep(e, member.property);
  if (info === null) return null;
  const accessors = e.privateAccessors(info, member.property.name);
  if (!member.optional) return [`${accessors}.get(`, e.emit(member.object), ')'];
  const { object, setup } = e.emitOnce(member.object);
  return ['((', setup, `) == null ? void 0 : ${accessors}.get(`, object, '))'];
}

/** Code of an optional chain. In `o?.#x.d`, a nullish `o` also skips the rest of the chain. */
export function emitChain(e: CodeEmitter, chain: Node): Code {
  let member: Node | null = null;
  for (let current = chain.expression; current.type === 'MemberExpression' || current.type === 'CallExpression';) {
    if (current.type === 'MemberExpression' && current.optional && classOutsideStep(e, current.property) !== null)
      member = current;
    current = current.type === 'MemberExpression' ? current.object : current.callee;
  }
  if (member === null || e.substitutions.has(member.object)) return e.emitChildren(chain);
  const { object, setup } = e.emitOnce(member.object);
  e.substitutions.set(member.object, object);
  member.optional = false;
  const code = emitChain(e, chain);
  member.optional = true;
  e.substitutions.delete(member.object);
  return ['((', setup, ') == null ? void 0 : ', code, ')'];
}

/** Code for an assignment or update of `super.x` or `o.#x`; null where the native form suffices. */
export function emitPrivateWrite(e: CodeEmitter, target: Node, operator: string, right: () => Code): Code | null {
  const info = classOutsideStep(e, target.property);
  let read: Code;
  let write: (value: Code) => Code;
  let setupCode: Code = '';
  if (info !== null) {
    const accessors = e.privateAccessors(info, target.property.name);
    if (operator === '=') return [`${accessors}.set(`, e.emit(target.object), ', ', right(), ')'];
    const { object, setup } = e.emitOnce(target.object);
    if (skipParens(target.object).type !== 'ThisExpression' && skipParens(target.object).type !== 'Identifier')
      setupCode = [setup, ', '];
    read = [`${accessors}.get(`, object, ')'];
    write = (value) => [`${accessors}.set(`, object, ', ', value, ')'];
  } else {
    if (target.object.type !== 'Super') return null;
    const home = homeCode(e);
    if (home === null) return null;
    const key = e.addTemporary();
    setupCode = [`${key} = `, memberKeyCode(e, target), ', '];
    read = [`${e.helper('superGet')}(`, home, `, ${key}, ${e.context.thisCode})`];
    write = (value) => [`${e.helper('superSet')}(`, home, `, ${key}, `, value, `, ${e.context.thisCode})`];
    if (operator === '=') return ['(', setupCode, write(right()), ')'];
  }
  if (operator.startsWith('increment') || operator.startsWith('decrement')) {
    const sign = operator.startsWith('increment') ? '+' : '-';
    const oldValue = e.addTemporary();
    // `-(-x)` is ToNumeric for both numbers and BigInts. The step of one must be of the same type.
    const numeric: Code = [`${oldValue} = -(-`, read, ')'];
    const next = `typeof ${oldValue} === 'bigint' ? ${oldValue} ${sign} 1n : ${oldValue} ${sign} 1`;
    const result = operator.endsWith('prefix') ? '' : `, ${oldValue}`;
    return ['(', setupCode, numeric, ', ', write(next), result, ')'];
  }
  if (/^(\|\|=|&&=|\?\?=)$/.test(operator)) {
    return ['(', setupCode, read, ` ${operator.slice(0, -1)} `, write(right()), ')'];
  }
  return ['(', setupCode, write([read, ` ${operator.slice(0, -1)} (`, right(), ')']), ')'];
}

/** Object literal with accessors for all private names of a class. */
export function emitPrivateTable(e: CodeEmitter, info: ClassInfo): string {
  const { fields, statics } = privateMembers(info);
  const entries = [...info.privates.keys()].map((name) => {
    const isField = e.barriers !== null && (fields.includes(name) || statics.includes(name));
    const object = e.barriers === null ? 'o' : `tt$p(o, "${name}")`;
    return `${name}: { get: (o) => o.#${name}, set: (o, v) => (${object}.#${name} = v), has: (o) => #${name} in o${isField ? ', field: true' : ''} }`;
  });
  return `{ ${entries.join(', ')} }`;
}
