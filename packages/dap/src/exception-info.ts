// The response to `exceptionInfo`: the error at which the program stopped, otherwise the event kind of the breakpoint.
import { EVENT_KIND_GROUPS } from '@turntable/time-machine/client';
import type { ResultOf, CursorInfo } from '@turntable/time-machine/protocol';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapError } from './dap-error.ts';
import type { SessionContext } from './session-context.ts';
import { pathOf } from './sources.ts';

type EventInfo = ResultOf<'events'>['events'][number];

/** Breakpoint kinds of errors with their event kinds, uncaught errors first. */
const ERROR_KINDS = {
  uncaught: EVENT_KIND_GROUPS.uncaught,
  caught: ['caught'],
  rejection: ['rejection'],
  exception: EVENT_KIND_GROUPS.exception,
} as const satisfies Readonly<Record<string, readonly EventInfo['kind'][]>>;
type ErrorKind = keyof typeof ERROR_KINDS;
const ERROR_KIND_IDS = Object.keys(ERROR_KINDS) as ErrorKind[];

/** Maximum number of events of a task that are searched. */
const MAX_EVENTS = 1000;

/** Handles `exceptionInfo`. @param kinds event kinds of the breakpoints hit at the current position */
export async function exceptionInfo(
  { client, hello }: SessionContext,
  cursor: CursorInfo,
  kinds: readonly string[],
): Promise<DebugProtocol.ExceptionInfoResponse['body']> {
  const error = ERROR_KIND_IDS.find((each) => kinds.includes(each));
  if (error !== undefined) {
    const text = await errorTextOf(client, cursor, error);
    const [, typeName = 'Error', message = text] = /^(\w+)(?:: ([^]*))?$/.exec(text) ?? [];
    const breakMode = error === 'uncaught' ? 'unhandled' : 'always';
    const details = { typeName, message, stackTrace: cursor.statement === undefined ? '' : await stackTraceOf(client) };
    return { exceptionId: typeName, description: text, breakMode, details };
  }
  const kind = hello.breakpointKinds.find(({ id }) => kinds.includes(id));
  if (kind === undefined)
    throw new DapError('TT_DAP_NOT_THERE', 'no exception breakpoint of this client was hit at the current position');
  return { exceptionId: kind.id, description: kind.title, breakMode: 'always' };
}

/** Returns the frames at the current position, one a line, in the form of V8's stack traces. */
async function stackTraceOf(client: SessionContext['client']): Promise<string> {
  const { frames } = await client.request('frames', {});
  const lines = frames.map(({ function: name, location, isAwaiting }) => {
    const place = location && `${pathOf(location.file)}:${location.line}:${location.column}`;
    const start = isAwaiting === true ? 'at async' : 'at';
    if (name === '') return `${start} ${place ?? '(unknown)'}`;
    return place === undefined ? `${start} ${name}` : `${start} ${name} (${place})`;
  });
  return lines.join('\n');
}

/** Returns the text of the event of this kind at the cursor, or the kind itself if the task has no such event. */
async function errorTextOf(
  client: SessionContext['client'],
  { order, position, task }: CursorInfo,
  kind: ErrorKind,
): Promise<string> {
  const { events } = await client.request('events', {
    kinds: ERROR_KINDS[kind],
    firstTask: order,
    lastTask: order,
    from: order,
    count: MAX_EVENTS,
  });
  let index = 0;
  for (let from = task?.position; from !== undefined && events.length > 1;) {
    const { found, cursor } = await client.request('find', { move: kind, from });
    if (!found || cursor.order !== order || cursor.position === position) break;
    from = cursor.position;
    index++;
  }
  const event: EventInfo | undefined = events[index] ?? events[0];
  return event === undefined ? kind : String(event.value);
}
