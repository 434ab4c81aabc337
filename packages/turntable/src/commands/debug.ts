// `turntable debug DIR`: debugs a recording, forward and backward, in a terminal, a window or any client.
import { createReadStream, statSync } from 'node:fs';
import { Client, webSocketWire, type Wire } from '@turntable/time-machine/client';
import type { Site, TimeMachineServer } from '@turntable/time-machine/server';
import { readAddressLine } from '../debug/address-input.ts';
import { interfaceSite, pageAddress } from '../debug/interface-site.ts';
import { sendRefusal } from '../debug/refusal.ts';
import { StartPageService } from '../debug/start-page-service.ts';
import { StartPagePort } from '../debug/start-page-port.ts';
import { runTerminal, type TerminalOptions } from '../debug/terminal.ts';
import { startWindow } from '../debug/window.ts';
import { openRecentRecordings, type TrustOptions } from '@turntable/replayer/replay';
import { DEBUG } from '../command-line/debug-commands.ts';
import { parseArguments } from './arguments.ts';
import { waitForInterrupt } from './interrupt.ts';
import { runOnOpened, openForCommand, parseOpenOptions, type OpenCommandOptions } from './open-options.ts';
import { reportFailure } from './failure.ts';
import { print, printError } from '../printing.ts';

interface DebugOptions extends OpenCommandOptions {
  readonly isInWindow: boolean;
  readonly isServed: boolean;
  readonly isInBrowser: boolean;
  readonly isOverStdio: boolean;
  readonly isRepl: boolean;
  /** File with the commands of the terminal; undefined for standard input. */
  readonly commandFile: string | undefined;
}

/** Options without a recording: the user chooses one on the start page. */
interface StartPageOptions extends TrustOptions {
  readonly isStartPage: true;
  readonly isInBrowser: boolean;
  readonly port: number;
}

/** Options for a recording that another process serves. */
interface ConnectOptions {
  readonly address: string;
  readonly commandFile: string | undefined;
}

export async function debugCommand(args: readonly string[]): Promise<number> {
  const options = parseDebugArguments(args);
  if (typeof options === 'object' && 'address' in options) return connectTo(options);
  if (typeof options === 'object' && 'isStartPage' in options)
    return options.isInBrowser ? serveStartPage(options) : openWindow(undefined);
  if (typeof options === 'object' && options.isInWindow) return openWindow(options.path);
  // A client on standard streams also gets the refusal, as a message.
  const onRefused = args.includes('--stdio') ? (error: unknown): void => sendRefusal(error) : undefined;
  return runOnOpened('debug', options, debugRecording, onRefused);
}

function parseDebugArguments(args: readonly string[]): DebugOptions | StartPageOptions | ConnectOptions | string {
  const parsed = parseArguments(args, DEBUG, { subjectName: 'recording' });
  if (typeof parsed === 'string') return parsed;
  const { values, positionals } = parsed;
  const { serve, browser, window, stdio, port, connect, pid, phase, force, rebuild, trusted } = values;
  const { commands: commandFile } = values;
  const repl = values.repl || commandFile !== undefined;
  const [path] = positionals;
  const fileProblem = commandFile === undefined ? undefined : commandFileProblem(commandFile);
  if (fileProblem !== undefined) return fileProblem;
  if (connect !== undefined) {
    if (path !== undefined) return `--connect takes no path, but got ${path}`;
    const address = connect === '-' ? readAddressLine() : connect;
    if (!/^wss?:\/\/./.test(address)) return `--connect must be an address that --serve prints, not "${address}"`;
    return { address, commandFile };
  }
  const openOptions = parseOpenOptions(values, { path, canBeLive: !window });
  if (typeof openOptions === 'string') return openOptions;
  const isServed = serve || browser || port !== undefined;
  if (stdio && (isServed || repl)) return '--stdio cannot be combined with another interface';
  if (
    window &&
    (isServed || stdio || repl || phase !== undefined || force || rebuild || trusted || values['require-isolation'])
  )
    return '--window cannot be combined with other options';
  if (path === undefined && pid === undefined) {
    const { isTrusted, requiresIsolation } = openOptions;
    const isStartPageOnly =
      !(repl || serve || stdio || phase !== undefined || force || rebuild) && (browser || port === undefined);
    return isStartPageOnly
      ? { isStartPage: true, isInBrowser: browser, port: openOptions.port, isTrusted, requiresIsolation }
      : 'which recording?';
  }
  return {
    ...openOptions,
    isInWindow: window,
    isServed,
    isInBrowser: browser,
    isOverStdio: stdio,
    isRepl: repl || !(isServed || stdio),
    commandFile,
  };
}

async function connectTo({ address, commandFile }: ConnectOptions): Promise<number> {
  let client: Client;
  try {
    client = await Client.connect(address);
  } catch (error) {
    printError(`turntable debug: ${address}: ${(error as Error).message}\n`);
    return 1;
  }
  try {
    return await runTerminal(client, { ...terminalStreams(commandFile), connect: () => webSocketWire(address) });
  } finally {
    client.close();
  }
}

async function openWindow(path: string | undefined): Promise<number> {
  const problem = await startWindow(path, process.env);
  if (problem === undefined) return 0;
  printError(`turntable debug: ${problem}\n`);
  return 1;
}

async function serveStartPage({ port, ...trust }: StartPageOptions): Promise<number> {
  try {
    const site = interfaceSite();
    const startPagePort = new StartPagePort(new StartPageService(site, openRecentRecordings(), trust), site);
    print(`${await startPagePort.listen(port)}\n`);
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
  { isServed, isInBrowser, isOverStdio, isRepl, commandFile, port }: DebugOptions,
  site: Site | undefined,
): Promise<number> {
  if (isOverStdio) {
    await server.serveStreams(process.stdin, process.stdout);
    return 0;
  }
  if (isServed) {
    const address = await server.listen(port, site);
    print(`${isInBrowser ? pageAddress(address) : address}\n`);
  }
  const connect = (): Promise<Wire> => Promise.resolve(server.openWire());
  if (isRepl) return await runTerminal(new Client(server.openWire()), { ...terminalStreams(commandFile), connect });
  await waitForInterrupt();
  return 0;
}

function commandFileProblem(file: string): string | undefined {
  const isReadable = statSync(file, { throwIfNoEntry: false })?.isDirectory() === false;
  return isReadable ? undefined : `--commands must be a file of commands, one a line; there is no file ${file}`;
}

/** @param commandFile file of commands; undefined for standard input */
function terminalStreams(commandFile: string | undefined): Pick<TerminalOptions, 'input' | 'output' | 'isTerminal'> {
  const { stdin, stdout } = process;
  if (commandFile !== undefined) return { input: createReadStream(commandFile), output: stdout, isTerminal: false };
  return { input: stdin, output: stdout, isTerminal: stdin.isTTY && stdout.isTTY };
}
