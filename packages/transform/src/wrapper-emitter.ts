// The wrapper of a suspendable function. It has the form of the original, stores the inputs of the step in a frame, and
// starts the step. The step function (step-emitter.ts) is in the file's top scope.

import { boundIdentifiers, type Node, statements } from './ast.ts';
import { captureCode } from './class-emitter.ts';
import { type Code, NATIVE_CODE } from './code.ts';
import type { CodeEmitter } from './code-emitter.ts';
import {
  bodyMarker,
  withDefault,
  inFunctionContext,
  emitFramelessAsync,
  isConstLike,
  isSimpleParameter,
  markerBefore,
  variablesNamedLikeParameters,
  parameterList,
  planParameters,
  captureProbe,
  captureProbeStatement,
  prototypeCode,
  declareTemporaries,
} from './function-emitter.ts';
import type { FunctionInfo, Variable } from './scope.ts';
import { StepEmitter } from './step-emitter.ts';
import { emitReturn, emitListBlock } from './step-statements.ts';
import { emitPattern, emitPatternSource } from './target-emitter.ts';

/** Parameters and body of a function's wrapper. Also emits the step function, into the file's top scope. */
export function emitWrapper(e: CodeEmitter, info: FunctionInfo): { params: Code; body: Code } {
  // The wrapper of an object literal's method is made outside of the literal, so it has no native `super`.
  const isOutsideLiteral = info.node.parent?.type === 'Property' && info.kind === 'method';
  return isOutsideLiteral
    ? e.inContext({ stepOf: info }, () => emitSuspendableWrapper(e, info))
    : emitSuspendableWrapper(e, info);
}

