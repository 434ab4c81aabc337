// `turntable devtools DIR`: debugs a recording in Chrome DevTools and other CDP clients.
import { basename } from 'node:path';
import { DevtoolsPort } from '@turntable/devtools';
import { openRecording } from '@turntable/recording';
import { version } from '@turntable/replayer/entry';
import { parseArguments } from './arguments.ts';
import { waitForInterrupt } from './interrupt.ts';
import { runOnOpened, openForCommand, OPEN_FLAGS, parseOpenOptions, type OpenCommandOptions } from './open-options.ts';

const USAGE =
  'Usage: turntable devtools DIR|FILE.ttr [--port N] [--phase PHASE] [--force] [--anew] [--trusted] | --pid PID …';

export const DEVTOOLS_USAGE = `${USAGE}

A recording, the last one in DIR that has traces or a packed one, in Chrome DevTools and for other clients of Chrome's protocol, forward and backward (docs/devtools.md). For that it is run
again, once, as by turntable debug. Prints two addresses, with a secret in them, until it is interrupted: the one to open in Chrome, and that of the WebSocket for others.
  --pid PID         instead of a recording: what a program that is running has recorded so far (turntable services); it is not stopped, and pause goes to what it has recorded by then
  --port N          at this port; otherwise at any that is free
  --phase PHASE     begins with that snapshot; otherwise with the start, or with the first snapshot of a recording that has not the start
  --force           also what might come out otherwise, as of turntable replay
  --anew            runs it again although what is told is kept of an earlier time
  --trusted         its processes may do what any process may; otherwise, by Node's permission model, they write and start nothing (docs/time-machine.md)
  --key FILE        the key that it is sealed with, if it is; also as TURNTABLE_KEY

Ends with 0; with 1 if it cannot be run again.

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
