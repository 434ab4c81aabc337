// Expressions that suspend. A value that is evaluated before a suspension and needed after it is saved in a frame slot.
// The expression is then emitted once, with the saved operands replaced.

import { skipParens, boundIdentifiers, isFunction, markDirty, memberName, type Node } from './ast.ts';
import { describeExpression } from './expression-description.ts';
import type { Code } from './code.ts';
import { emitSuperMember, classOutsideStep } from './home-emitter.ts';
import { isLiveAt, type Variable } from './scope.ts';
import type { StepEmitter } from './step-emitter.ts';
import { saveClassOperands } from './step-statements.ts';
import { emitInitialisation, emitPattern, emitWrite } from './target-emitter.ts';

/** Emits the effects before a value, and returns code for the value. It must be used before the next suspension. */
export function emitValue(step: StepEmitter, node: Node): Code {
  const { e } = step;
  if (node.suspends !== true) return e.emit(node);
  switch (node.type) {
    case 'ParenthesizedExpression':
      return emitValue(step, node.expression);
    case 'AwaitExpression':
      return step.emitAwait(node, emitValue(step, node.argument as Node));
    case 'YieldExpression': {
      const argument = node.argument === null ? 'void 0' : emitValue(step, node.argument);
      return node.delegate ? step.emitDelegate(node, argument) : step.emitYield(node, argument);
    }
    case 'SequenceExpression': {
      const { expressions } = node;
      for (const each of expressions.slice(0, -1)) emitDiscarded(step, each);
      return emitValue(step, expressions.at(-1) as Node);
    }
    case 'LogicalExpression':
      return emitSuspendingLogical(step, node);
    case 'ConditionalExpression':
      return emitSuspendingConditional(step, node);
    case 'AssignmentExpression':
      return emitSuspendingAssignment(step, node);
    case 'CallExpression':
      return emitSuspendingCall(step, node);
    case 'NewExpression':
      return emitWithOperands(step, node, [node.callee, ...node.arguments], true);
    case 'TaggedTemplateExpression':
      return emitSuspendingTemplate(step, node);
    case 'ChainExpression':
      return emitSuspendingChain(step, node);
    case 'MemberExpression':
      return emitWithOperands(step, node, memberOperands(node));
    case 'BinaryExpression':
      return emitWithOperands(
        step,
        node,
        node.left.type === 'PrivateIdentifier' ? [node.right] : [node.left, node.right],
      );
    case 'UnaryExpression':
    case 'UpdateExpression': {
      const target = skipParens(node.argument as Node);
      const operands = target.type === 'MemberExpression' ? memberOperands(target) : [node.argument as Node];
      return emitWithOperands(step, node, operands);
    }
    case 'SpreadElement':
      return emitWithOperands(step, node, [node.argument as Node]);
    case 'ArrayExpression':
      return emitWithOperands(
        step,
        node,
        node.elements.filter((each) => each !== null),
      );
    case 'ObjectExpression':
      return emitWithOperands(step, node, objectOperands(node));
    case 'TemplateLiteral':
      return emitWithOperands(step, node, node.expressions);
    case 'ImportExpression':
      return emitWithOperands(step, node, [node.source as Node, ...(node.options === null ? [] : [node.options])]);
    case 'ClassExpression':
      saveClassOperands(step, node);
      return e.emit(node);
    default:
      throw new Error(`transform: no way to suspend in a ${node.type}`);
  }
}

/** Saves a value in a temporary slot. Returns the code of the slot. */
export function saveValue(step: StepEmitter, code: Code): Code {
  const slot = step.slotCode(step.allocateTemporarySlot());
  step.push(`${slot} = (`, code, '); ');
  return slot;
}

function memberOperands(member: Node): Node[] {
  const operands = member.object.type === 'Super' ? [] : [member.object];
  if (member.computed) operands.push(member.property);
  return operands;
}

function objectOperands(node: Node): Node[] {
  const operands: Node[] = [];
  for (const property of node.properties) {
    if (property.type === 'SpreadElement') operands.push(property);
    else {
      if (property.computed) operands.push(property.key);
      if (!property.method && property.kind === 'init') operands.push(property.value);
    }
  }
  return operands;
}

