// Statements of a suspendable function: those that suspend are taken apart here, the others go through unchanged.

import { boundIdentifiers, containsFunction, markDirty, type Node, statements } from './ast.ts';
import { iterableText } from './call-site-text.ts';
import { classExpression } from './class-emitter.ts';
import { type Code, join, Mark } from './code.ts';
import { assignPattern, declaredFunction } from './declaration-emitter.ts';
import type { Scope, Variable } from './scope.ts';
import { isLoop, type JumpTarget, type StepEmitter } from './step-emitter.ts';
import { lowerPattern, saveValue, value } from './step-expressions.ts';
import { bindResource, declareResources, emitUsingBlock, withDisposal } from './step-using.ts';
import { caughtSource, emitInitialisation, emitPattern, patternSource, sourceText } from './target-emitter.ts';

export function emitSuspending(step: StepEmitter, node: Node): void {
  if (declaredFunction(node) !== null && !isRootFunction(node)) return;
  switch (node.type) {
    case 'VariableDeclaration':
      return declaration(step, node);
    case 'ClassDeclaration':
      return classDeclaration(step, node);
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportDeclaration':
      return step.e.exports?.statement(step, node);
  }
  if (node.suspends !== true) {
    step.push(step.e.emit(node), step.e.lacksSemicolon(node) ? '; ' : ' ');
    return;
  }
  switch (node.type) {
    case 'ExpressionStatement':
      return discard(step, node.expression);
    case 'ReturnStatement':
      return emitReturn(step, node.argument, node);
    case 'ThrowStatement':
      step.push(new Mark(node.start), 'throw ', value(step, node.argument as Node), '; ');
      return;
    case 'BlockStatement':
      return step.reentrant(() => block(step, node));
    case 'IfStatement':
      return step.branch(
        value(step, node.test as Node),
        () => step.statement(node.consequent),
        node.alternate === null ? null : () => step.statement(node.alternate as Node),
      );
    case 'LabeledStatement':
      return labeled(step, node);
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForStatement':
      return loop(step, node);
    case 'ForInStatement':
    case 'ForOfStatement':
      return node.await ? forAwait(step, node) : forEach(step, node);
    case 'SwitchStatement':
      return switchStatement(step, node);
    case 'TryStatement':
      return tryStatement(step, node);
    default:
      throw new Error(`transform: no way to suspend in a ${node.type}`);
  }
}

function isRootFunction(node: Node): boolean {
  return node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration';
}

function discard(step: StepEmitter, expression: Node): void {
  const code = value(step, expression, false);
  const text = step.e.sourceText(code).trim();
  if (text !== '' && text !== step.sent && !/^[\w$]+$/.test(text)) step.push('(', code, '); ');
}

export function emitReturn(step: StepEmitter, argument: Node | null, statement: Node | null): void {
  if (argument === null) {
    step.push(step.returnJump('void 0'), ' ');
    return;
  }
  let code: Code = argument.suspends === true ? value(step, argument) : ['(', step.e.emit(argument), ')'];
  if (step.info.async && step.info.generator)
    code = step.awaitValue(statement ?? argument, code, (statement ?? argument).end);
  step.push(new Mark(argument.start), step.returnJump(code), ' ');
}

function block(step: StepEmitter, node: Node): Code {
  return listBlock(step, statements(node), node.scope ?? null, null);
}

/** A statement list with its scope; `before` runs ahead of the first statement. */
export function listBlock(
  step: StepEmitter,
  list: readonly Node[],
  scope: Scope | null,
  before: (() => void) | null,
): Code {
  const using = list.some((each) => each.type === 'VariableDeclaration' && each.kind.endsWith('using'));
  return using ? emitUsingBlock(step, list, scope, before) : step.block(list, scope, before);
}

/** A statement as the body of something, in a list of its own. */
function bodyOf(step: StepEmitter, node: Node): Code {
  return node.type === 'BlockStatement' ? block(step, node) : step.block([node], null);
}

