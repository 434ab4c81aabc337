// `turntable doctor`: reports which files are transformed and which stay native, with reasons, without running them.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { classifyProgram, classificationText, LoaderError, loaderOptions, type LoaderOptions } from '@turntable/loader';
import { DOCTOR } from '../command-line/maintain-commands.ts';
import { parseArguments } from './arguments.ts';
import { settingsFlags } from './settings-flags.ts';
import { formatCount } from '@turntable/replayer/entry';
import { isolation } from '@turntable/replayer/replay';
import { reportUsageError } from './failure.ts';
import { print, printError, printStyled } from '../printing.ts';

export function doctor(args: readonly string[]): number {
  const { environment, others, problem: settingsProblem } = settingsFlags(args, DOCTOR);
  const parsed = settingsProblem ?? parseArguments(others, DOCTOR, { subjectName: 'file, the entry point' });
  if (typeof parsed === 'string') return reportUsageError('doctor', parsed);
  const { json } = parsed.values;
  const [file] = parsed.positionals;
  const entryPoint = file === undefined ? packageEntryPoint() : { entry: file };
  const problem =
    'problem' in entryPoint
      ? entryPoint.problem
      : existsSync(entryPoint.entry)
        ? undefined
        : `there is no file ${entryPoint.entry}`;
  if ('problem' in entryPoint || problem !== undefined)
    return reportUsageError('doctor', `${problem}; name the entry point: turntable doctor FILE`);
  const { entry } = entryPoint;
  let options: LoaderOptions;
  try {
    options = loaderOptions({}, { ...process.env, ...environment });
  } catch (error) {
    if (!(error instanceof LoaderError)) throw error;
    printError(`turntable doctor: ${error.message}\n`);
    return 2;
  }
  const { config } = options;
  const explanation = classifyProgram(pathToFileURL(resolve(entry)).href, options);
  const { refused } = explanation;
  if (json)
    print(`${JSON.stringify({ entry, config: config ?? null, replays: isolation(), ...explanation }, null, 2)}\n`);
  else {
    printVerdict(entry, refused);
    print(
      `${config === undefined ? '' : `\nSettings of ${config}\n`}\nReached from ${entry}${options.trace ? ', recorded with traces' : ''}:\n\n${classificationText(explanation)}\n\n${replaysText()}\n`,
    );
  }
  return refused.length > 0 ? 1 : 0;
}

/** How far processes that run recorded code are restricted on this machine. */
function replaysText(): string {
  const { level, program, problem } = isolation();
  const reason = problem ?? program;
  return `Replays on this machine: ${level ?? 'only with --trusted'}${reason === undefined ? '' : ` (${reason})`}`;
}

function printVerdict(entry: string, refused: readonly string[]): void {
  const { stdout } = process;
  print(`${entry}: `);
  if (refused.length === 0) printStyled('green', 'the program can be transformed', stdout);
  else printStyled('red', `${formatCount(refused.length, 'file')} cannot be transformed`, stdout);
  print(`\n${refused.map((each) => `\n${each}`).join('')}${refused.length === 0 ? '' : '\n'}`);
}

function packageEntryPoint(): { readonly entry: string } | { readonly problem: string } {
  let text: string;
  try {
    text = readFileSync('package.json', 'utf8');
  } catch {
    return { problem: 'no package.json here names an entry point' };
  }
  let main: unknown;
  try {
    ({ main } = JSON.parse(text) as { main?: unknown });
  } catch (error) {
    return { problem: `package.json is not valid: ${(error as Error).message}` };
  }
  const entry =
    typeof main === 'string' ? main : ['index.js', 'index.mjs', 'index.ts'].find((file) => existsSync(file));
  return entry === undefined ? { problem: 'package.json names no entry point' } : { entry };
}
