// What has happened where all have stopped by an exception breakpoint: of errors what they say, of anything else what it is.
import type { ResultOf, Where } from '@turntable/time-machine/protocol';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { DapError } from './dap-error.ts';
import type { Ground } from './ground.ts';

type Mark = ResultOf<'marks'>['marks'][number];

/** Kinds of errors, those first that nobody has caught. */
const ERRORS = ['error', 'exception', 'rejection'] as const;
type ErrorKind = (typeof ERRORS)[number];

/** Of one stretch, that are looked through. */
const MOST = 1000;

/** `exceptionInfo` @param kinds that were met there */
export async function exceptionInfo(
  { client, hello }: Ground,
  where: Where,
  kinds: readonly string[],
): Promise<DebugProtocol.ExceptionInfoResponse['body']> {
  const error = ERRORS.find((each) => kinds.includes(each));
  if (error !== undefined) {
    const text = await textOf(client, where, error);
    const [, typeName = 'Error', message = text] = /^(\w+)(?:: ([^]*))?$/.exec(text) ?? [];
    const breakMode = error === 'error' ? 'unhandled' : 'always';
    return { exceptionId: typeName, description: text, breakMode, details: { typeName, message } };
  }
  const kind = hello.breakpoints.find(({ id }) => kinds.includes(id));
  if (kind === undefined)
    throw new DapError('TT_DAP_NOT_THERE', 'all have not stopped here by an exception breakpoint of this editor');
  return { exceptionId: kind.id, description: kind.title, breakMode: 'always' };
}

/** What it says: as the so-manieth of its stretch. */
async function textOf(client: Ground['client'], { order, position, stretch }: Where, kind: ErrorKind): Promise<string> {
  const { marks } = await client.request('marks', {
    kinds: [kind],
    first: order,
    last: order,
    from: order,
    count: MOST,
  });
  let index = 0;
  for (let from = stretch?.position; from !== undefined && marks.length > 1;) {
    const { found, where } = await client.request('find', { move: kind, from });
    if (!found || where.order !== order || where.position === position) break;
    from = where.position;
    index++;
  }
  const mark: Mark | undefined = marks[index] ?? marks[0];
  return mark === undefined ? kind : String(mark.value);
}
