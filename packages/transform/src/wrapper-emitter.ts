// The wrapper of a suspendable function: it has the original's shape, puts what the step will need into a frame and starts it.
// The step function itself, which step-emitter.ts makes, goes to the file's top scope.

import { boundIdentifiers, type Node, statements } from './ast.ts';
import { captureCode } from './class-emitter.ts';
import { type Code, OWN_CODE } from './code.ts';
import type { Emitter } from './emitter.ts';
import {
  bodyMarker,
  defaulted,
  emitInside,
  emitSettling,
  isConstLike,
  isSimple,
  markerBefore,
  namesakes,
  parameterList,
  planParameters,
  probeHit,
  probeStatement,
  prototypeCode,
  temporariesOf,
} from './function-emitter.ts';
import type { FunctionInfo, Variable } from './scope.ts';
import { StepEmitter } from './step-emitter.ts';
import { emitReturn, listBlock } from './step-statements.ts';
import { emitPattern, patternSource } from './target-emitter.ts';

/** Parameters and body of the wrapper of a suspendable function; its step function goes to the file's top scope. */
export function emitWrapper(e: Emitter, info: FunctionInfo): { params: Code; body: Code } {
  // The wrapper of a literal's method is made outside the literal: its `super` is no native one.
  const isOutside = info.node.parent?.type === 'Property' && info.kind === 'method';
  return isOutside ? e.within({ stepOf: info }, () => wrapperOf(e, info)) : wrapperOf(e, info);
}