export function declaration(step: StepEmitter, node: Node): void {
  const { e } = step;
  for (const declarator of node.declarations) {
    const id = declarator.id as Node;
    const names = boundIdentifiers(id);
    const variables = names.map((name) => name.ref?.variable as Variable);
    const assigned = variables.some((variable) => step.isAssigned(variable));
    const { init } = declarator;
    if (id.suspends === true && init !== null) {
      declareAll(step, node.kind, names);
      lowerPattern(step, id, value(step, init));
    } else if (!assigned) {
      if (init !== null && init.suspends === true) {
        const code = patternSource(e, id, value(step, init), sourceText(id, init));
        step.push(`${node.kind} `, e.emit(id), ' = ', code, '; ');
      } else step.push(`${node.kind} `, e.emit(declarator), '; ');
    } else if (init === null) {
      if (node.kind !== 'var') step.push(emitInitialisation(e, id, 'void 0'), '; ');
    } else {
      if (init.suspends === true) e.substitutions.set(init, value(step, init));
      declareAll(step, node.kind, names);
      step.push(new Mark(declarator.start), assignPattern(e, id, init), '; ');
      e.substitutions.delete(init);
    }
    for (const variable of variables) step.writeThrough(variable);
  }
}

/** Declares the names of a pattern that have no declaration at the head of the list. */
function declareAll(step: StepEmitter, kind: string, names: readonly Node[]): void {
  const plain = names.filter((name) => !step.isAssigned(name.ref?.variable as Variable));
  if (plain.length === 0) return;
  for (const name of plain) {
    const variable = name.ref?.variable;
    if (kind !== 'var' && variable !== null && variable !== undefined) variable.converted = true;
  }
  step.push(`${kind === 'var' ? 'var' : 'let'} ${plain.map((name) => name.name).join(', ')}; `);
}

function classDeclaration(step: StepEmitter, node: Node): void {
  const { e } = step;
  const id = node.id as Node;
  const variable = id.ref?.variable as Variable;
  if (node.suspends === true) prepareClass(step, node);
  if (!step.isAssigned(variable)) {
    step.push(e.emit(node), ' ');
    return;
  }
  step.push(emitInitialisation(e, id, classExpression(e, node)), '; ');
  step.writeThrough(variable);
}

/** Evaluates heritage and computed keys up to the last one that suspends. */
export function prepareClass(step: StepEmitter, node: Node): void {
  const operands: Node[] = node.superClass === null ? [] : [node.superClass];
  for (const member of statements(node.body)) {
    if (member.type !== 'StaticBlock' && member.computed) operands.push(member.key);
  }
  const last = operands.findLastIndex((each) => each.suspends === true);
  for (const operand of operands.slice(0, last + 1)) {
    markDirty(operand);
    const code = operand.suspends === true ? value(step, operand) : step.e.emit(operand);
    step.e.substitutions.set(
      operand,
      saveValue(step, operand === node.superClass ? code : [`${step.e.use('key')}(`, code, ')']),
    );
  }
}

function labeled(step: StepEmitter, node: Node): void {
  let body = node.body;
  while (body.type === 'LabeledStatement') body = body.body;
  if (isLoop(body)) {
    step.statement(body);
    return;
  }
  const target = addTarget(step, node);
  step.reentrant(() => [`${target.label}: `, step.block([node.body], null)]);
}

function addTarget(step: StepEmitter, node: Node, continueLabel: string | null = null): JumpTarget {
  const depth = step.regions.length;
  const target: JumpTarget = { node, label: step.e.fresh('L'), continueLabel, depth, continueDepth: depth };
  step.targets.set(node, target);
  return target;
}

