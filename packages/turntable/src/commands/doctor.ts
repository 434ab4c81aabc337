// `turntable doctor`: reports which files are transformed and which stay native, with reasons, without running them.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { classifyProgram, classificationText, LoaderError, loaderOptions, type LoaderOptions } from '@turntable/loader';
import { settingsFlags } from './settings-flags.ts';
import { reportUsageError } from './failure.ts';

export const DOCTOR_USAGE = `Usage: turntable doctor [settings] [FILE] [--json]

Show which packages and builtins are on which side of the boundary and why, and
which code cannot be transformed. Runs nothing. FILE defaults to the entry point
of package.json.

  --trace         for a program recorded with traces
  --include LIST  transform these packages or paths
  --exclude LIST  never transform these
  --json          print JSON

Exit codes: 0 success, 1 if something cannot be transformed.

  turntable doctor app.ts
  turntable doctor --trace app.ts --json`;

export function doctor(allArgs: readonly string[]): number {
  const { environment, others: args, problem: settingsProblem } = settingsFlags(allArgs);
  if (settingsProblem !== undefined) return reportUsageError('doctor', settingsProblem);
  const json = args.includes('--json');
  const unknown = args.find((arg) => arg.startsWith('-') && arg !== '--json');
  if (unknown !== undefined)
    return reportUsageError('doctor', `there is no option ${unknown}; it takes --json and settings`);
  const [file, ...excess] = args.filter((arg) => !arg.startsWith('-'));
  if (excess.length > 0)
    return reportUsageError('doctor', `give one file, the entry point, without ${excess.join(' ')}`);
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
    return reportUsageError('doctor', error.message);
  }
  const { config } = options;
  const explanation = classifyProgram(pathToFileURL(resolve(entry)).href, options);
  const { refused } = explanation;
  process.stdout.write(
    json
      ? `${JSON.stringify({ entry, config: config ?? null, ...explanation }, null, 2)}\n`
      : `${config === undefined ? '' : `Settings of ${config}\n\n`}Reached from ${entry}${options.trace ? ', recorded with traces' : ''}:\n\n${classificationText(explanation)}\n`,
  );
  if (!json && refused.length > 0)
    process.stdout.write(`\nCannot be transformed:\n\n${refused.map((each) => `${each}\n`).join('')}`);
  return refused.length > 0 ? 1 : 0;
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
