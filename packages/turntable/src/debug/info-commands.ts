// Terminal command `info`: facts about the current position and the session.
import type { RequestOptions } from '@turntable/time-machine/client';
import { formatCount } from '@turntable/replayer/entry';
import { workerName } from '@turntable/replayer/replay';
import type { BreakpointCommands } from './breakpoint-commands.ts';
import { LineArguments } from './line-arguments.ts';
import type { RecordingCommands } from './recording-commands.ts';
import { shortPath, type ReplSession } from './session.ts';
import type { StackCommands } from './stack-commands.ts';
import type { TravelCommands } from './travel-commands.ts';
import { ReplInputError, resolveAbbreviation } from './words.ts';

interface InfoDeps {
  readonly session: ReplSession;
  readonly stack: StackCommands;
  readonly breakpoints: BreakpointCommands;
  readonly recording: RecordingCommands;
  readonly travel: TravelCommands;
}

type InfoSubject = (deps: InfoDeps, options: RequestOptions) => Promise<void> | void;

/** Subjects of `info`, with their summaries. */
export const INFO_SUBJECTS: Readonly<Record<string, readonly [summary: string, run: InfoSubject]>> = {
  position: ['the current position', ({ session }, options) => showPosition(session, options)],
  program: ['the same', ({ session }, options) => showPosition(session, options)],
  line: ['file, line and function of this statement', ({ session }) => showLine(session)],
  locals: ['variables of the selected frame', ({ stack }, options) => stack.locals(options)],
  args: ["parameters of the selected frame's function", ({ stack }, options) => stack.parameters(options)],
  stack: ['the stack, as bt', ({ stack }, options) => stack.backtrace(new LineArguments(''), options)],
  frame: ['the selected frame', ({ stack }, options) => stack.frame(new LineArguments(''), options)],
  breakpoints: ['breakpoints and watchpoints', ({ breakpoints }, options) => breakpoints.list(options)],
  watchpoints: ['the same', ({ breakpoints }, options) => breakpoints.list(options)],
  dprintf: [
    'log points: log shows all results at once, and keeps none',
    ({ session }) => session.print('log shows all results at once, and keeps none\n'),
  ],
  display: ['expressions that each stop prints', ({ session }) => showDisplays(session)],
  threads: ['threads of the recording', ({ session }) => showThreads(session)],
  actors: ['live actors with their waiting messages', ({ recording }, options) => recording.liveActors(options)],
  bookmarks: ['bookmarks', ({ travel }, options) => travel.bookmarks(options)],
  checkpoints: ['the same', ({ travel }, options) => travel.bookmarks(options)],
  sources: ['recorded source files', ({ session }, options) => showSources(session, options)],
};

/** Abbreviations of gdb, which would be ambiguous. */
const GDB_NAMES: ReadonlyMap<string, string> = new Map([
  ['b', 'breakpoints'],
  ['d', 'display'],
  ['s', 'stack'],
]);

export class InfoCommand {
  readonly #deps: InfoDeps;

  constructor(deps: InfoDeps) {
    this.#deps = deps;
  }

  async run(args: LineArguments, options: RequestOptions): Promise<void> {
    const [word] = args.words;
    if (word === undefined) {
      this.#deps.session.print(infoHelp());
      return;
    }
    const subjects = Object.keys(INFO_SUBJECTS);
    const found = GDB_NAMES.get(word) ?? resolveAbbreviation(word, subjects);
    const subject = typeof found === 'string' ? INFO_SUBJECTS[found] : undefined;
    if (subject !== undefined) return subject[1](this.#deps, options);
    const matches = typeof found === 'string' ? [] : found;
    throw new ReplInputError(
      matches.length > 0
        ? `"${word}" is ambiguous: ${matches.join(', ')}`
        : `info has no subject "${word}": ${subjects.join(', ')}`,
    );
  }
}

export function infoHelp(): string {
  return Object.entries(INFO_SUBJECTS)
    .map(([name, [summary]]) => `  info ${name.padEnd(14)}  ${summary}\n`)
    .join('');
}

async function showPosition(session: ReplSession, options: RequestOptions): Promise<void> {
  session.cursor = await session.request('cursor', {}, options);
  session.forgetShownTask();
  const { position, order, task } = session.cursor;
  if (task !== undefined) session.print(`position ${position}, task ${order} of ${session.hello.taskCount}\n`);
  await session.showCursor(session.cursor);
}

function showLine(session: ReplSession): void {
  const { statement, position } = session.cursor;
  if (statement === undefined) {
    session.print(`no statement has begun at ${position}\n`);
    return;
  }
  const { file, line, column, endLine, function: name } = statement;
  const lines = endLine === line ? `line ${line}` : `lines ${line} to ${endLine}`;
  session.print(`${lines} of ${shortPath(file)}, column ${column}${name === '' ? '' : `, in ${name}`}\n`);
}

function showDisplays(session: ReplSession): void {
  for (const [number, expression] of session.displays) session.printLine(`${number}: ${expression}`);
  if (session.displays.size === 0) session.print('no displays\n');
}

function showThreads(session: ReplSession): void {
  const current = session.cursor.task;
  for (const { worker, epoch, taskCount, end } of session.hello.threads) {
    const isCurrent = current?.worker === worker && current.epoch === epoch;
    const details = [formatCount(taskCount, 'task'), ...(epoch === 0 ? [] : [`epoch ${epoch}`]), end ?? 'running'];
    session.print(`${isCurrent ? '*' : ' '} ${worker}  ${workerName(worker)}: ${details.join(', ')}\n`);
  }
}

async function showSources(session: ReplSession, options: RequestOptions): Promise<void> {
  const { files } = await session.request('sources', {}, options);
  for (const file of files) session.printLine(`  ${file}`);
}
