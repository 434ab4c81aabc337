// `turntable devtools DIR`: debugs a recording in Chrome DevTools and other CDP clients.
import { basename } from 'node:path';
import { DevtoolsPort } from '@turntable/devtools';
import { openRecording } from '@turntable/recording';
import { version } from '@turntable/replayer/entry';
import { DEVTOOLS } from '../command-line/debug-commands.ts';
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
  const port = new DevtoolsPort({
    title: `${basename(name)}: ${basename(url)}`,
    url,
    version,
    isDiscoverable: options.isDiscoverable,
    connect: () => server.openWire(),
  });
  try {
    const { frontEnd, socket } = await port.listen(options.port);
    print(`${frontEnd}\n${socket}\n`);
    await waitForInterrupt();
    return 0;
  } finally {
    await port.close();
    await close();
  }
}
