// One client's conversation with the time machine: texts in, texts out (JSON-RPC 2.0). Whatever comes is answered: what is no message, and what asks for something that there is not, with an
// error that says what would be right. Nothing that a client sends ends the server or keeps other clients from their answers.
import { EngineError } from '../replay-process/engine-error.ts';
import {
  ERRORS,
  METHODS,
  REQUESTED_BY_CLIENTS,
  type MethodName,
  type NotificationName,
  type NotificationOf,
} from '../protocol.ts';
import { closed, exactly, integer, object, optional, problemOf, text, type TypeOf } from '../protocol/schema.ts';
import type { Wire } from '../protocol/wire.ts';
import { Refusal } from './refusal.ts';
import type { Asker } from './asker.ts';
import type { TimeMachine } from './time-machine.ts';

const anything = { json: {} };
const request = closed({
  jsonrpc: exactly('2.0'),
  id: integer('by which it is answered'),
  method: text('', 100),
  params: optional(anything),
});
const notification = closed({ jsonrpc: exactly('2.0'), method: text('', 100), params: optional(anything) });
const withId = object({ id: integer('') });

/** Requests of one client that are answered at the same time. */
const MOST_OPEN = 64;

type Params = Readonly<Record<string, unknown>>;

export class Conversation {
  readonly #machine: TimeMachine;
  readonly #wire: Wire;
  readonly #client: number;
  readonly #open = new Map<number, AbortController>();
  #isGreeted = false;
  #isOver = false;

  /** @param client its number */
  constructor(machine: TimeMachine, wire: Wire, client: number) {
    this.#machine = machine;
    this.#wire = wire;
    this.#client = client;
    const unwatch = machine.watch((by, where) => {
      if (by !== client && this.#isGreeted) this.#tell('moved', { by, where });
    });
    wire.onClose(() => {
      this.#isOver = true;
      unwatch();
      for (const each of this.#open.values()) each.abort();
    });
    wire.onText((received) => void this.#take(received));
  }

  async #take(received: string): Promise<void> {
    let message: unknown;
    try {
      message = JSON.parse(received);
    } catch {
      this.#fail(null, new Refusal(ERRORS.parse, 'a message is one JSON text'));
      return;
    }
    const id = problemOf(withId, message, '') === undefined ? (message as TypeOf<typeof withId>).id : null;
    if (Array.isArray(message)) {
      this.#fail(null, new Refusal(ERRORS.request, 'one request at a time: there are no batches'));
      return;
    }
    const isNotification = id === null && problemOf(notification, message, '') === undefined;
    if (isNotification) {
      this.#notified(message as TypeOf<typeof notification>);
      return;
    }
    const problem = problemOf(request, message, 'the message');
    if (id === null || problem !== undefined) {
      this.#fail(id, new Refusal(ERRORS.request, problem ?? 'the message is no request'));
      return;
    }
    const { method, params = {} } = message as TypeOf<typeof request>;
    try {
      await this.#answer(id, method, params);
    } catch (error) {
      this.#fail(id, error);
    }
  }

  async #answer(id: number, method: string, params: unknown): Promise<void> {
    if (!Object.hasOwn(METHODS, method)) {
      const known = Object.keys(METHODS).join(', ');
      throw new Refusal(ERRORS.method, `there is no method ${JSON.stringify(method)}; there are ${known}`);
    }
    const name = method as MethodName;
    if (this.#isGreeted === (name === 'hello'))
      throw new Refusal(
        ERRORS.greeting,
        this.#isGreeted ? 'hello comes once' : 'hello comes first, with the version that the client speaks',
      );
    const problem = problemOf(METHODS[name].params, params, 'params');
    if (problem !== undefined) throw new Refusal(ERRORS.params, problem);
    if (this.#open.has(id))
      throw new Refusal(ERRORS.request, `request ${id} is being answered: another one has another id`);
    if (this.#open.size >= MOST_OPEN)
      throw new Refusal(ERRORS.request, `${MOST_OPEN} requests are being answered: more have to wait for an answer`);
    const controller = new AbortController();
    this.#open.set(id, controller);
    let isAnswered = false;
    const answers = (result: unknown): void => {
      if (isAnswered) return;
      isAnswered = true;
      if (name === 'hello') this.#isGreeted = true;
      this.#send({ id, result });
    };
    try {
      const result = await this.#result(name, params as Params, {
        client: this.#client,
        signal: controller.signal,
        progress: (done, total) => this.#tell('progress', { id, done, total }),
        answers,
      });
      answers(result);
    } catch (error) {
      // One answer is all that it gets.
      if (isAnswered) return;
      if (controller.signal.aborted) throw new Refusal(ERRORS.cancelled, 'it was cancelled');
      throw error;
    } finally {
      this.#open.delete(id);
    }
  }

  /** The parameters are those of the method: they have been checked. */
  #result(name: MethodName, params: Params, asker: Asker): unknown {
    return (this.#machine[name] as (params: Params, asker: Asker) => unknown).call(this.#machine, params, asker);
  }

  #notified({ method, params }: TypeOf<typeof notification>): void {
    // Nobody is answered, so nobody is told of others.
    if (method !== 'cancel' || problemOf(REQUESTED_BY_CLIENTS.cancel.params, params, '') !== undefined) return;
    this.#open.get((params as TypeOf<typeof withId>).id)?.abort();
  }

  #fail(id: number | null, error: unknown): void {
    const isEngines = error instanceof EngineError;
    const code = error instanceof Refusal ? error.code : isEngines ? ERRORS.engine : ERRORS.internal;
    this.#send({ id, error: { code, message: error instanceof Error ? error.message : String(error) } });
  }

  #tell<N extends NotificationName>(method: N, params: NotificationOf<N>): void {
    this.#send({ method, params });
  }

  #send(message: object): void {
    if (!this.#isOver) this.#wire.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}
