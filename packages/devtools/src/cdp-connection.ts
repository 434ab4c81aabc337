// The connection to one CDP client, with the error messages of V8's inspector. It responds to every request exactly
// once, in order; only long-running commands respond when they are done. No input ends the connection.
import { isNestedTooDeep, NESTING_PROBLEM, validationError } from '@turntable/time-machine/protocol';
import type { Wire } from '@turntable/time-machine/client';
import { DevtoolsError, type DevtoolsErrorCode } from './devtools-error.ts';
import type { CdpRequest, Command, CommandResult } from './protocol/command.ts';

export interface CdpHandler {
  readonly command: Command;
  readonly run: (params: object, request: CdpRequest) => CommandResult;
}

/** Maximum number of requests in progress; further requests are refused. */
const MAX_PENDING_REQUESTS = 256;
const REQUEST_FIELDS: ReadonlySet<string> = new Set(['id', 'method', 'params', 'sessionId']);

const ERROR_NUMBERS: Readonly<Record<DevtoolsErrorCode, number>> = {
  TT_CDP_JSON: -32_700,
  TT_CDP_REQUEST: -32_600,
  TT_CDP_METHOD: -32_601,
  TT_CDP_PARAMS: -32_602,
  TT_CDP_SESSION: -32_001,
  TT_CDP_NOT_THERE: -32_000,
};

interface RawRequest {
  readonly id: number;
  readonly method: string;
  readonly params: object;
}

export class CdpConnection {
  readonly #wire: Wire;
  readonly #findHandler: (method: string) => CdpHandler | undefined;
  readonly #pending = new Set<AbortController>();
  #queue: Promise<unknown> = Promise.resolve();
  #hasEnded = false;

  /** @param findHandler returns the handler of a method; undefined for an unknown method */
  constructor(wire: Wire, findHandler: (method: string) => CdpHandler | undefined) {
    this.#wire = wire;
    this.#findHandler = findHandler;
  }

  start(): void {
    this.#wire.onText((text) => this.#receive(text));
  }

  sendEvent(method: string, params: object = {}): void {
    this.#send({ method, params });
  }

  /** Delays all requests that have not started until `done` has settled. */
  holdUntil(done: Promise<unknown>): void {
    this.#queue = this.#queue.then(() => done).catch(() => {});
  }

  abortAll(): void {
    for (const each of this.#pending) each.abort();
  }

  end(): void {
    this.#hasEnded = true;
    this.abortAll();
  }

  #receive(text: string): void {
    // Not parsed, so the response has no id.
    if (isNestedTooDeep(text)) {
      this.#sendError(undefined, new DevtoolsError('TT_CDP_JSON', NESTING_PROBLEM));
      return;
    }
    let request: RawRequest;
    try {
      request = parseRequest(text);
    } catch (error) {
      this.#sendError(parseId(text), error);
      return;
    }
    const handler = this.#findHandler(request.method);
    if (handler === undefined) {
      this.#sendError(request.id, new DevtoolsError('TT_CDP_METHOD', `'${request.method}' wasn't found`));
      return;
    }
    if (this.#pending.size >= MAX_PENDING_REQUESTS) {
      const message = `${MAX_PENDING_REQUESTS} requests are in progress: wait until one has ended`;
      this.#sendError(request.id, new DevtoolsError('TT_CDP_NOT_THERE', message));
      return;
    }
    const controller = new AbortController();
    this.#pending.add(controller);
    // A long-running command waits for the requests before it, but later requests do not wait for the command.
    const handled = this.#queue.then(() => {
      const response = this.#handle(request, handler, controller);
      return handler.command.isLongRunning === true ? undefined : response;
    });
    this.#queue = handled;
  }

  async #handle(
    { id, method, params }: RawRequest,
    { command, run }: CdpHandler,
    controller: AbortController,
  ): Promise<void> {
    const callbacks: (() => void)[] = [];
    try {
      const problem = validationError(command.params, params, method);
      if (problem !== undefined) throw new DevtoolsError('TT_CDP_PARAMS', 'Invalid parameters', problem);
      const request: CdpRequest = {
        signal: controller.signal,
        afterResponse: (callback) => void callbacks.push(callback),
      };
      this.#send({ id, result: (await run(params, request)) ?? {} });
    } catch (error) {
      this.#sendError(id, error);
      return;
    } finally {
      this.#pending.delete(controller);
    }
    for (const callback of callbacks) callback();
  }

  #sendError(id: number | undefined, error: unknown): void {
    const code = error instanceof DevtoolsError ? ERROR_NUMBERS[error.code] : ERROR_NUMBERS.TT_CDP_NOT_THERE;
    const message = error instanceof Error ? error.message : String(error);
    const data = error instanceof DevtoolsError ? error.data : undefined;
    this.#send({ error: { code, message, data }, id });
  }

  #send(message: object): void {
    if (!this.#hasEnded) this.#wire.send(JSON.stringify(message));
  }
}

function parseRequest(text: string): RawRequest {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new DevtoolsError('TT_CDP_JSON', 'JSON: syntax error');
  }
  const invalid = (problem: string): DevtoolsError => new DevtoolsError('TT_CDP_REQUEST', `Message ${problem}`);
  if (!isObject(message)) throw invalid('must be an object');
  const { id, method, params = {}, sessionId } = message;
  if (!Number.isSafeInteger(id)) throw invalid("must have integer 'id' property");
  if (typeof method !== 'string') throw invalid("must have string 'method' property");
  if (sessionId !== undefined && typeof sessionId !== 'string') throw invalid("may have string 'sessionId' property");
  if (!isObject(params)) throw invalid("may have object 'params' property");
  if (Object.keys(message).some((name) => !REQUEST_FIELDS.has(name)))
    throw invalid("has property other than 'id', 'method', 'sessionId', 'params'");
  if (sessionId !== undefined && sessionId !== '')
    throw new DevtoolsError('TT_CDP_SESSION', 'Session with given id not found.');
  return { id: id as number, method, params };
}

/** Returns the id of a malformed request, for the error response; undefined if the request has none. */
function parseId(text: string): number | undefined {
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
