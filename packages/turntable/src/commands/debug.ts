// `turntable debug DIR`: debugs a recording, forward and backward, in a terminal, a window or any client.
import { Client, webSocketWire, type Wire } from '@turntable/time-machine/client';
import type { Site, TimeMachineServer } from '@turntable/time-machine/server';
import { interfaceSite, pageAddress } from '../debug/interface-site.ts';
import { sendRefusal } from '../debug/refusal.ts';
import { StartPageService } from '../debug/start-page-service.ts';
import { StartPagePort } from '../debug/start-page-port.ts';
import { runTerminal } from '../debug/terminal.ts';
import { startWindow } from '../debug/window.ts';
import { openRecentRecordings } from '@turntable/replayer/replay';
import { parseArguments } from './arguments.ts';
import { waitForInterrupt } from './interrupt.ts';
import { runOnOpened, openForCommand, OPEN_FLAGS, parseOpenOptions, type OpenCommandOptions } from './open-options.ts';
import { reportFailure } from './failure.ts';

const USAGE =
  'Usage: turntable debug DIR|FILE.ttr [--repl] [--browser] [--window] [--serve] [--stdio] [--port N] [--phase PHASE] [--force] [--anew] [--trusted] | --pid PID [--browser] … | [--window] | --browser | --connect ADDRESS';

export const DEBUG_USAGE = `${USAGE}

Moves about in a recording, the last one in DIR that has traces or a packed one: by turns, messages, statements and breakpoints, forward and backward. For that it is run again, once, as by
turntable turns; help tells of all moves. Lines may come from a pipe: what is printed then is the conversation. Without a recording a window, or a page in a browser, asks which one.
  --repl            in this terminal; also if nothing is said
  --browser         in a browser on this computer: prints the address to open, with a secret in it (docs/desktop.md), until it is interrupted
  --window          on the desktop, in a window of its own, which goes on by itself: in the application that TURNTABLE_WINDOW names, or turntable-debugger of the path
  --serve           for others on this computer, too: prints the address, with a secret in it, that they connect to (docs/protocol.md); alone, until it is interrupted
  --stdio           for the process that has started it: the protocol by standard input and output, a line for each message
  --pid PID         instead of a recording: what a program that is running has recorded so far (turntable services); it is not stopped
  --port N          at this port; otherwise at any that is free
  --connect ADDRESS a terminal of one that is served elsewhere on this computer: all who are connected stand at one place
  --phase PHASE     begins with that snapshot; otherwise with the start, or with the first snapshot of a recording that has not the start
  --force           also what might come out otherwise, as of turntable replay
  --anew            runs it again although what is told is kept of an earlier time
  --trusted         its processes may do what any process may; otherwise, by Node's permission model, they write and start nothing (docs/time-machine.md)
  --key FILE        the key that it is sealed with, if it is; also as TURNTABLE_KEY

Ends with 0; with 1 if it cannot be run again, or if lines from a pipe could not all be done.

  turntable debug recordings
  echo 'end; back turn; sender' | tr ';' '\\n' | turntable debug recordings --anew`;

interface DebugOptions extends OpenCommandOptions {
  readonly isInWindow: boolean;
  readonly isServed: boolean;
  readonly isInBrowser: boolean;
  readonly isOverStdio: boolean;
  readonly isRepl: boolean;
}

/** Without a recording, the start page lets the user choose one. */
interface StartPageOptions {
  readonly isStartPage: true;
  readonly isInBrowser: boolean;
  readonly port: number;
  readonly isTrusted: boolean;
}

export async function debugCommand(args: readonly string[]): Promise<number> {
  const options = parseDebugArguments(args);
  if (typeof options === 'object' && 'address' in options) return connectTo(options.address);
  if (typeof options === 'object' && 'isStartPage' in options)
    return options.isInBrowser ? serveStartPage(options) : openWindow(undefined);
  if (typeof options === 'object' && options.isInWindow) return openWindow(options.path);
  // A client on standard streams gets the refusal as a message, too.
  const onRefused = args.includes('--stdio') ? (error: unknown): void => sendRefusal(error) : undefined;
  return runOnOpened('debug', options, debugRecording, onRefused);
}

