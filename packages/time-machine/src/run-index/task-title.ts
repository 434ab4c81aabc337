// Titles of tasks, for users.
import type { Task } from './run-index.ts';

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
      return `${entryText(method, callback)} ${actor}`;
    case 'evaluation':
      return 'the program is evaluated';
    case 'jobs':
      return `jobs of ${actor}`;
  }
}

/** @param source the trace source of the entry */
function entryText(source: string, id: number | undefined): string {
  switch (source) {
    case 'settled':
      return `host promise ${id} settles for`;
    case 'promise':
      return `promise ${id} settles for`;
    case 'import':
      return `import ${id} completes for`;
    default:
      return `${source} ${id} calls`;
  }
}