function wrapperOf(e: Emitter, info: FunctionInfo): { params: Code; body: Code } {
  if (!info.suspendable) return emitSettling(e, info);
  const { node } = info;
  const step = new StepEmitter(e, info);
  const stepName = `${e.prefix}s${info.ordinal}`;
  const { frame } = step;
  const stores: string[] = [];
  const top: string[] = [];
  const around = e.around;

  const keep = (name: string, code: string, local: string, variable: Variable | null = null): void => {
    const slot = step.allocate(name, variable);
    stores.push(`${step.slotCode(slot)} = ${code}; `);
    top.push(`${local} = ${step.slotCode(slot)}`);
  };
  const own = info.isArrow ? around : OWN_CODE;
  if (info.usesThis) keep('this', own.thisCode, `${e.prefix}this`);
  if (info.usesArguments) keep('arguments', own.argumentsCode, `${e.prefix}arguments`);
  if (info.usesNewTarget) keep('new.target', own.newTargetCode, `${e.prefix}target`);
  for (const variable of info.captures) {
    const name = captureCode(e, variable);
    keep(name, name, name, variable);
  }

  // Parameters: evaluated by the wrapper for generators, by the first step for async functions (whose errors reject).
  const inStep = info.async && !info.generator && !node.params.every(isSimple);
  const wrapper = emitInside(e, info, () => {
    const probe = probeStatement(e, probeHit(e, info));
    if (!inStep) {
      const plan = planParameters(e, info);
      return { params: parameterList(e, info, plan), prologue: [plan.probed ? '' : probe, plan.prologue] as Code };
    }
    return { params: '' as Code, prologue: probe };
  });

  let params: Code = wrapper.params;
  const before: (() => void)[] = [];
  const bound = node.params.flatMap((param) => boundIdentifiers(param));
  const paramLocals: string[] = [];
  const reloads: string[] = [];
  const seen = new Set<string>();
  if (!inStep) {
    for (const id of bound) {
      const variable = id.ref?.variable as Variable;
      if (seen.has(id.name)) continue;
      seen.add(id.name);
      if (
        variable.references.every((reference) => reference.initialises && reference.fn === info) &&
        variable.storage === 'local'
      )
        continue;
      const slot = step.allocate(id.name, variable);
      variable.slot = slot;
      stores.push(`${step.slotCode(slot)} = ${id.name}; `);
      paramLocals.push(`${id.name} = ${step.slotCode(slot)}`);
    }
  } else {
    const list: Code[] = [];
    let counted = true;
    for (const param of node.params) {
      const raw = e.fresh('a');
      const slot = step.allocate(raw);
      const code = step.slotCode(slot);
      const rest = param.type === 'RestElement';
      const hasDefault = param.type === 'AssignmentPattern';
      list.push([
        list.length === 0 ? markerBefore(e, info, param) : ', ',
        rest ? '...' : '',
        raw,
        hasDefault && counted ? ' = void 0' : '',
      ]);
      if (hasDefault) counted = false;
      stores.push(`${code} = ${raw}; `);
      before.push(() => {
        const target = rest ? (param.argument as Node) : hasDefault ? param.left : param;
        const value: Code = hasDefault ? defaulted(e, param, code) : patternSource(e, target, code, null);
        step.push('(', emitPattern(e, target), ' = ', value, '); ');
        for (const id of boundIdentifiers(target)) step.writeThrough(id.ref?.variable);
        step.release(slot);
      });
    }
    params = list;
    for (const id of bound) {
      const variable = id.ref?.variable as Variable;
      if (seen.has(id.name)) continue;
      seen.add(id.name);
      const slot = step.allocate(id.name, variable);
      const box = variable.storage === 'cell' ? `new ${e.use('Cell')}(${JSON.stringify(id.name)})` : '{ v: void 0 }';
      variable.slot = slot;
      reloads.push(`${id.name} = ${step.slotCode(slot)};`);
      paramLocals.push(id.name);
      if (variable.storage !== 'local')
        before.unshift(() => step.push(`${id.name} = ${step.slotCode(slot)} = ${box}; `));
    }
  }

  const emitStep = (): Code =>
    e.within(
      {
        fn: info,
        step,
        stepOf: info,
        settles: false,
        thisCode: `${e.prefix}this`,
        argumentsCode: `${e.prefix}arguments`,
        newTargetCode: `${e.prefix}target`,
      },
      (): Code => {
        for (const id of bound) {
          const variable = id.ref?.variable as Variable;
          if (variable.slot !== null && variable.storage === 'local' && !isConstLike(variable))
            step.trackMutable(variable);
        }
        const isBlock = node.body.type === 'BlockStatement';
        const list = isBlock ? statements(node.body).filter((each) => typeof each.directive !== 'string') : [];
        const body = listBlock(step, info.bodyScope === null ? list : [], info.scope, () => {
          for (const each of before) each();
          if (!isBlock) {
            step.probeValue(node.body);
            emitReturn(step, node.body, null);
          }
          if (info.bodyScope !== null) step.reentrant(() => ownBody(step, list));
        });
        const strict = info.strict && !e.analysis.root.strict ? '"use strict"; ' : '';
        const locals = [...top, ...paramLocals];
        return [
          `function ${stepName}(${frame}, ${step.sent}, ${step.how}) { ${strict}${stepMarker(e, info)}let ${step.pc} = ${frame}.pc; ${frame}.pc = 0; `,
          locals.length === 0 ? '' : `let ${locals.join(', ')}; `,
          temporariesOf(info),
          reloads.length === 0 ? '' : `if (${step.pc} !== 0) { ${reloads.join(' ')} } `,
          body,
          info.generator && !info.async ? 'return { value: void 0, done: true }; ' : '',
          '}\n',
        ];
      },
    );
  // A function that is emitted in several places has one step.
  const emitted = e.steps.get(info);
  if (emitted === undefined) e.hoisted.push(emitStep());
  const entry = emitted ?? step.entry(stepName);
  e.steps.set(info, entry);

  const more = entry.slots.length > 8 ? `, ${entry.slots.length - 8}` : '';
  const run = info.generator
    ? `${e.use(info.async ? 'asyncGenerator' : 'generator')}(${frame}, ${prototypeCode(e, info)})`
    : `${e.use('async')}(${frame})`;
  const directives =
    ownStrictness(info) && node.params.every(({ type }) => type === 'Identifier') ? '"use strict"; ' : '';
  const body: Code = [
    `{ ${directives}${bodyMarker(e, info)}`,
    wrapper.prologue,
    `const ${frame} = new ${e.use('Frame')}(${stepName}${more}); ${stores.join('')}return ${run}; }`,
  ];
  return { params, body };
}

/** A body whose names are not its parameters', in a block inside theirs. */
function ownBody(step: StepEmitter, list: readonly Node[]): Code {
  const { e, info } = step;
  const copies = namesakes(info).map(([variable, parameter]) => {
    const copy = e.temporary();
    step.push(`${copy} = ${parameter ?? e.around.argumentsCode}; `);
    return { variable, copy };
  });
  for (const variable of info.bodyScope?.variables.values() ?? []) {
    variable.declaredAhead = /^(var|function)$/.test(variable.kind);
  }
  return listBlock(step, list, info.bodyScope, () => {
    for (const { variable, copy } of copies) {
      step.push(`${variable.name}${variable.storage === 'local' ? '' : '.v'} = ${copy}; `);
      step.writeThrough(variable);
    }
  });
}

/** Says which step this is, and that it is one and may not be called for its captures. */
export function stepMarker(e: Emitter, info: FunctionInfo): string {
  return `/*@${e.id}:${info.ordinal}!*/`;
}

/** Strict by its own directive rather than by what surrounds it. */
function ownStrictness(info: FunctionInfo): boolean {
  return info.strict && info.parent !== null && !info.parent.strict;
}