/** Whether an operand may be evaluated after the suspension at `endPosition` without a visible difference. */
function isStableOperand(step: StepEmitter, node: Node, endPosition: number): boolean {
  const inner = skipParens(node);
  if (inner.type === 'Literal' || inner.type === 'ThisExpression')
    return inner.type !== 'Literal' || !('regex' in inner);
  if (isFunction(inner))
    return [...(inner.fn?.captures ?? [])].every((variable) => keepsValue(step, variable, endPosition));
  if (inner.type !== 'Identifier') return false;
  const variable = inner.ref?.variable;
  if (variable === null) return inner.name === 'undefined';
  return variable !== undefined && keepsValue(step, variable, endPosition);
}

/** Whether a variable has its final value, and is kept across the suspension because of a later use anyway. */
function keepsValue(step: StepEmitter, variable: Variable, endPosition: number): boolean {
  if (variable.storage !== 'local' || variable.writeCount > 0 || variable.kind === 'var') return false;
  if (variable.isRoot) return variable.kind === 'const';
  return variable.slot !== null && isLiveAt(variable, endPosition, step.info);
}

const IDENTIFIER = /^[\w$]+$/;

/** Saves the operands up to the last one that suspends, then emits the expression with these operands replaced. */
function emitWithOperands(step: StepEmitter, node: Node, operands: readonly Node[], mustSaveLast = false): Code {
  const replaced = saveOperands(step, operands, mustSaveLast);
  const code = step.e.emit(node);
  restoreOperands(step, replaced);
  return code;
}

function saveOperands(step: StepEmitter, operands: readonly Node[], mustSaveLast = false): Node[] {
  const { substitutions } = step.e;
  const last = operands.findLastIndex((each) => each.suspends === true);
  const replaced: Node[] = [];
  for (const [index, operand] of operands.slice(0, last + 1).entries()) {
    if (operand.suspends !== true && isStableOperand(step, operand, (operands[last] as Node).end)) continue;
    const mustKeep = index < last || (mustSaveLast && operand.suspends === true && index === 0);
    substitutions.set(operand, saveOperand(step, operand, mustKeep));
    markDirty(operand);
    replaced.push(operand);
  }
  return replaced;
}

/** Removes the replacements that were made for operands. */
function restoreOperands(step: StepEmitter, operands: readonly Node[]): void {
  for (const operand of operands) step.e.substitutions.delete(operand);
}

/** Evaluates an operand. Returns the code that replaces it, a slot if `mustKeep`. */
function saveOperand(step: StepEmitter, operand: Node, mustKeep: boolean): Code {
  const { e } = step;
  if (operand.type === 'SpreadElement') {
    const argument = emitValue(step, operand.argument as Node);
    if (!mustKeep) return ['...', argument];
    const inObject = operand.parent?.type === 'ObjectExpression';
    return ['...', saveValue(step, inObject ? ['{ ...', argument, ' }'] : ['[...', argument, ']'])];
  }
  const code = emitValue(step, operand);
  const { parent } = operand;
  if (!mustKeep) return IDENTIFIER.test(e.sourceText(code)) ? code : ['(', code, ')'];
  if (parent?.type === 'TemplateLiteral' && parent.parent?.type !== 'TaggedTemplateExpression')
    return saveValue(step, ['`${', code, '}`']);
  const isKey = parent?.type === 'Property' && parent.computed && parent.key === operand;
  if (isKey) return saveValue(step, [`${e.helper('key')}(`, code, ')']);
  if (parent?.type === 'Property' && parent.value === operand && !parent.computed) {
    const name = memberName(parent);
    if (name !== null && operand.suspends !== true) return saveValue(step, e.emitNamed(name, operand));
  }
  return saveValue(step, code);
}

function emitSuspendingLogical(step: StepEmitter, node: Node): Code {
  if (node.right.suspends !== true) return emitWithOperands(step, node, [node.left]);
  const result = step.e.addTemporary();
  step.push(`${result} = `, emitValue(step, node.left), '; ');
  const test = node.operator === '&&' ? result : node.operator === '||' ? `!${result}` : `${result} == null`;
  step.emitBranch(test, () => step.push(`${result} = `, emitValue(step, node.right), '; '), null);
  return result;
}

