// Expressions that suspend. What is evaluated before a suspension and needed after it goes to a frame slot; the expression
// itself is then emitted once, with those operands replaced.

import { bare, boundIdentifiers, isFunction, markDirty, memberName, type Node } from './ast.ts';
import { callSiteText } from './call-site-text.ts';
import type { Code } from './code.ts';
import { emitSuperMember, outsideClassOf } from './home-emitter.ts';
import { isLiveAt, type Variable } from './scope.ts';
import type { StepEmitter } from './step-emitter.ts';
import { prepareClass } from './step-statements.ts';
import { emitInitialisation, emitPattern, emitWrite } from './target-emitter.ts';

/** Emits what has to happen first and answers code for the value, to be used before anything else suspends. */
export function value(step: StepEmitter, node: Node, needed = true): Code {
  const { e } = step;
  if (node.suspends !== true) return e.emit(node);
  switch (node.type) {
    case 'ParenthesizedExpression':
      return value(step, node.expression, needed);
    case 'AwaitExpression':
      return step.awaitValue(node, value(step, node.argument as Node));
    case 'YieldExpression': {
      const argument = node.argument === null ? 'void 0' : value(step, node.argument);
      return node.delegate ? step.delegate(node, argument) : step.yieldValue(node, argument);
    }
    case 'SequenceExpression': {
      const { expressions } = node;
      for (const each of expressions.slice(0, -1)) step.push(value(step, each, false), '; ');
      return value(step, expressions.at(-1) as Node, needed);
    }
    case 'LogicalExpression':
      return logical(step, node);
    case 'ConditionalExpression':
      return conditional(step, node, needed);
    case 'AssignmentExpression':
      return assignment(step, node);
    case 'CallExpression':
      return call(step, node);
    case 'NewExpression':
      return decompose(step, node, [node.callee, ...node.arguments], true);
    case 'TaggedTemplateExpression':
      return taggedTemplate(step, node);
    case 'ChainExpression':
      return chain(step, node);
    case 'MemberExpression':
      return decompose(step, node, memberOperands(node));
    case 'BinaryExpression':
      return decompose(step, node, node.left.type === 'PrivateIdentifier' ? [node.right] : [node.left, node.right]);
    case 'UnaryExpression':
    case 'UpdateExpression': {
      const target = bare(node.argument as Node);
      const operands = target.type === 'MemberExpression' ? memberOperands(target) : [node.argument as Node];
      return decompose(step, node, operands);
    }
    case 'SpreadElement':
      return decompose(step, node, [node.argument as Node]);
    case 'ArrayExpression':
      return decompose(
        step,
        node,
        node.elements.filter((each) => each !== null),
      );
    case 'ObjectExpression':
      return decompose(step, node, objectOperands(node));
    case 'TemplateLiteral':
      return decompose(step, node, node.expressions);
    case 'ImportExpression':
      return decompose(step, node, [node.source as Node, ...(node.options === null ? [] : [node.options])]);
    case 'ClassExpression':
      prepareClass(step, node);
      return e.emit(node);
    default:
      throw new Error(`transform: no way to suspend in a ${node.type}`);
  }
}

