// Statements of a suspendable function. A statement that suspends is split up. Other statements keep their form.

import { boundIdentifiers, containsFunction, markDirty, type Node, statements } from './ast.ts';
import { describeIterable } from './expression-description.ts';
import { emitClassExpression } from './class-emitter.ts';
import { type Code, join, MappingPoint } from './code.ts';
import { emitPatternAssignment, declaredFunction } from './declaration-emitter.ts';
import type { Scope, Variable } from './scope.ts';
import { isLoop, type JumpTarget, type StepEmitter } from './step-emitter.ts';
import { emitDiscarded, emitSuspendingPattern, saveValue, emitValue } from './step-expressions.ts';
import { emitResource, emitResources, emitUsingBlock, emitDisposal } from './step-using.ts';
import {
  emitCaughtSource,
  emitInitialisation,
  emitPattern,
  emitPatternSource,
  sourceDescription,
} from './target-emitter.ts';

export function emitSuspendingStatement(step: StepEmitter, node: Node): void {
  if (declaredFunction(node) !== null && !isExportedFunction(node)) return;
  switch (node.type) {
    case 'VariableDeclaration':
      return emitStepDeclaration(step, node);
    case 'ClassDeclaration':
      return emitStepClass(step, node);
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportDeclaration':
      return step.e.exports?.emitSuspendingStatement(step, node);
  }
  if (node.suspends !== true) {
    step.push(step.e.emit(node), step.e.lacksSemicolon(node) ? '; ' : ' ');
    return;
  }
  switch (node.type) {
    case 'ExpressionStatement':
      return emitDiscarded(step, node.expression);
    case 'ReturnStatement':
      return emitReturn(step, node.argument, node);
    case 'ThrowStatement':
      step.push(new MappingPoint(node.start), 'throw ', emitValue(step, node.argument as Node), '; ');
      return;
    case 'BlockStatement':
      return step.emitReentrant(() => emitBlock(step, node));
    case 'IfStatement':
      return step.emitBranch(
        emitValue(step, node.test as Node),
        () => step.emitStatement(node.consequent),
        node.alternate === null ? null : () => step.emitStatement(node.alternate as Node),
      );
    case 'LabeledStatement':
      return emitSuspendingLabeled(step, node);
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForStatement':
      return emitSuspendingLoop(step, node);
    case 'ForInStatement':
    case 'ForOfStatement':
      return node.await ? emitForAwait(step, node) : emitSuspendingForEach(step, node);
    case 'SwitchStatement':
      return emitSuspendingSwitch(step, node);
    case 'TryStatement':
      return emitSuspendingTry(step, node);
    default:
      throw new Error(`transform: no way to suspend in a ${node.type}`);
  }
}

function isExportedFunction(node: Node): boolean {
  return node.type === 'ExportNamedDeclaration' || node.type === 'ExportDefaultDeclaration';
}

export function emitReturn(step: StepEmitter, argument: Node | null, statement: Node | null): void {
  if (argument === null) {
    step.push(step.returnCode('void 0'), ' ');
    return;
  }
  let code: Code = argument.suspends === true ? emitValue(step, argument) : ['(', step.e.emit(argument), ')'];
  if (step.info.async && step.info.generator)
    code = step.emitAwait(statement ?? argument, code, (statement ?? argument).end);
  step.push(new MappingPoint(argument.start), step.returnCode(code), ' ');
}

function emitBlock(step: StepEmitter, node: Node): Code {
  return emitListBlock(step, statements(node), node.scope ?? null, null);
}

/** Code of a statement list with its scope. `emitBefore` emits code before the first statement. */
export function emitListBlock(
  step: StepEmitter,
  list: readonly Node[],
  scope: Scope | null,
  emitBefore: (() => void) | null,
): Code {
  const hasUsing = list.some((each) => each.type === 'VariableDeclaration' && each.kind.endsWith('using'));
  return hasUsing ? emitUsingBlock(step, list, scope, emitBefore) : step.emitBlock(list, scope, emitBefore);
}