function emitSuspendingConditional(step: StepEmitter, node: Node): Code {
  if (!hasSuspendingBranch(node)) return emitWithOperands(step, node, [node.test as Node]);
  const result = step.e.addTemporary();
  const emitInto = (branch: Node) => (): void => step.push(`${result} = `, emitValue(step, branch), '; ');
  emitBranches(step, node, emitInto);
  return result;
}

function hasSuspendingBranch({ consequent, alternate }: Node): boolean {
  return consequent.suspends === true || alternate?.suspends === true;
}

function emitBranches(step: StepEmitter, node: Node, emitter: (branch: Node) => () => void): void {
  const { test, consequent, alternate } = node;
  step.emitBranch(emitValue(step, test as Node), emitter(consequent), emitter(alternate as Node));
}

/** Emits an expression as statements. Parentheses prevent that it begins like a block or a declaration. */
export function emitDiscarded(step: StepEmitter, expression: Node): void {
  const node = skipParens(expression);
  if (node.suspends !== true) {
    step.push('(', step.e.emit(node), '); ');
    return;
  }
  if (node.type === 'SequenceExpression') {
    for (const each of node.expressions) emitDiscarded(step, each);
    return;
  }
  if (node.type === 'ConditionalExpression' && hasSuspendingBranch(node)) {
    emitBranches(step, node, (branch) => () => emitDiscarded(step, branch));
    return;
  }
  const code = emitValue(step, node);
  // A name is that of a saved value here, so that reading it has no effect.
  if (!IDENTIFIER.test(step.e.sourceText(code).trim())) step.push('(', code, '); ');
}

function emitSuspendingAssignment(step: StepEmitter, node: Node): Code {
  const { e } = step;
  const { operator, right } = node;
  const left = skipParens(node.left);
  if (left.type === 'ObjectPattern' || left.type === 'ArrayPattern') {
    if (left.suspends !== true) return ['(', emitWithOperands(step, node, [right]), ')'];
    const source = saveValue(step, emitValue(step, right));
    emitSuspendingPattern(step, left, source);
    return source;
  }
  const isMember = left.type === 'MemberExpression';
  if (operator === '=') return emitWithOperands(step, node, [...(isMember ? memberOperands(left) : []), right]);
  // The old value is read before the right-hand side suspends.
  const replaced = isMember ? saveAllOperands(step, memberOperands(left), node.end) : [];
  const shortCircuit = /^(\|\||&&|\?\?)=$/.exec(operator)?.[1];
  const oldValue = saveValue(step, e.emit(left));
  const write = (code: Code): Code => emitWrite(e, left, code);
  let result: Code;
  if (shortCircuit === undefined) {
    const code = emitValue(step, right);
    result = ['(', write(['(', oldValue, ` ${operator.slice(0, -1)} (`, code, '))']), ')'];
  } else {
    const test: Code =
      shortCircuit === '&&' ? oldValue : shortCircuit === '||' ? ['!', oldValue] : [oldValue, ' == null'];
    step.emitBranch(test, () => step.push(oldValue, ' = ', write(emitValue(step, right)), '; '), null);
    result = oldValue;
  }
  restoreOperands(step, replaced);
  return result;
}

/** Saves and replaces all operands that are not stable. Returns these operands. */
function saveAllOperands(step: StepEmitter, operands: readonly Node[], endPosition: number): Node[] {
  const replaced: Node[] = [];
  for (const operand of operands) {
    if (operand.suspends !== true && isStableOperand(step, operand, endPosition)) continue;
    step.e.substitutions.set(operand, saveValue(step, emitValue(step, operand)));
    markDirty(operand);
    replaced.push(operand);
  }
  return replaced;
}

