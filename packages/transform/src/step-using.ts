// `using` and `await using` in lists that suspend. A guard disposes of the disposal stack, which is in a slot.

import type { Node } from './ast.ts';
import type { Code } from './code.ts';
import type { Scope } from './scope.ts';
import type { StepEmitter } from './step-emitter.ts';
import { emitValue } from './step-expressions.ts';
import { emitInitialisation } from './target-emitter.ts';

export function emitUsingBlock(
  step: StepEmitter,
  list: readonly Node[],
  scope: Scope | null,
  emitBefore: (() => void) | null,
): Code {
  const isAsync = list.some((each) => each.type === 'VariableDeclaration' && each.kind === 'await using');
  const functions = list.filter((each) => each.type === 'FunctionDeclaration');
  const otherStatements = list.filter((each) => each.type !== 'FunctionDeclaration');
  return step.emitBlock(functions, scope, () => {
    emitBefore?.();
    emitDisposal(step, isAsync, otherStatements.at(-1) as Node, (stack) => {
      for (const each of otherStatements) {
        if (each.type !== 'VariableDeclaration' || !each.kind.endsWith('using')) step.emitStatement(each);
        else {
          step.emitProbe(each);
          emitResources(step, each, stack);
        }
      }
    });
  });
}

/** Emits `using` or `await using` declarations. Each value is added to the stack when it is bound. */
export function emitResources(step: StepEmitter, declaration: Node, stack: string): void {
  for (const declarator of declaration.declarations) {
    const id = declarator.id as Node;
    const init = declarator.init as Node;
    const resource = init.suspends === true ? emitValue(step, init) : step.e.emitNamed(id.name, init);
    emitResource(step, id, resource, declaration.kind, stack);
  }
}

export function emitResource(step: StepEmitter, id: Node, resource: Code, kind: string, stack: string): void {
  const variable = id.ref?.variable;
  const code: Code = [`${stack}.add(`, resource, `, ${kind === 'await using'})`];
  if (variable !== null && variable !== undefined && step.isAssigned(variable)) {
    step.push(emitInitialisation(step.e, id, code), '; ');
    step.storeInSlot(variable);
  } else step.push(`const ${id.name} = `, code, '; ');
}

/** Emits `emitBody` with a disposal stack, whose resources are disposed of at each exit. */
export function emitDisposal(step: StepEmitter, isAsync: boolean, last: Node, emitBody: (stack: string) => void): void {
  const { e } = step;
  const slot = step.allocateSlot('using stack');
  const stack = step.slotCode(slot);
  step.push(`${stack} = new ${e.helper('DisposalStack')}(); `);
  step.emitGuard(
    () => emitBody(stack),
    (kind, thrown) => {
      // `next()` disposes of resources until it must await. `fail()` combines errors into a SuppressedError.
      step.push(`if (${kind} === 1) ${stack}.fail(${thrown}); `);
      if (!isAsync) step.push(`${stack}.next(); `);
      else {
        const label = e.freshName('L');
        step.emitReentrant(() => {
          const inner = step.emitNested(() => {
            step.push(`if (!${stack}.next()) break ${label}; `);
            step.emitReentrant(() => {
              const tryBlock = step.emitNested(() => {
                step.emitAwait(last, `${stack}.pending`, last.end);
              });
              return ['try { ', tryBlock.code, `} catch (${step.sent}e) { ${stack}.fail(${step.sent}e); } `];
            });
          });
          return [`${label}: for (;;) { `, inner.code, '} '];
        });
      }
      step.push(`if (${stack}.failed) { ${kind} = 1; ${thrown} = ${stack}.error; } `);
      step.releaseSlot(slot);
    },
  );
}
