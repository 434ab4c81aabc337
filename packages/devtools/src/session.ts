// One client of a recording, from its first message to its leave: its domains, and that nothing of it is left when it has gone. Each has a client of the time machine of its own, which tells it
// when another one has moved all.
import { Client, type Wire } from '@turntable/time-machine/client';
import { problemOf } from '@turntable/time-machine/protocol';
import { Breakpoints } from './breakpoints.ts';
import { Conversation, type Answer } from './conversation.ts';
import { debuggerAnswers } from './debugger-answers.ts';
import { DevtoolsError } from './devtools-error.ts';
import { Evaluations, type Typed } from './evaluation.ts';
import { print, type Ground } from './ground.ts';
import { Pauses } from './pauses.ts';
import type { Asked, Command, Domain } from './protocol/command.ts';
import { DOMAINS, PROTOCOL_VERSION, type AllAnswers } from './protocol/domains.ts';
import { plain } from './remote-object.ts';
import { RemoteObjects } from './remote-objects.ts';
import { runtimeAnswers } from './runtime-answers.ts';
import { parsed, type Scripts } from './scripts.ts';
import { timeTravelAnswers } from './time-travel-answers.ts';

type Run = Answer['run'];

/** What of the console is a command: TimeTravel.move({"move": "sender"}), TimeTravel.goto("2.137"), TimeTravel.stepBack(). */
const COMMAND = /^\s*TimeTravel\.(\w+)\(\s*([\s\S]*?)\s*\)\s*;?\s*$/;

/** What `node inspect` says of what somebody has written. */
const OF_NODE = 'node-inspect';

export interface SessionParts {
  readonly entry: string;
  readonly scriptsOf: (client: Client) => Promise<Scripts>;
  /** To the time machine, also when another one is in its place. */
  readonly connect: () => Wire;
}

export class Session {
  readonly #client: Client;
  readonly #connect: () => Wire;
  readonly #ground: { -readonly [K in keyof Ground]: Ground[K] };
  readonly #conversation: Conversation;
  readonly #breakpoints: Breakpoints;
  readonly #pauses: Pauses;
  readonly #answers: AllAnswers;
  /** Domains that tell of themselves. */
  readonly #enabled = new Set<string>();
  /** How many scripts the client has been told of. */
  #scriptsTold = 0;

