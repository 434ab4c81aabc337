// Opens recordings, and makes new ones, for DAP sessions (`@turntable/dap`).
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { DebugEmbedder, OpenRecording, ProgramOptions, RecordingOptions } from '@turntable/dap';
import { listRecordings } from '@turntable/recording';
import { Client } from '@turntable/time-machine/client';
import { isProgramFile, splitArguments } from '../commands/run.ts';
import {
  copyRunningRecording,
  runningRecordingOf,
  TemporaryDirectory,
  resolveTracedRecording,
  recordingPathProblem,
  withRecording,
} from '@turntable/replayer/replay';
import { serveRecording } from './served-recording.ts';
import { openRefusalOf } from './refusal.ts';

/** Error for a configuration of a debug session that cannot be used. */
class DebuggeeError extends Error {
  readonly code = 'TT_NO_DEBUGGEE';
}

export const dapEmbedder: DebugEmbedder = { open, record, recordingPathOf: runningRecordingOf };

async function open(options: RecordingOptions, signal: AbortSignal): Promise<OpenRecording> {
  const path = resolve(options.path);
  const problem = recordingPathProblem(path);
  if (problem !== undefined) throw new DebuggeeError(problem);
  const opened = Promise.withResolvers<OpenRecording>();
  const closed = Promise.withResolvers<void>();
  const finished = withRecording(path, async (directory, file) => {
    using room = new TemporaryDirectory();
    const traced = resolveTracedRecording(directory);
    const target = options.isLive ? (await copyRunningRecording(traced, room.path, signal)).directory : traced;
    const recording = await serveRecording(target, file ?? traced, options);
    try {
      const close = (): Promise<void> => {
        closed.resolve();
        return finished;
      };
      opened.resolve({ client: new Client(recording.server.openWire()), close });
      if (!signal.aborted) await closed.promise;
    } finally {
      await recording.close();
    }
  });
  finished.catch((error: unknown) => {
    const { reason, overrides } = openRefusalOf(error);
    const forceHint = `${reason}\ntry it anyway with "force": true in the configuration`;
    opened.reject(overrides.includes('force') ? new DebuggeeError(forceHint) : error);
  });
  signal.addEventListener('abort', () => opened.reject(new DebuggeeError('cancelled')));
  return opened.promise;
}

async function record(
  { program, args, cwd = process.cwd(), env, flags, recordings = 'recordings' }: ProgramOptions,
  onOutput: Parameters<DebugEmbedder['record']>[1],
  { cancel, stop }: Parameters<DebugEmbedder['record']>[2],
): Promise<string> {
  const split = splitArguments([...flags, '--', program]);
  if (split.problem !== undefined) throw new DebuggeeError(split.problem);
  if (!existsSync(cwd)) throw new DebuggeeError(`there is no directory ${cwd}; correct "cwd" in the configuration`);
  // Node would fail to load the file while it is recorded, and leave a recording that shows only this failure.
  const file = resolve(cwd, program);
  if (!isProgramFile(file)) throw new DebuggeeError(`there is no file ${file}; correct "program" in the configuration`);
  const target = resolve(cwd, recordings);
  const register = import.meta.resolve('turntable/register');
  const child = spawn(process.execPath, [...process.execArgv, ...split.flags, '--import', register, program, ...args], {
    cwd,
    env: { ...process.env, ...env, ...split.environment, TURNTABLE_TRACE: '1', TURNTABLE_RECORDINGS: target },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: cancel,
  });
  stop.addEventListener('abort', () => child.kill('SIGINT'));
  const forward = (stream: Readable, category: 'stdout' | 'stderr'): void => {
    stream.setEncoding('utf8').on('data', (text: string) => onOutput(category, text));
  };
  forward(child.stdout, 'stdout');
  forward(child.stderr, 'stderr');
  const exit = await new Promise<string>((settle, reject) => {
    child.once('error', reject);
    child.once('close', (code, killer) => settle(killer ?? `exit code ${code}`));
  });
  const recording = listRecordings(target).findLast(({ directory }) => directory.endsWith(`-${child.pid}`));
  if (recording === undefined) throw new DebuggeeError(`${program} has ended (${exit}) before anything was recorded`);
  onOutput('console', `${program} has ended (${exit}); its recording is ${recording.directory}\n`);
  return recording.directory;
}
