// State of an actor of a thread, or of its main program, as named root values.
import type { Loader } from '../thread/loader.ts';
import type { Scheduler } from '@turntable/runtime';
import { programRecords, topScopeOf, topVariableValue } from './top-scope.ts';

type NamedValues = (readonly [name: string, value: unknown])[];

/** Root values of an actor or of the main program, by name; undefined if the thread has no actor of that name. */
export function stateRootsOf(loader: Loader, scheduler: Scheduler | undefined, actor: string): NamedValues | undefined {
  if (scheduler === undefined || actor === scheduler.main.name) return mutableVariablesOfProgram(loader);
  const actorFound = scheduler.census.actors().find(({ name }) => name === actor);
  return actorFound === undefined ? undefined : [['this', actorFound.root]];
}

/** Top-level variables of the program, without functions and classes, which do not change. */
function mutableVariablesOfProgram(loader: Loader): NamedValues {
  return variablesOfProgram(loader).filter(([, value]) => typeof value !== 'function');
}

export function variablesOfProgram(loader: Loader): NamedValues {
  const { program } = loader;
  const files = new Set<string>();
  for (const record of programRecords(program))
    if (!/[/\\]node_modules[/\\]/.test(record.key)) files.add(program.table.runNameOf(record));
  return [...files].toSorted().flatMap((file) =>
    [...topScopeOf(loader, file)].flatMap(([name, variable]) => {
      const variableValue = variable.isImported ? undefined : topVariableValue(variable);
      return variableValue === undefined ? [] : [[`${file.split('/').at(-1)} ${name}`, variableValue.value] as const];
    }),
  );
}
