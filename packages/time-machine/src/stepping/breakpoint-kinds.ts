// Kinds of breakpoints other than lines: events of the run, groups of them, and starts of tasks.
import { canHaveCondition, describeEventKind, EVENT_KIND_GROUPS, type RunEventKind } from '../run-event-kinds.ts';

export interface BreakpointKind {
  readonly id: string;
  /** Text after "stops at". */
  readonly title: string;
  readonly group: string;
  /** Meaning of the text that the breakpoint may match; undefined if it matches none. */
  readonly detail?: string | undefined;
  readonly canHaveCondition: boolean;
  /** The run events at which the breakpoint stops; empty for a kind that stops at starts of tasks. */
  readonly runEvents: readonly RunEventKind[];
  /** Id of the move that goes to the same tasks. */
  readonly taskMove?: string;
  /** Whether the breakpoint must have a text. */
  readonly needsText?: boolean;
}

const EXCEPTION_DETAIL = describeEventKind('caught').detail;
const OUTPUT_DETAIL = describeEventKind('stdout').detail;

function eventKind(id: RunEventKind): BreakpointKind {
  const { title, group, detail } = describeEventKind(id);
  return { id, title, group, detail, canHaveCondition: canHaveCondition(id), runEvents: [id] };
}

function taskKind(id: string, title: string, detail?: string, needsText = false): BreakpointKind {
  return { id, title, group: 'Tasks', detail, canHaveCondition: false, runEvents: [], taskMove: id, needsText };
}

export const BREAKPOINT_KINDS: readonly BreakpointKind[] = [
  eventKind('request'),
  eventKind('response'),
  {
    id: 'exception',
    title: 'a statement that throws an error, caught or not, or rejects a promise',
    group: describeEventKind('caught').group,
    detail: EXCEPTION_DETAIL,
    canHaveCondition: true,
    runEvents: EVENT_KIND_GROUPS.exception,
  },
  eventKind('caught'),
  { ...eventKind('uncaught'), runEvents: EVENT_KIND_GROUPS.uncaught },
  eventKind('rejection'),
  {
    id: 'output',
    title: 'a statement that prints',
    group: describeEventKind('stdout').group,
    detail: OUTPUT_DETAIL,
    canHaveCondition: true,
    runEvents: EVENT_KIND_GROUPS.output,
  },
  eventKind('stdout'),
  eventKind('stderr'),
  eventKind('device'),
  taskKind('task', 'the start of a task', 'the title of the task'),
  taskKind('turn', 'the start of a turn', 'Actor.method'),
  taskKind('callback', 'the start of a host callback', 'the source of the callback'),
  taskKind('snapshot', 'the first task after a snapshot'),
  taskKind('actor', 'the start of a task of an actor', 'the name of the actor', true),
  taskKind('worker', 'the start of a task on a worker', 'the number of the worker', true),
  eventKind('send'),
  eventKind('receive'),
  eventKind('enter'),
  eventKind('leave'),
  eventKind('reply'),
  eventKind('spawn'),
  eventKind('settle'),
  eventKind('reaction'),
  eventKind('await'),
];

export function breakpointKindOf(id: string): BreakpointKind | undefined {
  return BREAKPOINT_KINDS.find((each) => each.id === id);
}