function emitSuspendableWrapper(e: CodeEmitter, info: FunctionInfo): { params: Code; body: Code } {
  if (!info.isSuspendable) return emitFramelessAsync(e, info);
  const { node } = info;
  const step = new StepEmitter(e, info);
  const stepName = `${e.prefix}s${info.ordinal}`;
  const { frame } = step;
  const slotStores: string[] = [];
  const capturedLocals: string[] = [];
  const outerContext = e.context;

  const saveInSlot = (name: string, code: string, local: string, variable: Variable | null = null): void => {
    const slot = step.allocateSlot(name, variable);
    slotStores.push(`${step.slotCode(slot)} = ${code}; `);
    capturedLocals.push(`${local} = ${step.slotCode(slot)}`);
  };
  const { kept } = step;
  const ownContext = info.isArrow ? outerContext : NATIVE_CODE;
  if (!info.usesThis && info.kind === 'method') kept.declareThis(`${e.prefix}this`);
  if (info.usesThis) saveInSlot('this', ownContext.thisCode, `${e.prefix}this`);
  if (info.usesArguments) saveInSlot('arguments', ownContext.argumentsCode, `${e.prefix}arguments`);
  if (info.usesNewTarget) saveInSlot('new.target', ownContext.newTargetCode, `${e.prefix}target`);
  for (const variable of info.captures) {
    const name = captureCode(e, variable);
    saveInSlot(name, name, name, variable);
    if (variable.kind !== 'handle') kept.declare(variable, name);
  }

  // Generators evaluate parameters in the wrapper. Async functions do so in the first step, because errors must reject.
  const areParametersInStep = info.async && !info.generator && !node.params.every(isSimpleParameter);
  const wrapper = inFunctionContext(e, info, () => {
    const probe = captureProbeStatement(e, captureProbe(e, info));
    if (!areParametersInStep) {
      const plan = planParameters(e, info);
      return { params: parameterList(e, info, plan), prologue: [plan.hasProbe ? '' : probe, plan.prologue] as Code };
    }
    return { params: '' as Code, prologue: probe };
  });

  let params: Code = wrapper.params;
  const parameterEmitters: (() => void)[] = [];
  const boundNames = node.params.flatMap((param) => boundIdentifiers(param));
  const paramLocals: string[] = [];
  const reloads: string[] = [];
  const seenNames = new Set<string>();
  if (!areParametersInStep) {
    for (const id of boundNames) {
      const variable = id.ref?.variable as Variable;
      if (seenNames.has(id.name)) continue;
      seenNames.add(id.name);
      if (
        variable.references.every((reference) => reference.initialises && reference.fn === info) &&
        variable.storage === 'local'
      ) {
        if (kept.declare(variable)) paramLocals.push(id.name);
        continue;
      }
      const slot = step.allocateSlot(id.name, variable);
      variable.slot = slot;
      slotStores.push(`${step.slotCode(slot)} = ${id.name}; `);
      paramLocals.push(`${id.name} = ${step.slotCode(slot)}`);
      kept.declare(variable);
    }
  } else {
    const list: Code[] = [];
    let isFirstDefault = true;
    for (const param of node.params) {
      const parameterName = e.freshName('a');
      const slot = step.allocateSlot(parameterName);
      const code = step.slotCode(slot);
      const isRest = param.type === 'RestElement';
      const hasDefault = param.type === 'AssignmentPattern';
      list.push([
        list.length === 0 ? markerBefore(e, info, param) : ', ',
        isRest ? '...' : '',
        parameterName,
        hasDefault && isFirstDefault ? ' = void 0' : '',
      ]);
      if (hasDefault) isFirstDefault = false;
      slotStores.push(`${code} = ${parameterName}; `);
      parameterEmitters.push(() => {
        const target = isRest ? (param.argument as Node) : hasDefault ? param.left : param;
        const value: Code = hasDefault ? withDefault(e, param, code) : emitPatternSource(e, target, code, null);
        step.push('(', emitPattern(e, target), ' = ', value, '); ');
        for (const id of boundIdentifiers(target)) step.storeInSlot(id.ref?.variable);
        step.releaseSlot(slot);
      });
    }
    params = list;
    for (const id of boundNames) {
      const variable = id.ref?.variable as Variable;
      if (seenNames.has(id.name)) continue;
      seenNames.add(id.name);
      const slot = step.allocateSlot(id.name, variable);
      const box = variable.storage === 'cell' ? `new ${e.helper('Cell')}(${JSON.stringify(id.name)})` : '{ v: void 0 }';
      variable.slot = slot;
      reloads.push(`${id.name} = ${step.slotCode(slot)};`);
      paramLocals.push(id.name);
      kept.declare(variable);
      if (variable.storage !== 'local')
        parameterEmitters.unshift(() => step.push(`${id.name} = ${step.slotCode(slot)} = ${box}; `));
    }
  }

  const { save: keptStores, restore: keptCode } = kept.startCode(ownContext.thisCode);
  if (info.keepsThis && e.probes !== null) capturedLocals.push(`${e.prefix}this`);

  const emitStep = (): Code =>
    e.inContext(
      {
        fn: info,
        step,
        stepOf: info,
        hasEventual: false,
        thisCode: `${e.prefix}this`,
        argumentsCode: `${e.prefix}arguments`,
        newTargetCode: `${e.prefix}target`,
      },
      (): Code => {
        for (const id of boundNames) {
          const variable = id.ref?.variable as Variable;
          if (variable.slot !== null && variable.storage === 'local' && !isConstLike(variable))
            step.spillAtPoints(variable);
        }
        const isBlock = node.body.type === 'BlockStatement';
        const list = isBlock ? statements(node.body).filter((each) => typeof each.directive !== 'string') : [];
        const body = emitListBlock(step, info.bodyScope === null ? list : [], info.scope, () => {
          for (const each of parameterEmitters) each();
          if (!isBlock) {
            step.emitValueProbe(node.body);
            emitReturn(step, node.body, null);
          }
          if (info.bodyScope !== null) step.emitReentrant(() => emitOwnBody(step, list));
        });
        const strict = info.strict && !e.analysis.root.strict ? '"use strict"; ' : '';
        const locals = [...capturedLocals, ...paramLocals];
        return [
          `function ${stepName}(${frame}, ${step.sent}, ${step.how}) { ${strict}${stepMarker(e, info)}let ${step.pc} = ${frame}.pc; ${frame}.pc = 0; `,
          locals.length === 0 ? '' : `let ${locals.join(', ')}; `,
          declareTemporaries(info),
          reloads.length === 0 ? '' : `if (${step.pc} !== 0) { ${reloads.join(' ')} } `,
          keptCode === '' ? '' : `if (${step.pc} === 0) { ${keptCode}} `,
          body,
          info.generator && !info.async ? 'return { value: void 0, done: true }; ' : '',
          '}\n',
        ];
      },
    );
  // A function may be emitted in several positions, but has only one step.
  const existingStep = e.steps.get(info);
  if (existingStep === undefined) e.hoisted.push(emitStep());
  const entry = existingStep ?? step.tableEntry(stepName);
  e.steps.set(info, entry);

  const more = entry.slots.length > 8 ? `, ${entry.slots.length - 8}` : '';
  const startCode = info.generator
    ? `${e.helper(info.async ? 'asyncGenerator' : 'generator')}(${frame}, ${prototypeCode(e, info)})`
    : `${e.helper('async')}(${frame})`;
  const directives =
    hasOwnStrictness(info) && node.params.every(({ type }) => type === 'Identifier') ? '"use strict"; ' : '';
  const body: Code = [
    `{ ${directives}${bodyMarker(e, info)}`,
    wrapper.prologue,
    `const ${frame} = new ${e.helper('Frame')}(${stepName}${more}); ${slotStores.join('')}${keptStores}return ${startCode}; }`,
  ];
  return { params, body };
}

/** Code of a body with its own scope, as a block inside the scope of the parameters. */
function emitOwnBody(step: StepEmitter, list: readonly Node[]): Code {
  const { e, info } = step;
  const copies = variablesNamedLikeParameters(info).map(([variable, parameter]) => {
    const copy = e.addTemporary();
    step.push(`${copy} = ${parameter ?? e.context.argumentsCode}; `);
    return { variable, copy };
  });
  for (const variable of info.bodyScope?.variables.values() ?? []) {
    variable.isDeclaredAtHead = /^(var|function)$/.test(variable.kind);
  }
  return emitListBlock(step, list, info.bodyScope, () => {
    for (const { variable, copy } of copies) {
      step.push(`${variable.name}${variable.storage === 'local' ? '' : '.v'} = ${copy}; `);
      step.storeInSlot(variable);
    }
  });
}

/** Marker of a step function. The `!` prevents a call for its captures. */
export function stepMarker(e: CodeEmitter, info: FunctionInfo): string {
  return `/*@${e.id}:${info.ordinal}!*/`;
}

/** Whether a function is strict through its own directive. */
function hasOwnStrictness(info: FunctionInfo): boolean {
  return info.strict && info.parent !== null && !info.parent.strict;
}
