// `using` and `await using` in lists that suspend: a disposal stack in a slot, and a guard that unwinds it.

import type { Node } from './ast.ts';
import type { Code } from './code.ts';
import type { Scope } from './scope.ts';
import type { StepEmitter } from './step-emitter.ts';
import { value } from './step-expressions.ts';
import { emitInitialisation } from './target-emitter.ts';

export function emitUsingBlock(
  step: StepEmitter,
  list: readonly Node[],
  scope: Scope | null,
  before: (() => void) | null,
): Code {
  const isAsync = list.some((each) => each.type === 'VariableDeclaration' && each.kind === 'await using');
  const functions = list.filter((each) => each.type === 'FunctionDeclaration');
  const rest = list.filter((each) => each.type !== 'FunctionDeclaration');
  return step.block(functions, scope, () => {
    before?.();
    withDisposal(step, isAsync, rest.at(-1) as Node, (stack) => {
      for (const each of rest) {
        if (each.type !== 'VariableDeclaration' || !each.kind.endsWith('using')) step.statement(each);
        else {
          step.probe(each);
          declareResources(step, each, stack);
        }
      }
    });
  });
}

/** `using` and `await using` declarations: every value goes on the stack as it is bound. */
export function declareResources(step: StepEmitter, declaration: Node, stack: string): void {
  for (const declarator of declaration.declarations) {
    const id = declarator.id as Node;
    const init = declarator.init as Node;
    const resource = init.suspends === true ? value(step, init) : step.e.named(id.name, init);
    bindResource(step, id, resource, declaration.kind, stack);
  }
}

export function bindResource(step: StepEmitter, id: Node, resource: Code, kind: string, stack: string): void {
  const variable = id.ref?.variable;
  const code: Code = [`${stack}.add(`, resource, `, ${kind === 'await using'})`];
  if (variable !== null && variable !== undefined && step.isAssigned(variable)) {
    step.push(emitInitialisation(step.e, id, code), '; ');
    step.writeThrough(variable);
  } else step.push(`const ${id.name} = `, code, '; ');
}

/** Runs `body` with a disposal stack that is unwound on every way out of it. */
export function withDisposal(step: StepEmitter, isAsync: boolean, last: Node, body: (stack: string) => void): void {
  const { e } = step;
  const slot = step.allocate('using');
  const stack = step.slotCode(slot);
  step.push(`${stack} = new ${e.use('DisposalStack')}(); `);
  step.guard(
    () => body(stack),
    (kind, thrown) => {
      // `next()` disposes of resources until one has to be awaited; `fail` folds errors into a SuppressedError.
      step.push(`if (${kind} === 1) ${stack}.fail(${thrown}); `);
      if (!isAsync) step.push(`${stack}.next(); `);
      else {
        const label = e.fresh('L');
        step.reentrant(() => {
          const inner = step.nested(() => {
            step.push(`if (!${stack}.next()) break ${label}; `);
            step.reentrant(() => {
              const tried = step.nested(() => {
                step.awaitValue(last, `${stack}.pending`, last.end);
              });
              return ['try { ', tried.code, `} catch (${step.sent}e) { ${stack}.fail(${step.sent}e); } `];
            });
          });
          return [`${label}: for (;;) { `, inner.code, '} '];
        });
      }
      step.push(`if (${stack}.failed) { ${kind} = 1; ${thrown} = ${stack}.error; } `);
      step.release(slot);
    },
  );
}
