// Assignments, updates and patterns, for each kind of storage of a variable. A write to a constant throws here if its
// storage would permit the write. The initialisation of a cell differs from later writes.

import { skipParens, type Node } from './ast.ts';
import { describeExpression, firstPropertyName } from './expression-description.ts';
import { type Code, Span } from './code.ts';
import type { CodeEmitter } from './code-emitter.ts';
import { emitPrivateWrite, emitSuperMember, classOutsideStep } from './home-emitter.ts';
import type { Variable } from './scope.ts';
import { emitAssignmentWithBarrier, emitNameWithBarrier, isOfTopScope, emitReplacing } from './write-barriers.ts';

/** Whether a write must fail because the variable is constant, although the variable's storage permits it. */
export function isForbiddenWrite(node: Node): boolean {
  const variable = node.ref?.variable;
  if (variable === undefined || variable === null || node.ref?.initialises === true) return false;
  if (variable.kind === 'import') return true;
  // Suspended code has copies of its captures, which are plain locals.
  const isCopied = variable.isCapturedBySuspendable;
  if (variable.kind === 'name') return isCopied || isWrapperName(variable);
  return variable.kind === 'const' && (isCopied || variable.storage !== 'local' || variable.isDeclaredByAssignment);
}

/** Whether the variable is a function expression's name, but emitted as a parameter, which V8 does not protect. */
function isWrapperName(variable: Variable): boolean {
  return variable.scope.node.fn?.isWrapped === true && variable.scope.kind === 'name';
}

/** Whether the write is ignored: sloppy code may assign a function expression's own name without effect. */
function isIgnoredWrite(target: Node): boolean {
  const variable = target.ref?.variable;
  return variable?.kind === 'name' && variable.scope.kind === 'name' && target.ref?.fn.strict === false;
}

/** Code of a write that fails or is ignored. */
function emitFailingWrite(e: CodeEmitter, target: Node, value: Code): Code {
  const variable = target.ref?.variable;
  if (isIgnoredWrite(target)) return ['(', value, ')'];
  // Reading the cell first throws if the variable is not initialised yet.
  const aliveCode = variable?.storage === 'cell' ? `, ${variable.name}.v` : '';
  return [`${e.helper('constAssign')}(${JSON.stringify(target.name)}, `, value, `${aliveCode})`];
}

export function emitAssignment(e: CodeEmitter, node: Node): Code {
  const { left, right, operator } = node;
  const target = skipParens(left);
  if (target.type === 'Identifier') {
    if (target.ref?.isDead === true) {
      // A plain assignment evaluates the right-hand side before it fails. Other assignments read the variable first.
      return operator === '=' ? ['(', e.emit(right), ', ', e.emitIdentifier(target), ')'] : e.emitIdentifier(target);
    }
    if (isForbiddenWrite(target)) return emitForbiddenWrite(e, node, target);
    if (e.isPlain(target)) return e.emitChildren(node);
    const value = /^(=|\|\|=|&&=|\?\?=)$/.test(operator) ? e.emitNamed(target.name, right) : e.emit(right);
    return emitAssignmentWithBarrier(e, target, [e.emitIdentifier(target), ` ${operator} `, value]);
  }
  if (target.type === 'MemberExpression') {
    const write = emitPrivateWrite(e, target, operator, () => e.emit(right));
    if (write !== null) return write;
  }
  if (target.type === 'ObjectPattern' || target.type === 'ArrayPattern') {
    return [emitPattern(e, target), ' = ', emitSource(e, target, right)];
  }
  return e.emitChildren(node);
}

/** Code of `target = value`, for any kind of target. */
export function emitWrite(e: CodeEmitter, target: Node, value: Code): Code {
  if (target.type === 'Identifier') {
    if (isForbiddenWrite(target)) return emitFailingWrite(e, target, value);
    const code: Code = [emitNameWithBarrier(e, target, e.emitIdentifier(target)), ' = ', value];
    const isBarred = e.barriers !== null && isOfTopScope(target.ref?.variable);
    return isBarred ? ['(', e.barriers.topScopeBarrier(e), ', ', code, ')'] : code;
  }
  return emitPrivateWrite(e, target, '=', () => value) ?? [e.emit(target), ' = ', value];
}

function emitForbiddenWrite(e: CodeEmitter, node: Node, target: Node): Code {
  const fail = (value: Code): Code => emitFailingWrite(e, target, value);
  const { operator } = node;
  if (operator === '=') return fail(e.emit(node.right));
  const read = e.emitIdentifier(target);
  if (/^(\|\|=|&&=|\?\?=)$/.test(operator)) {
    return ['(', read, ` ${operator.slice(0, -1)} `, fail(e.emit(node.right)), ')'];
  }
  return fail([read, ` ${operator.slice(0, -1)} (`, e.emit(node.right), ')']);
}

export function emitUpdate(e: CodeEmitter, node: Node): Code {
  const target = skipParens(node.argument as Node);
  if (target.ref?.isDead === true) return e.emitIdentifier(target);
  if (target.type === 'Identifier' && isForbiddenWrite(target)) {
    return emitFailingWrite(e, target, ['+', e.emitIdentifier(target)]);
  }
  if (target.type === 'MemberExpression') {
    const operator = node.operator === '++' ? 'increment' : 'decrement';
    const write = emitPrivateWrite(e, target, node.prefix ? `${operator} prefix` : operator, () => '');
    if (write !== null) return write;
  }
  if (target.type !== 'Identifier' || e.barriers === null || e.substitutions.has(target)) return e.emitChildren(node);
  return emitReplacing(e, target, emitNameWithBarrier(e, target, e.emitIdentifier(target)), () => e.emitChildren(node));
}

