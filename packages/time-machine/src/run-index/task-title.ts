// Titles of tasks, for users.
import type { Task } from './run-index.ts';

/** Name of the main thread's program as an actor, which titles leave out. */
const MAIN_PROGRAM = 'the main program';

type TitledTask = Pick<Task, 'kind' | 'actor' | 'method' | 'callback'>;

export function taskTitle({ kind, actor, method = '', callback }: TitledTask): string {
  switch (kind) {
    case 'call':
      return `${actor}.${method}`;
    case 'construct':
      return `${actor} is created`;
    case 'fulfil':
      return `${actor} receives a reply`;
    case 'reject':
      return `${actor} receives an error`;
    case 'stop':
      return `${actor} is stopped`;
    case 'entry':
      return actor === MAIN_PROGRAM ? entryText(method, callback) : `${entryText(method, callback)} in ${actor}`;
    case 'evaluation':
      return 'the program is evaluated';
    case 'jobs':
      return `jobs of ${actor}`;
  }
}

/** @param source the trace source of the entry */
function entryText(source: string, id: number | undefined): string {
  switch (source) {
    case 'timer':
      return `timer ${id} fires`;
    case 'settled':
      return `host promise ${id} settles`;
    case 'promise':
      return `promise ${id} settles`;
    case 'import':
      return `import ${id} completes`;
    case 'device':
      return `host callback ${id}`;
    default:
      return `${source} callback ${id}`;
  }
}
