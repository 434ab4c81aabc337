// `using` and `await using` in lists that suspend: a disposal stack in a slot, and a guard that unwinds it.

import { boundIdentifiers, type Node } from './ast.ts';
import type { Code } from './code.ts';
import type { Scope } from './scope.ts';
import type { StepEmitter } from './step-emitter.ts';
import { value } from './step-expressions.ts';

export function emitUsingBlock(step: StepEmitter, list: readonly Node[], scope: Scope | null, before: (() => void) | null): Code {
  const { e } = step;
  const isAsync = list.some((each) => each.type === 'VariableDeclaration' && each.kind === 'await using');
  const functions = list.filter((each) => each.type === 'FunctionDeclaration');
  const rest = list.filter((each) => each.type !== 'FunctionDeclaration');
  return step.block(functions, scope, () => {
    before?.();
    const slot = step.allocate('using');
    const stack = step.slotCode(slot);
    step.push(`${stack} = new ${e.use('DisposalStack')}(); `);
    step.guard(
      () => {
        for (const each of rest) {
          if (each.type !== 'VariableDeclaration' || !each.kind.endsWith('using')) {
            step.statement(each);
            continue;
          }
          for (const declarator of each.declarations) {
            const id = declarator.id as Node;
            const variable = id.ref?.variable;
            const code: Code = [`${stack}.add(`, value(step, declarator.init as Node), `, ${each.kind === 'await using'})`];
            if (variable !== null && variable !== undefined && step.isAssigned(variable)) {
              step.push(e.emitInitialisation(id, code), '; ');
              step.writeThrough(variable);
            } else {
              for (const name of boundIdentifiers(id)) step.push(`const ${name.name} = `, code, '; ');
            }
          }
        }
      },
      (kind, thrown) => {
        // `next()` disposes of resources until one has to be awaited; `fail` folds errors into a SuppressedError.
        step.push(`if (${kind} === 1) ${stack}.fail(${thrown}); `);
        if (isAsync) {
          const label = e.fresh('L');
          const last = rest.at(-1) as Node;
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
        } else step.push(`${stack}.next(); `);
        step.push(`if (${stack}.failed) { ${kind} = 1; ${thrown} = ${stack}.error; } `);
        step.release(slot);
      },
    );
  });
}
