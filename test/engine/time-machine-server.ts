// The time machine of a recording, in the test's own process.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openRecording } from '@turntable/recording';
import { Client } from '@turntable/time-machine/client';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { onTestFinished } from 'vitest';
import { recordingIn } from '../replay/record-and-replay.ts';
import { createReplayDriver, snapshotsOf, buildRunIndex } from './replay-drivers.ts';

/** @param recordings the directory that contains the recording */
export async function createServer(recordings: string): Promise<TimeMachineServer> {
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
    { name: 'recordings/test', from, verdict: 'truncated' },
    '1.2.3',
    serverDeps,
  );
  onTestFinished(() => server.close());
  return server;
}

/** A client connected to a new server. */
export async function createClient(recordings: string): Promise<Client> {
  const server = await createServer(recordings);
  const client = new Client(server.openWire());
  await client.hello('test');
  return client;
}

/** The current text of a file: test programs do not change during a test. */
function findSource(file: string): string {
  return readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8');
}
