// `turntable services`: the programs of this user that are being recorded, and what they can be asked for. None of them is stopped, or waits.
import { relative } from 'node:path';
import {
  askService,
  listServices,
  servicePlaces,
  WISHES,
  type GrantedSnapshot,
  type ServiceState,
} from '@turntable/recording/services';
import { counted, sizeText } from '@turntable/replayer/entry';
import { argumentsOf } from './arguments.ts';
import { usageError } from './told-failure.ts';

const ASKED = ['flush', ...WISHES] as const;
type Asked = (typeof ASKED)[number];

const USAGE = `Usage: turntable services [PID ${ASKED.join('|')}] [--json]`;

export const SERVICES_USAGE = `${USAGE}

The programs of this user on this computer that are recorded, or can be: which, where their recording is, since when, how large. And what one of them can be asked for:
  start             it is recorded from now on, if it was started with --later; a snapshot is what it begins with
  stop              it is recorded no further, until it begins again
  snapshot          a snapshot is taken, while it goes on
  flush             what has come to it so far is brought to the disk
  --json            all of it, as JSON

What it has recorded so far is looked into by turntable debug --pid PID, or --browser. Who does not want to be listed: --services off, or TURNTABLE_SERVICES=off.
Ends with 0; with 1 if there is no such program, or it refuses.

  turntable services
  turntable services 4711 snapshot`;

export async function servicesCommand(args: readonly string[]): Promise<number> {
  const given = argumentsOf(
    args,
    { json: { type: 'boolean', default: false } },
    { usage: USAGE, about: 'program', most: 2 },
  );
  const wish = typeof given === 'string' ? given : wishIn(given.positionals);
  if (typeof given === 'string' || typeof wish === 'string')
    return usageError('services', typeof wish === 'string' ? wish : USAGE);
  const all = await listServices(servicePlaces(process.env));
  const { json } = given.values;
  if (wish === undefined) {
    const states = all.map(({ state }) => state);
    process.stdout.write(json ? `${JSON.stringify(states)}\n` : listText(states));
    return 0;
  }
  const found = all.find(({ state }) => state.pid === wish.pid);
  try {
    if (found === undefined)
      throw new Error('no such program is being recorded; turntable services lists those that are');
    const answer = await askService(found.path, wish.asked);
    process.stdout.write(json ? `${JSON.stringify(answer)}\n` : answerText(wish.asked, answer));
    return 0;
  } catch (error) {
    process.stderr.write(`turntable services: ${wish.pid}: ${(error as Error).message}\n`);
    return 1;
  }
}

function wishIn([pid, asked]: readonly string[]): { readonly pid: number; readonly asked: Asked } | undefined | string {
  if (pid === undefined) return undefined;
  if (!/^\d{1,10}$/.test(pid)) return `a program is named by the number of its process, not "${pid}". ${USAGE}`;
  const known = ASKED.find((each) => each === asked);
  if (known !== undefined) return { pid: Number(pid), asked: known };
  return asked === undefined
    ? `what is ${pid} asked for? ${USAGE}`
    : `it can be asked for ${ASKED.join(', ')}, not "${asked}"`;
}

function answerText(asked: Asked, answer: ServiceState | GrantedSnapshot): string {
  if ('pid' in answer) return `${answer.recording}: ${sizeText(answer.bytes)}\n`;
  const { phase, recording, bytes } = answer;
  const what = { start: 'begins with', stop: 'ends with', snapshot: 'has', flush: '' }[asked];
  return `${recording} ${what} snapshot ${phase}, ${sizeText(bytes)}\n`;
}

/** Names and paths are whatever somebody has made them. */
const CONTROL = /\p{Cc}/gu;

function listText(all: readonly ServiceState[]): string {
  if (all.length === 0) return 'no program of this user is being recorded; turntable record FILE starts one\n';
  const rows = all.map((state) => [
    String(state.pid),
    near(state.program ?? 'a program', state.cwd),
    stateText(state),
    sizeText(state.bytes),
    counted(state.snapshots, 'snapshot'),
    near(state.recording, process.cwd()),
    state.trouble ?? '',
  ]);
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd().replaceAll(CONTROL, '\uFFFD')}\n`)
    .join('');
}

function stateText({ state, since, isTraced }: ServiceState): string {
  if (since === null) return state;
  const what = isTraced ? 'recorded' : 'snapshots only';
  return `${what} since ${new Date(since).toISOString().replace('T', ' ').slice(0, 19)}Z`;
}

function near(path: string, directory: string): string {
  const short = path.startsWith('/') ? relative(directory, path) : path;
  return short.startsWith('..') || short === '' ? path : short;
}
