// The session of one CDP client: its domains and commands, its connection to the server, and its breakpoints, which it
// removes when the client disconnects. The server notifies each session of the moves of the other sessions.
import { Client, type Wire } from '@turntable/time-machine/client';
import { validationError } from '@turntable/time-machine/protocol';
import { CdpBreakpoints } from './cdp-breakpoints.ts';
import { CdpConnection, type CdpHandler } from './cdp-connection.ts';
import { debuggerHandlers } from './debugger-handlers.ts';
import { DevtoolsError } from './devtools-error.ts';
import { CdpEvaluator, type ConsoleInput } from './cdp-evaluator.ts';
import { printLine, type CdpSessionContext } from './cdp-session-context.ts';
import { CdpStepper } from './cdp-stepper.ts';
import type { CdpRequest, Command, Domain } from './protocol/command.ts';
import { DOMAINS, CDP_VERSION, type AllHandlers } from './protocol/domains.ts';
import { remoteValue } from './remote-object.ts';
import { RemoteObjects } from './remote-objects.ts';
import { runtimeHandlers } from './runtime-handlers.ts';
import { scriptParsedParams, type Scripts } from './scripts.ts';
import { timeTravelHandlers } from './time-travel-handlers.ts';

type RunHandler = CdpHandler['run'];

/** A console input that is a command, for example `TimeTravel.move({"move": "sender"})` or `TimeTravel.stepBack()`. */
const CONSOLE_COMMAND = /^\s*TimeTravel\.(\w+)\(\s*([\s\S]*?)\s*\)\s*;?\s*$/;

/** The object group of expressions that the user types in `node inspect`. */
const NODE_INSPECT_GROUP = 'node-inspect';

export interface CdpSessionDeps {
  readonly entry: string;
  readonly loadScripts: (client: Client) => Promise<Scripts>;
  /** Opens a connection to the server: once at first, and again after the recording was reopened. */
  readonly connect: () => Wire;
}

export class CdpSession {
  readonly #client: Client;
  readonly #connect: () => Wire;
  readonly #context: { -readonly [K in keyof CdpSessionContext]: CdpSessionContext[K] };
  readonly #connection: CdpConnection;
  readonly #breakpoints: CdpBreakpoints;
  readonly #stepper: CdpStepper;
  readonly #handlers: AllHandlers;
  /** Names of the domains that the client has enabled, whose events it receives. */
  readonly #enabled = new Set<string>();
  /** Number of scripts announced to the client so far. */
  #announcedScripts = 0;

