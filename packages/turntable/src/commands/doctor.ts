// `turntable doctor`: what would be transformed, what would stay native, and why, without running anything.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { examine, explanationText, LoaderError, loaderOptions, type LoaderOptions } from '@turntable/loader';
import { settingsFlags } from './settings-flags.ts';
import { usageError } from './told-failure.ts';

export const DOCTOR_USAGE = `Usage: turntable doctor [settings] [FILE] [--json]

Which packages and builtins are on which side of the boundary, and why, and what of the program cannot be transformed. Runs nothing of it. Without FILE it is what package.json starts with.
  --trace           of a program that is recorded with traces
  --include LIST    with these settings: packages or parts of paths that are transformed; --exclude LIST: that stay native
  --json            the same as JSON

Ends with 1 if something cannot be transformed.

  turntable doctor app.ts
  turntable doctor --trace app.ts --json`;

export function doctor(allArgs: readonly string[]): number {
  const { environment, rest: args, wrong } = settingsFlags(allArgs);
  if (wrong !== undefined) return usageError('doctor', wrong);
  const json = args.includes('--json');
  const unknown = args.find((arg) => arg.startsWith('-') && arg !== '--json');
  if (unknown !== undefined) return usageError('doctor', `there is no option ${unknown}; it takes --json and settings`);
  const [given, ...others] = args.filter((arg) => !arg.startsWith('-'));
  if (others.length > 0)
    return usageError('doctor', `it takes one file, the one that starts the program, not also ${others.join(' ')}`);
  const found = given === undefined ? entryOfPackage() : { entry: given };
  const problem =
    'problem' in found ? found.problem : existsSync(found.entry) ? undefined : `there is no file ${found.entry}`;
  if ('problem' in found || problem !== undefined)
    return usageError('doctor', `${problem}; say which file starts the program: turntable doctor FILE`);
  const { entry } = found;
  let options: LoaderOptions;
  try {
    options = loaderOptions({}, { ...process.env, ...environment });
  } catch (error) {
    if (!(error instanceof LoaderError)) throw error;
    return usageError('doctor', error.message);
  }
  const { config } = options;
  const explanation = examine(pathToFileURL(resolve(entry)).href, options);
  const { refused } = explanation;
  process.stdout.write(
    json
      ? `${JSON.stringify({ entry, config: config ?? null, ...explanation }, null, 2)}\n`
      : `${config === undefined ? '' : `Settings of ${config}\n\n`}Reached from ${entry}${options.trace ? ', recorded with traces' : ''}:\n\n${explanationText(explanation)}\n`,
  );
  if (!json && refused.length > 0)
    process.stdout.write(`\nCannot be transformed:\n\n${refused.map((each) => `${each}\n`).join('')}`);
  return refused.length > 0 ? 1 : 0;
}

function entryOfPackage(): { readonly entry: string } | { readonly problem: string } {
  let text: string;
  try {
    text = readFileSync('package.json', 'utf8');
  } catch {
    return { problem: 'there is no package.json here that names an entry point' };
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