/** Keeps a value in a slot across what follows. */
export function saveValue(step: StepEmitter, code: Code): Code {
  const slot = step.slotCode(step.allocateTemporary());
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

/** May be evaluated after a later operand, which ends at `until`, without anybody noticing. */
function isStable(step: StepEmitter, node: Node, until: number): boolean {
  const inner = bare(node);
  if (inner.type === 'Literal' || inner.type === 'ThisExpression')
    return inner.type !== 'Literal' || !('regex' in inner);
  if (isFunction(inner)) return [...(inner.fn?.captures ?? [])].every((variable) => isKept(step, variable, until));
  if (inner.type !== 'Identifier') return false;
  const variable = inner.ref?.variable;
  if (variable === null) return inner.name === 'undefined';
  return variable !== undefined && isKept(step, variable, until);
}

/** A variable that has its value for good and still has it after the suspension, since it is used further on anyway. */
function isKept(step: StepEmitter, variable: Variable, until: number): boolean {
  if (variable.storage !== 'local' || variable.writes > 0 || variable.kind === 'var') return false;
  if (variable.isRoot) return variable.kind === 'const';
  return variable.slot !== null && isLiveAt(variable, until, step.info);
}

const SIMPLE = /^[\w$]+$/;

/** Evaluates operands in order up to the last one that suspends, then emits the expression with them replaced. */
function decompose(step: StepEmitter, node: Node, operands: readonly Node[], saveLast = false): Code {
  const replaced = prepare(step, operands, saveLast);
  const code = step.e.emit(node);
  restore(step, replaced);
  return code;
}

function prepare(step: StepEmitter, operands: readonly Node[], saveLast = false): Node[] {
  const { substitutions } = step.e;
  const last = operands.findLastIndex((each) => each.suspends === true);
  const replaced: Node[] = [];
  for (const [index, operand] of operands.slice(0, last + 1).entries()) {
    if (operand.suspends !== true && isStable(step, operand, (operands[last] as Node).end)) continue;
    const keep = index < last || (saveLast && operand.suspends === true && index === 0);
    substitutions.set(operand, replacement(step, operand, keep));
    markDirty(operand);
    replaced.push(operand);
  }
  return replaced;
}

/** Operands stand for themselves again. */
function restore(step: StepEmitter, operands: readonly Node[]): void {
  for (const operand of operands) step.e.substitutions.delete(operand);
}

/** The code that stands for an operand from now on. */
function replacement(step: StepEmitter, operand: Node, keep: boolean): Code {
  const { e } = step;
  if (operand.type === 'SpreadElement') {
    const argument = value(step, operand.argument as Node);
    if (!keep) return ['...', argument];
    const inObject = operand.parent?.type === 'ObjectExpression';
    return ['...', saveValue(step, inObject ? ['{ ...', argument, ' }'] : ['[...', argument, ']'])];
  }
  const code = value(step, operand);
  const { parent } = operand;
  if (!keep) return SIMPLE.test(e.sourceText(code)) ? code : ['(', code, ')'];
  if (parent?.type === 'TemplateLiteral' && parent.parent?.type !== 'TaggedTemplateExpression')
    return saveValue(step, ['`${', code, '}`']);
  const isKey = parent?.type === 'Property' && parent.computed && parent.key === operand;
  if (isKey) return saveValue(step, [`${e.use('key')}(`, code, ')']);
  if (parent?.type === 'Property' && parent.value === operand && !parent.computed) {
    const name = memberName(parent);
    if (name !== null && operand.suspends !== true) return saveValue(step, e.named(name, operand));
  }
  return saveValue(step, code);
}

function logical(step: StepEmitter, node: Node): Code {
  if (node.right.suspends !== true) return decompose(step, node, [node.left]);
  const result = step.e.temporary();
  step.push(`${result} = `, value(step, node.left), '; ');
  const test = node.operator === '&&' ? result : node.operator === '||' ? `!${result}` : `${result} == null`;
  step.branch(test, () => step.push(`${result} = `, value(step, node.right), '; '), null);
  return result;
}

function conditional(step: StepEmitter, node: Node, needed: boolean): Code {
  const { consequent, alternate } = node;
  if (consequent.suspends !== true && alternate?.suspends !== true) return decompose(step, node, [node.test as Node]);
  const result = needed ? step.e.temporary() : '';
  const take = (each: Node) => (): void => {
    const code = value(step, each, needed);
    step.push(needed ? `${result} = ` : '', code, '; ');
  };
  step.branch(value(step, node.test as Node), take(consequent), take(alternate as Node));
  return needed ? result : 'void 0';
}

function assignment(step: StepEmitter, node: Node): Code {
  const { e } = step;
  const { operator, right } = node;
  const left = bare(node.left);
  if (left.type === 'ObjectPattern' || left.type === 'ArrayPattern') {
    if (left.suspends !== true) return ['(', decompose(step, node, [right]), ')'];
    const source = saveValue(step, value(step, right));
    lowerPattern(step, left, source);
    return source;
  }
  const isMember = left.type === 'MemberExpression';
  if (operator === '=') return decompose(step, node, [...(isMember ? memberOperands(left) : []), right]);
  // The old value is read before the right-hand side suspends.
  const replaced = isMember ? prepareAll(step, memberOperands(left), node.end) : [];
  const short = /^(\|\||&&|\?\?)=$/.exec(operator)?.[1];
  const old = saveValue(step, e.emit(left));
  const write = (code: Code): Code => emitWrite(e, left, code);
  let result: Code;
  if (short === undefined) {
    const code = value(step, right);
    result = ['(', write(['(', old, ` ${operator.slice(0, -1)} (`, code, '))']), ')'];
  } else {
    const test: Code = short === '&&' ? old : short === '||' ? ['!', old] : [old, ' == null'];
    step.branch(test, () => step.push(old, ' = ', write(value(step, right)), '; '), null);
    result = old;
  }
  restore(step, replaced);
  return result;
}

/** Every operand in a slot, unless it is stable. */
function prepareAll(step: StepEmitter, operands: readonly Node[], until: number): Node[] {
  const replaced: Node[] = [];
  for (const operand of operands) {
    if (operand.suspends !== true && isStable(step, operand, until)) continue;
    step.e.substitutions.set(operand, saveValue(step, value(step, operand)));
    markDirty(operand);
    replaced.push(operand);
  }
  return replaced;
}

/** A destructuring whose defaults or keys suspend, one target after the other. */
export function lowerPattern(step: StepEmitter, pattern: Node, source: Code): void {
  const { e } = step;
  if (pattern.suspends !== true) {
    if (pattern.type === 'Identifier' && pattern.ref?.initialises === true)
      step.push(emitInitialisation(e, pattern, source), '; ');
    // An element with its default is no target by itself.
    else if (pattern.type === 'AssignmentPattern')
      step.push('({ v: ', emitPattern(e, pattern), ' } = { v: ', source, ' }); ');
    else step.push('(', emitPattern(e, pattern), ' = ', source, '); ');
    for (const id of boundIdentifiers(pattern)) step.writeThrough(id.ref?.variable);
    return;
  }
  switch (pattern.type) {
    case 'ParenthesizedExpression':
      return lowerPattern(step, pattern.expression, source);
    case 'AssignmentPattern':
      return lowerPattern(step, pattern.left, saveDefaulted(step, pattern, source));
    case 'ObjectPattern': {
      const kept = saveValue(step, source);
      step.push('({} = ', kept, '); ');
      const keys: Code[] = [];
      for (const property of pattern.properties) {
        if (property.type === 'RestElement') {
          const rest: Code = [`${e.use('objectRest')}(`, kept, ', [', keys.map((key): Code => [key, ', ']), '])'];
          lowerPattern(step, property.argument as Node, rest);
          continue;
        }
        let key: Code;
        if (property.computed) key = saveValue(step, [`${e.use('key')}(`, value(step, property.key), ')']);
        else key = JSON.stringify(memberName(property));
        keys.push(key);
        lowerElement(step, property.value, [kept, '[', key, ']']);
      }
      return;
    }
    case 'ArrayPattern': {
      const slot = step.allocateTemporary();
      const elements = step.slotCode(slot);
      step.push(`${elements} = new ${e.use('ArrayElements')}(`, source, '); ');
      // Whatever ends the destructuring early, a suspension aside, closes the iterator.
      step.guard(
        () => {
          for (const element of pattern.elements) {
            if (element === null) step.push(`${elements}.next(); `);
            else if (element.type === 'RestElement') lowerElement(step, element.argument as Node, `${elements}.rest()`);
            else lowerElement(step, element, `${elements}.next()`);
          }
        },
        (kind) => step.push(`${elements}.close(${kind}); `),
      );
      return;
    }
    default: {
      const replaced = prepareAll(step, memberOperands(pattern), Number.POSITIVE_INFINITY);
      const kept = saveValue(step, source);
      step.push(emitPattern(e, pattern), ' = ', kept, '; ');
      restore(step, replaced);
    }
  }
}

/** A part of a pattern: the object a member target belongs to is evaluated before the part is read. */
function lowerElement(step: StepEmitter, element: Node, source: Code): void {
  const target = bare(element.type === 'AssignmentPattern' ? element.left : element);
  if (target.type !== 'MemberExpression') return lowerPattern(step, element, source);
  const replaced = prepareAll(step, memberOperands(target), Number.POSITIVE_INFINITY);
  const kept = saveDefaulted(step, element, source);
  step.push(emitPattern(step.e, target), ' = ', kept, '; ');
  restore(step, replaced);
}

/** A value in a slot: that of the pattern's default where the source is undefined. */
function saveDefaulted(step: StepEmitter, pattern: Node, source: Code): Code {
  const kept = saveValue(step, source);
  if (pattern.type === 'AssignmentPattern')
    step.branch([kept, ' === void 0'], () => step.push(kept, ' = ', value(step, pattern.right), '; '), null);
  return kept;
}

function call(step: StepEmitter, node: Node): Code {
  const callee = bare(node.callee);
  const text = JSON.stringify(callSiteText(callee));
  const called = (method: Code, receiver: Code): Code => {
    const rest = argumentList(step, node.arguments);
    return [`${step.e.use('call')}(`, method, ', ', receiver, `, [`, rest, `], ${text})`];
  };
  if (callee.type === 'MemberExpression') {
    const argumentsSuspend = node.arguments.some((each) => each.suspends === true);
    if (!argumentsSuspend) return decompose(step, node, memberOperands(callee));
    const { receiver, method } = takeMethod(step, callee, node.end);
    return called(method, receiver);
  }
  const isEval = step.e.analysis.refused.some((each) => each.node === node);
  if (callee.type === 'Super' || isEval || isStable(step, callee, node.end))
    return decompose(step, node, [node.callee, ...node.arguments], true);
  return called(saveValue(step, value(step, callee)), 'void 0');
}

/** The arguments of a call, some of which may suspend. */
function argumentList(step: StepEmitter, list: readonly Node[]): Code {
  const replaced = prepare(step, list);
  const code = list.map((each): Code => [step.e.emit(each), ', ']);
  restore(step, replaced);
  return code;
}

/** Reads the method of a call before its arguments suspend. */
function takeMethod(step: StepEmitter, member: Node, until: number): { receiver: Code; method: Code } {
  const { e } = step;
  const isSuper = member.object.type === 'Super';
  const replaced = prepareAll(step, memberOperands(member), until);
  const receiver = isSuper ? e.around.thisCode : e.emit(member.object);
  const method = saveValue(step, isSuper ? (emitSuperMember(e, member) as Code) : e.emit(member));
  restore(step, replaced);
  return { receiver, method };
}

function taggedTemplate(step: StepEmitter, node: Node): Code {
  const { e } = step;
  const tag = bare(node.tag);
  if (tag.type !== 'MemberExpression' && isStable(step, tag, node.end))
    return decompose(step, node, node.quasi.expressions);
  const { receiver, method } =
    tag.type === 'MemberExpression'
      ? takeMethod(step, tag, node.end)
      : { receiver: 'void 0', method: saveValue(step, value(step, tag)) };
  const replaced = prepare(step, node.quasi.expressions);
  const code = e.emitTaggedTemplate(node, (strings, values) => [
    `${e.use('call')}(`,
    method,
    ', ',
    receiver,
    `, [${strings}`,
    values,
    `], ${JSON.stringify(callSiteText(tag))})`,
  ]);
  restore(step, replaced);
  return code;
}

/** `a?.b(await c).d`: every `?.` becomes a condition around all that follows it. */
function chain(step: StepEmitter, node: Node): Code {
  const { e } = step;
  const links: Node[] = [];
  let base = node.expression;
  while (base.type === 'MemberExpression' || base.type === 'CallExpression') {
    links.unshift(base);
    base = base.type === 'MemberExpression' ? base.object : base.callee;
  }
  const result = e.temporary();
  // The value so far and the receiver of a call that follows, both kept across suspensions.
  const current = saveValue(step, base.type === 'Super' ? 'void 0' : value(step, base));
  const receiver = saveValue(step, 'void 0');
  const follow = (index: number): void => {
    const link = links[index];
    if (link === undefined) {
      step.push(`${result} = `, current, '; ');
      return;
    }
    const run = (): void => {
      if (link.type === 'MemberExpression') {
        if (link.object.type === 'Super')
          step.push(
            current,
            ' = ',
            emitSuperMember(e, link) ?? e.emit(link),
            `; `,
            receiver,
            ` = ${e.around.thisCode}; `,
          );
        else {
          step.push(receiver, ' = ', current, '; ');
          const info = outsideClassOf(e, link.property);
          if (link.computed) {
            const key = link.property.suspends === true ? value(step, link.property) : e.emit(link.property);
            step.push(current, ' = ', receiver, '[', key, ']; ');
          } else if (info !== null) {
            step.push(current, ` = ${e.privateAccessors(info, link.property.name)}.get(`, receiver, '); ');
          } else
            step.push(
              current,
              ' = ',
              receiver,
              `.${link.property.type === 'PrivateIdentifier' ? '#' : ''}${link.property.name}; `,
            );
        }
      } else {
        const rest = argumentList(step, link.arguments);
        step.push(
          current,
          ` = ${e.use('call')}(`,
          current,
          ', ',
          receiver,
          ', [',
          rest,
          `], ${JSON.stringify(callSiteText(link.callee))}); `,
          receiver,
          ' = void 0; ',
        );
      }
      follow(index + 1);
    };
    if (!link.optional) run();
    else step.branch([current, ' != null'], run, () => step.push(`${result} = void 0; `));
  };
  follow(0);
  return result;
}
