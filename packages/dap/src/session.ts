// What a client does with recordings, from its greeting to its leave: which one is looked into, and that nothing of it is left when the client has gone.
import { timingSafeEqual } from 'node:crypto';
import { Client } from '@turntable/time-machine/client';
import { CAPABILITIES, filtersOf } from './capabilities.ts';
import { Conversation, type Answer, type Asked } from './conversation.ts';
import { DapError } from './dap-error.ts';
import { Debuggee } from './debuggee.ts';
import type { Given } from './given.ts';
import type { Ground } from './ground.ts';
import type { House, OpenRecording, RecordingWish } from './house.ts';
import { Works } from './works.ts';

export interface SessionEnds {
  readonly send: (text: string) => void;
  /** The client has said that it is done. */
  readonly done: () => void;
  readonly token: string | undefined;
}

interface Opened {
  readonly debuggee: Debuggee;
  readonly recording: OpenRecording;
  /** Opens anew what has been recorded since, if a program still does. */
  readonly again: (() => Promise<OpenRecording>) | undefined;
}

/** Threads that are told of unless somebody says how many. */
const THREADS = 100;
/** What a client may be doing, from before its greeting on. */
type Stage = 'new' | 'greeted' | 'opening' | 'open' | 'over';

export class Session {
  readonly #house: House;
  readonly #ends: SessionEnds;
  readonly #conversation: Conversation;
  readonly #works: Works;
  #stage: Stage = 'new';
  #opened: Opened | undefined;
  #threads = THREADS;
  #lastNumber = 0;
  #stopAt: 'start' | 'end' = 'start';
  /** What is opened for somebody who has gone by then is closed. */
  #opening: AbortController | undefined;

  constructor(house: House, ends: SessionEnds) {
    this.#house = house;
    this.#ends = ends;
    this.#conversation = new Conversation(this, ends.send);
    this.#works = new Works((event, body) => this.#conversation.tell(event, body));
  }

  receive(text: string): void {
    this.#conversation.receive(text);
  }

  /** What has come cannot be read. */
  misses(why: string): void {
    this.#say(`not understood: ${why}`);
  }

  /** The client has gone. */
  async end(): Promise<void> {
    this.#conversation.end();
    await this.#close();
  }