/** Code of a statement that is a body, as a separate list. */
function emitAsBlock(step: StepEmitter, node: Node): Code {
  return node.type === 'BlockStatement' ? emitBlock(step, node) : step.emitBlock([node], null);
}

export function emitStepDeclaration(step: StepEmitter, node: Node): void {
  const { e } = step;
  for (const declarator of node.declarations) {
    const id = declarator.id as Node;
    const names = boundIdentifiers(id);
    const variables = names.map((name) => name.ref?.variable as Variable);
    const isAssigned = variables.some((variable) => step.isAssigned(variable));
    const { init } = declarator;
    if (id.suspends === true && init !== null) {
      emitNames(step, node.kind, names);
      emitSuspendingPattern(step, id, emitValue(step, init));
    } else if (!isAssigned) {
      if (init !== null && init.suspends === true) {
        const code = emitPatternSource(e, id, emitValue(step, init), sourceDescription(id, init));
        step.push(`${node.kind} `, e.emit(id), ' = ', code, '; ');
      } else step.push(`${node.kind} `, e.emit(declarator), '; ');
    } else if (init === null) {
      if (node.kind !== 'var') step.push(emitInitialisation(e, id, 'void 0'), '; ');
    } else {
      if (init.suspends === true) e.substitutions.set(init, emitValue(step, init));
      emitNames(step, node.kind, names);
      step.push(new MappingPoint(declarator.start), emitPatternAssignment(e, id, init), '; ');
      e.substitutions.delete(init);
    }
    for (const variable of variables) step.storeInSlot(variable);
  }
}

/** Declares the names of a pattern that are not declared at the start of the list. */
function emitNames(step: StepEmitter, kind: string, names: readonly Node[]): void {
  const undeclared = names.filter((name) => !step.isAssigned(name.ref?.variable as Variable));
  if (undeclared.length === 0) return;
  for (const name of undeclared) {
    const variable = name.ref?.variable;
    if (kind !== 'var' && variable !== null && variable !== undefined) variable.isDeclaredByAssignment = true;
  }
  step.push(`${kind === 'var' ? 'var' : 'let'} ${undeclared.map((name) => name.name).join(', ')}; `);
}

function emitStepClass(step: StepEmitter, node: Node): void {
  const { e } = step;
  const id = node.id as Node;
  const variable = id.ref?.variable as Variable;
  if (node.suspends === true) saveClassOperands(step, node);
  if (!step.isAssigned(variable)) {
    step.push(e.emit(node), ' ');
    return;
  }
  step.push(emitInitialisation(e, id, emitClassExpression(e, node)), '; ');
  step.storeInSlot(variable);
}

/** Saves the heritage and the computed keys of a class, up to the last one that suspends. */
export function saveClassOperands(step: StepEmitter, node: Node): void {
  const operands: Node[] = node.superClass === null ? [] : [node.superClass];
  for (const member of statements(node.body)) {
    if (member.type !== 'StaticBlock' && member.computed) operands.push(member.key);
  }
  const last = operands.findLastIndex((each) => each.suspends === true);
  for (const operand of operands.slice(0, last + 1)) {
    markDirty(operand);
    const code = operand.suspends === true ? emitValue(step, operand) : step.e.emit(operand);
    step.e.substitutions.set(
      operand,
      saveValue(step, operand === node.superClass ? code : [`${step.e.helper('key')}(`, code, ')']),
    );
  }
}

function emitSuspendingLabeled(step: StepEmitter, node: Node): void {
  let body = node.body;
  while (body.type === 'LabeledStatement') body = body.body;
  if (isLoop(body)) {
    step.emitStatement(body);
    return;
  }
  const target = addJumpTarget(step, node);
  step.emitReentrant(() => [`${target.label}: `, step.emitBlock([node.body], null)]);
}

