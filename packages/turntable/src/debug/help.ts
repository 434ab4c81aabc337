// Help for the debugger's commands, made from the table of commands and from what the server offers.
import {
  COMMANDS,
  COMMAND_SUBJECTS,
  NAVIGATION_KINDS,
  type CommandSubject,
  type DebuggerCommand,
  type NavigationKind,
} from '@turntable/time-machine/client';
import { formatCount } from '@turntable/replayer/entry';
import { sanitizeText } from '@turntable/replayer/entry';
import { wrapText } from '../wrap-text.ts';
import { resolveCommand } from './command-names.ts';
import { infoHelp } from './info-commands.ts';
import type { RecordingHello } from './session.ts';

const WIDTH = 80;
const SUBJECTS = Object.keys(COMMAND_SUBJECTS) as CommandSubject[];

const VERDICT_TEXTS: Readonly<Record<string, string>> = {
  truncated: '; the recording ends there',
  incomplete: '; parts of the recording are missing, see turntable replay',
  diverged: '; the replay diverges there',
};

/** The line that introduces a recording. */
export function introductionText(hello: RecordingHello): string {
  const { recording, taskCount, threads, startTime, endTime, phases } = hello;
  const { name, from, verdict, until } = recording;
  const untilText = until === undefined ? '' : `, recorded until ${timeText(until)}`;
  const startText = from === undefined ? '' : `, from snapshot ${from} on`;
  const verdictText = VERDICT_TEXTS[verdict] ?? '';
  const seconds = ((endTime - startTime) / 1000).toFixed(3);
  return `${sanitizeText(name)}${startText}${untilText}: ${formatCount(taskCount, 'task')} on ${formatCount(threads.length, 'thread')}, ${formatCount(phases.length, 'phase')}, ${seconds} s${verdictText}\n`;
}

function timeText(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().replace('T', ' ').slice(0, 19)}Z`;
}

/** All commands on one screen, by subject. */
export function overviewHelp({ canStep }: Pick<RecordingHello, 'canStep'>): string {
  const lines = SUBJECTS.flatMap((subject) => {
    const names = commandsOf(subject, canStep).map(({ name, letter }) =>
      letter === undefined ? name : `${name} (${letter})`,
    );
    return names.length === 0 ? [] : hangingLines(subject, names);
  });
  lines.push(
    '',
    'Names can be abbreviated. On a terminal, Enter repeats a step; Ctrl-C cancels.',
    'help SUBJECT lists the commands of a subject, such as: help travel',
    'help COMMAND shows one command. help kinds lists the kinds of events.',
  );
  return `${lines.join('\n')}\n`;
}

function commandsOf(subject: CommandSubject, canStep: boolean): readonly DebuggerCommand[] {
  return COMMANDS.filter((each) => each.subject === subject && (canStep || each.needsStatements !== true));
}

/** Words after a heading, in lines of the screen's width that are indented alike. */
function hangingLines(heading: string, words: readonly string[]): string[] {
  const indent = 13;
  const lines: string[] = [];
  let line = heading.padEnd(indent);
  for (const word of words) {
    if (line.length + word.length > WIDTH - 1) {
      lines.push(line.trimEnd());
      line = ' '.repeat(indent);
    }
    line += `${word}  `;
  }
  return [...lines, line.trimEnd()];
}

/** Help on a subject, on the kinds of events, or on a command. */
export function topicHelp(topic: string, hello: RecordingHello): string {
  if (topic === 'kinds') return kindsHelp(hello);
  const subject = SUBJECTS.find((each) => each === topic);
  if (subject !== undefined) return subjectHelp(subject, hello.canStep);
  const kind = NAVIGATION_KINDS.find((each) => each.kind === topic);
  if (kind !== undefined && !COMMANDS.some(({ name }) => name === topic)) return navigationHelp(kind, hello);
  return commandHelp(resolveCommand(topic), hello);
}

function subjectHelp(subject: CommandSubject, canStep: boolean): string {
  const rows = commandsOf(subject, canStep).map((command) => row(usageOf(command), command.summary));
  if (rows.length === 0) rows.push('  nothing here: this recording is not replayed statement by statement\n');
  return `${COMMAND_SUBJECTS[subject]}:\n${rows.join('')}`;
}

function navigationHelp({ kind, summary }: NavigationKind, { moves }: RecordingHello): string {
  const parameter = moves.find(({ id }) => id === kind)?.parameters[0];
  const usage = `${kind}${parameter === undefined ? '' : ' [TEXT]'}`;
  const details = parameter === undefined ? [] : wrapText(`TEXT: ${parameter.title}`, WIDTH - 2);
  const lines = [
    `forward ${usage}`,
    `  go to the next ${summary}`,
    `back ${usage}`,
    `  go to the previous ${summary}`,
    ...details.map((each) => `  ${each}`),
  ];
  return `${lines.join('\n')}\n`;
}

function commandHelp(command: DebuggerCommand, hello: RecordingHello): string {
  const { name, letter, aliases = [], summary, example, details = [], dapRequest, key } = command;
  const others = [...(letter === undefined ? [] : [letter]), ...aliases];
  const lines = [
    usageOf(command),
    `  ${summary}`,
    ...details.map((each) => `  ${each}`),
    `  example: ${example}`,
    ...(others.length === 0 ? [] : [`  also: ${others.join(', ')}`]),
    ...(key === undefined ? [] : [`  key in the window: ${keyText(key)}`]),
    ...(dapRequest === undefined ? [] : [`  in editors: ${dapRequest}`]),
  ];
  const more =
    name === 'info'
      ? infoHelp()
      : name === 'forward' || name === 'back'
        ? navigationKindRows()
        : name === 'break' || name === 'tbreak'
          ? breakpointKindRows(hello)
          : '';
  return `${lines.join('\n')}\n${more}`;
}

function kindsHelp(hello: RecordingHello): string {
  const breakpointHelp = hello.breakpointKinds.length === 0 ? '' : `break KIND [TEXT]:\n${breakpointKindRows(hello)}`;
  return `forward KIND [TEXT], back KIND [TEXT]:\n${navigationKindRows()}${breakpointHelp}`;
}

function navigationKindRows(): string {
  return NAVIGATION_KINDS.map(({ kind, summary, text }) =>
    row(`${kind}${text === undefined ? '' : ' [TEXT]'}`, summary, 20),
  ).join('');
}

function breakpointKindRows({ breakpointKinds }: RecordingHello): string {
  return breakpointKinds
    .map(({ id, title, detail }) => row(`${id}${detail === undefined ? '' : ' [TEXT]'}`, title, 20))
    .join('');
}

export function usageOf({ name, arguments: args }: DebuggerCommand): string {
  return args === undefined ? name : `${name} ${args}`;
}

/** A row of two columns; a long first column gets a line of its own, and a long second one is wrapped. */
function row(first: string, second: string, width = 28): string {
  const lines = wrapText(second, WIDTH - width - 4);
  const indent = ' '.repeat(width + 4);
  const [firstLine = '', ...others] = lines;
  const head = first.length > width ? `  ${first}\n${indent}${firstLine}` : `  ${first.padEnd(width)}  ${firstLine}`;
  return `${[head, ...others.map((each) => `${indent}${each}`)].join('\n')}\n`;
}

/** A key as people read it: `Shift+N` for `N`. */
export function keyText(key: string): string {
  if (key.length > 1) return key;
  return key === key.toLowerCase() ? key.toUpperCase() : `Shift+${key}`;
}
