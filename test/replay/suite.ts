// The programs by which capture is tested (test/programs, test/libraries, test/capture), each recorded in a process of its own with snapshots at whatever place, replayed, and replayed
// from its snapshots: recorded, it does what it does on Node alone; run again, the same to the letter, with the same states.
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecording } from '@turntable/recording';
import { differences as ofTransform } from '../programs/differences.ts';
import { errorLine, headers, runProgram, type Run } from '../programs/run-program.ts';
import { CLI, FLAGS, REGISTER } from '../../scripts/tested.ts';

const tests = fileURLToPath(new URL('../', import.meta.url));
const FOLDERS = {
  'programs/fixtures': '*/{*,*/main}.{js,mjs,cjs,ts,mts,cts}',
  'programs/typescript/fixtures': '*/*.ts',
  'libraries/fixtures': '*.{mjs,cjs,ts}',
  'capture/interruption/fixtures': '{*,*/main,host-changes/*}.{mjs,cjs}',
};

/** By their paths from test/. */
export function programs(): string[] {
  return Object.entries(FOLDERS)
    .flatMap(([folder, pattern]) => globSync(join(folder, pattern), { cwd: tests }))
    .filter((file) => !file.includes('node_modules'))
    .toSorted();
}

/** Milliseconds: what has not ended by then waits for something that will not come. */
const LIMIT = 120_000;
const HOOKS = [...FLAGS, '--import', REGISTER];

export interface SuiteReport {
  /** Nothing, if all is as it should be. */
  readonly wrong: readonly string[];
  readonly events: number;
  readonly snapshots: number;
  /** States that were compared, in all replays. */
  readonly states: number;
  /** Where its recording is, if something is wrong with it. */
  readonly kept: string | undefined;
}

export interface SuiteOptions {
  /** When there are snapshots. */
  readonly snapshots: string;
  /** From which it is replayed as well. */
  chosen(phases: readonly number[]): readonly number[];
}

export async function recordedAndAgain(file: string, { snapshots, chosen }: SuiteOptions): Promise<SuiteReport> {
  const path = join(tests, file);
  const into = mkdtempSync(join(tmpdir(), 'turntable-suite-'));
  const wrong: string[] = [];
  const recorded = await lifeOf(path, HOOKS, [basename(path)], {
    TURNTABLE_TRACE: '1',
    TURNTABLE_RECORDINGS: into,
    TURNTABLE_SNAPSHOTS: snapshots,
  });
  const plain = await expected(file, path);
  if (plain !== undefined) wrong.push(...unlike(plain, recorded).map((each) => `recorded, it ${each}`));
  // Processes that it starts are recorded beside it, and later.
  const [own] = readdirSync(into).toSorted();
  if (own === undefined) {
    // It has ended before anything of it was run.
    if (recorded.code === 0) wrong.push('there is no recording of it');
    rmSync(into, { recursive: true });
    return { wrong, events: 0, snapshots: 0, states: 0, kept: undefined };
  }
  const recording = openRecording(join(into, own));
  const phases = recording.snapshots().map(({ phase }) => phase);
  let [events, states] = [0, 0];
  for (const from of [undefined, ...chosen(phases)]) {
    const args = ['replay', join(into, own), '--force', ...(from === undefined ? [] : ['--from', String(from)])];
    const life = await lifeOf(path, [...FLAGS, CLI], args, {});
    const where = from === undefined ? '' : `from ${from}: `;
    const [, verdict = life.stderr.slice(-1000), amounts = ''] =
      /^(same|truncated|diverged): (.*(?:\n(?:first| {2}).*)*)/m.exec(life.stderr) ?? [];
    if (verdict !== 'same' || / different: /.test(amounts)) wrong.push(`${where}${verdict}: ${amounts}`);
    if (!endsAs(recorded, life, from !== undefined))
      wrong.push(`${where}it printed ${firstDifference(recorded.stdout, life.stdout)}`);
    if (from === undefined) events = Number(/([\d,]+) events?/.exec(amounts)?.[1] ?? 0);
    states += Number(/(\d+) states? compared/.exec(amounts)?.[1] ?? 0);
  }
  if (wrong.length === 0) rmSync(into, { recursive: true });
  return { wrong, events, snapshots: phases.length, states, kept: wrong.length === 0 ? undefined : into };
}

function endsAs(recorded: Run, { stdout }: Life, isLater: boolean): boolean {
  return isLater ? recorded.stdout.endsWith(stdout) : recorded.stdout === stdout;
}

