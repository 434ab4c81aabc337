// A console input compiled for a statement. Its code runs in a `with` block: the object has accessors for the variables
// of the statement, which read and assign them where the program keeps them.
import { Script } from 'node:vm';
import { consoleInput, type AssignmentObstacle } from '@turntable/loader';
import type { Loader } from '../thread/loader.ts';
import type { ConsoleVariables } from './console-variables.ts';
import { NAME_PATTERN } from './expression.ts';
import { createPrivateReader, READER_NAME } from './private-fields.ts';
import { topVariableValue, type TopScope, type TopVariable } from './top-scope.ts';
import type { Variables } from './variables.ts';

/** Where assignments to variables go. */
export interface AssignableScope {
  /** Boxes and cells of captured variables, by name. */
  readonly boxes: ReadonlyMap<string, object>;
  /** Variables that cannot be assigned, by name. */
  readonly obstacles: ReadonlyMap<string, AssignmentObstacle>;
  readonly consoleVariables: ConsoleVariables;
}

export interface ConsoleScope {
  readonly variables: Variables;
  readonly topScope: TopScope;
  readonly assignable: AssignableScope;
}

/** Runs a program's jobs until a condition holds or none is left. */
export type RunJobsUntil = (isDone: () => boolean) => void;

type CompiledInput = (this: unknown, ...args: unknown[]) => unknown;
type Assign = (target: object, value: unknown) => void;
type AssignTop = (
  record: object,
  assign: (index: number, value: unknown) => void,
  index: number,
  value: unknown,
) => void;

/** Names of the functions that the code of an input calls. */
const HELPER_NAMES = ['tt$scope', 'tt$await', 'tt$this', 'tt$declare', READER_NAME] as const;

export class ConsoleCode {
  readonly #run: CompiledInput;
  readonly #mentioned: ReadonlySet<string>;
  readonly #realm: Loader['realm'];
  /** Whether it assigns or declares a variable. */
  readonly hasOwnEffects: boolean;
  readonly hasAllBarriers: boolean;

  /** @throws SyntaxError if the text is not valid */
  constructor(text: string, realm: Loader['realm']) {
    const input = consoleInput(text, READER_NAME);
    // The message is V8's.
    if (input === undefined) throw syntaxErrorOf(text);
    this.#run = compile(input.code);
    this.#mentioned = new Set(text.match(NAME_PATTERN));
    this.#realm = realm;
    this.hasOwnEffects = input.hasOwnEffects;
    this.hasAllBarriers = input.hasAllBarriers;
  }

  /** @param settle returns the value of a promise @param isPure whether V8 must not see side effects */
  bind(scope: ConsoleScope, settle: (value: unknown) => unknown, isPure: boolean): () => unknown {
    const thisValue = scope.variables.get('this')?.value;
    const helpers = [
      this.#accessorsOf(scope, isPure),
      settle,
      (receiver: unknown) => (thisValue === undefined || thisValue === null ? thisValue : receiver),
      (value: unknown, variables: Readonly<Record<string, unknown>>, constants: readonly string[]) => {
        scope.assignable.consoleVariables.declare(variables, constants);
        return value;
      },
      createPrivateReader(this.#realm),
    ];
    return () => this.#run.apply(thisValue, helpers);
  }

  #accessorsOf(scope: ConsoleScope, isPure: boolean): object {
    const accessors = Object.create(null) as object;
    for (const name of this.#mentioned) {
      const accessor = this.#accessorOf(name, scope, isPure);
      if (accessor !== undefined) Object.defineProperty(accessors, name, accessor);
    }
    return accessors;
  }

  #accessorOf(name: string, scope: ConsoleScope, isPure: boolean): PropertyDescriptor | undefined {
    const { variables, topScope, assignable } = scope;
    const { boxes, consoleVariables, obstacles } = assignable;
    if (name === 'this') return undefined;
    const isDeclared = name in consoleVariables.declared;
    const obstacle = isDeclared ? consoleVariables.obstacleOf(name) : obstacles.get(name);
    const refuse = obstacle === undefined ? undefined : () => refuseAssignment(name, obstacle);
    if (isDeclared || variables.has(name)) {
      const box = isDeclared ? undefined : boxes.get(name);
      return box === undefined
        ? valueAccessor(name, variables, consoleVariables, refuse)
        : { get: () => (box as { v: unknown }).v, set: refuse ?? ((value) => assignBox(box, value)) };
    }
    const top = topScope.get(name);
    if (top !== undefined) {
      // Reading it calls code of its module.
      const known = isPure ? topVariableValue(top) : undefined;
      return {
        get: () => requireValue(name, isPure ? known : topVariableValue(top)),
        set: top.isImported
          ? () => refuseAssignment(name, 'constant')
          : (refuse ?? ((value) => assignTopVariable(name, top, value))),
      };
    }
    return Object.getOwnPropertyDescriptor(this.#realm.ambient, name);
  }
}

function refuseAssignment(name: string, obstacle: AssignmentObstacle): never {
  throw new TypeError(
    obstacle === 'constant'
      ? `Assignment to constant variable ${name}`
      : `${name} is captured by value, since nothing assigns it, so it cannot be assigned here`,
  );
}

/** Accessor of a variable that only the paused function has. */
function valueAccessor(
  name: string,
  variables: Variables,
  consoleVariables: ConsoleVariables,
  refuse: (() => never) | undefined,
): PropertyDescriptor {
  return {
    get() {
      const { declared, assigned } = consoleVariables;
      if (name in declared) return declared[name];
      return name in assigned ? assigned[name] : requireValue(name, variables.get(name));
    },
    set: refuse ?? ((value) => consoleVariables.assign(name, value)),
  };
}

function requireValue(name: string, found: { readonly value: unknown } | undefined): unknown {
  if (found === undefined) throw new ReferenceError(`Cannot access '${name}' before initialization`);
  return found.value;
}

function assignTopVariable(name: string, variable: TopVariable, value: unknown): void {
  if ('cell' in variable) return assignBox(variable.cell, value);
  const { record, index } = variable;
  if (record.assignScope === undefined || !record.assignableIndexes.includes(index))
    throw new TypeError(`${name} is not assigned anywhere in its file, so it cannot be assigned here`);
  assignTop(record, record.assignScope, index, value);
}

// With the barriers of the undo log, which are variables of the context.
const assignBox = compileHelper<Assign>('(box, value) => { tt$w && tt$o(box, "v"); box.v = value; }');
const assignTop = compileHelper<AssignTop>(
  '(record, assign, index, value) => { tt$w && tt$g(record); assign(index, value); }',
);

function compileHelper<F>(source: string): F {
  return new Script(`(${source})`).runInThisContext() as F;
}

function compile(code: string): CompiledInput {
  const source = `(function (${HELPER_NAMES.join(', ')}) { with (tt$scope) {\n${code}\n} })`;
  return new Script(source, { filename: 'expression' }).runInThisContext() as CompiledInput;
}

function syntaxErrorOf(text: string): SyntaxError {
  try {
    void new Script(text);
  } catch (error) {
    if (error instanceof SyntaxError) return error;
  }
  return new SyntaxError('the input is not valid');
}