function addJumpTarget(step: StepEmitter, node: Node, continueLabel: string | null = null): JumpTarget {
  const depth = step.guardedRegions.length;
  const target: JumpTarget = { node, label: step.e.freshName('L'), continueLabel, depth, continueDepth: depth };
  step.jumpTargets.set(node, target);
  return target;
}

function emitSuspendingLoop(step: StepEmitter, node: Node): void {
  const { e, pc } = step;
  const { test, update, init } = node;
  const isDo = node.type === 'DoWhileStatement';
  const headSuspends = test?.suspends === true || update?.suspends === true;
  const scope = node.scope ?? null;
  const hasHeadClosures =
    init !== null && init !== undefined && containsFunction(init) && boxRenewals(step, scope) !== '';
  if (hasHeadClosures) for (const variable of scope?.variables.values() ?? []) variable.isDeclaredAtHead = true;
  const usesDisposal = init?.type === 'VariableDeclaration' && init.kind.endsWith('using');
  const emitLoop = (stack: string | null = null): void => {
    const runInit = (): void => {
      if (stack !== null) emitResources(step, init as Node, stack);
      else if (init?.type === 'VariableDeclaration') emitStepDeclaration(step, init);
      else if (init !== null && init !== undefined) emitDiscarded(step, init);
    };
    if (hasHeadClosures) {
      // Closures made in the head keep the first boxes. The first iteration starts with new boxes.
      step.emitReentrant(() => emitIteration(step, scope, step.emitNested(runInit).code));
      step.push(`${boxRenewals(step, scope)}; `);
    } else runInit();
    // If the test or update suspends, it becomes part of the body, and `continue` leaves a block around the true body.
    const target = addJumpTarget(step, node, headSuspends ? e.freshName('L') : null);
    const renewals = boxRenewals(step, scope);
    if (!headSuspends) {
      step.emitReentrant(() => {
        const body = emitIteration(step, scope, emitAsBlock(step, node.body));
        if (isDo) return [`${target.label}: do `, body, ' while (', e.emit(test as Node), '); '];
        const testCode = test === null ? (e.probes?.headlessLoopTest(e, node) ?? null) : e.emit(test);
        const condition: Code = testCode === null ? '' : [`${pc} !== 0 || (`, testCode, ')'];
        const updateCode = join(
          [
            ...(renewals === '' ? [] : [renewals]),
            ...(update === null || update === undefined ? [] : [e.emit(update)]),
          ],
          ', ',
        );
        return node.type === 'WhileStatement'
          ? [`${target.label}: while (`, condition, ') ', body]
          : [`${target.label}: for (; `, condition, '; ', updateCode, ') ', body];
      });
      return;
    }
    step.emitReentrant(() => {
      const inner = step.emitNested(() => {
        const runTest = (): void => {
          if (test === null) return;
          step.emitValueProbe(test);
          step.push('if (!(', emitValue(step, test), `)) break ${target.label}; `);
        };
        const runBody = (): void =>
          step.emitReentrant(() => [
            `${target.continueLabel}: `,
            emitIteration(step, scope, emitAsBlock(step, node.body)),
          ]);
        if (isDo) {
          runBody();
          runTest();
        } else {
          runTest();
          runBody();
          if (renewals !== '') step.push(`${renewals}; `);
          if (update !== null && update !== undefined) {
            step.emitValueProbe(update);
            emitDiscarded(step, update);
          }
        }
      });
      return [`${target.label}: for (;;) { `, inner.code, '} '];
    });
  };
  if (scope === null || scope.variables.size === 0) emitLoop();
  else {
    const run = usesDisposal
      ? (): void => emitDisposal(step, (init as Node).kind === 'await using', node, emitLoop)
      : (): void => emitLoop();
    step.emitReentrant(() => step.emitBlock([], scope, run));
  }
}

