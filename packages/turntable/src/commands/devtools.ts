// `turntable devtools DIR`: a recording in Chrome DevTools, and for other clients of Chrome's protocol.
import { basename } from 'node:path';
import { DevtoolsPort } from '@turntable/devtools';
import { openRecording } from '@turntable/recording';
import { openedRecording, openedSoFar, type OpenWish } from '../debug/opened.ts';
import { recentPlaces, recordingOf, whyNoPlace } from '@turntable/replayer/replay';
import { version } from '@turntable/replayer/entry';
import { argumentsOf, whyNoPhase, whyNoPort } from './arguments.ts';
import { interrupted } from './interrupted.ts';
import { onTraces } from './on-traces.ts';
import { toldFailure } from './told-failure.ts';

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

interface Wishes extends OpenWish {
  readonly place: string;
  /** Of the program that records to it, which goes on. */
  readonly pid: number | undefined;
  readonly port: number;
}

export async function devtoolsCommand(args: readonly string[]): Promise<number> {
  const wishes = wishesOf(args);
  const run = (directory: string, file: string | undefined, its: Wishes): Promise<number> =>
    served(directory, file ?? directory, its);
  if (typeof wishes === 'string' || wishes.pid === undefined) return onTraces('devtools', wishes, run);
  try {
    return await onTraces('devtools', { ...wishes, place: await recordingOf(wishes.pid) }, run);
  } catch (error) {
    return toldFailure('devtools', undefined, error);
  }
}

function wishesOf(args: readonly string[]): Wishes | string {
  const given = argumentsOf(
    args,
    {
      pid: { type: 'string' },
      port: { type: 'string' },
      phase: { type: 'string' },
      force: { type: 'boolean', default: false },
      anew: { type: 'boolean', default: false },
      trusted: { type: 'boolean', default: false },
    },
    { usage: USAGE, about: 'recording' },
  );
  if (typeof given === 'string') return given;
  const { positionals, values } = given;
  const { pid, port, phase, force, anew, trusted } = values;
  const [place] = positionals;
  if (pid === undefined && place === undefined) return `which recording? ${USAGE}`;
  if (pid !== undefined && (place !== undefined || !/^\d{1,10}$/.test(pid)))
    return `--pid takes the number of a process, in the place of a recording. ${USAGE}`;
  const why = (place === undefined ? undefined : whyNoPlace(place)) ?? whyNoPort(port) ?? whyNoPhase(phase);
  if (why !== undefined) return why;
  return {
    place: place ?? '',
    pid: pid === undefined ? undefined : Number(pid),
    port: Number(port ?? 0),
    phase: phase === undefined ? undefined : Number(phase),
    isForced: force,
    isAnew: anew,
    isTrusted: trusted,
  };
}

async function served(directory: string, name: string, wishes: Wishes): Promise<number> {
  const isLive = wishes.pid !== undefined;
  const { server, close } = await (isLive ? openedSoFar : openedRecording)(directory, name, wishes);
  const url = openRecording(directory).manifest.entry ?? '';
  if (!isLive) recentPlaces().note(name);
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