  answerTo(command: string): Answer | DapError {
    const own = Object.hasOwn(this.#answers, command) ? this.#answers[command] : undefined;
    if (own !== undefined) return this.#stage === 'new' && command !== 'initialize' ? early('initialize') : own;
    const asks = this.#opened?.debuggee.answers;
    if (asks === undefined) return this.#stage === 'new' ? early('initialize') : early('launch or attach', command);
    return Object.hasOwn(asks, command) ? (asks[command] as Answer) : noRequest(command);
  }

  readonly #answers: Readonly<Record<string, Answer>> = {
    initialize: ({ given }) => {
      if (this.#stage !== 'new') throw new DapError('TT_DAP_REQUEST', 'initialize comes once');
      this.#stage = 'greeted';
      this.#works.isShown = given.flag('supportsProgressReporting');
      return CAPABILITIES;
    },
    launch: (asked) => this.#begins(asked, () => this.#launched(asked)),
    attach: (asked) => this.#begins(asked, () => this.#attached(asked)),
    configurationDone: ({ afterwards }) => {
      const debuggee = this.#debuggee();
      afterwards(() => {
        debuggee.begin();
        if (this.#stopAt === 'end') void debuggee.goTo('end', 'entry');
        else debuggee.journey.stopped({ reason: 'entry' });
      });
    },
    pause: (asked) => {
      const debuggee = this.#debuggee();
      const again = this.#opened?.again;
      if (again === undefined || debuggee.journey.isGoing) return debuggee.answers['pause']?.(asked);
      asked.afterwards(() => void this.#toNow(again));
    },
    restart: ({ afterwards }) => {
      const debuggee = this.#debuggee();
      afterwards(() => void debuggee.goTo('start', 'entry'));
    },
    terminate: async ({ afterwards }) => {
      await this.#close();
      afterwards(() => this.#conversation.tell('terminated'));
    },
    disconnect: async ({ afterwards }) => {
      await this.#close();
      afterwards(() => this.#ends.done());
    },
    cancel: ({ given }) => {
      const request = given.optionalInteger('requestId');
      const progress = given.optionalText('progressId');
      if (request !== undefined) this.#conversation.cancel(request);
      if (progress !== undefined) this.#works.cancel(progress);
    },
  };

  #debuggee(): Debuggee {
    if (this.#opened === undefined) throw early('launch or attach');
    return this.#opened.debuggee;
  }

  async #begins({ given, afterwards }: Asked, open: () => Promise<void>): Promise<void> {
    if (this.#stage !== 'greeted')
      throw new DapError('TT_DAP_REQUEST', 'a session is of one recording: another one takes another session');
    this.#check(given);
    this.#stage = 'opening';
    this.#threads = Math.max(1, given.optionalInteger('threads') ?? THREADS);
    try {
      await open();
    } catch (error) {
      this.#stage = 'greeted';
      throw error;
    }
    this.#stage = 'open';
    afterwards(() => this.#conversation.tell('initialized'));
  }

  /** Who may connect may not yet have something run. */
  #check(given: Given): void {
    const { token } = this.#ends;
    if (token === undefined) return;
    const [one, other] = [Buffer.from(given.optionalText('token') ?? ''), Buffer.from(token)];
    if (one.length === other.length && timingSafeEqual(one, other)) return;
    throw new DapError('TT_DAP_TOKEN', 'the configuration needs its token, as turntable dap --port has printed it');
  }

  async #launched({ given, signal }: Asked): Promise<void> {
    const program = given.optionalText('program');
    const place = given.optionalText('recording');
    if ((program === undefined) === (place === undefined))
      throw new DapError('TT_DAP_ARGUMENTS', 'a configuration has either a recording or a program');
    this.#stopAt = stopAtIn(given) ?? (program === undefined ? 'start' : 'end');
    const recorded = program === undefined ? (place as string) : await this.#recorded(program, given, signal);
    await this.#open(wishIn(given, recorded), signal);
  }

  /** Runs a program to its end. */
  #recorded(program: string, given: Given, signal: AbortSignal): Promise<string> {
    const env = Object.entries(given.values('env')).map(([name, value]) => [name, String(value)] as const);
    const wish = {
      program,
      args: given.texts('args'),
      cwd: given.optionalText('cwd'),
      env: Object.fromEntries(env),
      flags: given.texts('flags'),
      recordings: given.optionalText('recordings'),
    };
    const says = (category: string, output: string): void => this.#conversation.tell('output', { category, output });
    return this.#long(`recording ${program}`, signal, (its) => this.#house.record(wish, says, its));
  }

  async #attached({ given, signal }: Asked): Promise<void> {
    const pid = given.optionalInteger('pid');
    const place =
      given.optionalText('recording') ?? (pid === undefined ? undefined : await this.#house.recordingOf(pid));
    this.#stopAt = stopAtIn(given) ?? (place === undefined ? 'start' : 'end');
    if (place !== undefined) {
      const wish = { ...wishIn(given, place), isLive: true };
      await this.#open(wish, signal);
      return;
    }
    const address = given.optionalText('address') ?? `ws://127.0.0.1:${given.integer('port')}/${given.text('secret')}`;
    const client = await Client.at(address);
    await this.#look({ client, close: () => Promise.resolve(client.close()) }, undefined);
  }

  async #open(wish: RecordingWish, signal: AbortSignal): Promise<void> {
    const open = (its: AbortSignal): Promise<OpenRecording> =>
      this.#long('running the recording again', its, (working) => this.#house.open(wish, working));
    const again = wish.isLive ? () => open(new AbortController().signal) : undefined;
    await this.#look(await open(signal), again);
  }

  async #look(recording: OpenRecording, again: Opened['again']): Promise<void> {
    const { client } = recording;
    try {
      const hello = await client.hello('dap');
      const ground: Ground = {
        client,
        hello,
        counting: this.#conversation,
        works: this.#works,
        number: () => ++this.#lastNumber,
        tell: (event, body) => this.#conversation.tell(event, body),
        say: (text) => this.#say(text),
      };
      const debuggee = await Debuggee.of(ground, this.#threads);
      this.#conversation.tell('capabilities', { capabilities: { exceptionBreakpointFilters: filtersOf(hello) } });
      client.onClose = (why) => this.#lost(why);
      // Who has gone meanwhile wants nothing of it.
      if (this.#stage === 'over') throw new DapError('TT_DAP_CANCELLED', 'cancelled');
      this.#opened = { debuggee, recording, again };
    } catch (error) {
      await recording.close();
      throw error;
    }
  }

  /** What a program that still runs has recorded by now. It is not stopped. */
  async #toNow(again: () => Promise<OpenRecording>): Promise<void> {
    const before = this.#opened;
    try {
      await this.#look(await again(), again);
      await before?.recording.close();
      const debuggee = this.#debuggee();
      debuggee.begin();
      this.#conversation.tell('initialized');
      await debuggee.goTo('end', 'pause');
    } catch (error) {
      this.#say((error as Error).message);
      before?.debuggee.journey.stopped({ reason: 'pause' });
    }
  }

  async #long<T>(title: string, signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const giveUp = (): void => controller.abort();
    this.#opening = controller;
    signal.addEventListener('abort', giveUp);
    const work = this.#works.begin(title, controller, true);
    try {
      return await run(controller.signal);
    } finally {
      work.end();
      signal.removeEventListener('abort', giveUp);
      this.#opening = undefined;
    }
  }

  /** The time machine has gone. */
  #lost(why: string): void {
    if (this.#stage === 'over') return;
    this.#say(`the time machine has gone: ${why}`);
    this.#opened = undefined;
    this.#stage = 'over';
    this.#conversation.tell('terminated');
  }

  async #close(): Promise<void> {
    this.#stage = 'over';
    this.#opening?.abort();
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    opened.recording.client.onClose = () => {};
    try {
      await opened.debuggee.leave();
    } catch {
      // Whose time machine has gone has nothing left there.
    }
    await opened.recording.close();
  }

  #say(text: string): void {
    this.#conversation.tell('output', { category: 'console', output: `${text}\n` });
  }
}

function wishIn(given: Given, place: string): RecordingWish {
  return {
    place,
    phase: given.optionalInteger('phase'),
    isForced: given.flag('force'),
    isAnew: given.flag('anew'),
    isTrusted: given.flag('trusted'),
    isLive: false,
  };
}

function stopAtIn(given: Given): 'start' | 'end' | undefined {
  const text = given.optionalText('stopAt');
  if (text === undefined || text === 'start' || text === 'end') return text;
  throw new DapError('TT_DAP_ARGUMENTS', `stopAt is start or end, not ${text}`);
}

function early(what: string, command?: string): DapError {
  const about = command === undefined ? '' : `: ${command} is about a recording`;
  return new DapError('TT_DAP_REQUEST', `${what} comes first${about}`);
}

function noRequest(command: string): DapError {
  return new DapError('TT_DAP_REQUEST', `there is no request ${JSON.stringify(command)} here`);
}
