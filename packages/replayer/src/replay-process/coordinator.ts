// The coordinator of a replay process: a thread of its own, since all threads of the program may be paused. The time machine
// tells it how far those threads may run; the coordinator reports when they have paused, and passes requests to threads and
// their responses on.
import { Socket } from 'node:net';
import { Worker, type MessagePort } from 'node:worker_threads';
import {
  CHANNEL_DESCRIPTOR,
  encodeMessage,
  type FromCoordinator,
  MessageDecoder,
  type ThreadName,
  type ThreadStatus,
  type ToCoordinator,
} from '@turntable/time-machine/replay-process';
import { ControlWords } from './control-words.ts';
import { assign, type AssignmentPort } from './assignment-port.ts';
import type { Rest, ThreadMessage, ThreadRequest } from './coordinator-channel.ts';
import { FORM_FLAGS, ownProgram } from '../own-program.ts';

export interface CoordinatorData {
  readonly threads: readonly ThreadName[];
  readonly memory: SharedArrayBuffer;
  /** One port for each thread, for requests and responses. */
  readonly ports: readonly MessagePort[];
  /** Of a standby process: passes the first line of the channel, its assignment, to the main thread. */
  readonly assignment?: AssignmentPort | undefined;
}

/** On the main thread, before the program. */
export function startCoordinator(workerData: CoordinatorData): void {
  const worker = new Worker(ownProgram('coordinator'), {
    name: 'turntable coordinator',
    workerData,
    transferList: [...workerData.ports, ...(workerData.assignment === undefined ? [] : [workerData.assignment.port])],
    execArgv: [...FORM_FLAGS],
    env: {},
  });
  worker.unref();
  worker.on('error', (error) => {
    process.stderr.write(`turntable: the coordinator of the replay process ended: ${String(error)}\n`);
    process.kill(process.pid, 'SIGKILL');
  });
}

/** Milliseconds between two looks at threads that are on their way: of a long one a twentieth of what it has taken, up to the second of these, since who is asked loses time. */
const LOOK = 1;
const LONG_LOOK = 10;
/** For which one that does nothing new has to do so to rest. */
const SILENCE = 200;
/** Milliseconds between two words of how far they are. */
const OFTEN = 100;
/** After so many in which nothing happens there is nothing to wait for; where a thread has still to begin, that may take as long on a busy machine. */
const PATIENCE = 5000;
const BIRTH = 30_000;

interface Thread extends ThreadName {
  readonly words: ControlWords;
  readonly port: MessagePort;
  /** What it has said last of whether it rests, since it was last seen to do anything. */
  rest: Rest | undefined;
  /** Since when it has said the same. */
  since: number;
  isAsked: boolean;
  /** Messages with hits that have come. */
  hits: number;
  /** What it does else than was recorded. */
  differs: string | undefined;
}

interface Going {
  readonly id: number;
  readonly stopAt: ThreadName | undefined;
}

export class Coordinator {
  readonly #threads: readonly Thread[];
  readonly #send: (message: FromCoordinator) => void;
  #going: Going | undefined;
  /** Requests of the coordinator itself have numbers below 0. */
  #asked = 0;
  readonly #waiting = new Map<number, (response: ThreadMessage) => void>();
  #isLooking = false;
  #whenChanged: () => void = () => {};
  /** When it was last said how far they are, and when they were told to go. */
  #told = 0;
  #went = 0;

