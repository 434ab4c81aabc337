// `super` and private names in suspended code. A step function stands outside its class, so it reaches the class through the
// class's *handle*: `{ home, p: { name: { get, set, has } } }`, made in the class's first static block.

import { bare, type Node } from './ast.ts';
import { privateMembers } from './class-emitter.ts';
import type { Code } from './code.ts';
import type { Emitter } from './emitter.ts';
import type { ClassInfo, FunctionInfo } from './scope.ts';

/** The class a private name belongs to, if the text being emitted stands outside that class. */
export function outsideClassOf(e: Emitter, name: Node): ClassInfo | null {
  const { stepOf } = e.around;
  if (stepOf === null || name.type !== 'PrivateIdentifier') return null;
  for (let at: Node | null = name; at !== null; at = at.parent) {
    if (at.type !== 'ClassDeclaration' && at.type !== 'ClassExpression') continue;
    const info = at.classInfo as ClassInfo;
    if (!info.privates.has(name.name)) continue;
    const encloses = at.start < stepOf.node.start && at.end > stepOf.node.end;
    return encloses ? info : null;
  }
  return null;
}

function homeOf(e: Emitter): Code | null {
  const { stepOf } = e.around;
  if (stepOf === null) return null;
  const method: FunctionInfo = e.around.fn.thisFunction;
  if (method.node.start > stepOf.node.start || method.node.end < stepOf.node.end) return null;
  if (method.objectHandle !== null) return e.handleCode(method.objectHandle);
  const handle = method.classInfo?.handle;
  if (handle === null || handle === undefined) return null;
  const member = method.kind === 'method' ? (method.node.parent as Node) : method.node;
  const isStatic = member.type === 'StaticBlock' || member.static;
  return `${e.handleCode(handle)}.home${isStatic ? '' : '.prototype'}`;
}

function keyOf(e: Emitter, member: Node): Code {
  return member.computed ? e.emit(member.property) : JSON.stringify(member.property.name);
}

/** `super.x` where no native `super` is at hand; as an assignment target with `target`. */
export function emitSuperMember(e: Emitter, member: Node, target = false): Code | null {
  if (member.object.type !== 'Super') return null;
  const home = homeOf(e);
  if (home === null) return null;
  const key = keyOf(e, member);
  if (target) return [`${e.use('superTarget')}(`, home, ', ', key, `, ${e.around.thisCode}).v`];
  return [`${e.use('superGet')}(`, home, ', ', key, `, ${e.around.thisCode})`];
}

export function emitPrivateMember(e: Emitter, member: Node): Code | null {
  const info = outsideClassOf(e, member.property);
  if (info === null) return null;
  const accessors = e.privateAccessors(info, member.property.name);
  if (!member.optional) return [`${accessors}.get(`, e.emit(member.object), ')'];
  const { object, setup } = e.once(member.object);
  return ['((', setup, `) == null ? void 0 : ${accessors}.get(`, object, '))'];
}

/** `o?.#x.d`: what follows an optional private member is skipped with it. */
export function emitChain(e: Emitter, chain: Node): Code {
  let member: Node | null = null;
  for (let at = chain.expression; at.type === 'MemberExpression' || at.type === 'CallExpression';) {
    if (at.type === 'MemberExpression' && at.optional && outsideClassOf(e, at.property) !== null) member = at;
    at = at.type === 'MemberExpression' ? at.object : at.callee;
  }
  if (member === null || e.substitutions.has(member.object)) return e.emitChildren(chain);
  const { object, setup } = e.once(member.object);
  e.substitutions.set(member.object, object);
  member.optional = false;
  const code = emitChain(e, chain);
  member.optional = true;
  e.substitutions.delete(member.object);
  return ['((', setup, ') == null ? void 0 : ', code, ')'];
}

/** Assignments and updates of `super.x` and `o.#x`; null where the native form does. */
export function emitPrivateWrite(e: Emitter, target: Node, operator: string, right: () => Code): Code | null {
  const info = outsideClassOf(e, target.property);
  let read: Code;
  let write: (value: Code) => Code;
  let before: Code = '';
  if (info !== null) {
    const accessors = e.privateAccessors(info, target.property.name);
    if (operator === '=') return [`${accessors}.set(`, e.emit(target.object), ', ', right(), ')'];
    const { object, setup } = e.once(target.object);
    if (bare(target.object).type !== 'ThisExpression' && bare(target.object).type !== 'Identifier')
      before = [setup, ', '];
    read = [`${accessors}.get(`, object, ')'];
    write = (value) => [`${accessors}.set(`, object, ', ', value, ')'];
  } else {
    if (target.object.type !== 'Super') return null;
    const home = homeOf(e);
    if (home === null) return null;
    const key = e.temporary();
    before = [`${key} = `, keyOf(e, target), ', '];
    read = [`${e.use('superGet')}(`, home, `, ${key}, ${e.around.thisCode})`];
    write = (value) => [`${e.use('superSet')}(`, home, `, ${key}, `, value, `, ${e.around.thisCode})`];
    if (operator === '=') return ['(', before, write(right()), ')'];
  }
  if (operator.startsWith('increment') || operator.startsWith('decrement')) {
    const sign = operator.startsWith('increment') ? '+' : '-';
    const old = e.temporary();
    // `-(-x)` is ToNumeric for numbers and BigInts alike; the step by one keeps the kind.
    const numeric: Code = [`${old} = -(-`, read, ')'];
    const next = `typeof ${old} === 'bigint' ? ${old} ${sign} 1n : ${old} ${sign} 1`;
    const result = operator.endsWith('prefix') ? '' : `, ${old}`;
    return ['(', before, numeric, ', ', write(next), result, ')'];
  }
  if (/^(\|\|=|&&=|\?\?=)$/.test(operator)) {
    return ['(', before, read, ` ${operator.slice(0, -1)} `, write(right()), ')'];
  }
  return ['(', before, write([read, ` ${operator.slice(0, -1)} (`, right(), ')']), ')'];
}

/** Accessors for every private name of a class, as an object literal. */
export function privateTable(e: Emitter, info: ClassInfo): string {
  const { fields, statics } = privateMembers(info);
  const entries = [...info.privates.keys()].map((name) => {
    const isField = e.barriers !== null && (fields.includes(name) || statics.includes(name));
    const object = e.barriers === null ? 'o' : `tt$p(o, "${name}")`;
    return `${name}: { get: (o) => o.#${name}, set: (o, v) => (${object}.#${name} = v), has: (o) => #${name} in o${isField ? ', field: true' : ''} }`;
  });
  return `{ ${entries.join(', ')} }`;
}
