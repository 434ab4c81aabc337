// node scripts/on-node.mjs scripts/command-reference.ts
// Prints docs/guide/commands.md, the reference of the debugger's commands, from the tables that the debugger uses.
// test/house/command-reference.test.ts checks that the page is up to date; npm run golden writes it.
import {
  COMMANDS,
  COMMAND_SUBJECTS,
  NAVIGATION_KINDS,
  RETIRED_COMMANDS,
  type CommandSubject,
  type DebuggerCommand,
} from '@turntable/time-machine/client';
import { BREAKPOINT_KINDS } from '../packages/time-machine/src/stepping/breakpoint-kinds.ts';
import { keyText } from '../packages/turntable/src/debug/help.ts';
import { INFO_SUBJECTS } from '../packages/turntable/src/debug/info-commands.ts';

/** Custom DAP request that makes any move. */
const MOVE_REQUEST = 'turntable/move';

const INTRODUCTION = `# Commands of the debugger

All commands of \`npx turntable debug\`, by subject. [debug.md](debug.md) shows how they are used.
\`help\` prints the same in a session.

- The *letter* is a short name. Other prefixes work too, if only one command begins with them.
- The *key* makes the same move in the [window](window.md). It is a letter without Shift unless
  Shift is shown.
- The *request* does the same in [editors](editors.md), over the Debug Adapter Protocol.
  \`${MOVE_REQUEST}\` makes any move.
- In \`[COUNT]\`, brackets mark what may be left out, and capitals what you replace.

<!-- Printed by scripts/command-reference.ts from the tables of the debugger: npm run golden -->
`;

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`.replaceAll(/ +(?=\|)/g, ' ');
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n');
}

function code(text: string | undefined): string {
  return text === undefined ? '' : `\`${text.replaceAll('|', '\\|')}\``;
}

/** Text whose asterisks are not Markdown. */
function plain(text: string): string {
  return text.replaceAll('*', '\\*');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function requestOf({ name, move, dapRequest }: DebuggerCommand): string | undefined {
  if (dapRequest !== undefined) return dapRequest;
  return move !== undefined || name === 'forward' || name === 'back' ? MOVE_REQUEST : undefined;
}

function subjectSection(subject: CommandSubject): string {
  const title = COMMAND_SUBJECTS[subject];
  const commands = COMMANDS.filter((each) => each.subject === subject);
  const rows = commands.map((each) => [
    `[\`${each.name}\`](#${each.name})`,
    code(each.letter),
    plain(each.summary),
    each.key === undefined ? '' : keyText(each.key),
    code(requestOf(each)),
  ]);
  const summary = table(['command', 'letter', '', 'key', 'request'], rows);
  return `## ${title.charAt(0).toUpperCase()}${title.slice(1)}\n\n${summary}\n\n${commands.map(commandSection).join('\n')}`;
}

function commandSection(command: DebuggerCommand): string {
  const { name, arguments: args, summary, details = [], example, letter, aliases = [] } = command;
  const others = [...(letter === undefined ? [] : [letter]), ...aliases];
  return [
    `### ${name}\n`,
    `\`\`\`text\n${args === undefined ? name : `${name} ${args}`}\n\`\`\`\n`,
    `${plain([sentence(summary), ...details].join('\n'))}\n`,
    `Example: \`${example}\`${others.length === 0 ? '' : `. Other names: ${others.map(code).join(', ')}`}\n`,
    ...(name === 'info' ? [`${infoTable()}\n`] : []),
  ].join('\n');
}

function infoTable(): string {
  const rows = Object.entries(INFO_SUBJECTS).map(([subject, [summary]]) => [code(`info ${subject}`), summary]);
  return table(['subject', ''], rows);
}

function kindSections(): string {
  const moves = NAVIGATION_KINDS.map(({ kind, summary, text, key }) => [
    code(kind),
    summary,
    plain(text ?? ''),
    key === undefined ? '' : `${keyText(key)}, Shift+${keyText(key)}`,
  ]);
  const stops = BREAKPOINT_KINDS.map(({ id, title, detail, canHaveCondition }) => [
    code(id),
    title,
    plain(detail ?? ''),
    canHaveCondition ? 'yes' : '',
  ]);
  return `## Kinds for forward and back

TEXT is a part of the text of the event. \`*\` matches anything; a TEXT with \`*\` must match as a whole.

${table(['kind', 'goes to the next or previous', 'TEXT', 'keys'], moves)}

## Kinds for break

${table(['kind', '`break KIND` stops at', 'TEXT', 'condition'], stops)}
`;
}

function retiredSection(): string {
  const rows = Object.entries(RETIRED_COMMANDS).map(([name, successor]) => [code(name), code(successor)]);
  return `## Names of earlier versions

${table(['before', 'now'], rows)}
`;
}

export function commandReference(): string {
  const subjects = (Object.keys(COMMAND_SUBJECTS) as CommandSubject[]).map(subjectSection);
  return [INTRODUCTION, ...subjects, kindSections(), retiredSection()].join('\n');
}

if (import.meta.main) process.stdout.write(commandReference());
