// `turntable explain CODE`: explains an error code or a message.
import { text as readText } from 'node:stream/consumers';
import { closestNames } from '@turntable/loader/closest-name';
import { EXPLAIN } from '../command-line/inspect-commands.ts';
import { docsLinkOf, ERROR_AREAS, ERROR_TABLES, EXPLAINED_ERRORS, type ExplainedError } from '../error-tables.ts';
import { findErrors } from '../find-errors.ts';
import { wrapIndented } from '../wrap-text.ts';
import { parseArguments } from './arguments.ts';
import { reportUsageError } from './failure.ts';
import { print, printError } from '../printing.ts';

const MAX_SUGGESTIONS = 3;

export async function explain(args: readonly string[]): Promise<number> {
  const textIndex = args.findIndex((arg) => !arg.startsWith('--') || arg.includes(' '));
  const flags = textIndex === -1 ? args : args.slice(0, textIndex);
  const parsed = parseArguments(flags, EXPLAIN, { subjectName: 'code or message' });
  if (typeof parsed === 'string') return reportUsageError('explain', parsed);
  const isJson = parsed.values.json === true;
  const words = textIndex === -1 ? [] : args.slice(textIndex);
  if (parsed.values.list === true) {
    if (words.length > 0) return reportUsageError('explain', '--list takes no code or message');
    print(isJson ? jsonText(EXPLAINED_ERRORS) : listText());
    return 0;
  }
  if (words.length === 0 && process.stdin.isTTY) return reportUsageError('explain', 'name a code or a message');
  const text = words.length > 0 ? words.join(' ') : await readText(process.stdin);
  const { errors, unknownCodes } = findErrors(text);
  if (isJson) print(jsonText(errors));
  else print(errors.map(errorText).join('\n'));
  for (const code of unknownCodes) printError(`turntable explain: ${unknownCodeText(code)}\n`);
  if (errors.length === 0 && unknownCodes.length === 0)
    printError('turntable explain: no error has this message; turntable explain --list lists all error codes\n');
  return errors.length > 0 ? 0 : 1;
}

function unknownCodeText(code: string): string {
  const codes = EXPLAINED_ERRORS.map((error) => error.code);
  return `there is no error code ${code}; the closest ones are ${closestNames(code, codes, MAX_SUGGESTIONS).join(', ')}`;
}

function jsonText(errors: readonly ExplainedError[]): string {
  return `${JSON.stringify(errors.map((error) => ({ ...error, docs: docsLinkOf(error.code) })))}\n`;
}

function errorText({ code, package: packageName, area, messages, meaning, cause, remedy }: ExplainedError): string {
  const facts = [
    ['Meaning', meaning],
    ['Cause', cause],
    ['Remedy', remedy],
    ['Message', messages[0]],
    ['Docs', docsLinkOf(code)],
  ] as const;
  const lines = facts.map(([label, text]) => `  ${`${label}:`.padEnd(10)}${wrapIndented(text, 12)}\n`);
  return `${code} (${packageName}): ${ERROR_AREAS[area]}\n\n${lines.join('')}`;
}

function listText(): string {
  const sections = Object.entries(ERROR_TABLES).map(([name, table]) => {
    const width = Math.max(...Object.keys(table).map((code) => code.length)) + 4;
    const rows = Object.entries(table).map(
      ([code, { meaning }]) => `${`  ${code}`.padEnd(width)}${wrapIndented(meaning, width)}\n`,
    );
    return `${name}\n\n${rows.join('')}`;
  });
  return sections.join('\n');
}
