// Connection of one client to the time machine: JSON-RPC 2.0 over a wire. Every text is answered except notifications;
// an invalid request is answered with an error that names the expected form. No message of a client may end the server
// or delay the answers of other clients.
import { ReplayError } from '../replay-process/replay-error.ts';
import {
  CLIENT_NOTIFICATIONS,
  ERROR_CODES,
  isNestedTooDeep,
  METHODS,
  NESTING_PROBLEM,
  SERVER_NOTIFICATIONS,
} from '../protocol.ts';
import type { MethodName, NotificationName, NotificationOf } from '../protocol.ts';
import { strictObject, literal, integer, object, optional, validationError, string } from '../protocol/schema.ts';
import type { Schema, TypeOf } from '../protocol/schema.ts';
import type { Wire } from '../protocol/wire.ts';
import { invalidParams, ProtocolError } from './protocol-error.ts';
import { redactResult } from './redacted-result.ts';
import type { ClientContext } from './client-context.ts';
import type { TimeMachine } from './time-machine.ts';

const anyValue = { json: {} };
const request = strictObject({
  jsonrpc: literal('2.0'),
  id: integer('id of the request, also in its response'),
  method: string('', 100),
  params: optional(anyValue),
});
const notification = strictObject({ jsonrpc: literal('2.0'), method: string('', 100), params: optional(anyValue) });
const messageWithId = object({ id: integer('') });

/** Maximum number of requests of one client that are worked on at the same time. */
const MAX_OPEN_REQUESTS = 64;

type Params = Readonly<Record<string, unknown>>;

export class ClientConnection {
  readonly #timeMachine: TimeMachine;
  readonly #wire: Wire;
  readonly #client: number;
  readonly #open = new Map<number, AbortController>();
  #isGreeted = false;
  #isClosed = false;

  /** @param client number of the client */
  constructor(timeMachine: TimeMachine, wire: Wire, client: number) {
    this.#timeMachine = timeMachine;
    this.#wire = wire;
    this.#client = client;
    const stopWatching = timeMachine.onMoved((movedBy, cursor) => {
      if (movedBy !== client && this.#isGreeted) this.#notify('moved', { client: movedBy, cursor });
    });
    wire.onClose(() => {
      this.#isClosed = true;
      stopWatching();
      for (const each of this.#open.values()) each.abort();
    });
    wire.onText((text) => void this.#receive(text));
  }

  async #receive(text: string): Promise<void> {
    if (isNestedTooDeep(text)) {
      this.#sendError(null, new ProtocolError(ERROR_CODES.request, NESTING_PROBLEM));
      return;
    }
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#sendError(null, new ProtocolError(ERROR_CODES.parse, 'the message is not valid JSON'));
      return;
    }
    const id =
      validationError(messageWithId, message, '') === undefined ? (message as TypeOf<typeof messageWithId>).id : null;
    if (Array.isArray(message)) {
      this.#sendError(
        null,
        new ProtocolError(ERROR_CODES.request, 'batches are not supported; send one request per message'),
      );
      return;
    }
    const isNotification = id === null && validationError(notification, message, '') === undefined;
    if (isNotification) {
      this.#handleNotification(message as TypeOf<typeof notification>);
      return;
    }
    const problem = validationError(request, message, 'the message');
    if (id === null || problem !== undefined) {
      this.#sendError(id, new ProtocolError(ERROR_CODES.request, problem ?? 'the message is not a request'));
      return;
    }
    const { method, params = {} } = message as TypeOf<typeof request>;
    try {
      await this.#handleRequest(id, method, params);
    } catch (error) {
      this.#sendError(id, error);
    }
  }

  async #handleRequest(id: number, method: string, params: unknown): Promise<void> {
    if (!Object.hasOwn(METHODS, method)) {
      const knownMethods = Object.keys(METHODS).join(', ');
      throw new ProtocolError(
        ERROR_CODES.method,
        `there is no method ${JSON.stringify(method)}; available: ${knownMethods}`,
      );
    }
    const name = method as MethodName;
    if (this.#isGreeted === (name === 'hello'))
      throw new ProtocolError(
        ERROR_CODES.handshake,
        this.#isGreeted
          ? 'hello was already sent; send it only once'
          : 'the first request must be hello, with the protocol version of the client',
      );
    const problem = validationError(METHODS[name].params, params, 'params');
    if (problem !== undefined) throw invalidParams(problem);
    if (this.#open.has(id)) throw new ProtocolError(ERROR_CODES.request, `request ${id} is still open; use another id`);
    if (this.#open.size >= MAX_OPEN_REQUESTS)
      throw new ProtocolError(
        ERROR_CODES.request,
        `${MAX_OPEN_REQUESTS} requests are open, the maximum; wait for a response`,
      );
    const controller = new AbortController();
    this.#open.set(id, controller);
    let isAnswered = false;
    const answer = (result: unknown): void => {
      if (isAnswered) return;
      isAnswered = true;
      if (name === 'hello') this.#isGreeted = true;
      this.#send({ id, result: this.#redact(METHODS[name].result, result, params as Params) });
    };
    try {
      const result = await this.#callTimeMachine(name, params as Params, {
        client: this.#client,
        signal: controller.signal,
        progress: (done, total) => this.#notify('progress', { id, done, total }),
        answer,
      });
      answer(result);
    } catch (error) {
      // The request has been answered already; a second answer would be invalid.
      if (isAnswered) return;
      if (controller.signal.aborted) throw new ProtocolError(ERROR_CODES.cancelled, 'the request was cancelled');
      throw error;
    } finally {
      this.#open.delete(id);
    }
  }

  /** Calls a method of the time machine. The caller has validated the parameters. */
  #callTimeMachine(name: MethodName, params: Params, context: ClientContext): unknown {
    const method = this.#timeMachine[name] as (params: Params, context: ClientContext) => unknown;
    return method.call(this.#timeMachine, params, context);
  }

  #handleNotification({ method, params }: TypeOf<typeof notification>): void {
    // Notifications are not answered, so an unknown notification is ignored.
    if (method !== 'cancel' || validationError(CLIENT_NOTIFICATIONS.cancel.params, params, '') !== undefined) return;
    this.#open.get((params as TypeOf<typeof messageWithId>).id)?.abort();
  }

  #sendError(id: number | null, error: unknown): void {
    const isReplayError = error instanceof ReplayError;
    const code =
      error instanceof ProtocolError ? error.code : isReplayError ? ERROR_CODES.replay : ERROR_CODES.internal;
    const message = error instanceof Error ? error.message : String(error);
    const { redaction } = this.#timeMachine;
    this.#send({ id, error: { code, message: redaction?.redactText(message) ?? message } });
  }

  #redact(schema: Schema<unknown>, result: unknown, { expression, logExpression }: Params): unknown {
    const { redaction } = this.#timeMachine;
    if (redaction === undefined) return result;
    const shown = expression ?? logExpression;
    return redactResult(schema, result, redaction, typeof shown === 'string' ? shown : undefined);
  }

  #notify<N extends NotificationName>(method: N, params: NotificationOf<N>): void {
    this.#send({ method, params: this.#redact(SERVER_NOTIFICATIONS[method].params, params, {}) });
  }

  #send(message: object): void {
    if (!this.#isClosed) this.#wire.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}
