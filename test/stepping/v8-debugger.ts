// V8's own debugger: a Node process with its inspector, which stops at breakpoints and makes steps.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type CdpCallFrame, CdpClient, type PausedEvent } from '../devtools/cdp-client.ts';

/** A stop of the program. */
export interface V8Stop {
  /** Program frames on the stack, innermost first. */
  readonly frames: readonly V8Frame[];
  /** Program frames whose `await`s have resumed this code, the latest first. */
  readonly asyncFrames: readonly V8Place[];
  /** Id of the innermost frame, until the program runs on. */
  readonly frameId: string | undefined;
}

/** A place in the program's file, counted from 1. */
export interface V8Place {
  readonly line: number;
  readonly column: number;
  /** Whether the function is about to return. */
  readonly isReturn?: boolean;
}

export interface V8Frame extends V8Place {
  /** The value of the activation expression. */
  readonly activation: number;
}

export type V8Step = 'stepOver' | 'stepInto' | 'stepOut';

/** The text of a value in JSON, by the name of its variable. */
export type Variables = ReadonlyMap<string, string>;

interface V8Property {
  readonly name: string;
  readonly value?: { readonly value?: unknown };
}

/** Types of the scopes of a function, without those of the functions around it. */
const LOCAL_SCOPES: ReadonlySet<string> = new Set(['local', 'block', 'catch']);

/** Frames on the stack, and behind awaits, that a stop reports. */
const MAX_ASYNC_DEPTH = 32;

const ACKNOWLEDGE_INTERVAL_MS = 1;

interface AsyncTrace {
  readonly description?: string;
  readonly callFrames: readonly {
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
  }[];
  readonly parent?: AsyncTrace;
}

interface Paused extends Omit<PausedEvent, 'asyncStackTrace'> {
  readonly asyncStackTrace?: AsyncTrace;
  readonly callFrames: readonly (CdpCallFrame & { readonly returnValue?: unknown })[];
}

interface DebuggedScript {
  readonly url: string;
  readonly scriptId: string;
  readonly activation: string;
}

