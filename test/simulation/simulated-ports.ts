// `MessagePort`, `MessageChannel` and `Worker` of simulated code.
import { EventEmitter } from 'node:events';
import { types } from 'node:util';
import { activeProcess, type SimulatedProcess, type SimulatedThread } from './simulated-process.ts';

function simulated(): SimulatedProcess {
  const process = activeProcess();
  if (process === undefined) throw new Error('no process is being simulated');
  return process;
}

interface Sent {
  readonly value: unknown;
  readonly ports: readonly SimulatedPort[];
}

export class SimulatedPort extends EventEmitter {
  readonly #queue: Sent[] = [];
  #peer: SimulatedPort | undefined;
  #owner: SimulatedThread | undefined;
  #isRef = false;
  #isClosed = false;
  /** Whether `close` has still to be emitted. */
  #isCloseDue = false;

  static createPair(): [SimulatedPort, SimulatedPort] {
    const [one, other] = [new SimulatedPort(), new SimulatedPort()];
    one.#peer = other;
    other.#peer = one;
    return [one, other];
  }

  override on(name: string, listener: (...args: never[]) => void): this {
    if (name === 'message') {
      this.moveTo(simulated().thread);
      this.#isRef = true;
    }
    return super.on(name, listener as (...args: unknown[]) => void);
  }

  get keepsAlive(): boolean {
    return this.#isRef && !this.#isClosed && this.listenerCount('message') > 0;
  }

  /** Number of events that have arrived. */
  get eventCount(): number {
    return (this.listenerCount('message') > 0 ? this.#queue.length : 0) + (this.#isCloseDue ? 1 : 0);
  }

  /** Assigns the port to the thread that has received it. */
  moveTo(thread: SimulatedThread): void {
    if (this.#owner === thread) return;
    this.#owner?.ports.delete(this);
    this.#owner = thread;
    if (thread.hasEnded) this.close();
    else thread.ports.add(this);
  }

  postMessage(value: unknown): void {
    const process = simulated();
    process.operation();
    const ports: SimulatedPort[] = [];
    const sent = { value: cloneMessage(value, ports), ports };
    for (const port of ports) port.#leave();
    const peer = this.#peer;
    if (!this.#isClosed && peer !== undefined && !peer.#isClosed) peer.#queue.push(sent);
  }

  /** The port is on its way to another thread. */
  #leave(): void {
    this.#owner?.ports.delete(this);
    this.#owner = undefined;
  }

  receive(): { readonly message: unknown } | undefined {
    simulated().operation();
    const sent = this.#queue.shift();
    if (sent === undefined) return undefined;
    for (const port of sent.ports) port.moveTo(simulated().thread);
    return { message: sent.value };
  }

  /** Emits the next event. */
  deliver(): void {
    const received = this.#queue.length > 0 ? this.receive() : undefined;
    if (received !== undefined) this.emit('message', received.message);
    else if (this.#isCloseDue) {
      this.#isCloseDue = false;
      this.#owner?.ports.delete(this);
      this.emit('close');
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = this.#isCloseDue = true;
    // Earlier messages arrive before the `close` event.
    this.#peer?.close();
  }

  ref(): void {
    this.#isRef = true;
  }

  unref(): void {
    this.#isRef = false;
  }

  start(): void {}
}

export class SimulatedChannel {
  readonly port1: SimulatedPort;
  readonly port2: SimulatedPort;

  constructor() {
    [this.port1, this.port2] = SimulatedPort.createPair();
  }
}

export function receiveMessageOnPort(port: SimulatedPort): { readonly message: unknown } | undefined {
  return port.receive();
}

/** What a thread runs, by the end of its entry's URL. */
export type ThreadEntry = (workerData: unknown, parentPort: SimulatedPort) => void;
const entries = new Map<string, ThreadEntry>();

export function setThreadEntry(urlEnd: string, entry: ThreadEntry): void {
  entries.set(urlEnd, entry);
}

export class SimulatedWorker extends EventEmitter {
  readonly #port: SimulatedPort;
  readonly #thread: SimulatedThread;
  readonly #parent: SimulatedThread;

  constructor(url: URL, { name = '', workerData }: { readonly name?: string; readonly workerData?: unknown }) {
    super();
    const process = simulated();
    const entry = [...entries].find(([urlEnd]) => url.href.endsWith(urlEnd))?.[1];
    if (entry === undefined) throw new Error(`no thread is simulated for ${url.href}`);
    const [own, parentPort] = SimulatedPort.createPair();
    this.#port = own;
    const ports: SimulatedPort[] = [];
    const data = cloneMessage(workerData, ports);
    this.#parent = process.thread;
    this.#parent.referencedChildren.add(this);
    const start = (): void => {
      for (const port of ports) port.moveTo(process.thread);
      entry(data, parentPort);
    };
    this.#thread = process.startThread(name, this.#parent, start, ({ code, error }) => {
      this.#parent.hostEvents.push(() => {
        this.#parent.referencedChildren.delete(this);
        while (this.#port.eventCount > 0) this.#port.deliver();
        if (error !== undefined) this.emit('error', error);
        this.emit('exit', code);
      });
    });
    for (const port of ports) port.moveTo(this.#thread);
    own.on('message', (message: never) => this.emit('message', message));
    own.unref();
  }

  postMessage(message: unknown): void {
    this.#port.postMessage(message);
  }

  terminate(): Promise<number> {
    const exit = this.#thread.hasEnded
      ? Promise.resolve(1)
      : new Promise<number>((resolve) => this.once('exit', resolve));
    simulated().endThread(this.#thread, { code: 1 });
    return exit;
  }

  ref(): void {
    if (!this.#thread.hasEnded) this.#parent.referencedChildren.add(this);
  }

  unref(): void {
    this.#parent.referencedChildren.delete(this);
  }
}

/** Copies a message as `structuredClone` does, and lists the ports in it, which move with it. */
function cloneMessage(value: unknown, ports: SimulatedPort[], copies = new Map<unknown, unknown>()): unknown {
  if (typeof value === 'function' || typeof value === 'symbol')
    throw new DOMException(`${String(value)} could not be cloned.`, 'DataCloneError');
  if (typeof value !== 'object' || value === null || types.isSharedArrayBuffer(value)) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (value instanceof SimulatedPort) {
    ports.push(value);
    return value;
  }
  if (ArrayBuffer.isView(value)) return cloneView(value, ports, copies);
  const isArray = Array.isArray(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!isArray && prototype !== Object.prototype && prototype !== null) {
    const copy: unknown = structuredClone(value);
    copies.set(value, copy);
    return copy;
  }
  const copy: Record<string, unknown> = isArray ? ([] as never) : {};
  copies.set(value, copy);
  if (isArray) (copy as unknown as unknown[]).length = value.length;
  for (const key of Object.keys(value))
    copy[key] = cloneMessage((value as Record<string, unknown>)[key], ports, copies);
  return copy;
}

function cloneView(view: ArrayBufferView, ports: SimulatedPort[], copies: Map<unknown, unknown>): unknown {
  const buffer = cloneMessage(view.buffer, ports, copies);
  // A copy of a Buffer is a plain array of bytes.
  const type = Buffer.isBuffer(view) ? Uint8Array : (view.constructor as Uint8ArrayConstructor);
  const length = (view as { readonly length?: number }).length ?? view.byteLength;
  return new type(buffer as ArrayBuffer, view.byteOffset, length);
}