function loop(step: StepEmitter, node: Node): void {
  const { e, pc } = step;
  const { test, update, init } = node;
  const isDo = node.type === 'DoWhileStatement';
  const headSuspends = test?.suspends === true || update?.suspends === true;
  const scope = node.scope ?? null;
  const headClosures = init !== null && init !== undefined && containsFunction(init) && renewals(step, scope) !== '';
  if (headClosures) for (const variable of scope?.variables.values() ?? []) variable.declaredAhead = true;
  const usesDisposal = init?.type === 'VariableDeclaration' && init.kind.endsWith('using');
  const emitLoop = (stack: string | null = null): void => {
    const runInit = (): void => {
      if (stack !== null) declareResources(step, init as Node, stack);
      else if (init?.type === 'VariableDeclaration') declaration(step, init);
      else if (init !== null && init !== undefined) discard(step, init);
    };
    if (headClosures) {
      // Closures made in the head keep the first boxes, the first iteration starts with new ones.
      step.reentrant(() => iterationOf(step, scope, step.nested(runInit).code));
      step.push(`${renewals(step, scope)}; `);
    } else runInit();
    // Where test or update suspend they become part of the body, and `continue` leaves the block around the true body.
    const target = addTarget(step, node, headSuspends ? e.fresh('L') : null);
    const renew = renewals(step, scope);
    if (!headSuspends) {
      step.reentrant(() => {
        const body = iterationOf(step, scope, bodyOf(step, node.body));
        if (isDo) return [`${target.label}: do `, body, ' while (', e.emit(test as Node), '); '];
        const tested = test === null ? (e.probes?.headlessTest(e, node) ?? null) : e.emit(test);
        const condition: Code = tested === null ? '' : [`${pc} !== 0 || (`, tested, ')'];
        const step3 = join(
          [...(renew === '' ? [] : [renew]), ...(update === null || update === undefined ? [] : [e.emit(update)])],
          ', ',
        );
        return node.type === 'WhileStatement'
          ? [`${target.label}: while (`, condition, ') ', body]
          : [`${target.label}: for (; `, condition, '; ', step3, ') ', body];
      });
      return;
    }
    step.reentrant(() => {
      const inner = step.nested(() => {
        const runTest = (): void => {
          if (test === null) return;
          step.probeValue(test);
          step.push('if (!(', value(step, test), `)) break ${target.label}; `);
        };
        const runBody = (): void =>
          step.reentrant(() => [`${target.continueLabel}: `, iterationOf(step, scope, bodyOf(step, node.body))]);
        if (isDo) {
          runBody();
          runTest();
        } else {
          runTest();
          runBody();
          if (renew !== '') step.push(`${renew}; `);
          if (update !== null && update !== undefined) {
            step.probeValue(update);
            discard(step, update);
          }
        }
      });
      return [`${target.label}: for (;;) { `, inner.code, '} '];
    });
  };
  if (scope === null || scope.variables.size === 0) emitLoop();
  else {
    const run = usesDisposal
      ? (): void => withDisposal(step, (init as Node).kind === 'await using', node, emitLoop)
      : (): void => emitLoop();
    step.reentrant(() => step.block([], scope, run));
  }
}

/** Closures made in the body keep the boxes of their iteration: in it the names are constants. */
function iterationOf(step: StepEmitter, scope: Scope | null, body: Code): Code {
  const boxed = scope === null ? [] : [...scope.variables.values()].filter((variable) => variable.storage !== 'local');
  if (boxed.length === 0) return body;
  const names = boxed.map((variable) => ({ name: variable.name, copy: step.e.fresh('b') }));
  const copies = names.map(({ name, copy }) => `${copy} = ${name}`).join(', ');
  const consts = names.map(({ name, copy }) => `${name} = ${copy}`).join(', ');
  return [`{ const ${copies}; { const ${consts}; `, body, '} } '];
}

/** New boxes for the next iteration. */
function renewals(step: StepEmitter, scope: Scope | null): string {
  return [...(scope?.variables.values() ?? [])]
    .filter(({ storage, kind }) => storage !== 'local' && kind !== 'const')
    .map(({ name, slot }) => `${name} = ${slot === null ? '' : `${step.slotCode(slot)} = `}{ v: ${name}.v }`)
    .join(', ');
}

function forEach(step: StepEmitter, node: Node): void {
  const { e, pc } = step;
  const { left } = node;
  const kind = node.type === 'ForInStatement' ? 'ForIn' : 'ForOf';
  const declared = left.type === 'VariableDeclaration';
  if (declared && kind === 'ForIn' && (left.declarations[0] as Node).init !== null) {
    step.push(e.emit(left), '; ');
  }
  const iterable = value(step, node.right);
  if (node.body.suspends !== true && left.suspends !== true) {
    // Only the iterated expression suspended: the loop itself, with its labels, stays as it is.
    e.substitutions.set(node.right, iterable);
    step.push(labelsOf(node), e.emit(node), ' ');
    e.substitutions.delete(node.right);
    return;
  }
  const slot = step.allocate(`for ${kind === 'ForOf' ? 'of' : 'in'}`);
  const driver = step.slotCode(slot);
  const text = kind === 'ForOf' ? `, ${JSON.stringify(iterableText(node.right))}` : '';
  step.push(new Mark(node.right.start), `${driver} = new ${e.use(kind)}(${step.frame}, (`, iterable, `)${text}); `);
  const target = addTarget(step, node);
  step.reentrant(() => {
    const each = e.fresh('e');
    const body = eachBody(step, node, each);
    return [`${target.label}: for (const ${each} of ${pc} !== 0 ? ${driver}.again() : ${driver}) `, body];
  });
  step.release(slot);
}

