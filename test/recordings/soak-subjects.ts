// What `npm run soak` runs: recorded services and programs that are killed, whose disk is full for a while, or whose
// workers die. Each run checks the recording that is left.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listRecordings, openRecording } from '@turntable/recording';
import { checkDyingProgram, dyingProgram } from '../replay/dying-programs.ts';
import { checkRacyRun, racyRun } from '../replay/racy-programs.ts';
import { killService, peakMemoryMb } from './kills.ts';
import { FLAGS, REGISTER } from '../../scripts/tested-form.ts';
import { environment, FIXTURES, REPOSITORY } from './processes.ts';
import { checkRecording } from './recording-check.ts';
import { fetchText, startService } from './served.ts';

export interface SoakRun {
  readonly problems: readonly string[];
  /** Verdicts of the replays. */
  readonly verdicts?: readonly string[];
  readonly acknowledged?: number;
  readonly lost?: number;
  /** Age of the oldest lost request at the kill; 0 if none was lost. */
  readonly oldestLossMs?: number;
  readonly latenciesMs?: readonly number[];
  readonly peakMb?: number | undefined;
}

export interface SoakSubject {
  readonly name: string;
  /** Runs once. @param directory an empty directory for recordings */
  run(seed: number, directory: string, random: () => number): Promise<SoakRun>;
}

export interface SoakOptions {
  readonly requestsPerSecond: number;
  /** Replays of a recording, which must have one verdict. */
  readonly replays: number;
}

const MAX_LOAD_MS = 2000;
const BANK = join(FIXTURES, 'bank.ts');

export function createSubjects({ requestsPerSecond, replays }: SoakOptions): readonly SoakSubject[] {
  const killed = (name: string, env: NodeJS.ProcessEnv): SoakSubject => ({
    name,
    async run(_, recordings, random) {
      const since = random() < 0.2 ? 'first-statement' : 'first-answer';
      const killAfterMs = random() * MAX_LOAD_MS;
      const result = await killService({ recordings, killAfterMs, since, requestsPerSecond, env });
      const { acknowledged, lost, oldestLossMs, latenciesMs, peakMb } = result;
      const { problems, verdicts } = await checkRecording(result.recording, { replays });
      return {
        problems,
        verdicts,
        acknowledged: acknowledged.length,
        lost: lost.length,
        oldestLossMs,
        latenciesMs,
        peakMb,
      };
    },
  });
  return [
    killed('killed', {}),
    killed('killed, reply', { TURNTABLE_DURABILITY: 'reply' }),
    killed('killed, reply+fsync', { TURNTABLE_DURABILITY: 'reply+fsync' }),
    { name: 'killed actors', run: (_, recordings, random) => runKilledActors(recordings, random, replays) },
    { name: 'full disk', run: (_, recordings, random) => runFullDisk(recordings, random, replays) },
    {
      name: 'dying workers',
      run: async (seed, recordings) => ({ problems: checkDyingProgram(recordings, dyingProgram(seed), replays) }),
    },
    {
      name: 'races',
      run: async (seed, recordings) => ({ problems: checkRacyRun(recordings, racyRun(seed), replays) }),
    },
  ];
}

/** Kills a program with actors on three threads, before or after a snapshot. */
async function runKilledActors(recordings: string, random: () => number, replays: number): Promise<SoakRun> {
  const child = fork(BANK, ['2', '20000', '500'], {
    execArgv: [...FLAGS, '--import', REGISTER],
    env: { ...environment, TURNTABLE_TRACE: '1', TURNTABLE_RECORDINGS: recordings },
    cwd: REPOSITORY,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = once(child, 'exit');
  const recordingOf = (): string | undefined => listRecordings(recordings).at(-1)?.directory;
  const isRecorded = (): boolean => {
    const recording = recordingOf();
    return recording !== undefined && openRecording(recording).traces().length > 2;
  };
  while (child.exitCode === null && !isRecorded()) await sleep(20);
  await Promise.race([ended, sleep(random() * 2 * MAX_LOAD_MS)]);
  const peakMb = peakMemoryMb(child.pid);
  child.kill('SIGKILL');
  await ended;
  const recording = recordingOf();
  if (recording === undefined) return { problems: ['the program ended before it was recorded'] };
  const { problems, verdicts } = await checkRecording(recording, { replays });
  return { problems, verdicts, peakMb };
}

/** Fills the disk of a service for a while. What happens meanwhile is not recorded, but the service answers. */
async function runFullDisk(recordings: string, random: () => number, replays: number): Promise<SoakRun> {
  const fault = ['ENOSPC', 'EIO', 'EMFILE'][Math.floor(random() * 3)];
  const { child, port, stderr } = await startService('durable/plain.ts', recordings, { TEST_FAULT: fault });
  const exited = once(child, 'exit');
  let acknowledged = 0;
  const load = async (milliseconds: number): Promise<void> => {
    for (const until = performance.now() + milliseconds; performance.now() < until; acknowledged++)
      await fetchText(port, '/free');
  };
  try {
    await load(random() * 500);
    child.send('fail');
    await load(random() * MAX_LOAD_MS);
    child.send('recover');
    await load(random() * MAX_LOAD_MS);
    const peakMb = peakMemoryMb(child.pid);
    await fetchText(port, '/exit');
    await exited;
    const warnings = stderr().match(/TT_RECORDING_WRITE/g)?.length ?? 0;
    const recording = listRecordings(recordings).at(-1)?.directory as string;
    const { problems, verdicts } = await checkRecording(recording, { replays, verdicts: ['same', 'incomplete'] });
    return {
      problems: warnings > 1 ? [...problems, `${warnings} warnings`] : problems,
      verdicts,
      acknowledged,
      peakMb,
    };
  } finally {
    child.kill('SIGKILL');
  }
}