/** Code of one iteration. The names are constants inside, so that closures keep the boxes of their iteration. */
function emitIteration(step: StepEmitter, scope: Scope | null, body: Code): Code {
  const boxed = scope === null ? [] : [...scope.variables.values()].filter((variable) => variable.storage !== 'local');
  if (boxed.length === 0) return body;
  const names = boxed.map((variable) => ({ name: variable.name, copy: step.e.freshName('b') }));
  const copies = names.map(({ name, copy }) => `${copy} = ${name}`).join(', ');
  const consts = names.map(({ name, copy }) => `${name} = ${copy}`).join(', ');
  return [`{ const ${copies}; { const ${consts}; `, body, '} } '];
}

/** Code that makes new boxes with the same values, for the next iteration. */
function boxRenewals(step: StepEmitter, scope: Scope | null): string {
  return [...(scope?.variables.values() ?? [])]
    .filter(({ storage, kind }) => storage !== 'local' && kind !== 'const')
    .map(({ name, slot }) => `${name} = ${slot === null ? '' : `${step.slotCode(slot)} = `}{ v: ${name}.v }`)
    .join(', ');
}

function emitSuspendingForEach(step: StepEmitter, node: Node): void {
  const { e, pc } = step;
  const { left } = node;
  const kind = node.type === 'ForInStatement' ? 'ForIn' : 'ForOf';
  const isDeclaration = left.type === 'VariableDeclaration';
  if (isDeclaration && kind === 'ForIn' && (left.declarations[0] as Node).init !== null) {
    step.push(e.emit(left), '; ');
  }
  const iterable = emitValue(step, node.right);
  if (node.body.suspends !== true && left.suspends !== true) {
    // Only the iterated expression suspends, so the loop itself stays as it is, with its labels.
    e.substitutions.set(node.right, iterable);
    step.push(labelsOf(node), e.emit(node), ' ');
    e.substitutions.delete(node.right);
    return;
  }
  const slot = step.allocateSlot(`for ${kind === 'ForOf' ? 'of' : 'in'}`);
  const driver = step.slotCode(slot);
  const text = kind === 'ForOf' ? `, ${JSON.stringify(describeIterable(node.right))}` : '';
  const construct = `${driver} = new ${e.helper(kind)}(${step.frame}, (`;
  step.push(new MappingPoint(node.right.start), construct, iterable, `)${text}); `);
  const target = addJumpTarget(step, node);
  step.emitReentrant(() => {
    const itemName = e.freshName('e');
    const body = emitEachBody(step, node, itemName);
    return [`${target.label}: for (const ${itemName} of ${pc} !== 0 ? ${driver}.again() : ${driver}) `, body];
  });
  step.releaseSlot(slot);
}

function labelsOf(node: Node): string {
  let labels = '';
  for (let at = node.parent; at?.type === 'LabeledStatement'; at = at.parent) labels = `${at.label?.name}: ${labels}`;
  return labels;
}

/** Code of one round of a `for-in` or `for-of`: binds the value, and runs the body. */
function emitEachBody(step: StepEmitter, node: Node, itemName: string): Code {
  const { e } = step;
  const { left } = node;
  const isDeclaration = left.type === 'VariableDeclaration';
  const pattern = isDeclaration ? ((left.declarations[0] as Node).id as Node) : left;
  const scope = isDeclaration && left.kind !== 'var' ? (node.scope as Scope) : null;
  return step.emitBlock([], scope, () => {
    if (isDeclaration && left.kind.endsWith('using')) {
      emitDisposal(step, left.kind === 'await using', node, (stack) => {
        emitResource(step, pattern, itemName, left.kind, stack);
        step.emitReentrant(() => emitAsBlock(step, node.body));
      });
      return;
    }
    const names = isDeclaration ? boundIdentifiers(pattern) : [];
    if (pattern.suspends === true) {
      emitNames(step, isDeclaration ? left.kind : 'var', names);
      emitSuspendingPattern(step, pattern, itemName);
    } else if (pattern.type === 'Identifier' && isDeclaration && !step.isAssigned(pattern.ref?.variable as Variable)) {
      step.push(`${left.kind === 'var' ? 'var' : left.kind} ${pattern.name} = ${itemName}; `);
    } else {
      emitNames(step, isDeclaration ? left.kind : 'var', names);
      if (pattern.type === 'Identifier' && isDeclaration) step.push(emitInitialisation(e, pattern, itemName), '; ');
      else step.push('(', emitPattern(e, pattern), ' = ', emitPatternSource(e, pattern, itemName, '.for'), '); ');
    }
    for (const name of names) step.storeInSlot(name.ref?.variable);
    step.emitReentrant(() => emitAsBlock(step, node.body));
  });
}

