// Request to restore a program, passed to a process or its next image in environment variables, which are removed
// before the program runs.
import type { RestoreOptions } from './restorable-snapshot.ts';

export interface RestoreRequest extends Omit<RestoreOptions, 'states'> {
  /** A state file, a recording, or a directory of recordings. */
  readonly path: string;
  /** Epoch of the process: the number of its restores in place. */
  readonly epoch?: number;
  /** Running time of the program since each recent rollback, in milliseconds. */
  readonly rollbacks?: readonly number[];
}

const PATH_VARIABLE = 'TURNTABLE_RESTORE';
const PHASE_VARIABLE = 'TURNTABLE_RESTORE_PHASE';
const CODE_VARIABLE = 'TURNTABLE_RESTORE_CODE';
const ROOT_VARIABLE = 'TURNTABLE_RESTORE_ROOT';
const EPOCH_VARIABLE = 'TURNTABLE_RESTORE_LIFE';

export function restoreVariables(request: RestoreRequest): Record<string, string> {
  const { path, phase, code, root, epoch = 0, rollbacks = [] } = request;
  return {
    [PATH_VARIABLE]: path,
    ...(phase === undefined ? {} : { [PHASE_VARIABLE]: String(phase) }),
    ...(code === undefined ? {} : { [CODE_VARIABLE]: code }),
    ...(root === undefined ? {} : { [ROOT_VARIABLE]: root }),
    ...(epoch === 0 ? {} : { [EPOCH_VARIABLE]: [epoch, ...rollbacks.map(Math.round)].join(' ') }),
  };
}

/** Whether this process restores a program. */
export function isRestoring(environment: NodeJS.ProcessEnv): boolean {
  return environment[PATH_VARIABLE] !== undefined;
}

export function takeRestoreRequest(environment: NodeJS.ProcessEnv): Required<RestoreRequest> {
  const take = (name: string): string | undefined => {
    const text = environment[name];
    Reflect.deleteProperty(environment, name);
    return text === '' ? undefined : text;
  };
  const [path = '', phase, root] = [take(PATH_VARIABLE), take(PHASE_VARIABLE), take(ROOT_VARIABLE)];
  const code = take(CODE_VARIABLE) as RestoreOptions['code'];
  const [epoch = 0, ...rollbacks] = (take(EPOCH_VARIABLE) ?? '0').split(' ').map(Number);
  return { path, phase: phase === undefined ? undefined : Number(phase), code, root, epoch, rollbacks };
}
