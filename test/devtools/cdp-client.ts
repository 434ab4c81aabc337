// A client of Chrome's protocol that shares no code with the server: texts out, texts in, everything that went either way kept.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { Talk } from '../client/talk.ts';

export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: string };
}

export interface RemoteObject {
  readonly type: string;
  readonly subtype?: string;
  readonly value?: unknown;
  readonly description?: string;
  readonly objectId?: string;
  readonly preview?: { readonly properties: readonly object[] };
}

export interface Frame {
  readonly callFrameId: string;
  readonly functionName: string;
  readonly url: string;
  readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber: number };
  readonly scopeChain: readonly { readonly type: string; readonly object: RemoteObject }[];
  readonly this: RemoteObject;
}

export interface Paused {
  readonly callFrames: readonly Frame[];
  readonly reason: string;
  readonly data: { readonly position: string; readonly description?: string };
  readonly hitBreakpoints: readonly string[];
  readonly asyncStackTraceId?: { readonly id: string };
  /** The first frame: function, file and line from 1 on. */
  readonly at: string;
}

export interface StackTrace {
  readonly description: string;
  readonly callFrames: readonly { readonly functionName: string; readonly url: string; readonly lineNumber: number }[];
  readonly parent?: StackTrace;
}

export class CdpClient {
  readonly #socket: WebSocket;
  readonly talk: Talk<Message> = new Talk();
  /** Nothing comes any more. */
  readonly ended: Promise<unknown>;
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.ended = new Promise((settle) => socket.once('close', settle));
    socket.on('message', (data) => this.talk.hears((data as Buffer).toString()));
  }

  /** Rejects where it is refused. */
  static async at(address: string, origin?: string): Promise<CdpClient> {
    const socket = new WebSocket(address, origin === undefined ? {} : { origin });
    const client = new CdpClient(socket);
    await once(socket, 'open');
    return client;
  }

  /** Answers the number of the request. */
  send(method: string, params?: object): number {
    const id = ++this.#last;
    this.raw(JSON.stringify({ id, method, params }));
    return id;
  }

  raw(text: string): void {
    this.talk.says(text);
    this.#socket.send(text);
  }

  close(): void {
    this.#socket.close();
  }

  /** Its answer, whatever it is. */
  ask(method: string, params?: object): Promise<Message> {
    const id = this.send(method, params);
    return this.talk.first((message) => message.id === id);
  }

  /** What it comes to. Rejects with what is said if it is refused. */
  async request<T = Record<string, unknown>>(method: string, params?: object): Promise<T> {
    const { result, error } = await this.ask(method, params);
    if (error !== undefined)
      throw new Error(`${method}: ${error.message}${error.data === undefined ? '' : `: ${error.data}`}`);
    return result as T;
  }

  /** The next event of a kind that nobody has awaited before. */
  async event<T>(method: string): Promise<T> {
    return (await this.talk.next((message) => message.method === method)).params as T;
  }

  /** A command that takes somebody elsewhere: where all stand then. */
  async go(method: string, params?: object): Promise<Paused> {
    this.talk.passOver();
    await this.request(method, params);
    return this.paused();
  }

  async paused(): Promise<Paused> {
    const paused = await this.event<Omit<Paused, 'at'>>('Debugger.paused');
    const [frame] = paused.callFrames;
    const file = frame?.url.split('/').at(-1);
    return { ...paused, at: `${frame?.functionName} ${file}:${(frame?.location.lineNumber ?? -1) + 1}` };
  }

  /** Where it begins to look: all stand still somewhere. */
  async begin(): Promise<Paused> {
    await this.request('Runtime.enable');
    return this.go('Debugger.enable');
  }
}
