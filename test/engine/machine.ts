// The time machine of a recording, in this process.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openRecording } from '@turntable/recording';
import { Client } from '@turntable/time-machine/client';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { onTestFinished } from 'vitest';
import { recordingIn } from '../replay/again.ts';
import { engineOn, snapshotsOf, surveyOf } from './engines.ts';

/** @param room where its recording is */
export async function serverOf(room: string): Promise<TimeMachineServer> {
  const directory = recordingIn(room);
  const { survey, from } = await surveyOf(directory, {
    phase: undefined,
    isForced: false,
    isAnew: false,
    debug: true,
  });
  const recording = openRecording(directory);
  const its = { recording, directory, from };
  const [standing, scout] = [engineOn(survey, its), engineOn(survey, its)];
  const inside = { standing, scout, sourceOf, snapshots: snapshotsOf(recording) };
  const server = new TimeMachineServer(
    survey,
    { name: 'recordings/test', from, verdict: 'truncated' },
    '1.2.3',
    inside,
  );
  onTestFinished(() => server.close());
  return server;
}

/** A client of it. */
export async function machineOf(room: string): Promise<Client> {
  const server = await serverOf(room);
  const client = new Client(server.wire());
  await client.hello('test');
  return client;
}

/** As it is now: programs of tests do not change meanwhile. */
function sourceOf(file: string): string {
  return readFileSync(file.startsWith('file:') ? fileURLToPath(file) : file, 'utf8');
}
