// `turntable doctor`: what would be transformed, what would stay native, and why, without running anything.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { examine, type Explanation } from '@turntable/loader';
import { table } from './table.ts';

const SIDES = { program: 'transformed', device: 'device', native: 'native' } as const;

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
  process.stdout.write(json ? `${JSON.stringify({ entry, ...explanation }, null, 2)}\n` : print(entry, explanation));
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

function print(entry: string, { packages, builtins }: Explanation): string {
  const name = (each: Explanation['packages'][number]): string => (each.version === undefined ? each.name : `${each.name}@${each.version}`);
  return [
    `Reached from ${entry}:`,
    '',
    table(
      ['package', 'is', 'files', 'because'],
      packages.map((each) => [name(each), SIDES[each.side], String(each.files), each.reason]),
    ),
    '',
    table(
      ['builtin', 'is', 'because'],
      builtins.map((each) => [each.name, each.class, each.reason]),
    ),
    '',
  ].join('\n');
}
