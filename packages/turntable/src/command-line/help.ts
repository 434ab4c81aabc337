// The text of `turntable --help` and of `turntable COMMAND --help`, at most 80 columns wide.
import { wrapIndented } from '../wrap-text.ts';
import type { CommandGroup, CommandLine, Option, OptionGroup } from './command-line.ts';

/** Maximum width of the left column. A longer entry has its description on the next line. */
const MAX_LEFT_WIDTH = 22;

const HELP_OPTION: Option = { flag: 'help', short: 'h', description: 'print this help' };
const PROGRAM_OPTIONS: readonly Option[] = [
  { ...HELP_OPTION, description: 'print this help; after a command: its help' },
  { flag: 'version', short: 'v', description: 'print the version' },
];
const USAGE_ERROR = ['2', 'usage error'] as const;

type Row = readonly [left: string, right: string];

interface Overview {
  readonly title: string;
  readonly groups: readonly CommandGroup[];
  /** Paragraphs below the commands. */
  readonly notes: readonly string[];
  readonly examples: readonly string[];
  readonly exitCodes: readonly Row[];
}

/** Help of one command. */
export function helpText(command: CommandLine): string {
  const { name, summary, usage, description = [], optionGroups, examples, exitCodes } = command;
  const codes = [...exitCodes, USAGE_ERROR].toSorted(([a], [b]) => Number(a) - Number(b) || 0);
  const groups: readonly OptionGroup[] = [...optionGroups, { title: 'Help', options: [HELP_OPTION] }];
  return [
    `${capitalize(summary)}\n`,
    usage
      .map((each, i) => `${i === 0 ? 'Usage:' : '      '} turntable ${name}${each === '' ? '' : ` ${each}`}\n`)
      .join(''),
    ...description.map((paragraph) => `${wrapIndented(paragraph, 0)}\n`),
    ...optionTables(groups),
    ...endSections(examples, codes),
  ].join('\n');
}

/** Help of the program: all commands by group. */
export function overviewText({ title, groups, notes, examples, exitCodes }: Overview): string {
  const rowOf = ({ name, operands, summary }: CommandLine): Row => [
    operands === '' ? name : `${name} ${operands}`,
    summary,
  ];
  const leftWidth = leftWidthOf(groups.flatMap(({ commands }) => commands.map(rowOf)));
  return [
    `${title}\n`,
    'Usage: turntable COMMAND [options]\n',
    ...groups.map((group) => section(group.title, table(group.commands.map(rowOf), leftWidth))),
    section(
      'Options',
      table(
        PROGRAM_OPTIONS.map((each) => [optionUsage(each, true), each.description]),
        leftWidth,
      ),
    ),
    ...notes.map((note) => `${wrapIndented(note, 0)}\n`),
    ...endSections(examples, exitCodes),
  ].join('\n');
}

function endSections(examples: readonly string[], exitCodes: readonly Row[]): string[] {
  return [section('Examples', examples.map((each) => `  ${each}\n`).join('')), section('Exit codes', table(exitCodes))];
}

function section(title: string, text: string): string {
  return `${title}:\n${text}`;
}

function optionTables(groups: readonly OptionGroup[]): string[] {
  const hasShort = groups.some(({ title, options }) => title !== 'Help' && options.some(({ short }) => short));
  const rowOf = (option: Option): Row => [optionUsage(option, hasShort), option.description + variableNote(option)];
  const leftWidth = leftWidthOf(groups.flatMap(({ options }) => options.map(rowOf)));
  return groups.map(({ title, options }) => section(title, table(options.map(rowOf), leftWidth)));
}

function optionUsage({ flag, short, argument, optionalArgument }: Option, hasShort: boolean): string {
  const shortText = short === undefined ? (hasShort ? '    ' : '') : `-${short}, `;
  const argumentText = argument === undefined ? '' : ` ${argument}`;
  return `${shortText}--${flag}${argumentText}${optionalArgument === undefined ? '' : `[=${optionalArgument}]`}`;
}

function variableNote({ variable, variableValue }: Option): string {
  if (variable === undefined) return '';
  return ` (${variable}${variableValue === undefined ? '' : `=${variableValue}`})`;
}

function leftWidthOf(rows: readonly Row[]): number {
  return Math.max(...rows.map(([left]) => left.length).filter((length) => length <= MAX_LEFT_WIDTH));
}

function table(rows: readonly Row[], leftWidth = leftWidthOf(rows)): string {
  const indent = leftWidth + 4;
  return rows
    .map(([left, right]) =>
      left.length <= leftWidth
        ? `  ${left.padEnd(leftWidth)}  ${wrapIndented(right, indent)}\n`
        : `  ${left}\n${' '.repeat(indent)}${wrapIndented(right, indent)}\n`,
    )
    .join('');
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