/** Emits a `for await`: its iterator is in a slot, each `next()` is awaited, each early exit closes the iterator. */
function emitForAwait(step: StepEmitter, node: Node): void {
  const { e } = step;
  const iterable = emitValue(step, node.right);
  const slot = step.allocateSlot('for await');
  const record = step.slotCode(slot);
  step.push(new MappingPoint(node.right.start), `${record} = ${e.helper('forAwait')}(`, iterable, '); ');
  const target = addJumpTarget(step, node);
  step.emitReentrant(() => {
    const inner = step.emitNested(() => {
      const result = step.emitAwait(node, `${record}.step()`, node.right.end);
      step.push(`if (${record}.finished(`, result, `)) break ${target.label}; `);
      const bodyEnd = e.freshName('L');
      step.emitGuard(
        () => {
          // Inside the guard, `break` must leave through the guard, while `continue` only leaves the labelled block.
          step.jumpTargets.set(node, { ...target, continueLabel: bodyEnd, continueDepth: step.guardedRegions.length });
          step.emitReentrant(() => [`${bodyEnd}: `, emitEachBody(step, node, `${record}.value`)]);
          step.jumpTargets.set(node, target);
        },
        (kind) => {
          const test = `${kind} !== 0 && ${record}.close(${kind})`;
          step.emitBranch(test, () => emitAwaitClose(step, node, record, kind), null);
        },
      );
    });
    return [`${target.label}: for (;;) { `, inner.code, '} '];
  });
  step.releaseSlot(slot);
}

/** Emits the await of the result of the iterator's `return()`. Its failure is ignored if the loop threw an error. */
function emitAwaitClose(step: StepEmitter, node: Node, record: string, kind: string): void {
  const caught = `${step.sent}e`;
  step.emitReentrant(() => {
    const inner = step.emitNested(() => {
      const result = step.emitAwait(node, `${record}.value`, node.end - 1);
      step.push(`${record}.closed(`, result, `, ${kind}); `);
    });
    return ['try { ', inner.code, `} catch (${caught}) { if (${kind} !== 1) throw ${caught}; } `];
  });
}

function emitSuspendingSwitch(step: StepEmitter, node: Node): void {
  const { e, pc } = step;
  const target = addJumpTarget(step, node);
  const { cases } = node;
  const scope = node.scope as Scope;
  const testsSuspend = cases.some((each) => each.test?.suspends === true);
  const discriminant = emitValue(step, node.discriminant);
  const chosenCase = e.addTemporary();
  if (!testsSuspend) step.push(`${chosenCase} = (`, discriminant, '); ');
  const savedDiscriminant = testsSuspend ? saveValue(step, discriminant) : chosenCase;
  step.emitReentrant(() =>
    step.emitBlock(
      cases.flatMap((each) => statements(each)).filter((each) => declaredFunction(each) !== null),
      scope,
      () => {
        const defaultIndex = cases.findIndex((each) => each.test === null);
        if (!testsSuspend) {
          const tests = cases.map((each, index): Code =>
            each.test === null ? '' : ['case ', e.emit(each.test), `: ${chosenCase} = ${index}; break; `],
          );
          step.push(`switch (${chosenCase}) { `, tests, `default: ${chosenCase} = ${defaultIndex}; } `);
        } else {
          const index = saveValue(step, '-1');
          for (const [at, each] of cases.entries()) {
            if (each.test === null) continue;
            step.emitBranch(
              [index, ' === -1'],
              () => {
                const test = emitValue(step, each.test as Node);
                step.push('if (', savedDiscriminant, ' === (', test, ')) ', index, ` = ${at}; `);
              },
              null,
            );
          }
          step.push(`${chosenCase} = `, index, ` === -1 ? ${defaultIndex} : `, index, '; ');
        }
        const ranges: string[] = [];
        step.emitReentrant(() => {
          const bodies = cases.map((each, index): Code => {
            const inner = step.emitNested(() => {
              for (const statement of statements(each))
                if (declaredFunction(statement) === null) step.emitStatement(statement);
            });
            if (inner.last >= inner.first)
              ranges.push(`${pc} >= ${inner.first} && ${pc} <= ${inner.last} ? ${index} : `);
            return [`case ${index}: `, inner.code];
          });
          const select = ranges.length === 0 ? chosenCase : `${pc} === 0 ? ${chosenCase} : ${ranges.join('')}-1`;
          return [`${target.label}: switch (${select}) { `, bodies, '} '];
        });
      },
    ),
  );
}

