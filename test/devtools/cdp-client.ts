// A client of Chrome's protocol that shares no code with the server: texts out, texts in, everything that went either way kept.
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
  /** The first frame: function, file and line from 1 on. */
  readonly location: string;
}

export interface StackTrace {
  readonly description: string;
  readonly callFrames: readonly { readonly functionName: string; readonly url: string; readonly lineNumber: number }[];
  readonly parent?: StackTrace;
}

export class CdpClient {
  readonly #socket: WebSocket;
  readonly log: MessageLog<CdpMessage> = new MessageLog();
  /** Nothing comes any more. */
  readonly closed: Promise<unknown>;
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('message', (data) => this.log.receive((data as Buffer).toString()));
  }

  /** Rejects where it is refused. */
  static async connect(address: string, origin?: string): Promise<CdpClient> {
    const socket = new WebSocket(address, origin === undefined ? {} : { origin });
    const client = new CdpClient(socket);
    await once(socket, 'open');
    return client;
  }

  /** Answers the number of the request. */
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

  /** Its answer, whatever it is. */
  requestRaw(method: string, params?: object): Promise<CdpMessage> {
    const id = this.send(method, params);
    return this.log.whenReceived((message) => message.id === id);
  }

  /** What it comes to. Rejects with what is said if it is refused. */
  async request<T = Record<string, unknown>>(method: string, params?: object): Promise<T> {
    const { result, error } = await this.requestRaw(method, params);
    if (error !== undefined)
      throw new Error(`${method}: ${error.message}${error.data === undefined ? '' : `: ${error.data}`}`);
    return result as T;
  }

  /** The next event of a kind that nobody has awaited before. */
  async nextEvent<T>(method: string): Promise<T> {
    return (await this.log.nextReceived((message) => message.method === method)).params as T;
  }

  /** A command that takes somebody elsewhere: where all stand then. */
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

  /** Where it begins to look: all stand still somewhere. */
  async enable(): Promise<PausedEvent> {
    await this.request('Runtime.enable');
    return this.runToPause('Debugger.enable');
  }
}
