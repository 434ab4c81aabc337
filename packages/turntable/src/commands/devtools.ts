// `turntable devtools DIR`: debugs a recording in Chrome DevTools and other CDP clients.
import { basename, resolve } from 'node:path';
import { DevtoolsPort, type DevtoolsAddress } from '@turntable/devtools';
import { openRecording } from '@turntable/recording';
import { version } from '@turntable/replayer/entry';
import { turntableCachePath } from '@turntable/replayer/replay';
import { DEVTOOLS } from '../command-line/debug-commands.ts';
import { DevtoolsAddresses } from '../debug/devtools-addresses.ts';
import { parseArguments } from './arguments.ts';
import { waitForInterrupt } from './interrupt.ts';
import { runOnOpened, openForCommand, parseOpenOptions, type OpenCommandOptions } from './open-options.ts';
import { print } from '../printing.ts';

interface DevtoolsOptions extends OpenCommandOptions {
  readonly isDiscoverable: boolean;
}

export function devtoolsCommand(args: readonly string[]): Promise<number> {
  return runOnOpened('devtools', parseDevtoolsArguments(args), serveDevtools);
}

function parseDevtoolsArguments(args: readonly string[]): DevtoolsOptions | string {
  const parsed = parseArguments(args, DEVTOOLS, { subjectName: 'recording' });
  if (typeof parsed === 'string') return parsed;
  const { positionals, values } = parsed;
  const [path] = positionals;
  if (values.pid === undefined && path === undefined) return 'which recording?';
  const options = parseOpenOptions(values, { path });
  return typeof options === 'string' ? options : { ...options, isDiscoverable: values.discoverable };
}

async function serveDevtools(directory: string, name: string, options: DevtoolsOptions): Promise<number> {
  const { server, close } = await openForCommand(directory, name, options);
  const url = openRecording(directory).manifest.entry ?? '';
  const addresses = new DevtoolsAddresses(turntableCachePath('devtools.json', process.env));
  const path = resolve(name);
  const previous = addresses.find(path);
  const port = new DevtoolsPort({
    title: `${basename(name)}: ${basename(url)}`,
    url,
    version,
    isDiscoverable: options.isDiscoverable,
    secret: previous?.secret,
    connect: () => server.openWire(),
  });
  try {
    const address = await listen(port, options.port, previous?.port);
    addresses.add(path, address);
    print(introduction(name, address, options));
    await waitForInterrupt();
    return 0;
  } finally {
    await port.close();
    await close();
  }
}

/** Listens on the port that the user chose, otherwise on the port of the previous run if that is free. */
async function listen(port: DevtoolsPort, chosenPort: number, previousPort = 0): Promise<DevtoolsAddress> {
  if (chosenPort !== 0 || previousPort === 0) return port.listen(chosenPort);
  try {
    return await port.listen(previousPort);
  } catch {
    return port.listen(0);
  }
}

function introduction(
  name: string,
  { frontEnd, socket, port }: DevtoolsAddress,
  { pid, isDiscoverable }: DevtoolsOptions,
): string {
  const subject = pid === undefined ? `Recording ${name}` : `Program ${pid}, recorded in ${name}`;
  const discovery = isDiscoverable
    ? `chrome://inspect lists the recording if localhost:${port} is among its network targets (Configure…).\n` +
      `Node's terminal debugger: node inspect 127.0.0.1:${port}\n\n`
    : '';
  return `${subject}

Paste this address into the address bar of Chrome, Chromium or Edge:
  ${frontEnd}
Other clients of the Chrome DevTools Protocol connect to:
  ${socket}

${discovery}To go back, type TimeTravel.stepBack() in the console; TimeTravel.help() lists all commands.
A client that knows an address can read the recording and run code in its replay. Press Ctrl+C to stop.
`;
}