function labelsOf(node: Node): string {
  let labels = '';
  for (let at = node.parent; at?.type === 'LabeledStatement'; at = at.parent) labels = `${at.label?.name}: ${labels}`;
  return labels;
}

/** One turn of an iteration: bind the value, run the body. */
function eachBody(step: StepEmitter, node: Node, each: string): Code {
  const { e } = step;
  const { left } = node;
  const declared = left.type === 'VariableDeclaration';
  const pattern = declared ? ((left.declarations[0] as Node).id as Node) : left;
  const scope = declared && left.kind !== 'var' ? (node.scope as Scope) : null;
  return step.block([], scope, () => {
    if (declared && left.kind.endsWith('using')) {
      withDisposal(step, left.kind === 'await using', node, (stack) => {
        bindResource(step, pattern, each, left.kind, stack);
        step.reentrant(() => bodyOf(step, node.body));
      });
      return;
    }
    const names = declared ? boundIdentifiers(pattern) : [];
    if (pattern.suspends === true) {
      declareAll(step, declared ? left.kind : 'var', names);
      lowerPattern(step, pattern, each);
    } else if (pattern.type === 'Identifier' && declared && !step.isAssigned(pattern.ref?.variable as Variable)) {
      step.push(`${left.kind === 'var' ? 'var' : left.kind} ${pattern.name} = ${each}; `);
    } else {
      declareAll(step, declared ? left.kind : 'var', names);
      if (pattern.type === 'Identifier' && declared) step.push(emitInitialisation(e, pattern, each), '; ');
      else step.push('(', emitPattern(e, pattern), ' = ', patternSource(e, pattern, each, '.for'), '); ');
    }
    for (const name of names) step.writeThrough(name.ref?.variable);
    step.reentrant(() => bodyOf(step, node.body));
  });
}

/** `for await`: the iterator in a slot, each `next()` awaited, and closed on every abrupt way out of the body. */
function forAwait(step: StepEmitter, node: Node): void {
  const { e } = step;
  const iterable = value(step, node.right);
  const slot = step.allocate('for await');
  const record = step.slotCode(slot);
  step.push(new Mark(node.right.start), `${record} = ${e.use('forAwait')}(`, iterable, '); ');
  const target = addTarget(step, node);
  step.reentrant(() => {
    const inner = step.nested(() => {
      const result = step.awaitValue(node, `${record}.step()`, node.right.end);
      step.push(`if (${record}.finished(`, result, `)) break ${target.label}; `);
      const bodyEnd = e.fresh('L');
      step.guard(
        () => {
          // Inside the guard `break` leaves through it, `continue` only ends the labelled block.
          step.targets.set(node, { ...target, continueLabel: bodyEnd, continueDepth: step.regions.length });
          step.reentrant(() => [`${bodyEnd}: `, eachBody(step, node, `${record}.value`)]);
          step.targets.set(node, target);
        },
        (kind) => {
          step.branch(`${kind} !== 0 && ${record}.close(${kind})`, () => awaitClose(step, node, record, kind), null);
        },
      );
    });
    return [`${target.label}: for (;;) { `, inner.code, '} '];
  });
  step.release(slot);
}

/** Awaits what `return()` of the iterator gave; its failure counts only if nothing else failed before. */
function awaitClose(step: StepEmitter, node: Node, record: string, kind: string): void {
  const caught = `${step.sent}e`;
  step.reentrant(() => {
    const inner = step.nested(() => {
      const result = step.awaitValue(node, `${record}.value`, node.end - 1);
      step.push(`${record}.closed(`, result, `, ${kind}); `);
    });
    return ['try { ', inner.code, `} catch (${caught}) { if (${kind} !== 1) throw ${caught}; } `];
  });
}