export class V8Debugger implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #client: CdpClient;
  readonly #url: string;
  readonly #scriptId: string;
  readonly #activation: string;
  /** Scopes of the frames at the stop, by the id of the frame. */
  #scopes: ReadonlyMap<string | undefined, CdpCallFrame['scopeChain']> = new Map();

  private constructor(process: ChildProcess, client: CdpClient, { url, scriptId, activation }: DebuggedScript) {
    this.#process = process;
    this.#exited = once(process, 'exit');
    this.#client = client;
    this.#url = url;
    this.#scriptId = scriptId;
    this.#activation = activation;
  }

  /**
   * Starts a program, which is paused before its first statement.
   * @param activation expression whose value identifies the activation of a frame
   */
  static async start(path: string, url: string, activation: string): Promise<V8Debugger> {
    const child = spawn(process.execPath, ['--inspect-brk=127.0.0.1:0', path], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    let address: string | undefined;
    for await (const line of createInterface({ input: child.stderr })) {
      address = /^Debugger listening on (ws:.*)$/.exec(line)?.[1];
      if (address !== undefined) break;
    }
    child.stderr.resume();
    if (address === undefined) throw new Error(`Node has no inspector`);
    const client = await CdpClient.connect(address);
    await client.request('Runtime.enable');
    await client.request('Debugger.enable');
    await client.request('Debugger.setAsyncCallStackDepth', { maxDepth: MAX_ASYNC_DEPTH });
    await client.request('Debugger.setBlackboxPatterns', { patterns: ['^node:', '/node_modules/'] });
    await client.request('Runtime.evaluate', { expression: 'globalThis.$counts = {}' });
    const { callFrames } = await client.runToPause('Runtime.runIfWaitingForDebugger');
    return new V8Debugger(child, client, { url, activation, scriptId: callFrames[0]?.location.scriptId ?? '' });
  }

  /** Counts the hits of a line from now on. */
  async countHits(line: number): Promise<void> {
    await this.#setBreakpoint(line, `($counts[${line}] = ($counts[${line}] ?? 0) + 1, false)`);
  }

  /** The numbers of hits of all lines that were hit, by line, at a hit of a later line. */
  async hitCounts(line: number): Promise<Readonly<Record<number, number>>> {
    await this.#setBreakpoint(line, 'true');
    const { callFrames } = await this.#client.runToPause('Debugger.resume');
    return JSON.parse(String(await this.#evaluate(callFrames[0]?.callFrameId, 'JSON.stringify($counts)'))) as Record<
      number,
      number
    >;
  }

  async #evaluate(callFrameId: string | undefined, expression: string): Promise<unknown> {
    const params = { callFrameId, expression, returnByValue: true };
    return (await this.#request<{ result: { value?: unknown } }>('Debugger.evaluateOnCallFrame', params)).result.value;
  }

  /** Runs to a hit of a line. @param hit counted from 1 */
  async runTo(line: number, hit: number): Promise<V8Stop | undefined> {
    await this.#setBreakpoint(line, `($counts.run = ($counts.run ?? 0) + 1) === ${hit}`);
    const stop = await this.#resume('resume');
    // If the breakpoint were removed, V8 would pass over the next statement.
    await this.#request('Debugger.setBreakpointsActive', { active: false });
    return stop;
  }

  async #setBreakpoint(line: number, condition: string): Promise<void> {
    await this.#request('Debugger.setBreakpointByUrl', { url: this.#url, lineNumber: line - 1, condition });
  }

  /** The local variables of the innermost frame that have primitive values. */
  async variables({ frameId }: V8Stop): Promise<Variables> {
    const variables = new Map<string, string>();
    for (const { type, object } of this.#scopes.get(frameId) ?? []) {
      if (!LOCAL_SCOPES.has(type)) break;
      const { result } = await this.#request<{ result: V8Property[] }>('Runtime.getProperties', {
        objectId: object.objectId,
        ownProperties: true,
      });
      for (const { name, value } of result)
        if (isPrimitive(value?.value) && !variables.has(name)) variables.set(name, JSON.stringify(value?.value));
    }
    return variables;
  }

  /** Makes a step; undefined if the program has ended. */
  step(step: V8Step): Promise<V8Stop | undefined> {
    return this.#resume(step);
  }

  #request<T>(method: string, params?: object): Promise<T> {
    return this.#hurry(this.#client.request<T>(method, params));
  }

  /**
   * Sends requests that cost nothing while a message is awaited. They carry the TCP acknowledgements for which Node delays
   * each further message, by 40 ms otherwise.
   */
  async #hurry<T>(message: Promise<T>): Promise<T> {
    const timer = setInterval(() => this.#client.send('Runtime.getIsolateId'), ACKNOWLEDGE_INTERVAL_MS);
    try {
      return await message;
    } finally {
      clearInterval(timer);
    }
  }

  async #resume(method: V8Step | 'resume'): Promise<V8Stop | undefined> {
    const { log } = this.#client;
    log.discardReceived();
    await this.#request(`Debugger.${method}`);
    const message = await this.#hurry(
      log.nextReceived(
        ({ method: event }) => event === 'Debugger.paused' || event === 'Runtime.executionContextDestroyed',
      ),
    );
    if (message.method !== 'Debugger.paused') return undefined;
    const { callFrames, asyncStackTrace } = message.params as Paused;
    const frames: V8Frame[] = [];
    for (const { callFrameId, location, returnValue } of callFrames) {
      if (location.scriptId !== this.#scriptId) continue;
      frames.push({
        line: location.lineNumber + 1,
        column: location.columnNumber + 1,
        activation: Number(await this.#evaluate(callFrameId, this.#activation)),
        isReturn: returnValue !== undefined,
      });
    }
    const asyncFrames: V8Place[] = [];
    for (let trace = asyncStackTrace; trace !== undefined; trace = trace.parent)
      for (const { url, lineNumber, columnNumber } of trace.callFrames)
        if (url === this.#url) asyncFrames.push({ line: lineNumber + 1, column: columnNumber + 1 });
    this.#scopes = new Map(callFrames.map(({ callFrameId, scopeChain }) => [callFrameId, scopeChain]));
    return { frames, asyncFrames, frameId: callFrames[0]?.callFrameId };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exited;
    this.#client.close();
  }
}

function isPrimitive(value: unknown): boolean {
  return ['number', 'string', 'boolean'].includes(typeof value);
}
