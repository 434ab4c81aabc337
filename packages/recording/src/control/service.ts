// Recorded processes of this user on this computer, and what can be asked of them: the other side of `ControlDoor`.
import { rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { RecordingError } from '../recording-error.ts';
import { LONGEST_ANSWER, type ControlAnswers, type ControlMethod, type ServiceState } from './messages.ts';
import { socketsIn } from './places.ts';

export interface Service {
  /** Its socket. */
  readonly path: string;
  readonly state: ServiceState;
}

/** Milliseconds: who does not answer by then is not listed. */
const PATIENCE = 2000;

/** Those that answer, in the order in which they were started. Sockets that nobody listens at any more are removed. */
export async function listServices(places: readonly string[]): Promise<Service[]> {
  const paths = new Set(places.flatMap((place) => socketsIn(place).map(({ path }) => path)));
  const asked = await Promise.all(Array.from(paths, (path) => stateOf(path)));
  return asked.flatMap((each) => each ?? []).sort((a, b) => a.state.began - b.state.began);
}

async function stateOf(path: string): Promise<Service | undefined> {
  try {
    return { path, state: await askService(path, 'who', AbortSignal.timeout(PATIENCE)) };
  } catch {
    await removeIfDead(path);
    return undefined;
  }
}

/** Rejects with why it is refused, or not answered. */
export function askService<M extends ControlMethod>(
  path: string,
  method: M,
  signal?: AbortSignal,
): Promise<ControlAnswers[M]> {
  return new Promise((settle, reject) => {
    const fail = (why: string): void => {
      socket.destroy();
      reject(new RecordingError('TT_SERVICE', why));
    };
    const socket: Socket = createConnection(path);
    socket.setEncoding('utf8');
    socket.on('connect', () => socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method })}\n`));
    let received = '';
    socket.on('data', (text: string) => {
      received += text;
      const end = received.indexOf('\n');
      if (end === -1) return received.length > LONGEST_ANSWER ? fail('it has answered with too much') : undefined;
      const answer = answerIn(received.slice(0, end));
      if (answer?.result === undefined) return fail(answer?.error?.message ?? 'it has answered what is no answer');
      socket.destroy();
      return settle(answer.result as ControlAnswers[M]);
    });
    socket.on('error', ({ message }) => fail(`it does not answer: ${message}`));
    socket.on('close', () => fail('it has ended before it could answer'));
    signal?.addEventListener('abort', () => fail('it has not answered in time'), { once: true });
  });
}

interface Answer {
  readonly result?: object;
  readonly error?: { readonly message?: string };
}

function answerIn(line: string): Answer | undefined {
  try {
    return Object(JSON.parse(line)) as Answer;
  } catch {
    return undefined;
  }
}

/** Of a process that was killed: nobody listens there. */
export async function removeIfDead(path: string): Promise<void> {
  const isDead = await new Promise<boolean>((settle) => {
    const socket = createConnection(path);
    const done = (is: boolean): void => {
      socket.destroy();
      settle(is);
    };
    socket.on('connect', () => done(false));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => done(code === 'ECONNREFUSED'));
  });
  if (isDead) rmSync(path, { force: true });
}
