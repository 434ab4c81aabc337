// The session of one CDP client: its domains and commands, its connection to the server, and its breakpoints, which it
// removes when the client disconnects. The server notifies each session of the moves of the other sessions.
import { Client, type Wire } from '@turntable/time-machine/client';
import { CdpBreakpoints } from './cdp-breakpoints.ts';
import { CdpConnection, type CdpHandler } from './cdp-connection.ts';
import { debuggerHandlers } from './debugger-handlers.ts';
import { CdpEvaluator, type ConsoleInput } from './cdp-evaluator.ts';
import { printLine, type CdpSessionContext } from './cdp-session-context.ts';
import { CdpStepper } from './cdp-stepper.ts';
import { COMMANDS_NAME, ConsoleCommands } from './console-commands.ts';
import type { CdpRequest, Domain } from './protocol/command.ts';
import { DOMAINS, CDP_VERSION, type AllHandlers } from './protocol/domains.ts';
import { heapProfilerHandlers } from './heap-profiler-handlers.ts';
import { profilerHandlers } from './profiler-handlers.ts';
import { RemoteObjects } from './remote-objects.ts';
import { runtimeHandlers } from './runtime-handlers.ts';
import { scriptParsedParams, type Scripts } from './scripts.ts';
import { timeTravelHandlers } from './time-travel-handlers.ts';

type RunHandler = CdpHandler['run'];

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
    this.#breakpoints = new CdpBreakpoints(context, objects);
    this.#stepper = new CdpStepper(context, objects, this.#breakpoints);
    const evaluator = new CdpEvaluator(
      objects,
      () => this.#stepper.cursor,
      (position) => this.#stepper.frames.frameAt(position),
      (output) => printLine(context, { type: 'log', text: output.replace(/\n$/, ''), time: Date.now() }),
    );
    const findHandler = (name: string): CdpHandler | undefined => this.#findHandler(`${COMMANDS_NAME}.${name}`);
    const commands = new ConsoleCommands({ objects, evaluator, findHandler });
    const deps = {
      objects,
      evaluator,
      stepper: this.#stepper,
      breakpoints: this.#breakpoints,
      runConsoleCommand: (input: ConsoleInput, request: CdpRequest) => commands.evaluate(input, request),
      abortAll: () => this.#connection.abortAll(),
      announceScripts: (from: number) => this.#announceScripts(from),
      readMore: () => this.#readMore(),
    };
    this.#handlers = {
      Debugger: debuggerHandlers(context, { ...deps, ...this.#domainSwitch('Debugger') }),
      HeapProfiler: heapProfilerHandlers(context, this.#domainSwitch('HeapProfiler').setEnabled),
      Profiler: profilerHandlers(context),
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
}

const version = `${CDP_VERSION.major}.${CDP_VERSION.minor}`;