  private constructor(wire: Wire, connect: () => Wire, its: Omit<Ground, 'tell'>) {
    const { client } = its;
    this.#client = client;
    this.#connect = connect;
    this.#conversation = new Conversation(wire, (method) => this.#answerTo(method));
    const ground = { ...its, tell: (method: string, params?: object) => this.#tell(method, params) };
    this.#ground = ground;
    const objects = new RemoteObjects(client);
    this.#breakpoints = new Breakpoints(ground);
    this.#pauses = new Pauses(ground, objects, this.#breakpoints);
    const evaluations = new Evaluations(
      objects,
      () => this.#pauses.where,
      (position) => this.#pauses.frames.at(position),
    );
    const parts = {
      objects,
      evaluations,
      pauses: this.#pauses,
      breakpoints: this.#breakpoints,
      commandIn: (typed: Typed, asked: Asked) => this.#commandIn(typed, asked),
      giveUp: () => this.#conversation.giveUp(),
      tellScripts: (from: number) => this.#tellScripts(from),
      toNow: () => this.#toNow(),
    };
    this.#answers = {
      Debugger: debuggerAnswers(ground, { ...parts, ...this.#switchOf('Debugger') }),
      Profiler: { enable: done, disable: done, setSamplingInterval: done },
      Runtime: runtimeAnswers(ground, { ...parts, ...this.#switchOf('Runtime') }),
      Schema: { getDomains: () => ({ domains: Object.keys(DOMAINS).map((name) => ({ name, version })) }) },
      TimeTravel: timeTravelAnswers(ground, parts),
    };
    client.onMoved = ({ by, where }) => this.#pauses.moved(where, by);
    client.onClose = () => {
      if (ground.hello.recording.until === undefined) wire.close();
      else this.#conversation.hold(this.#reconnected(wire));
    };
  }

  /** Settles when it is answered. */
  static async of(wire: Wire, { entry, scriptsOf, connect }: SessionParts): Promise<Session> {
    const client = new Client(connect());
    try {
      const hello = await client.hello('devtools');
      const session = new Session(wire, connect, { client, hello, entry, scripts: await scriptsOf(client) });
      session.#conversation.begin();
      return session;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  /** The client has gone. */
  async end(): Promise<void> {
    this.#conversation.end();
    this.#pauses.end();
    this.#client.onClose = () => {};
    try {
      await this.#breakpoints.clear();
    } catch {
      // Whose time machine has gone has nothing left there.
    }
    this.#client.close();
  }

  /** What a program that goes on has recorded by now. It is not stopped; all sessions are told when they stand there. */
  async #toNow(): Promise<void> {
    try {
      await this.#client.request('renew', {});
    } catch (error) {
      print(this.#ground, { type: 'info', text: (error as Error).message, time: Date.now() });
      this.#pauses.stay();
    }
  }

  /** More of what goes on has been read, for this client or another one: what it has set is set there as well. */
  async #reconnected(wire: Wire): Promise<void> {
    const ground = this.#ground;
    try {
      this.#client.reconnect(this.#connect());
      ground.hello = await this.#client.hello('devtools');
      await ground.scripts.readMore(this.#client);
      this.#tellScripts(this.#scriptsTold);
      await this.#breakpoints.renew();
      const { where, recording } = ground.hello;
      this.#pauses.taken(where, `recorded until ${new Date(recording.until ?? 0).toISOString()}`);
    } catch {
      wire.close();
    }
  }

  #tellScripts(from: number): void {
    const { all } = this.#ground.scripts;
    for (const each of all.slice(from)) this.#ground.tell('Debugger.scriptParsed', parsed(each));
    this.#scriptsTold = all.length;
  }

  #switchOf(domain: string): { enable: (isEnabled: boolean) => void; isEnabled: () => boolean } {
    return {
      enable: (isEnabled) => void (isEnabled ? this.#enabled.add(domain) : this.#enabled.delete(domain)),
      isEnabled: () => this.#enabled.has(domain),
    };
  }

  #tell(method: string, params?: object): void {
    if (this.#enabled.has(method.split('.', 1)[0] ?? '')) this.#conversation.tell(method, params);
  }

  #answerTo(method: string): Answer | undefined {
    const [domain = '', name = '', ...more] = method.split('.');
    if (more.length > 0 || !Object.hasOwn(DOMAINS, domain)) return undefined;
    const { commands }: Domain = DOMAINS[domain as keyof typeof DOMAINS];
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined) return undefined;
    const answers = this.#answers[domain as keyof AllAnswers] as unknown as Readonly<Record<string, Run>>;
    return { command, run: answers[name] as Run };
  }

  /** Of the console, where it is a command: what it comes to. Nobody goes anywhere who is still writing it. */
  #commandIn(typed: Typed, asked: Asked): Promise<object> | undefined {
    const isTyped = typed.includeCommandLineAPI === true || typed.objectGroup === OF_NODE;
    if (!isTyped || typed.throwOnSideEffect === true) return undefined;
    const [, name = '', given = ''] = COMMAND.exec(typed.expression) ?? [];
    const answer = name === '' ? undefined : this.#answerTo(`TimeTravel.${name}`);
    return answer && this.#commanded(answer, given, asked);
  }

  async #commanded({ command, run }: Answer, given: string, asked: Asked): Promise<object> {
    const params = parametersIn(command, given);
    const problem = problemOf(command.params, params, 'parameters');
    if (problem !== undefined) throw new DevtoolsError('TT_CDP_PARAMS', problem);
    const { found, why, ...its } = { ...(await run(params, asked)) } as Readonly<Record<string, unknown>>;
    // Where all stand is told already.
    return { result: found === true ? plain(undefined) : plain(found === false ? why : JSON.stringify(its)) };
  }
}

const done = (): void => {};
const version = `${PROTOCOL_VERSION.major}.${PROTOCOL_VERSION.minor}`;

/** An object of parameters as JSON, or the first of them. */
function parametersIn({ params }: Command, given: string): object {
  if (given === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(/^'[^'"\\]*'$/.test(given) ? `"${given.slice(1, -1)}"` : given);
  } catch {
    throw new DevtoolsError('TT_CDP_PARAMS', `parameters are JSON here, not ${given}`);
  }
  if (typeof value === 'object' && value !== null) return value;
  const [first = ''] = Object.keys(params.json.properties ?? {});
  return { [first]: value };
}
