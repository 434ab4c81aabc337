// The time machine of a recording, in the test's own process.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openRecording } from '@turntable/recording';
import { Client } from '@turntable/time-machine/client';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { onTestFinished } from 'vitest';
import { recordingIn } from '../replay/record-and-replay.ts';
import { createReplayDriver, snapshotsOf, buildRunIndex } from './replay-drivers.ts';

/** Registers a function that closes a server. */
type RegisterClose = (close: () => Promise<void>) => void;

/**
 * @param recordings the directory that contains the recording
 * @param register by default, the server is closed when the test ends
 */
export async function createServer(
  recordings: string,
  register: RegisterClose = onTestFinished,
): Promise<TimeMachineServer> {
  const directory = recordingIn(recordings);
  const { runIndex, from } = await buildRunIndex(directory, {
    phase: undefined,
    isForced: false,
    isFresh: false,
    debug: true,
  });
  const recording = openRecording(directory);
  const driverOptions = { recording, directory, from };
  const [current, scout] = [createReplayDriver(runIndex, driverOptions), createReplayDriver(runIndex, driverOptions)];
  const serverDeps = { current, scout, findSource, snapshots: snapshotsOf(recording) };
  const server = new TimeMachineServer(
    runIndex,
    { name: 'recordings/test', from, verdict: 'truncated', exitCode: recording.manifest.exitCode },
    '1.2.3',
    serverDeps,
  );
  register(() => server.close());
  return server;
}

/** A client connected to a new server. */
export async function createClient(recordings: string, register?: RegisterClose): Promise<Client> {
  const server = await createServer(recordings, register);
  const client = new Client(server.openWire());
  await client.hello('test');
  return client;
}

/** The current text of a file: test programs do not change during a test. */
function findSource(file: string): string {
  return readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8');
}

/** Removes all breakpoints and moves to the start of the recording. */
export async function moveToStart(client: Client): Promise<void> {
  const { breakpoints } = await client.request('breakpoints', {});
  for (const { id } of breakpoints) await client.request('removeBreakpoint', { id });
  await client.request('move', { move: 'goto', arguments: { target: 'start' } });
}

/** The clients of a test file, one for each recording. All tests of the file share them. */
export class SharedClients implements AsyncDisposable {
  readonly #clients = new Map<string, Client>();
  readonly #closers: (() => Promise<void>)[] = [];

  /** The client of a recording, at the start and without breakpoints. */
  async of(recordings: string): Promise<Client> {
    const client =
      this.#clients.get(recordings) ?? (await createClient(recordings, (close) => this.#closers.push(close)));
    this.#clients.set(recordings, client);
    await moveToStart(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#closers.map((close) => close()));
  }
}
