// `turntable services`: lists the running recorded programs of this user, or sends them commands. No program is paused.
import { relative } from 'node:path';
import {
  callService,
  listServices,
  serviceDirectories,
  type RequestedSnapshot,
  type ServiceState,
} from '@turntable/recording/services';
import { formatCount, formatSize, sanitizeText } from '@turntable/replayer/entry';
import { SERVICE_REQUESTS, SERVICES } from '../command-line/record-commands.ts';
import { parseArguments } from './arguments.ts';
import { didYouMean } from '../nearest.ts';
import { reportUsageError } from './failure.ts';
import { print, printError } from '../printing.ts';

type RequestName = (typeof SERVICE_REQUESTS)[number];

export async function servicesCommand(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, SERVICES, { subjectName: 'program', maxPositionals: 2 });
  if (typeof parsed === 'string') return reportUsageError('services', parsed);
  const request = parseRequest(parsed.positionals);
  if (typeof request === 'string') return reportUsageError('services', request);
  const all = await listServices(serviceDirectories(process.env));
  const { json } = parsed.values;
  if (request === undefined) {
    const states = all.map(({ state }) => state);
    print(json ? `${JSON.stringify(states)}\n` : listText(states));
    return 0;
  }
  const found = all.find(({ state }) => state.pid === request.pid);
  try {
    if (found === undefined) throw new Error('no such program is being recorded; list them with turntable services');
    const answer = await callService(found.path, request.requestName);
    print(json ? `${JSON.stringify(answer)}\n` : answerText(request.requestName, answer));
    return 0;
  } catch (error) {
    printError(`turntable services: ${request.pid}: ${(error as Error).message}\n`);
    return 1;
  }
}

function parseRequest([pid, requestName]: readonly string[]):
  | { readonly pid: number; readonly requestName: RequestName }
  | undefined
  | string {
  if (pid === undefined) return undefined;
  if (!/^\d{1,10}$/.test(pid)) return `PID must be a process id, not "${pid}"`;
  const knownName = SERVICE_REQUESTS.find((each) => each === requestName);
  if (knownName !== undefined) return { pid: Number(pid), requestName: knownName };
  return requestName === undefined
    ? `name a command for ${pid}: ${SERVICE_REQUESTS.join(', ')}`
    : `the command must be one of ${SERVICE_REQUESTS.join(', ')}, not "${requestName}"${didYouMean(requestName, SERVICE_REQUESTS)}`;
}

function answerText(requestName: RequestName, answer: ServiceState | RequestedSnapshot): string {
  if ('pid' in answer) return `flushed: ${answer.recording}, ${formatSize(answer.bytes)}\n`;
  const { phase, recording, bytes } = answer;
  const result = {
    start: 'recording started',
    stop: 'recording stopped',
    snapshot: 'snapshot taken',
    flush: 'flushed',
  }[requestName];
  return `${result}: snapshot ${phase} of ${recording}, ${formatSize(bytes)}\n`;
}

function listText(all: readonly ServiceState[]): string {
  if (all.length === 0) return 'no program of this user is being recorded; turntable record FILE starts one\n';
  const rows = all.map((state) => [
    String(state.pid),
    shortPath(state.program ?? 'a program', state.cwd),
    stateText(state),
    formatSize(state.bytes),
    formatCount(state.snapshots, 'snapshot'),
    shortPath(state.recording, process.cwd()),
    state.error ?? '',
  ]);
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const summary = `${formatCount(all.length, 'program')} of this user, ${all.filter(({ since }) => since !== null).length} recorded now`;
  const lines = rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '));
  return [summary, ...lines].map((line) => `${sanitizeText(line).trimEnd()}\n`).join('');
}

function stateText({ state, since, isTraced }: ServiceState): string {
  if (since === null) return state;
  const kind = isTraced ? 'recorded' : 'snapshots only';
  return `${kind} since ${new Date(since).toISOString().replace('T', ' ').slice(0, 19)}Z`;
}

function shortPath(path: string, directory: string): string {
  const short = path.startsWith('/') ? relative(directory, path) : path;
  return short.startsWith('..') || short === '' ? path : short;
}
