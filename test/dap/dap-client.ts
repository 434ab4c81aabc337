// A client of the Debug Adapter Protocol that shares no code with the server. It logs all messages in both directions.
import type { Readable, Writable } from 'node:stream';
import { MessageLog } from '../client/message-log.ts';

export interface DapMessage {
  readonly seq: number;
  readonly type: string;
  readonly command?: string;
  readonly event?: string;
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly message?: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export class DapClient {
  readonly #output: Writable;
  readonly log: MessageLog<DapMessage> = new MessageLog();
  /** Settles when the input has closed. */
  readonly closed: Promise<void>;
  #buffer = Buffer.alloc(0);
  #lastSeq = 0;

  constructor(input: Readable, output: Writable) {
    this.#output = output;
    output.on('error', () => {});
    input.on('error', () => {});
    input.on('data', (bytes: Buffer) => this.#receiveBytes(bytes));
    this.closed = new Promise((resolve) => input.once('close', resolve));
  }

  /** Sends a request and returns its number. */
  send(command: string, requestArguments?: object): number {
    const seq = ++this.#lastSeq;
    const text = JSON.stringify({ seq, type: 'request', command, arguments: requestArguments });
    this.log.logSent(text);
    this.write(encodeMessage(text));
    return seq;
  }

  write(bytes: string | Buffer): void {
    this.#output.write(bytes);
  }

  end(): void {
    this.#output.end();
  }

  /** Sends a request and returns its response, whether successful or not. */
  requestRaw(command: string, requestArguments?: object): Promise<DapMessage> {
    const seq = this.send(command, requestArguments);
    return this.log.whenReceived((message) => message.type === 'response' && message.request_seq === seq);
  }

  /** Sends a request and returns the body of its response. Rejects with the message of a failed response. */
  async request(command: string, requestArguments?: object): Promise<Record<string, never>> {
    const { success, message, body = {} } = await this.requestRaw(command, requestArguments);
    if (success !== true) throw new Error(message);
    return body as Record<string, never>;
  }

  /** The next event of a kind after the last awaited message. */
  async nextEvent(name: string): Promise<Record<string, never>> {
    const { body = {} } = await this.log.nextReceived((message) => message.event === name);
    return body as Record<string, never>;
  }

  /** Sends a request that moves the session and returns the next stop. */
  async runToStop(command: string, requestArguments: object = {}): Promise<StopInfo> {
    this.log.discardReceived();
    await this.request(command, requestArguments);
    return this.nextStop();
  }

  /** The next stop, with its first frame. */
  async nextStop(): Promise<StopInfo> {
    const { reason, description, threadId, hitBreakpointIds } = (await this.nextEvent(
      'stopped',
    )) as unknown as StoppedBody;
    const { stackFrames } = await this.request('stackTrace', { threadId, startFrame: 0, levels: 1 });
    const [frame] = stackFrames as unknown as { name: string; line: number; id: number; source?: { name?: string } }[];
    return {
      reason,
      threadId,
      hitBreakpointIds,
      description,
      frame: frame?.id ?? 0,
      location: `${frame?.name}${frame?.source === undefined ? '' : ` ${frame.source.name}:${frame.line}`}`,
    };
  }

  #receiveBytes(bytes: Buffer): void {
    this.#buffer = Buffer.concat([this.#buffer, bytes]);
    for (;;) {
      const [head, length] = /^Content-Length: (\d+)\r\n\r\n/.exec(this.#buffer.toString('latin1', 0, 64)) ?? [];
      if (head === undefined || this.#buffer.length < head.length + Number(length)) return;
      const text = this.#buffer.toString('utf8', head.length, head.length + Number(length));
      this.#buffer = this.#buffer.subarray(head.length + Number(length));
      this.log.receive(text);
    }
  }
}

interface StoppedBody {
  readonly reason: string;
  readonly description: string | undefined;
  readonly threadId: number;
  readonly hitBreakpointIds: number[] | undefined;
}

export interface StopInfo {
  readonly reason: string;
  readonly description: string | undefined;
  readonly threadId: number;
  readonly hitBreakpointIds: number[] | undefined;
  readonly frame: number;
  /** Function and line of the first frame. */
  readonly location: string;
}

export function encodeMessage(text: string): string {
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
