// `turntable devtools DIR`: a recording in Chrome DevTools, and for other clients of Chrome's protocol.
import { basename } from 'node:path';
import { DevtoolsPort } from '@turntable/devtools';
import { openRecording } from '@turntable/recording';
import { version } from '@turntable/replayer/entry';
import { argumentsOf } from './arguments.ts';
import { interrupted } from './interrupted.ts';
import { onOpening, opened, OPENING_OPTIONS, openingOf, type Opening } from './opening.ts';

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
  return onOpening('devtools', wishesOf(args), served);
}

function wishesOf(args: readonly string[]): Opening | string {
  const given = argumentsOf(args, OPENING_OPTIONS, { usage: USAGE, about: 'recording' });
  if (typeof given === 'string') return given;
  const { positionals, values } = given;
  const [place] = positionals;
  if (values.pid === undefined && place === undefined) return `which recording? ${USAGE}`;
  return openingOf(values, { place, usage: USAGE });
}

async function served(directory: string, name: string, wishes: Opening): Promise<number> {
  const { server, close } = await opened(directory, name, wishes);
  const url = openRecording(directory).manifest.entry ?? '';
  const port = new DevtoolsPort({
    title: `${basename(name)}: ${basename(url)}`,
    url,
    version,
    connect: () => server.wire(),
  });
  try {
    const { frontEnd, socket } = await port.listen(wishes.port);
    process.stdout.write(`${frontEnd}\n${socket}\n`);
    await interrupted();
    return 0;
  } finally {
    await port.close();
    await close();
  }
}