/**
 * Source of a pattern that has moved. For undefined and null, the code throws the error of V8 for the original place.
 * @param text V8's name of the source expression; null if V8 describes the value
 */
export function emitPatternSource(e: CodeEmitter, pattern: Node, value: Code, text: string | null): Code {
  const target = skipParens(pattern);
  if (target.type !== 'ObjectPattern' && target.type !== 'ArrayPattern') return value;
  const isNamed = /^[\w$.]+$/.test(e.sourceText(value));
  const name: Code = isNamed ? value : e.addTemporary();
  const sourceCode: Code = isNamed ? value : ['(', name, ' = ', value, ')'];
  const textCode = JSON.stringify(text);
  if (target.type === 'ArrayPattern') return [sourceCode, ` ?? ${e.helper('noIterable')}(`, name, `, ${textCode})`];
  return [
    sourceCode,
    ` ?? ${e.helper('noObject')}(`,
    name,
    `, ${textCode}, ${JSON.stringify(firstPropertyName(target))})`,
  ];
}

export function emitCaughtSource(e: CodeEmitter, pattern: Node, caught: string): Code {
  return emitPatternSource(e, pattern, caught, pattern.type === 'ObjectPattern' ? '.catch' : null);
}

/** Right-hand side of a pattern, or the saved value if the right-hand side suspended. */
export function emitSource(e: CodeEmitter, pattern: Node, right: Node): Code {
  const code = e.emit(right);
  return e.substitutions.has(right) ? emitPatternSource(e, pattern, code, sourceDescription(pattern, right)) : code;
}

/** V8's text for the source of a pattern; null for an array pattern, where V8 describes the value unless awaited. */
export function sourceDescription(pattern: Node, source: Node): string | null {
  const isDescribed = skipParens(pattern).type === 'ArrayPattern' && !/^(Await|Yield)/.test(skipParens(source).type);
  return isDescribed ? null : describeExpression(source);
}

/** Code of a pattern as an assignment target. */
export function emitPattern(e: CodeEmitter, pattern: Node): Code {
  if (e.substitutions.has(pattern)) return e.emit(pattern);
  switch (pattern.type) {
    case 'Identifier': {
      if (pattern.ref?.isDead === true) return [e.emitIdentifier(pattern), '.v'];
      const variable = pattern.ref?.variable ?? null;
      if (isForbiddenWrite(pattern)) {
        if (isIgnoredWrite(pattern)) return '({}).v';
        const aliveCode = variable?.storage === 'cell' ? `, ${pattern.name}.v` : '';
        return `${e.helper('constTarget')}(${JSON.stringify(pattern.name)}${aliveCode}).v`;
      }
      if (variable !== null && pattern.ref?.initialises === true && needsInitialisation(variable)) {
        return `${e.helper('initializer')}(${storageCode(variable)}).v`;
      }
      return emitNameWithBarrier(e, pattern, e.emitIdentifier(pattern));
    }
    case 'ObjectPattern': {
      const parts: Code[] = ['{ '];
      for (const property of pattern.properties) {
        if (property.type === 'RestElement') parts.push('...', emitPattern(e, property.argument as Node));
        else {
          const key: Code = property.computed
            ? ['[', e.emit(property.key), ']']
            : new Span(property.key.start, property.key.end);
          parts.push(key, ': ', emitPattern(e, property.value));
        }
        parts.push(', ');
      }
      if (pattern.properties.at(-1)?.type === 'RestElement') parts.pop();
      return [...parts, ' }'];
    }
    case 'ArrayPattern': {
      const parts: Code[] = ['['];
      pattern.elements.forEach((element, index) => {
        if (element !== null) parts.push(emitPattern(e, element));
        if (index < pattern.elements.length - 1 || element === null) parts.push(', ');
      });
      return [...parts, ']'];
    }
    case 'AssignmentPattern': {
      const target = skipParens(pattern.left);
      const left = emitPattern(e, pattern.left);
      const plain = target.type !== 'Identifier' || (e.isPlain(target) && !isForbiddenWrite(target));
      return [left, ' = ', plain ? e.emit(pattern.right) : e.emitNamed(target.name, pattern.right)];
    }
    case 'RestElement':
      return ['...', emitPattern(e, pattern.argument as Node)];
    case 'ParenthesizedExpression':
      return emitPattern(e, pattern.expression);
    case 'MemberExpression': {
      const info = classOutsideStep(e, pattern.property);
      if (info !== null) {
        const accessors = e.privateAccessors(info, pattern.property.name);
        return [`${e.helper('privateTarget')}(${accessors}, `, e.emit(pattern.object), ').v'];
      }
      return emitSuperMember(e, pattern, true) ?? e.emit(pattern);
    }
    default:
      return e.emit(pattern);
  }
}

/** Whether a variable's storage must be initialised before it can be assigned. */
export function needsInitialisation(variable: Variable): boolean {
  return variable.storage === 'cell' || (variable.storage === 'binding' && variable.isLexical);
}

export function storageCode(variable: Variable): string {
  return variable.storage === 'binding' ? (variable.bindingCode as string) : variable.name;
}

/** Code that initialises one declared name: `target = value`, or a call for a cell. */
export function emitInitialisation(e: CodeEmitter, id: Node, value: Code): Code {
  const variable = id.ref?.variable ?? null;
  if (variable !== null && needsInitialisation(variable)) {
    return [`${e.helper('init')}(${storageCode(variable)}, `, value, ')'];
  }
  return [emitNameWithBarrier(e, id, e.emitIdentifier(id)), ' = ', value];
}