interface Life extends Run {
  readonly stderr: string;
}

function lifeOf(
  path: string,
  flags: readonly string[],
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Life> {
  const own = headers(path);
  const isProgram = flags === HOOKS;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...(isProgram ? own.flags : []), ...flags, ...args],
      {
        cwd: dirname(path),
        timeout: LIMIT,
        killSignal: 'SIGKILL',
        maxBuffer: 2 ** 24,
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          NO_COLOR: '1',
          ...(isProgram ? own.environment : {}),
          ...env,
        },
      },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : (error.code ?? error.signal ?? 'unknown');
        resolve({ stdout, code, died: code === 0 ? '' : errorLine(stderr), stderr });
      },
    );
  });
}

/** What it does on Node alone, if Node can run it and nothing is known to be otherwise. */
async function expected(file: string, path: string): Promise<Run | undefined> {
  const [, own = ''] = /^programs\/fixtures\/(.*)/.exec(file) ?? [];
  if (own in ofTransform || file in ofRecording) return undefined;
  if (!/\.[cm]?ts$/.test(path)) return runProgram(path, 'native');
  if (file.startsWith('programs/typescript/')) return runProgram(path, 'transformed');
  const beside = basename(path).startsWith('main.')
    ? join(dirname(path), 'expected.txt')
    : path.replace(/\.[cm]?ts$/, '.expected.txt');
  return { stdout: readFileSync(beside, 'utf8'), code: 0, died: '' };
}

/** Programs that do something else where they are recorded, and why; docs/replay.md and docs/membrane.md tell the same to users. */
export const ofRecording: Readonly<Record<string, string>> = {
  'programs/fixtures/errors/call-sites.cjs': "the stack of an error ends before Node's loop",
  'programs/fixtures/errors/stack-receivers.js': "the stack of an error ends before Node's loop",
  'programs/fixtures/host-changes/standard-output.js':
    'what writes to standard output is a property of its own, which the program deletes',
  'programs/fixtures/loading/excluded/main.mjs': "to what is kept outside a promise of the program's is no promise",
};

/** Programs that do not run again to the letter, and why. One that does has to leave this list. */
export const ofReplay: Readonly<Record<string, string>> = {
  'capture/interruption/fixtures/host-changes/with-device.mjs':
    'what is kept outside gives `process` a property, and both sides have `process` as it is',
  'programs/fixtures/workers/worker-data/main.mjs':
    'threads share memory: without --force its replay is refused, for SharedArrayBuffer',
};

/** Areas of programs/fixtures whose programs can run one after another in one process (medley). */
export const TOGETHER: readonly string[] = [
  'async',
  'async-generators',
  'bindings',
  'classes',
  'closures',
  'disposal',
  'functions',
  'generators',
  'inside',
  'interactions',
  'promises',
  'proxies',
  'sloppy',
  'tdz',
  'templates',
  'weak',
];

/** Those whose programs need processes of their own, and why. */
export const APART: Readonly<Record<string, string>> = {
  cjs: 'Node loads files of theirs by itself',
  counterexamples: 'Node loads files of theirs by itself',
  errors: 'some end their process',
  esm: 'one waits at its top level for what never comes',
  exits: 'they end their process',
  'host-changes': 'they change what the next ones would find',
  loading: 'they have settings of their own',
  packages: 'some have settings of their own',
  node: 'they start processes, and some end theirs',
  timers: 'they put others in the places of timers',
  typescript: 'they are TypeScript',
  workers: 'they start threads, and some end their process',
};

function unlike(plain: Run, recorded: Run): string[] {
  const found: string[] = [];
  if (plain.stdout !== recorded.stdout) found.push(`printed ${firstDifference(plain.stdout, recorded.stdout)}`);
  if (plain.code !== recorded.code) found.push(`ended with ${recorded.code} and not ${plain.code}`);
  if (plain.died !== recorded.died) found.push(`died of "${recorded.died}" and not of "${plain.died}"`);
  return found;
}

function firstDifference(was: string, is: string): string {
  const [lines, others] = [was.split('\n'), is.split('\n')];
  const at = lines.findIndex((line, i) => line !== others[i]);
  const place = at === -1 ? lines.length : at;
  return `${JSON.stringify(others[place]?.slice(0, 300))} where ${JSON.stringify(lines[place]?.slice(0, 300))} was, in line ${place + 1}`;
}