/** Emits a destructuring whose defaults or keys suspend, one target after the other. */
export function emitSuspendingPattern(step: StepEmitter, pattern: Node, source: Code): void {
  const { e } = step;
  if (pattern.suspends !== true) {
    if (pattern.type === 'Identifier' && pattern.ref?.initialises === true)
      step.push(emitInitialisation(e, pattern, source), '; ');
    // An element with a default is not a target by itself, so an object pattern is put around it.
    else if (pattern.type === 'AssignmentPattern')
      step.push('({ v: ', emitPattern(e, pattern), ' } = { v: ', source, ' }); ');
    else step.push('(', emitPattern(e, pattern), ' = ', source, '); ');
    for (const id of boundIdentifiers(pattern)) step.storeInSlot(id.ref?.variable);
    return;
  }
  switch (pattern.type) {
    case 'ParenthesizedExpression':
      return emitSuspendingPattern(step, pattern.expression, source);
    case 'AssignmentPattern':
      return emitSuspendingPattern(step, pattern.left, saveWithDefault(step, pattern, source));
    case 'ObjectPattern': {
      const savedValue = saveValue(step, source);
      step.push('({} = ', savedValue, '); ');
      const keys: Code[] = [];
      for (const property of pattern.properties) {
        if (property.type === 'RestElement') {
          const takenKeys = keys.map((key): Code => [key, ', ']);
          const rest: Code = [`${e.helper('objectRest')}(`, savedValue, ', [', takenKeys, '])'];
          emitSuspendingPattern(step, property.argument as Node, rest);
          continue;
        }
        let key: Code;
        if (property.computed) key = saveValue(step, [`${e.helper('key')}(`, emitValue(step, property.key), ')']);
        else key = JSON.stringify(memberName(property));
        keys.push(key);
        emitPatternElement(step, property.value, [savedValue, '[', key, ']']);
      }
      return;
    }
    case 'ArrayPattern': {
      const slot = step.allocateTemporarySlot();
      const elements = step.slotCode(slot);
      step.push(`${elements} = new ${e.helper('ArrayElements')}(`, source, '); ');
      // Every early exit from the destructuring, except a suspension, closes the iterator.
      step.emitGuard(
        () => {
          for (const element of pattern.elements) {
            if (element === null) step.push(`${elements}.next(); `);
            else if (element.type === 'RestElement')
              emitPatternElement(step, element.argument as Node, `${elements}.rest()`);
            else emitPatternElement(step, element, `${elements}.next()`);
          }
        },
        (kind) => step.push(`${elements}.close(${kind}); `),
      );
      return;
    }
    default: {
      const replaced = saveAllOperands(step, memberOperands(pattern), Number.POSITIVE_INFINITY);
      const savedValue = saveValue(step, source);
      step.push(emitPattern(e, pattern), ' = ', savedValue, '; ');
      restoreOperands(step, replaced);
    }
  }
}

/** Emits an element of a pattern. If its target is a member, the object of the member is evaluated first. */
function emitPatternElement(step: StepEmitter, element: Node, source: Code): void {
  const target = skipParens(element.type === 'AssignmentPattern' ? element.left : element);
  if (target.type !== 'MemberExpression') return emitSuspendingPattern(step, element, source);
  const replaced = saveAllOperands(step, memberOperands(target), Number.POSITIVE_INFINITY);
  const savedValue = saveWithDefault(step, element, source);
  step.push(emitPattern(step.e, target), ' = ', savedValue, '; ');
  restoreOperands(step, replaced);
}

/** Saves a value, or if it is undefined, the default of the pattern. Returns the code of the slot. */
function saveWithDefault(step: StepEmitter, pattern: Node, source: Code): Code {
  const savedValue = saveValue(step, source);
  const emitDefault = (): void => step.push(savedValue, ' = ', emitValue(step, pattern.right), '; ');
  if (pattern.type === 'AssignmentPattern') step.emitBranch([savedValue, ' === void 0'], emitDefault, null);
  return savedValue;
}

function emitSuspendingCall(step: StepEmitter, node: Node): Code {
  const callee = skipParens(node.callee);
  const text = JSON.stringify(describeExpression(callee));
  const emitCallOf = (method: Code, receiver: Code): Code => {
    const argumentsCode = emitArguments(step, node.arguments);
    return [`${step.e.helper('call')}(`, method, ', ', receiver, `, [`, argumentsCode, `], ${text})`];
  };
  if (callee.type === 'MemberExpression') {
    const argumentsSuspend = node.arguments.some((each) => each.suspends === true);
    if (!argumentsSuspend) return emitWithOperands(step, node, memberOperands(callee));
    const { receiver, method } = saveMethod(step, callee, node.end);
    return emitCallOf(method, receiver);
  }
  const isEval = step.e.analysis.refused.some((each) => each.node === node);
  if (callee.type === 'Super' || isEval || isStableOperand(step, callee, node.end))
    return emitWithOperands(step, node, [node.callee, ...node.arguments], true);
  return emitCallOf(saveValue(step, emitValue(step, callee)), 'void 0');
}