  constructor(
    { threads, memory, ports }: Omit<CoordinatorData, 'assignment'>,
    send: (message: FromCoordinator) => void,
  ) {
    this.#send = send;
    this.#threads = threads.map((name, index) => {
      const port = ports[index] as MessagePort;
      const words = new ControlWords(memory, index);
      const thread: Thread = {
        ...name,
        words,
        port,
        rest: undefined,
        since: 0,
        isAsked: false,
        hits: 0,
        differs: undefined,
      };
      port.on('message', (text: string) => this.#receiveFrom(name, text));
      return thread;
    });
  }

  receive(message: ToCoordinator): void {
    if ('finish' in message) {
      for (const { words } of this.#threads) {
        words.release();
        words.call();
      }
    } else if ('run' in message) this.#run(message.id, message.run);
    else {
      const { thread, ...request } = message;
      this.#ask(thread, request, (response) => this.#send(response as FromCoordinator));
    }
  }

  #run(id: number, { limits, stopAt, tracking }: Extract<ToCoordinator, { readonly run: unknown }>['run']): void {
    this.#going = { id, stopAt };
    this.#told = this.#went = Date.now();
    for (const thread of this.#threads) {
      const limit = limits.find((each) => isSame(each, thread))?.stretches ?? 0;
      const isMeant = stopAt !== undefined && isSame(stopAt, thread);
      thread.words.allow(limit, isMeant ? ('next' in stopAt ? 'next' : stopAt) : undefined, tracking);
      thread.rest = undefined;
      thread.since = Date.now();
    }
    for (const { words } of this.#threads) words.call();
    void this.#look();
  }

  /** Until all stand. Those that do not say so by themselves are asked, in rounds. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    let changed = Date.now();
    let before = '';
    // What one waits for may have been under way while it said that it rests: all are asked once more when all do.
    for (let wereStill = false; this.#going !== undefined;) {
      const moving = this.#threads.filter((thread) => !this.#stands(thread));
      for (const thread of moving) this.#askRest(thread);
      const asked = Date.now();
      while (!this.#isAnother && moving.some((thread) => thread.isAsked && !this.#stands(thread))) await this.#change();
      // Whoever does not answer is at something: a stretch may take as long as it likes.
      changed += Date.now() - asked;
      const areStill = this.#threads.every((thread) => this.#stands(thread) || this.#rests(thread));
      // What stands in words is seen before what was sent ahead of them.
      const areHeard = this.#threads.every((thread) => thread.hits === thread.words.hits || this.#isGone(thread));
      if (this.#isAnother || (areStill && areHeard && (wereStill || moving.length === 0))) {
        this.#arrive();
        break;
      }
      const now = this.#threads.map((thread) => this.#textOf(thread)).join('; ');
      if (now !== before) changed = Date.now();
      before = now;
      if (Date.now() - changed > (this.#isAnyoneAwaited ? BIRTH : PATIENCE)) this.#giveUp(now);
      else if (!areStill || !areHeard) await this.#change();
      wereStill = areStill;
    }
    this.#isLooking = false;
  }

  /** A thread says that something has changed; or a moment is over. */
  #change(): Promise<void> {
    if (Date.now() - this.#told >= OFTEN) this.#tellProgress();
    return new Promise((resolve) => {
      const look = Math.max(LOOK, Math.min(LONG_LOOK, (Date.now() - this.#went) / 20));
      const timer = setTimeout(resolve, look);
      this.#whenChanged = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  get #isAnyoneAwaited(): boolean {
    return this.#threads.some(({ words }) => words.state === 'unborn' && words.limit > 0);
  }

  /** One has come to something else: others may wait for good for what it was to send. */
  get #isAnother(): boolean {
    return this.#threads.some(({ words, differs }) => differs !== undefined && words.begun < words.limit);
  }

  /** By its own words, in view of the last call. */
  #stands(thread: Thread): boolean {
    const { words } = thread;
    const { state, limit, begun } = words;
    switch (state) {
      case 'over':
        // One that is to go back and cannot has seen that.
        return words.isUpToDate || begun < limit || (begun === limit && words.target === undefined);
      case 'gone':
        return true;
      case 'unable':
        return words.isUpToDate;
      case 'unborn':
        // The main thread will be there in any case.
        return limit === 0 && thread.worker > 0;
      case 'standing':
        return words.isUpToDate && begun === limit;
      case 'stopped':
        return words.isUpToDate && begun === limit && this.#isMeant(thread);
      case 'running':
      case 'going':
        return false;
    }
  }

  #isMeant(thread: Thread): boolean {
    const { stopAt } = this.#going ?? {};
    return stopAt !== undefined && isSame(stopAt, thread);
  }

  #rests({ words, rest, since }: Thread): boolean {
    if (words.state !== 'running' || words.begun !== words.limit || rest === undefined) return false;
    // One that is still being made what it was does nothing new for as long as that takes.
    return rest.isResting || (rest.isThere && Date.now() - since > SILENCE);
  }

  #askRest(thread: Thread): void {
    if (thread.isAsked || !/^(?:running|over)$/.test(thread.words.state)) return;
    thread.isAsked = true;
    this.#ask(thread, { id: --this.#asked, request: 'rest', params: undefined }, ({ result }) => {
      const rest = result as Rest;
      thread.isAsked = false;
      if (rest.progress !== thread.rest?.progress) thread.since = Date.now();
      thread.rest = rest;
      this.#whenChanged();
    });
  }

  #textOf({ worker, life, words, rest }: Thread): string {
    const { state, begun, limit } = words;
    const doing = state === 'running' && rest?.isResting === true ? 'waits' : state;
    return `worker ${worker}${life === 0 ? '' : ` in its life ${life}`} ${doing} after ${begun} of ${limit} stretches`;
  }

  #tellProgress(): void {
    this.#told = Date.now();
    let done = 0;
    let of = 0;
    for (const { words } of this.#threads) {
      done += words.begun;
      of += words.limit;
    }
    this.#send({ done, of });
  }

  #giveUp(where: string): void {
    const { id } = this.#going as Going;
    this.#going = undefined;
    this.#send({ id, error: `the threads come no further: ${where}` });
  }

  #arrive(): void {
    const { id } = this.#going as Going;
    this.#going = undefined;
    this.#send({
      id,
      threads: this.#threads.map((thread) => this.#statusOf(thread)),
      memory: process.memoryUsage.rss(),
    });
  }

  #ask({ worker, life }: ThreadName, request: ThreadRequest, settle: (response: ThreadMessage) => void): void {
    const thread = this.#threads.find((each) => isSame(each, { worker, life }));
    if (thread === undefined || thread.words.state === 'unborn' || this.#isGone(thread)) {
      const error = `worker ${worker} is not there${life === 0 ? '' : `, in its life ${life}`}`;
      return settle({ id: request.id, error });
    }
    this.#waiting.set(request.id, settle);
    thread.port.postMessage(JSON.stringify(request));
    thread.words.call();
  }

  #statusOf(thread: Thread): ThreadStatus {
    const { worker, life, words, differs } = thread;
    const { state, begun, at, why } = words;
    const told = this.#isGone(thread) ? 'gone' : state === 'running' || state === 'going' ? 'resting' : state;
    return { worker, life, state: told, begun, ...at, why, differs };
  }

  /** It answers nothing any more: it has ended, or its place is another one's. */
  #isGone({ worker, life, words }: Thread): boolean {
    if (words.state === 'gone') return true;
    return this.#threads.some((each) => each.worker === worker && each.life > life && each.words.state !== 'unborn');
  }

  #receiveFrom({ worker, life }: ThreadName, text: string): void {
    const message = JSON.parse(text) as ThreadMessage;
    const thread = this.#threads.find((each) => isSame(each, { worker, life }));
    if (thread !== undefined) thread.differs ??= message.differs;
    if (message.hits !== undefined) {
      if (thread !== undefined) thread.hits++;
      this.#send({ hits: message.hits, thread: { worker, life } });
    }
    if (message.id === 0) return this.#whenChanged();
    const settle = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    settle?.(message);
  }
}

function isSame(one: ThreadName, other: ThreadName): boolean {
  return one.worker === other.worker && one.life === other.life;
}

/** Runs in the coordinator's thread. The process is killed when the parent closes the channel. */
export function serveCoordinator(data: CoordinatorData): void {
  const socket = new Socket({ fd: CHANNEL_DESCRIPTOR, readable: true, writable: true });
  const coordinator = new Coordinator(data, (message) => void socket.write(encodeMessage(message)));
  const decoder = new MessageDecoder();
  let { assignment } = data;
  const receive = (message: unknown): void => {
    if (assignment === undefined) return coordinator.receive(message as ToCoordinator);
    assign(assignment, message);
    assignment = undefined;
  };
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => decoder.decode(chunk).forEach(receive));
  socket.on('error', () => undefined);
  socket.on('close', () => process.kill(process.pid, 'SIGKILL'));
}
