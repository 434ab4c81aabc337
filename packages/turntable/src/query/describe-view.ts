// Summary of a snapshot for `turntable inspect`, without any values of the program.
import { formatCount, plural } from '@turntable/replayer/entry';
import type { ClassView, SnapshotView, WorkerView } from './snapshot-view.ts';

export interface ViewDescription {
  readonly phase: number;
  /** Time of the snapshot, in ISO format. */
  readonly taken: string;
  readonly workers: readonly Pick<WorkerView, 'worker' | 'turns' | 'messagesWaiting' | 'bytes' | 'baseBytes'>[];
  readonly actors: readonly ActorDescription[];
  readonly underWay: readonly {
    readonly from: number;
    readonly worker: number;
    readonly to: string | null;
    readonly method: string;
  }[];
  readonly modules: readonly {
    readonly url: string;
    readonly worker: number;
    readonly status: string;
    readonly retained: number;
  }[];
  readonly classes: readonly (Omit<ClassView, 'module'> & { readonly module: string | null })[];
}

export interface ActorDescription {
  readonly id: number;
  readonly name: string;
  readonly class: string;
  readonly worker: number;
  readonly turns: number;
  readonly waiting: number;
  /** Number of waiting messages by method. */
  readonly methods: Readonly<Record<string, number>>;
  readonly timers: number;
  readonly ended: boolean;
  readonly bytes: number;
  readonly retained: number;
}

export function describeView(view: SnapshotView): ViewDescription {
  return {
    phase: view.phase,
    taken: view.taken.toISOString(),
    workers: view.workers.map(({ worker, turns, messagesWaiting, bytes, baseBytes }) => ({
      worker,
      turns,
      messagesWaiting,
      bytes,
      baseBytes,
    })),
    actors: view.actors.map(({ id, name, className, worker, turns, mailbox, timers, failure, bytes, retained }) => ({
      id,
      name,
      class: className,
      worker,
      turns,
      waiting: mailbox.waiting,
      methods: mailbox.methods,
      timers: timers.length,
      ended: failure !== undefined,
      bytes,
      retained,
    })),
    underWay: view.underWay.map(({ from, worker, to, method }) => ({ from, worker, to: to ?? null, method })),
    modules: view.modules.map(({ url, worker, status, retained }) => ({ url, worker, status, retained })),
    classes: view.classes.map(({ module, ...rest }) => ({ ...rest, module: module ?? null })),
  };
}

/** Maximum number of rows of a table. */
const MAX_ROWS = 10;

export function viewText({ phase, workers, actors, underWay, classes }: ViewDescription): string {
  const waiting = workers.reduce((sum, { messagesWaiting }) => sum + messagesWaiting, 0);
  const lines = [
    `snapshot ${phase}: ${formatCount(actors.length, 'actor')}, ${formatCount(waiting, 'message')} waiting, ${underWay.length} under way`,
  ];
  if (actors.length > 0) {
    const groups = Map.groupBy(actors, (actor) => actor.class);
    const rows = [...groups].map(([name, members]) => {
      const sum = (valueOf: (actor: ActorDescription) => number): number =>
        members.reduce((all, each) => all + valueOf(each), 0);
      return {
        name,
        count: members.length,
        waiting: sum((a) => a.waiting),
        bytes: sum((a) => a.bytes),
        retained: sum((a) => a.retained),
      };
    });
    rows.sort((a, b) => b.retained - a.retained || (a.name < b.name ? -1 : 1));
    lines.push('', row('actors', 'waiting', 'bytes', 'retained', 'class'));
    for (const each of rows.slice(0, MAX_ROWS))
      lines.push(row(each.count, each.waiting, each.bytes, each.retained, each.name));
    lines.push(...moreRows(rows.length, 'class of actors'));
  }
  const busy = actors.filter((actor) => actor.waiting > 0).toSorted((a, b) => b.waiting - a.waiting);
  if (busy.length > 0) {
    lines.push('', 'longest mailboxes');
    for (const { name, waiting: count, methods } of busy.slice(0, MAX_ROWS))
      lines.push(`  ${name}: ${count}, ${methodsText(methods)}`);
    lines.push(...moreRows(busy.length, 'mailbox'));
  }
  lines.push('', row('objects', '', 'bytes', 'retained', 'class'));
  for (const { name, module, count, bytes, retained } of classes.slice(0, MAX_ROWS))
    lines.push(row(count, '', bytes, retained, module === null ? name : `${name} (${module})`));
  lines.push(...moreRows(classes.length, 'class'));
  return `${lines.join('\n')}\n`;
}

function methodsText(methods: Readonly<Record<string, number>>): string {
  return Object.entries(methods)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([name, count]) => `${name} × ${count}`)
    .join(', ');
}

function moreRows(count: number, kind: string): string[] {
  const left = count - MAX_ROWS;
  return left <= 0 ? [] : [`  and ${left} more ${left === 1 ? kind : plural(kind)}; --json shows all`];
}

function row(...[count, waiting, bytes, retained, name]: readonly (number | string)[]): string {
  const column = (value: number | string | undefined, width: number): string => String(value ?? '').padStart(width);
  return `${column(count, 9)} ${column(waiting, 9)} ${column(bytes, 12)} ${column(retained, 12)}  ${String(name)}`;
}
