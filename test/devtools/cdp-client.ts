// CDP client that shares no code with the server. It logs all messages in both directions.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { MessageLog } from '../client/message-log.ts';

export interface CdpMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string };
}

export interface CdpRemoteObject {
  readonly type: string;
  readonly subtype?: string;
  readonly value?: unknown;
  readonly description?: string;
  readonly objectId?: string;
  readonly preview?: { readonly properties: readonly object[] };
}

export interface CdpCallFrame {
  readonly callFrameId: string;
  readonly functionName: string;
  readonly url: string;
  readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber: number };
  readonly scopeChain: readonly { readonly type: string; readonly object: CdpRemoteObject }[];
  readonly this: CdpRemoteObject;
}

export interface PausedEvent {
  readonly callFrames: readonly CdpCallFrame[];
  readonly reason: string;
  readonly data: { readonly position: string; readonly description?: string };
  readonly hitBreakpoints: readonly string[];
  readonly asyncStackTraceId?: { readonly id: string };
  readonly asyncStackTrace?: StackTrace;
  /** First frame: function, file and 1-based line. */
  readonly location: string;
}

export interface StackTrace {
  readonly description: string;
  readonly callFrames: readonly { readonly functionName: string; readonly url: string; readonly lineNumber: number }[];
  readonly parent?: StackTrace;
  readonly parentId?: { readonly id: string };
}

export class CdpClient {
  readonly #socket: WebSocket;
  readonly log: MessageLog<CdpMessage> = new MessageLog();
  /** Resolves when the connection is closed. */
  readonly closed: Promise<unknown>;
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('message', (data) => this.log.receive((data as Buffer).toString()));
  }

  /** Rejects if the server refuses the connection. */
  static async connect(address: string, origin?: string): Promise<CdpClient> {
    const socket = new WebSocket(address, origin === undefined ? {} : { origin });
    const client = new CdpClient(socket);
    await once(socket, 'open');
    return client;
  }

  /** Returns the id of the request. */
  send(method: string, params?: object): number {
    const id = ++this.#lastId;
    this.write(JSON.stringify({ id, method, params }));
    return id;
  }

  write(text: string): void {
    this.log.logSent(text);
    this.#socket.send(text);
  }

  close(): void {
    this.#socket.close();
  }

  /** Resolves with the response, even if it is an error. */
  requestRaw(method: string, params?: object): Promise<CdpMessage> {
    const id = this.send(method, params);
    return this.log.whenReceived((message) => message.id === id);
  }

  /** Resolves with the result and rejects with the error of the response. */
  async request<T = Record<string, unknown>>(method: string, params?: object): Promise<T> {
    const { result, error } = await this.requestRaw(method, params);
    if (error !== undefined)
      throw new Error(`${method}: ${error.message}${error.data === undefined ? '' : `: ${error.data}`}`);
    return result as T;
  }

  /** Next unconsumed event of a method. */
  async nextEvent<T>(method: string): Promise<T> {
    return (await this.log.nextReceived((message) => message.method === method)).params as T;
  }

  /** Sends a command that moves the cursor and waits for the next pause. */
  async runToPause(method: string, params?: object): Promise<PausedEvent> {
    this.log.discardReceived();
    await this.request(method, params);
    return this.nextPause();
  }

  async nextPause(): Promise<PausedEvent> {
    const paused = await this.nextEvent<Omit<PausedEvent, 'location'>>('Debugger.paused');
    const [frame] = paused.callFrames;
    const file = frame?.url.split('/').at(-1);
    return { ...paused, location: `${frame?.functionName} ${file}:${(frame?.location.lineNumber ?? -1) + 1}` };
  }

  /** Enables the debugger and waits for the first pause. */
  async enable(): Promise<PausedEvent> {
    await this.request('Runtime.enable');
    return this.runToPause('Debugger.enable');
  }
}