  private constructor(wire: Wire, connect: () => Wire, base: Omit<CdpSessionContext, 'sendEvent'>) {
    const { client } = base;
    this.#client = client;
    this.#connect = connect;
    this.#connection = new CdpConnection(wire, (method) => this.#findHandler(method));
    const context = { ...base, sendEvent: (method: string, params?: object) => this.#sendEvent(method, params) };
    this.#context = context;
    const objects = new RemoteObjects(client);
    this.#breakpoints = new CdpBreakpoints(context);
    this.#stepper = new CdpStepper(context, objects, this.#breakpoints);
    const evaluator = new CdpEvaluator(
      objects,
      () => this.#stepper.cursor,
      (position) => this.#stepper.frames.frameAt(position),
    );
    const deps = {
      objects,
      evaluator,
      stepper: this.#stepper,
      breakpoints: this.#breakpoints,
      runConsoleCommand: (input: ConsoleInput, request: CdpRequest) => this.#runConsoleCommand(input, request),
      abortAll: () => this.#connection.abortAll(),
      announceScripts: (from: number) => this.#announceScripts(from),
      readMore: () => this.#readMore(),
    };
    this.#handlers = {
      Debugger: debuggerHandlers(context, { ...deps, ...this.#domainSwitch('Debugger') }),
      Profiler: { enable: noop, disable: noop, setSamplingInterval: noop },
      Runtime: runtimeHandlers(context, { ...deps, ...this.#domainSwitch('Runtime') }),
      Schema: { getDomains: () => ({ domains: Object.keys(DOMAINS).map((name) => ({ name, version })) }) },
      TimeTravel: timeTravelHandlers(context, deps),
    };
    client.onMoved = ({ client: by, cursor }) => this.#stepper.followMove(cursor, by);
    client.onClose = () => {
      if (context.hello.recording.until === undefined) wire.close();
      else this.#connection.holdUntil(this.#reconnect(wire));
    };
  }

  /** Connects to the server and loads the recording. Resolves when the session handles requests. */
  static async open(wire: Wire, { entry, loadScripts, connect }: CdpSessionDeps): Promise<CdpSession> {
    const client = new Client(connect());
    try {
      const hello = await client.hello('devtools');
      const session = new CdpSession(wire, connect, { client, hello, entry, scripts: await loadScripts(client) });
      session.#connection.start();
      return session;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  /** Aborts all requests and removes the client's breakpoints. To be called when the client has disconnected. */
  async end(): Promise<void> {
    this.#connection.end();
    this.#stepper.end();
    this.#client.onClose = () => {};
    try {
      await this.#breakpoints.clear();
    } catch {
      // The server has ended, and its breakpoints with it.
    }
    this.#client.close();
  }

  /** Makes the server reopen the recording of a running program up to its latest events; all sessions reconnect. */
  async #readMore(): Promise<void> {
    try {
      await this.#client.request('refresh', {});
    } catch (error) {
      printLine(this.#context, { type: 'info', text: (error as Error).message, time: Date.now() });
      this.#stepper.reportPosition();
    }
  }

  /** Connects to a recording that was reopened, and sets the client's breakpoints there. */
  async #reconnect(wire: Wire): Promise<void> {
    const context = this.#context;
    try {
      this.#client.reconnect(this.#connect());
      context.hello = await this.#client.hello('devtools');
      await context.scripts.readMore(this.#client);
      this.#announceScripts(this.#announcedScripts);
      await this.#breakpoints.reactivate();
      const { cursor, recording } = context.hello;
      this.#stepper.relocate(cursor, `recorded until ${new Date(recording.until ?? 0).toISOString()}`);
    } catch {
      wire.close();
    }
  }

  #announceScripts(from: number): void {
    const { all } = this.#context.scripts;
    for (const each of all.slice(from)) this.#context.sendEvent('Debugger.scriptParsed', scriptParsedParams(each));
    this.#announcedScripts = all.length;
  }

  #domainSwitch(domain: string): { setEnabled: (isEnabled: boolean) => void; isEnabled: () => boolean } {
    return {
      setEnabled: (isEnabled) => void (isEnabled ? this.#enabled.add(domain) : this.#enabled.delete(domain)),
      isEnabled: () => this.#enabled.has(domain),
    };
  }

  #sendEvent(method: string, params?: object): void {
    if (this.#enabled.has(method.split('.', 1)[0] ?? '')) this.#connection.sendEvent(method, params);
  }

  #findHandler(method: string): CdpHandler | undefined {
    const [domain = '', name = '', ...more] = method.split('.');
    if (more.length > 0 || !Object.hasOwn(DOMAINS, domain)) return undefined;
    const { commands }: Domain = DOMAINS[domain as keyof typeof DOMAINS];
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined) return undefined;
    const handlers = this.#handlers[domain as keyof AllHandlers] as unknown as Readonly<Record<string, RunHandler>>;
    return { command, run: handlers[name] as RunHandler };
  }

  /** Runs a console input if it is a command; undefined otherwise, and for an input that is still being typed. */
  #runConsoleCommand(input: ConsoleInput, request: CdpRequest): Promise<object> | undefined {
    const isFromConsole = input.includeCommandLineAPI === true || input.objectGroup === NODE_INSPECT_GROUP;
    if (!isFromConsole || input.throwOnSideEffect === true) return undefined;
    const [, name = '', argumentText = ''] = CONSOLE_COMMAND.exec(input.expression) ?? [];
    const handler = name === '' ? undefined : this.#findHandler(`TimeTravel.${name}`);
    return handler && this.#runCommand(handler, argumentText, request);
  }

  async #runCommand({ command, run }: CdpHandler, argumentText: string, request: CdpRequest): Promise<object> {
    const params = parseParameters(command, argumentText);
    const problem = validationError(command.params, params, 'parameters');
    if (problem !== undefined) throw new DevtoolsError('TT_CDP_PARAMS', problem);
    const { found, reason, ...rest } = { ...(await run(params, request)) } as Readonly<Record<string, unknown>>;
    // `Debugger.paused` has reported the new position already.
    return {
      result: found === true ? remoteValue(undefined) : remoteValue(found === false ? reason : JSON.stringify(rest)),
    };
  }
}

const noop = (): void => {};
const version = `${CDP_VERSION.major}.${CDP_VERSION.minor}`;

/** Parses the argument of a console command: an object of parameters, or the value of the first parameter, as JSON. */
function parseParameters({ params }: Command, argumentText: string): object {
  if (argumentText === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(/^'[^'"\\]*'$/.test(argumentText) ? `"${argumentText.slice(1, -1)}"` : argumentText);
  } catch {
    throw new DevtoolsError('TT_CDP_PARAMS', `parameters must be JSON, not ${argumentText}`);
  }
  if (typeof value === 'object' && value !== null) return value;
  const [first = ''] = Object.keys(params.json.properties ?? {});
  return { [first]: value };
}
