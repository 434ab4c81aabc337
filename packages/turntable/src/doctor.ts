// `turntable doctor`: what would be transformed, what would stay native, and why, without running anything.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { examine, explanationText } from '@turntable/loader';

export function doctor(args: readonly string[]): number {
  const json = args.includes('--json');
  const unknown = args.find((arg) => arg.startsWith('-') && arg !== '--json');
  if (unknown !== undefined) {
    process.stderr.write(`turntable doctor: there is no option ${unknown}; it takes --json\n`);
    return 2;
  }
  const entry = args.find((arg) => !arg.startsWith('-')) ?? entryOfPackage();
  if (entry === undefined || !existsSync(entry)) {
    const what = entry === undefined ? 'package.json names no entry point' : `there is no file ${entry}`;
    process.stderr.write(`turntable doctor: ${what}; say which file starts the program: turntable doctor FILE\n`);
    return 2;
  }
  const explanation = examine(pathToFileURL(resolve(entry)).href);
  process.stdout.write(
    json
      ? `${JSON.stringify({ entry, ...explanation }, null, 2)}\n`
      : `Reached from ${entry}:\n\n${explanationText(explanation)}\n`,
  );
  return 0;
}

function entryOfPackage(): string | undefined {
  try {
    const { main } = JSON.parse(readFileSync('package.json', 'utf8')) as { main?: unknown };
    return typeof main === 'string' ? main : ['index.js', 'index.mjs', 'index.ts'].find((file) => existsSync(file));
  } catch {
    return undefined;
  }
}
