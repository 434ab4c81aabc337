// `turntable debug DIR`: a recording to be moved about in, forward and backward, in a terminal, a window or by whoever connects.
import { Client, webSocketWire, type Wire } from '@turntable/time-machine/client';
import type { Site, TimeMachineServer } from '@turntable/time-machine/server';
import { interfaceSite, pageAddress } from '../debug/interface-site.ts';
import { tellRefusal } from '../debug/refusal.ts';
import { StartDesk } from '../debug/start-desk.ts';
import { StartPort } from '../debug/start-port.ts';
import { atTerminal } from '../debug/terminal.ts';
import { startWindow } from '../debug/window.ts';
import { recentPlaces } from '@turntable/replayer/replay';
import { argumentsOf } from './arguments.ts';
import { interrupted } from './interrupted.ts';
import { onOpening, opened, OPENING_OPTIONS, openingOf, type Opening } from './opening.ts';
import { toldFailure } from './told-failure.ts';

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

interface Wishes extends Opening {
  readonly isInWindow: boolean;
  readonly isServed: boolean;
  readonly isInBrowser: boolean;
  readonly isByLines: boolean;
  readonly isRepl: boolean;
}

/** No recording is named: somebody is asked which one. */
interface Asking {
  readonly asks: true;
  readonly isInBrowser: boolean;
  readonly port: number;
  readonly isTrusted: boolean;
}

export async function debugCommand(args: readonly string[]): Promise<number> {
  const wishes = wishesOf(args);
  if (typeof wishes === 'object' && 'address' in wishes) return connected(wishes.address);
  if (typeof wishes === 'object' && 'asks' in wishes)
    return wishes.isInBrowser ? askedInBrowser(wishes) : inWindow(undefined);
  if (typeof wishes === 'object' && wishes.isInWindow) return inWindow(wishes.place);
  // Whoever speaks the protocol is told by it, too.
  const refused = args.includes('--stdio') ? (error: unknown): void => tellRefusal(error) : undefined;
  return onOpening('debug', wishes, debugged, refused);
}

function wishesOf(args: readonly string[]): Wishes | Asking | { readonly address: string } | string {
  const given = argumentsOf(
    args,
    {
      repl: { type: 'boolean', default: false },
      serve: { type: 'boolean', default: false },
      browser: { type: 'boolean', default: false },
      window: { type: 'boolean', default: false },
      stdio: { type: 'boolean', default: false },
      connect: { type: 'string' },
      ...OPENING_OPTIONS,
    },
    { usage: USAGE, about: 'recording' },
  );
  if (typeof given === 'string') return given;
  const { values, positionals } = given;
  const { repl, serve, browser, window, stdio, port, connect, pid, phase, force, anew, trusted } = values;
  const [place] = positionals;
  if (connect !== undefined) {
    if (place !== undefined) return `with --connect the recording is the one that is served, not ${place}. ${USAGE}`;
    if (!/^wss?:\/\/./.test(connect)) return `--connect takes the address that --serve prints, not "${connect}"`;
    return { address: connect };
  }
  const opening = openingOf(values, { place, usage: USAGE, canBeLive: !window });
  if (typeof opening === 'string') return opening;
  const isServed = serve || browser || port !== undefined;
  if (stdio && (isServed || repl))
    return `with --stdio standard output is the protocol's: nothing else can be there. ${USAGE}`;
  if (window && (isServed || stdio || repl || phase !== undefined || force || anew || trusted))
    return `with --window the window says how: nothing else can be said here. ${USAGE}`;
  if (place === undefined && pid === undefined) {
    const isOnlyAsking =
      !(repl || serve || stdio || phase !== undefined || force || anew) && (browser || port === undefined);
    return isOnlyAsking
      ? { asks: true, isInBrowser: browser, port: opening.port, isTrusted: trusted }
      : `which recording? ${USAGE}`;
  }
  return {
    ...opening,
    isInWindow: window,
    isServed,
    isInBrowser: browser,
    isByLines: stdio,
    isRepl: repl || !(isServed || stdio),
  };
}

async function connected(address: string): Promise<number> {
  let client: Client;
  try {
    client = await Client.at(address);
  } catch (error) {
    process.stderr.write(`turntable debug: ${address}: ${(error as Error).message}\n`);
    return 1;
  }
  try {
    return await atTerminal(client, { ...here(), connect: () => webSocketWire(address) });
  } finally {
    client.close();
  }
}

async function inWindow(place: string | undefined): Promise<number> {
  const why = await startWindow(place, process.env);
  if (why === undefined) return 0;
  process.stderr.write(`turntable debug: ${why}\n`);
  return 1;
}

async function askedInBrowser({ port, isTrusted }: Asking): Promise<number> {
  try {
    const site = interfaceSite();
    const asking = new StartPort(new StartDesk(site, recentPlaces(), isTrusted), site);
    process.stdout.write(`${await asking.listen(port)}\n`);
    await interrupted();
    await asking.close();
    return 0;
  } catch (error) {
    return toldFailure('debug', undefined, error);
  }
}

async function debugged(directory: string, name: string, wishes: Wishes): Promise<number> {
  // What is not there is told before anything is run.
  const site = wishes.isInBrowser ? interfaceSite() : undefined;
  const { server, close } = await opened(directory, name, wishes);
  try {
    return await served(server, wishes, site);
  } finally {
    await close();
  }
}

async function served(
  server: TimeMachineServer,
  { isServed, isInBrowser, isByLines, isRepl, port }: Wishes,
  site: Site | undefined,
): Promise<number> {
  if (isByLines) {
    await server.lines(process.stdin, process.stdout);
    return 0;
  }
  if (isServed) {
    const address = await server.listen(port, site);
    process.stdout.write(`${isInBrowser ? pageAddress(address) : address}\n`);
  }
  const connect = (): Promise<Wire> => Promise.resolve(server.wire());
  if (isRepl) return await atTerminal(new Client(server.wire()), { ...here(), connect });
  await interrupted();
  return 0;
}

function here(): { input: NodeJS.ReadStream; output: NodeJS.WriteStream; isTerminal: boolean } {
  return { input: process.stdin, output: process.stdout, isTerminal: process.stdin.isTTY && process.stdout.isTTY };
}