function switchStatement(step: StepEmitter, node: Node): void {
  const { e, pc } = step;
  const target = addTarget(step, node);
  const { cases } = node;
  const scope = node.scope as Scope;
  const testsSuspend = cases.some((each) => each.test?.suspends === true);
  const discriminant = value(step, node.discriminant);
  const chosen = e.temporary();
  if (!testsSuspend) step.push(`${chosen} = (`, discriminant, '); ');
  const kept = testsSuspend ? saveValue(step, discriminant) : chosen;
  step.reentrant(() =>
    step.block(
      cases.flatMap((each) => statements(each)).filter((each) => declaredFunction(each) !== null),
      scope,
      () => {
        const none = cases.findIndex((each) => each.test === null);
        if (!testsSuspend) {
          const tests = cases.map((each, index): Code =>
            each.test === null ? '' : ['case ', e.emit(each.test), `: ${chosen} = ${index}; break; `],
          );
          step.push(`switch (${chosen}) { `, tests, `default: ${chosen} = ${none}; } `);
        } else {
          const index = saveValue(step, '-1');
          for (const [at, each] of cases.entries()) {
            if (each.test === null) continue;
            step.branch(
              [index, ' === -1'],
              () => {
                step.push('if (', kept, ' === (', value(step, each.test as Node), ')) ', index, ` = ${at}; `);
              },
              null,
            );
          }
          step.push(`${chosen} = `, index, ` === -1 ? ${none} : `, index, '; ');
        }
        const ranges: string[] = [];
        step.reentrant(() => {
          const bodies = cases.map((each, index): Code => {
            const inner = step.nested(() => {
              for (const statement of statements(each))
                if (declaredFunction(statement) === null) step.statement(statement);
            });
            if (inner.last >= inner.first)
              ranges.push(`${pc} >= ${inner.first} && ${pc} <= ${inner.last} ? ${index} : `);
            return [`case ${index}: `, inner.code];
          });
          const select = ranges.length === 0 ? chosen : `${pc} === 0 ? ${chosen} : ${ranges.join('')}-1`;
          return [`${target.label}: switch (${select}) { `, bodies, '} '];
        });
      },
    ),
  );
}

function tryStatement(step: StepEmitter, node: Node): void {
  const { finalizer } = node;
  if (finalizer === null) {
    step.reentrant(() => tryCatch(step, node, null));
    return;
  }
  if (finalizer.suspends !== true) {
    // A step that only suspends leaves through the native `finally` as well.
    const final: Code = [`finally { if (${step.frame}.pc === 0) `, step.e.emit(finalizer), ' } '];
    step.reentrant(() => tryCatch(step, node, final));
    return;
  }
  step.guard(
    () => step.reentrant(() => (node.handler === null ? plainBlock(step, node.block) : tryCatch(step, node, null))),
    () => step.reentrant(() => block(step, finalizer)),
  );
}

function plainBlock(step: StepEmitter, node: Node): Code {
  return node.suspends === true ? block(step, node) : step.e.emit(node);
}

function tryCatch(step: StepEmitter, node: Node, final: Code | null): Code {
  const { e, pc } = step;
  const { handler } = node;
  if (handler === null) return ['try ', plainBlock(step, node.block), final ?? ''];
  if (handler.suspends !== true) {
    return ['try ', plainBlock(step, node.block), e.emit(handler), ' ', final ?? ''];
  }
  // The handler suspends: the native catch only notes what was thrown, the handler's body stands after it.
  const failed = e.temporary();
  const caught = e.temporary();
  const inner = step.nested(() => {
    step.push(`${failed} = false; `);
    step.reentrant(() => [
      'try ',
      plainBlock(step, node.block),
      ` catch (${step.sent}e) { ${failed} = true; ${caught} = ${step.sent}e; ${e.probes?.caught(`${step.sent}e`) ?? ''}} `,
    ]);
    step.reentrant(() => [`if (${pc} !== 0 || ${failed}) `, handlerBody(step, handler, caught)]);
  });
  if (final === null) return inner.code;
  return ['try { ', inner.code, '} ', final];
}

function handlerBody(step: StepEmitter, handler: Node, caught: string): Code {
  const { e } = step;
  return step.block([], handler.scope as Scope, () => {
    const { param } = handler;
    if (param !== null) {
      const names = boundIdentifiers(param);
      const plain = names.filter((name) => !step.isAssigned(name.ref?.variable as Variable));
      if (plain.length > 0) step.push(`let ${plain.map((name) => name.name).join(', ')}; `);
      if (param.suspends === true) lowerPattern(step, param, caught);
      else step.push('(', emitPattern(e, param), ' = ', caughtSource(e, param, caught), '); ');
      for (const name of names) step.writeThrough(name.ref?.variable);
    }
    if (handler.body.suspends === true) step.reentrant(() => block(step, handler.body));
    else step.push(e.emit(handler.body), ' ');
  });
}
