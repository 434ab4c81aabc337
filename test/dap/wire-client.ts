// A client of the Debug Adapter Protocol that shares no code with the server: bytes out, bytes in, everything that went either way kept.
import type { Readable, Writable } from 'node:stream';
import { Talk } from '../client/talk.ts';

export interface Message {
  readonly seq: number;
  readonly type: string;
  readonly command?: string;
  readonly event?: string;
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly message?: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export class WireClient {
  readonly #output: Writable;
  readonly talk: Talk<Message> = new Talk();
  /** Nothing comes any more. */
  readonly ended: Promise<void>;
  #rest = Buffer.alloc(0);
  #last = 0;

  constructor(input: Readable, output: Writable) {
    this.#output = output;
    output.on('error', () => {});
    input.on('error', () => {});
    input.on('data', (bytes: Buffer) => this.#take(bytes));
    this.ended = new Promise((settle) => input.once('close', settle));
  }

  /** Answers the number of the request. */
  send(command: string, its?: object): number {
    const seq = ++this.#last;
    const text = JSON.stringify({ seq, type: 'request', command, arguments: its });
    this.talk.says(text);
    this.raw(frame(text));
    return seq;
  }

  raw(bytes: string | Buffer): void {
    this.#output.write(bytes);
  }

  end(): void {
    this.#output.end();
  }

  /** Its response, whatever it is. */
  ask(command: string, its?: object): Promise<Message> {
    const seq = this.send(command, its);
    return this.talk.first((message) => message.type === 'response' && message.request_seq === seq);
  }

  /** The body of its response. Rejects with what is said if it is refused. */
  async request(command: string, its?: object): Promise<Record<string, never>> {
    const { success, message, body = {} } = await this.ask(command, its);
    if (success !== true) throw new Error(message);
    return body as Record<string, never>;
  }

  /** The next event of a kind that nobody has awaited before. */
  async event(name: string): Promise<Record<string, never>> {
    const { body = {} } = await this.talk.next((message) => message.event === name);
    return body as Record<string, never>;
  }

  /** A request that takes somebody elsewhere: where that is, by the first frame. */
  async go(command: string, its: object = {}): Promise<Stop> {
    this.talk.passOver();
    await this.request(command, its);
    return this.stop();
  }

  /** Where all stand when that is told next. */
  async stop(): Promise<Stop> {
    const { reason, description, threadId, hitBreakpointIds } = (await this.event('stopped')) as unknown as StoppedBody;
    const { stackFrames } = await this.request('stackTrace', { threadId, startFrame: 0, levels: 1 });
    const [frame] = stackFrames as unknown as { name: string; line: number; id: number; source?: { name?: string } }[];
    return {
      reason,
      threadId,
      hit: hitBreakpointIds,
      description,
      frame: frame?.id ?? 0,
      at: `${frame?.name}${frame?.source === undefined ? '' : ` ${frame.source.name}:${frame.line}`}`,
    };
  }

  #take(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const [head, length] = /^Content-Length: (\d+)\r\n\r\n/.exec(this.#rest.toString('latin1', 0, 64)) ?? [];
      if (head === undefined || this.#rest.length < head.length + Number(length)) return;
      const text = this.#rest.toString('utf8', head.length, head.length + Number(length));
      this.#rest = this.#rest.subarray(head.length + Number(length));
      this.talk.hears(text);
    }
  }
}

interface StoppedBody {
  readonly reason: string;
  readonly description: string | undefined;
  readonly threadId: number;
  readonly hitBreakpointIds: number[] | undefined;
}

export interface Stop {
  readonly reason: string;
  readonly description: string | undefined;
  readonly threadId: number;
  readonly hit: number[] | undefined;
  readonly frame: number;
  /** The first frame. */
  readonly at: string;
}

export function frame(text: string): string {
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