/** Code of the arguments of a call. Arguments that precede a suspension are saved in slots. */
function emitArguments(step: StepEmitter, list: readonly Node[]): Code {
  const replaced = saveOperands(step, list);
  const code = list.map((each): Code => [step.e.emit(each), ', ']);
  restoreOperands(step, replaced);
  return code;
}

/** Saves the method of a call, so that it is read before the arguments suspend. */
function saveMethod(step: StepEmitter, member: Node, endPosition: number): { receiver: Code; method: Code } {
  const { e } = step;
  const isSuper = member.object.type === 'Super';
  const replaced = saveAllOperands(step, memberOperands(member), endPosition);
  const receiver = isSuper ? e.context.thisCode : e.emit(member.object);
  const method = saveValue(step, isSuper ? (emitSuperMember(e, member) as Code) : e.emit(member));
  restoreOperands(step, replaced);
  return { receiver, method };
}

function emitSuspendingTemplate(step: StepEmitter, node: Node): Code {
  const { e } = step;
  const tag = skipParens(node.tag);
  if (tag.type !== 'MemberExpression' && isStableOperand(step, tag, node.end))
    return emitWithOperands(step, node, node.quasi.expressions);
  const { receiver, method } =
    tag.type === 'MemberExpression'
      ? saveMethod(step, tag, node.end)
      : { receiver: 'void 0', method: saveValue(step, emitValue(step, tag)) };
  const replaced = saveOperands(step, node.quasi.expressions);
  const code = e.emitTaggedTemplate(node, (strings, values) => [
    `${e.helper('call')}(`,
    method,
    ', ',
    receiver,
    `, [${strings}`,
    values,
    `], ${JSON.stringify(describeExpression(tag))})`,
  ]);
  restoreOperands(step, replaced);
  return code;
}

/** Emits a chain such as `a?.b(await c).d`. Each `?.` becomes a condition around the rest of the chain. */
function emitSuspendingChain(step: StepEmitter, node: Node): Code {
  const { e } = step;
  const links: Node[] = [];
  let base = node.expression;
  while (base.type === 'MemberExpression' || base.type === 'CallExpression') {
    links.unshift(base);
    base = base.type === 'MemberExpression' ? base.object : base.callee;
  }
  const result = e.addTemporary();
  // The value so far, and the receiver for a following call. Both are kept across suspensions.
  const current = saveValue(step, base.type === 'Super' ? 'void 0' : emitValue(step, base));
  const receiver = saveValue(step, 'void 0');
  const emitLink = (index: number): void => {
    const link = links[index];
    if (link === undefined) {
      step.push(`${result} = `, current, '; ');
      return;
    }
    const runLink = (): void => {
      if (link.type === 'MemberExpression') {
        if (link.object.type === 'Super') {
          const member = emitSuperMember(e, link) ?? e.emit(link);
          step.push(current, ' = ', member, '; ', receiver, ` = ${e.context.thisCode}; `);
        } else {
          step.push(receiver, ' = ', current, '; ');
          const info = classOutsideStep(e, link.property);
          if (link.computed) {
            const key = link.property.suspends === true ? emitValue(step, link.property) : e.emit(link.property);
            step.push(current, ' = ', receiver, '[', key, ']; ');
          } else if (info !== null) {
            step.push(current, ` = ${e.privateAccessors(info, link.property.name)}.get(`, receiver, '); ');
          } else {
            const hash = link.property.type === 'PrivateIdentifier' ? '#' : '';
            step.push(current, ' = ', receiver, `.${hash}${link.property.name}; `);
          }
        }
      } else {
        const argumentsCode = emitArguments(step, link.arguments);
        step.push(
          current,
          ` = ${e.helper('call')}(`,
          current,
          ', ',
          receiver,
          ', [',
          argumentsCode,
          `], ${JSON.stringify(describeExpression(link.callee))}); `,
          receiver,
          ' = void 0; ',
        );
      }
      emitLink(index + 1);
    };
    if (!link.optional) runLink();
    else step.emitBranch([current, ' != null'], runLink, () => step.push(`${result} = void 0; `));
  };
  emitLink(0);
  return result;
}
