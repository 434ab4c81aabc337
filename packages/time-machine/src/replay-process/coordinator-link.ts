// The way to the coordinator of one process that runs again: questions go out and answers come in, in any order. When the process is gone whoever still waits is told so.
import type { Duplex } from 'node:stream';
import { EngineError, type BreakPlace } from './engine.ts';
import type {
  FromCoordinator,
  Into,
  Limit,
  Noted,
  NotedHit,
  Question,
  Questions,
  ThreadHere,
  ThreadName,
  ToCoordinator,
} from './messages.ts';
import type { Beginning } from './pace.ts';
import type { ValueWish } from './state.ts';
import type { WritesWish } from './wrote.ts';

/** How a process has ended. */
export interface Ending {
  /** In words. */
  readonly how: string;
  /** Nothing of the program has run: what it was to begin with is not to be had here. */
  readonly isUnbegun: boolean;
}

/** A process that runs a recording again, as far as it is told to. */
export interface EngineProcess {
  readonly channel: Duplex;
  readonly beginning: Beginning;
  /** At once. */
  kill(): void;
  /** Settles when it has. */
  readonly ended: Promise<Ending>;
}

/** Whether somebody waits for a process, or will perhaps have use for it. */
export type Urgency = 'now' | 'later';

/** What threads of a process do besides going as far as they are told to. */
export interface ProcessWishes {
  /** They look out for these. */
  readonly places?: readonly BreakPlace[];
  /** This one notes what its program writes. */
  readonly writes?: WritesWish;
  /** This one tells when an expression has become another one. */
  readonly values?: ValueWish & ThreadName;
}

export interface CoordinatorEvents {
  /** What threads have come by that they look out for. */
  hits?(hits: readonly NotedHit[], of: ThreadName): void;
  /** How many stretches have run of those that are to. */
  progress?(done: number, of: number): void;
}

type Answer = Extract<FromCoordinator, { readonly id: number }>;

interface Waiting {
  hear(said: Answer): void;
  fail(error: Error): void;
}

export class CoordinatorLink {
  readonly #process: EngineProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ports: CoordinatorEvents;
  #count = 0;
  #rest = '';
  #lost: EngineError | undefined;
  #memory: number | undefined;

  constructor(process: EngineProcess, ports: CoordinatorEvents = {}) {
    this.#process = process;
    this.#ports = ports;
    const { channel } = process;
    channel.setEncoding('utf8');
    channel.on('data', (chunk: string) => this.#read(chunk));
    // It is told of by the end of the process.
    channel.on('error', () => undefined);
    void process.ended.then(({ how, isUnbegun }) =>
      this.#lose(
        isUnbegun ? `no process can begin: ${how}` : `the process of the replay has ended: ${how}`,
        isUnbegun ? 'TT_UNBEGUN' : 'TT_ENGINE_LOST',
      ),
    );
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Bytes that the process took when its threads stood last. */
  get memory(): number | undefined {
    return this.#memory;
  }

  /** Answers when all threads stand. */
  async go(limits: readonly Limit[], into: Into | undefined, notes: Noted = 'nothing'): Promise<readonly ThreadHere[]> {
    const said = await this.#send((id) => ({ id, go: { limits, into, notes } }));
    if ('threads' in said) {
      this.#memory = said.memory;
      return said.threads;
    }
    throw new EngineError(
      'TT_DIVERGED',
      'failure' in said ? said.failure : 'the coordinator has answered something else',
    );
  }

  async ask<Q extends Question>(
    of: ThreadName,
    ask: Q,
    wanted: Questions[Q]['wanted'],
  ): Promise<Questions[Q]['answer']> {
    const said = await this.#send((id) => ({ id, ask, of, wanted }));
    if ('failure' in said) throw new EngineError('TT_NO_POSITION', said.failure);
    return ('answer' in said ? said.answer : undefined) as Questions[Q]['answer'];
  }

  /** It runs what is left and ends by itself: answers how. */
  async finish(): Promise<string> {
    this.#write({ finish: true });
    return (await this.#process.ended).how;
  }

  /** Whoever waits hears that it was ended. */
  end(): void {
    this.#lose('the process of the replay was ended');
    this.#process.kill();
  }

  #send(make: (id: number) => ToCoordinator): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#lost !== undefined) return reject(this.#lost);
      const id = ++this.#count;
      this.#waiting.set(id, { hear: resolve, fail: reject });
      this.#write(make(id));
    });
  }

  #write(said: ToCoordinator): void {
    this.#process.channel.write(`${JSON.stringify(said)}\n`);
  }

  #read(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const said = JSON.parse(line) as FromCoordinator;
      if ('hits' in said) this.#ports.hits?.(said.hits, said.of);
      else if ('done' in said) this.#ports.progress?.(said.done, said.of);
      else this.#hear(said);
    }
  }

  #hear(said: Answer): void {
    const waiting = this.#waiting.get(said.id);
    this.#waiting.delete(said.id);
    waiting?.hear(said);
  }

  #lose(why: string, code: EngineError['code'] = 'TT_ENGINE_LOST'): void {
    this.#lost ??= new EngineError(code, why);
    for (const { fail } of this.#waiting.values()) fail(this.#lost);
    this.#waiting.clear();
  }
}
