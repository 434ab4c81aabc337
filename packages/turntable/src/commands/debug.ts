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
  'Usage: turntable debug DIR|FILE.ttr [--repl] [--browser] [--window] [--serve] [--stdio] [--port N] [--phase PHASE] [--force] [--rebuild] [--trusted] | --pid PID [--browser] … | [--window] | --browser | --connect ADDRESS';

export const DEBUG_USAGE = `${USAGE}

Debug a recording, forward and backward: by statement, turn, message and
breakpoint. The recording is replayed once to build its run index. Without a
recording, a page or window lets you choose one. In the terminal, help lists
all commands; they can also come from a pipe.

  --repl             debug in this terminal (the default)
  --browser          serve a page; print its address, which has a secret
  --window           open a desktop window (TURNTABLE_WINDOW names the
                     application; default: turntable-debugger)
  --serve            serve clients on this computer; print the address
                     (docs/internals/protocol.md)
  --stdio            speak the protocol on standard input and output
  --pid PID          open the recording of a running program, which keeps
                     running (see turntable services)
  --port N           listen on this port (default: any free one)
  --connect ADDRESS  connect this terminal to a served recording
  --phase PHASE      start from this snapshot
  --force            debug even if the replay may differ
  --rebuild          build the run index again
  --trusted          do not restrict replay processes (docs/guide/terminal.md)
  --key FILE         key of a sealed recording (TURNTABLE_KEY)

Exit codes: 0 success, 1 if the recording cannot be replayed or a command from
a pipe failed.

  turntable debug recordings
  echo 'end; back turn; sender' | tr ';' '\\n' | turntable debug recordings`;

interface DebugOptions extends OpenCommandOptions {
  readonly isInWindow: boolean;
  readonly isServed: boolean;
  readonly isInBrowser: boolean;
  readonly isOverStdio: boolean;
  readonly isRepl: boolean;
}

/** Options without a recording: the user chooses one on the start page. */
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
  // A client on standard streams also gets the refusal, as a message.
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
  const { repl, serve, browser, window, stdio, port, connect, pid, phase, force, rebuild, trusted } = values;
  const [path] = positionals;
  if (connect !== undefined) {
    if (path !== undefined) return `--connect takes no path, but got ${path}. ${USAGE}`;
    if (!/^wss?:\/\/./.test(connect)) return `--connect must be an address that --serve prints, not "${connect}"`;
    return { address: connect };
  }
  const openOptions = parseOpenOptions(values, { path, usage: USAGE, canBeLive: !window });
  if (typeof openOptions === 'string') return openOptions;
  const isServed = serve || browser || port !== undefined;
  if (stdio && (isServed || repl)) return `--stdio cannot be combined with another interface. ${USAGE}`;
  if (window && (isServed || stdio || repl || phase !== undefined || force || rebuild || trusted))
    return `--window cannot be combined with other options. ${USAGE}`;
  if (path === undefined && pid === undefined) {
    const isStartPageOnly =
      !(repl || serve || stdio || phase !== undefined || force || rebuild) && (browser || port === undefined);
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
  // A missing interface is reported before anything runs.
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