function parseDebugArguments(
  args: readonly string[],
): DebugOptions | StartPageOptions | { readonly address: string } | string {
  const parsed = parseArguments(
    args,
    {
      repl: { type: 'boolean', default: false },
      serve: { type: 'boolean', default: false },
      browser: { type: 'boolean', default: false },
      window: { type: 'boolean', default: false },
      stdio: { type: 'boolean', default: false },
      connect: { type: 'string' },
      ...OPEN_FLAGS,
    },
    { usage: USAGE, subjectName: 'recording' },
  );
  if (typeof parsed === 'string') return parsed;
  const { values, positionals } = parsed;
  const { repl, serve, browser, window, stdio, port, connect, pid, phase, force, anew, trusted } = values;
  const [path] = positionals;
  if (connect !== undefined) {
    if (path !== undefined) return `with --connect the recording is the one that is served, not ${path}. ${USAGE}`;
    if (!/^wss?:\/\/./.test(connect)) return `--connect takes the address that --serve prints, not "${connect}"`;
    return { address: connect };
  }
  const openOptions = parseOpenOptions(values, { path, usage: USAGE, canBeLive: !window });
  if (typeof openOptions === 'string') return openOptions;
  const isServed = serve || browser || port !== undefined;
  if (stdio && (isServed || repl))
    return `with --stdio standard output is the protocol's: nothing else can be there. ${USAGE}`;
  if (window && (isServed || stdio || repl || phase !== undefined || force || anew || trusted))
    return `with --window the window says how: nothing else can be said here. ${USAGE}`;
  if (path === undefined && pid === undefined) {
    const isStartPageOnly =
      !(repl || serve || stdio || phase !== undefined || force || anew) && (browser || port === undefined);
    return isStartPageOnly
      ? { isStartPage: true, isInBrowser: browser, port: openOptions.port, isTrusted: trusted }
      : `which recording? ${USAGE}`;
  }
  return {
    ...openOptions,
    isInWindow: window,
    isServed,
    isInBrowser: browser,
    isOverStdio: stdio,
    isRepl: repl || !(isServed || stdio),
  };
}

async function connectTo(address: string): Promise<number> {
  let client: Client;
  try {
    client = await Client.connect(address);
  } catch (error) {
    process.stderr.write(`turntable debug: ${address}: ${(error as Error).message}\n`);
    return 1;
  }
  try {
    return await runTerminal(client, { ...terminalStreams(), connect: () => webSocketWire(address) });
  } finally {
    client.close();
  }
}

async function openWindow(path: string | undefined): Promise<number> {
  const problem = await startWindow(path, process.env);
  if (problem === undefined) return 0;
  process.stderr.write(`turntable debug: ${problem}\n`);
  return 1;
}

async function serveStartPage({ port, isTrusted }: StartPageOptions): Promise<number> {
  try {
    const site = interfaceSite();
    const startPagePort = new StartPagePort(new StartPageService(site, openRecentRecordings(), isTrusted), site);
    process.stdout.write(`${await startPagePort.listen(port)}\n`);
    await waitForInterrupt();
    await startPagePort.close();
    return 0;
  } catch (error) {
    return reportFailure('debug', undefined, error);
  }
}

async function debugRecording(directory: string, name: string, options: DebugOptions): Promise<number> {
  // Report a missing interface before anything runs.
  const site = options.isInBrowser ? interfaceSite() : undefined;
  const { server, close } = await openForCommand(directory, name, options);
  try {
    return await serveClients(server, options, site);
  } finally {
    await close();
  }
}

async function serveClients(
  server: TimeMachineServer,
  { isServed, isInBrowser, isOverStdio, isRepl, port }: DebugOptions,
  site: Site | undefined,
): Promise<number> {
  if (isOverStdio) {
    await server.serveStreams(process.stdin, process.stdout);
    return 0;
  }
  if (isServed) {
    const address = await server.listen(port, site);
    process.stdout.write(`${isInBrowser ? pageAddress(address) : address}\n`);
  }
  const connect = (): Promise<Wire> => Promise.resolve(server.openWire());
  if (isRepl) return await runTerminal(new Client(server.openWire()), { ...terminalStreams(), connect });
  await waitForInterrupt();
  return 0;
}

function terminalStreams(): { input: NodeJS.ReadStream; output: NodeJS.WriteStream; isTerminal: boolean } {
  return { input: process.stdin, output: process.stdout, isTerminal: process.stdin.isTTY && process.stdout.isTTY };
}