function emitSuspendingTry(step: StepEmitter, node: Node): void {
  const { finalizer } = node;
  if (finalizer === null) {
    step.emitReentrant(() => emitTryCatch(step, node, null));
    return;
  }
  if (finalizer.suspends !== true) {
    // A suspension also leaves through the native `finally`, which must then do nothing.
    const final: Code = [`finally { if (${step.frame}.pc === 0) `, step.e.emit(finalizer), ' } '];
    step.emitReentrant(() => emitTryCatch(step, node, final));
    return;
  }
  step.emitGuard(
    () =>
      step.emitReentrant(() =>
        node.handler === null ? emitPlainBlock(step, node.block) : emitTryCatch(step, node, null),
      ),
    () => step.emitReentrant(() => emitBlock(step, finalizer)),
  );
}

function emitPlainBlock(step: StepEmitter, node: Node): Code {
  return node.suspends === true ? emitBlock(step, node) : step.e.emit(node);
}

function emitTryCatch(step: StepEmitter, node: Node, final: Code | null): Code {
  const { e, pc } = step;
  const { handler } = node;
  if (handler === null) return ['try ', emitPlainBlock(step, node.block), final ?? ''];
  if (handler.suspends !== true) {
    return ['try ', emitPlainBlock(step, node.block), e.emit(handler), ' ', final ?? ''];
  }
  // The handler suspends, so the native `catch` only stores the error, and the handler's body follows after it.
  const hasFailed = e.addTemporary();
  const caught = e.addTemporary();
  const inner = step.emitNested(() => {
    step.push(`${hasFailed} = false; `);
    step.emitReentrant(() => [
      'try ',
      emitPlainBlock(step, node.block),
      ` catch (${step.sent}e) { ${hasFailed} = true; ${caught} = ${step.sent}e; ${e.probes?.caughtHook(`${step.sent}e`) ?? ''}} `,
    ]);
    step.emitReentrant(() => [`if (${pc} !== 0 || ${hasFailed}) `, emitHandlerBody(step, handler, caught)]);
  });
  if (final === null) return inner.code;
  return ['try { ', inner.code, '} ', final];
}

function emitHandlerBody(step: StepEmitter, handler: Node, caught: string): Code {
  const { e } = step;
  return step.emitBlock([], handler.scope as Scope, () => {
    const { param } = handler;
    if (param !== null) {
      const names = boundIdentifiers(param);
      const undeclared = names.filter((name) => !step.isAssigned(name.ref?.variable as Variable));
      if (undeclared.length > 0) step.push(`let ${undeclared.map((name) => name.name).join(', ')}; `);
      if (param.suspends === true) emitSuspendingPattern(step, param, caught);
      else step.push('(', emitPattern(e, param), ' = ', emitCaughtSource(e, param, caught), '); ');
      for (const name of names) step.storeInSlot(name.ref?.variable);
    }
    if (handler.body.suspends === true) step.emitReentrant(() => emitBlock(step, handler.body));
    else step.push(e.emit(handler.body), ' ');
  });
}
