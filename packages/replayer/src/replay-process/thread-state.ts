// The state of one actor of a thread, or of its main program: what begins the ways to all of it.
import type { Loader } from '../thread/loader.ts';
import type { Scheduler } from '@turntable/runtime';
import { filesOf, topScopeOf, valueOfTop } from './top-scope.ts';

type Roots = (readonly [name: string, value: unknown])[];

/** Nothing, if no such actor lives here. */
export function rootsOf(loader: Loader, scheduler: Scheduler | undefined, actor: string): Roots | undefined {
  if (scheduler === undefined || actor === scheduler.main.name) return ofProgram(loader);
  const found = scheduler.census.known().find(({ name }) => name === actor);
  return found === undefined ? undefined : [['this', found.root]];
}

/** But for functions and classes, which do not change. */
function ofProgram(loader: Loader): Roots {
  return variablesOfProgram(loader).filter(([, value]) => typeof value !== 'function');
}

/** The variables of its files. */
export function variablesOfProgram(loader: Loader): Roots {
  const { program } = loader;
  const files = new Set<string>();
  for (const record of filesOf(program))
    if (!/[/\\]node_modules[/\\]/.test(record.key)) files.add(program.table.runName(record));
  return [...files].toSorted().flatMap((file) =>
    [...topScopeOf(loader, file)].flatMap(([name, variable]) => {
      const held = variable.isImported ? undefined : valueOfTop(variable);
      return held === undefined ? [] : [[`${file.split('/').at(-1)} ${name}`, held.value] as const];
    }),
  );
}
