// `turntable devtools DIR`: a recording in Chrome DevTools, and for other clients of Chrome's protocol.
import { basename } from 'node:path';
import { DevtoolsPort } from '@turntable/devtools';
import { openRecording } from '@turntable/recording';
import { Client } from '@turntable/replay/client';
import { openedRecording, type OpenWish } from '../debug/opened.ts';
import { recentPlaces } from '../places/recent-places.ts';
import { whyNoPlace } from '../places/packed-place.ts';
import { version } from '../version.ts';
import { argumentsAbout, whyNoPhase, whyNoPort } from './arguments.ts';
import { interrupted } from './interrupted.ts';
import { onTraces } from './on-traces.ts';

const USAGE = 'Usage: turntable devtools DIR|FILE.ttr [--port N] [--phase PHASE] [--force] [--anew] [--trusted]';

export const DEVTOOLS_USAGE = `${USAGE}

A recording, the last one in DIR that has traces or a packed one, in Chrome DevTools and for other clients of Chrome's protocol, forward and backward (docs/devtools.md). For that it is run
again, once, as by turntable debug. Prints two addresses, with a secret in them, until it is interrupted: the one to open in Chrome, and that of the WebSocket for others.
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
  readonly port: number;
}

export function devtoolsCommand(args: readonly string[]): Promise<number> {
  return onTraces('devtools', wishesOf(args), (directory, file, wishes) =>
    served(directory, file ?? directory, wishes),
  );
}

function wishesOf(args: readonly string[]): Wishes | string {
  const given = argumentsAbout(
    args,
    {
      port: { type: 'string' },
      phase: { type: 'string' },
      force: { type: 'boolean', default: false },
      anew: { type: 'boolean', default: false },
      trusted: { type: 'boolean', default: false },
    },
    { usage: USAGE, about: 'recording' },
  );
  if (typeof given === 'string') return given;
  const { subject: place, values } = given;
  const { port, phase, force, anew, trusted } = values;
  const why = whyNoPlace(place) ?? whyNoPort(port) ?? whyNoPhase(phase);
  if (why !== undefined) return why;
  return {
    place,
    port: Number(port ?? 0),
    phase: phase === undefined ? undefined : Number(phase),
    isForced: force,
    isAnew: anew,
    isTrusted: trusted,
  };
}

async function served(directory: string, name: string, wishes: Wishes): Promise<number> {
  const url = openRecording(directory).manifest.entry ?? '';
  const { server, close } = await openedRecording(directory, name, wishes);
  recentPlaces().note(name);
  const port = new DevtoolsPort({
    title: `${basename(name)}: ${basename(url)}`,
    url,
    version,
    connect: () => new Client(server.wire()),
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
