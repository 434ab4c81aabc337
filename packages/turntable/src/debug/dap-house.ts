// Recordings as editors open and make them, by the Debug Adapter Protocol (`@turntable/dap`).
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { House, OpenRecording, ProgramWish, RecordingWish } from '@turntable/dap';
import { listRecordings } from '@turntable/recording';
import { Client } from '@turntable/time-machine/client';
import { splitArguments } from '../commands/run.ts';
import { copiedSoFar, recordingOf, Room, tracedIn, whyNoPlace, withRecording } from '@turntable/replayer/replay';
import { openedRecording } from './opened.ts';
import { refusalOf } from './refusal.ts';

/** What an editor is told of a configuration that cannot be. */
class NoDebuggee extends Error {
  readonly code = 'TT_NO_DEBUGGEE';
}

export const dapHouse: House = { open, record, recordingOf };

async function open(wish: RecordingWish, signal: AbortSignal): Promise<OpenRecording> {
  const place = resolve(wish.place);
  const why = whyNoPlace(place);
  if (why !== undefined) throw new NoDebuggee(why);
  const opened = Promise.withResolvers<OpenRecording>();
  const closed = Promise.withResolvers<void>();
  const over = withRecording(place, async (directory, file) => {
    using room = new Room();
    const traced = tracedIn(directory);
    const its = wish.isLive ? (await copiedSoFar(traced, room.directory, signal)).directory : traced;
    const recording = await openedRecording(its, file ?? traced, wish);
    try {
      const close = (): Promise<void> => {
        closed.resolve();
        return over;
      };
      opened.resolve({ client: new Client(recording.server.wire()), close });
      if (!signal.aborted) await closed.promise;
    } finally {
      await recording.close();
    }
  });
  over.catch((error: unknown) => {
    const { why, ways } = refusalOf(error);
    const insisting = `${why}\nto try it all the same: "force": true in the configuration`;
    opened.reject(ways.includes('force') ? new NoDebuggee(insisting) : error);
  });
  signal.addEventListener('abort', () => opened.reject(new NoDebuggee('it was given up')));
  return opened.promise;
}

async function record(
  { program, args, cwd = process.cwd(), env, flags, recordings = 'recordings' }: ProgramWish,
  says: Parameters<House['record']>[1],
  signal: AbortSignal,
): Promise<string> {
  const split = splitArguments([...flags, '--', program]);
  if (split.wrong !== undefined) throw new NoDebuggee(split.wrong);
  const into = resolve(cwd, recordings);
  const register = import.meta.resolve('turntable/register');
  const child = spawn(process.execPath, [...process.execArgv, ...split.flags, '--import', register, program, ...args], {
    cwd,
    env: { ...process.env, ...env, ...split.environment, TURNTABLE_TRACE: '1', TURNTABLE_RECORDINGS: into },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const hear = (stream: Readable, category: 'stdout' | 'stderr'): void => {
    stream.setEncoding('utf8').on('data', (text: string) => says(category, text));
  };
  hear(child.stdout, 'stdout');
  hear(child.stderr, 'stderr');
  const how = await new Promise<string>((settle, reject) => {
    child.once('error', reject);
    child.once('close', (code, killer) => settle(killer ?? `exit code ${code}`));
  });
  const found = listRecordings(into).findLast(({ directory }) => directory.endsWith(`-${child.pid}`));
  if (found === undefined) throw new NoDebuggee(`${program} has ended (${how}) before anything was recorded`);
  says('console', `${program} has ended (${how}); its recording is ${found.directory}\n`);
  return found.directory;
}
