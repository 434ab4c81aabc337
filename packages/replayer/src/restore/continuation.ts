// From where a process is to go on, and in which of its lives: told from one image to the next by variables of the environment, which are gone
// before anything of the program's can see them.
import type { RestoreOptions } from './restorable.ts';

export interface Continuation extends Omit<RestoreOptions, 'states'> {
  /** A state, or the directory of a recording or of recordings. */
  readonly place: string;
  /** How often the process has gone on in place. */
  readonly epoch?: number;
  /** How long ago everybody went back because of a worker that was lost: milliseconds that the program has run since, lately. */
  readonly rollbacks?: readonly number[];
}

const PLACE = 'TURNTABLE_RESTORE';
const PHASE = 'TURNTABLE_RESTORE_PHASE';
const CODE = 'TURNTABLE_RESTORE_CODE';
const ROOT = 'TURNTABLE_RESTORE_ROOT';
const LIFE = 'TURNTABLE_RESTORE_LIFE';

export function variablesOf({
  place,
  phase,
  code,
  root,
  epoch = 0,
  rollbacks = [],
}: Continuation): Record<string, string> {
  return {
    [PLACE]: place,
    ...(phase === undefined ? {} : { [PHASE]: String(phase) }),
    ...(code === undefined ? {} : { [CODE]: code }),
    ...(root === undefined ? {} : { [ROOT]: root }),
    ...(epoch === 0 ? {} : { [LIFE]: [epoch, ...rollbacks.map(Math.round)].join(' ') }),
  };
}

/** Whether this process is to go on from anything. */
export function isContinuing(environment: NodeJS.ProcessEnv): boolean {
  return environment[PLACE] !== undefined;
}

/** Takes it out of the environment. */
export function takeContinuation(environment: NodeJS.ProcessEnv): Required<Continuation> {
  const taken = (name: string): string | undefined => {
    const text = environment[name];
    Reflect.deleteProperty(environment, name);
    return text === '' ? undefined : text;
  };
  const [place = '', phase, root] = [taken(PLACE), taken(PHASE), taken(ROOT)];
  const code = taken(CODE) as RestoreOptions['code'];
  const [epoch = 0, ...rollbacks] = (taken(LIFE) ?? '0').split(' ').map(Number);
  return { place, phase: phase === undefined ? undefined : Number(phase), code, root, epoch, rollbacks };
}
