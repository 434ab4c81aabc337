// `turntable devtools DIR`: debugs a recording in Chrome DevTools and other CDP clients.
import { basename } from 'node:path';
import { DevtoolsPort } from '@turntable/devtools';
import { openRecording } from '@turntable/recording';
import { version } from '@turntable/replayer/entry';
import { parseArguments } from './arguments.ts';
import { waitForInterrupt } from './interrupt.ts';
import { runOnOpened, openForCommand, OPEN_FLAGS, parseOpenOptions, type OpenCommandOptions } from './open-options.ts';

const USAGE =
  'Usage: turntable devtools DIR|FILE.ttr [--port N] [--phase PHASE] [--force] [--rebuild] [--trusted] | --pid PID …';

export const DEVTOOLS_USAGE = `${USAGE}

Debug a recording in Chrome DevTools and other clients of its protocol, forward
and backward (docs/guide/devtools.md). Prints the address to open in Chrome and the
address of the WebSocket; both have a secret.

  --pid PID      open the recording of a running program, which keeps running;
                 pause moves to its latest events
  --port N       listen on this port (default: any free one)
  --phase PHASE  start from this snapshot
  --force        debug even if the replay may differ
  --rebuild      build the run index again
  --trusted      do not restrict replay processes (docs/guide/terminal.md)
  --key FILE     key of a sealed recording (TURNTABLE_KEY)

Exit codes: 0 success, 1 if the recording cannot be replayed.

  turntable devtools recordings
  turntable devtools recordings --port 9229`;

export function devtoolsCommand(args: readonly string[]): Promise<number> {
  return runOnOpened('devtools', parseDevtoolsArguments(args), serveDevtools);
}

function parseDevtoolsArguments(args: readonly string[]): OpenCommandOptions | string {
  const parsed = parseArguments(args, OPEN_FLAGS, { usage: USAGE, subjectName: 'recording' });
  if (typeof parsed === 'string') return parsed;
  const { positionals, values } = parsed;
  const [path] = positionals;
  if (values.pid === undefined && path === undefined) return `which recording? ${USAGE}`;
  return parseOpenOptions(values, { path, usage: USAGE });
}

async function serveDevtools(directory: string, name: string, options: OpenCommandOptions): Promise<number> {
  const { server, close } = await openForCommand(directory, name, options);
  const url = openRecording(directory).manifest.entry ?? '';
  const port = new DevtoolsPort({
    title: `${basename(name)}: ${basename(url)}`,
    url,
    version,
    connect: () => server.openWire(),
  });
  try {
    const { frontEnd, socket } = await port.listen(options.port);
    process.stdout.write(`${frontEnd}\n${socket}\n`);
    await waitForInterrupt();
    return 0;
  } finally {
    await port.close();
    await close();
  }
}
