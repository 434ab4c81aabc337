// One client's conversation: messages in, messages out, as V8's inspector has them. Each request is answered once, with what came of it or with what is wrong with it: in their order, but for what
// may take long, which is answered when it is done. Nothing that a client sends ends the conversation.
import { problemOf } from '@turntable/time-machine/protocol';
import type { Wire } from '@turntable/time-machine/client';
import { DevtoolsError, type DevtoolsErrorCode } from './devtools-error.ts';
import type { Asked, Command, Result } from './protocol/command.ts';

export interface Answer {
  readonly command: Command;
  readonly run: (params: object, asked: Asked) => Result;
}

/** Requests that are waited for at the same time. */
const MOST_OPEN = 256;
const KNOWN: ReadonlySet<string> = new Set(['id', 'method', 'params', 'sessionId']);

const NUMBERS: Readonly<Record<DevtoolsErrorCode, number>> = {
  TT_CDP_JSON: -32_700,
  TT_CDP_REQUEST: -32_600,
  TT_CDP_METHOD: -32_601,
  TT_CDP_PARAMS: -32_602,
  TT_CDP_SESSION: -32_001,
  TT_CDP_NOT_THERE: -32_000,
};

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: object;
}

export class Conversation {
  readonly #wire: Wire;
  readonly #answerTo: (method: string) => Answer | undefined;
  readonly #open = new Set<AbortController>();
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;

  /** @param answerTo of a method; undefined, if there is none */
  constructor(wire: Wire, answerTo: (method: string) => Answer | undefined) {
    this.#wire = wire;
    this.#answerTo = answerTo;
  }

  begin(): void {
    this.#wire.onText((text) => this.#take(text));
  }

  tell(method: string, params: object = {}): void {
    this.#send({ method, params });
  }

  /** What comes is answered when something is done, whatever comes of it. */
  hold(done: Promise<unknown>): void {
    this.#last = this.#last.then(() => done).catch(() => {});
  }

  giveUp(): void {
    for (const each of this.#open) each.abort();
  }

  end(): void {
    this.#isOver = true;
    this.giveUp();
  }

  #take(text: string): void {
    let request: Request;
    try {
      request = requestIn(text);
    } catch (error) {
      this.#refuse(idIn(text), error);
      return;
    }
    const answer = this.#answerTo(request.method);
    if (answer === undefined) {
      this.#refuse(request.id, new DevtoolsError('TT_CDP_METHOD', `'${request.method}' wasn't found`));
      return;
    }
    if (this.#open.size >= MOST_OPEN) {
      const why = `${MOST_OPEN} requests are being answered: another one has to wait`;
      this.#refuse(request.id, new DevtoolsError('TT_CDP_NOT_THERE', why));
      return;
    }
    const controller = new AbortController();
    this.#open.add(controller);
    // What takes long begins in its turn as well, but who comes behind does not wait for it.
    const done = this.#last.then(() => {
      const answered = this.#answer(request, answer, controller);
      return answer.command.takesLong === true ? undefined : answered;
    });
    this.#last = done;
  }

  async #answer({ id, method, params }: Request, { command, run }: Answer, controller: AbortController): Promise<void> {
    const later: (() => void)[] = [];
    try {
      const problem = problemOf(command.params, params, method);
      if (problem !== undefined) throw new DevtoolsError('TT_CDP_PARAMS', 'Invalid parameters', problem);
      const asked: Asked = { signal: controller.signal, afterwards: (then) => void later.push(then) };
      this.#send({ id, result: (await run(params, asked)) ?? {} });
    } catch (error) {
      this.#refuse(id, error);
      return;
    } finally {
      this.#open.delete(controller);
    }
    for (const then of later) then();
  }

  #refuse(id: number | undefined, error: unknown): void {
    const code = error instanceof DevtoolsError ? NUMBERS[error.code] : NUMBERS.TT_CDP_NOT_THERE;
    const message = error instanceof Error ? error.message : String(error);
    const data = error instanceof DevtoolsError ? error.data : undefined;
    this.#send({ error: { code, message, data }, id });
  }

  #send(message: object): void {
    if (!this.#isOver) this.#wire.send(JSON.stringify(message));
  }
}

function requestIn(text: string): Request {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new DevtoolsError('TT_CDP_JSON', 'JSON: syntax error');
  }
  const refused = (what: string): DevtoolsError => new DevtoolsError('TT_CDP_REQUEST', `Message ${what}`);
  if (!isObject(message)) throw refused('must be an object');
  const { id, method, params = {}, sessionId } = message;
  if (!Number.isSafeInteger(id)) throw refused("must have integer 'id' property");
  if (typeof method !== 'string') throw refused("must have string 'method' property");
  if (sessionId !== undefined && typeof sessionId !== 'string') throw refused("may have string 'sessionId' property");
  if (!isObject(params)) throw refused("may have object 'params' property");
  if (Object.keys(message).some((name) => !KNOWN.has(name)))
    throw refused("has property other than 'id', 'method', 'sessionId', 'params'");
  if (sessionId !== undefined && sessionId !== '')
    throw new DevtoolsError('TT_CDP_SESSION', 'Session with given id not found.');
  return { id: id as number, method, params };
}

/** Of what is no request: who is answered. */
function idIn(text: string): number | undefined {
  try {
    const message: unknown = JSON.parse(text);
    const id = isObject(message) ? message['id'] : undefined;
    return Number.isSafeInteger(id) ? (id as number) : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
