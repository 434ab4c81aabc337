// Records a program with an actor, replays it and steps through it with `turntable debug`: from sources and bundles in
// test/house/forms.test.ts, from the packages as they are published in `npm run pack`.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './node-release.mjs';

export interface Form {
  /** Node's flags, and the file of the command line. */
  readonly command: readonly string[];
  /** Where `turntable` can be imported from. A folder is made there, and removed. */
  readonly directory: string;
}

const PROGRAM = join(root, 'scripts/round-trip');
const PRINTED = 'counted 3\n';
/** Into a method, over a statement and back over it; then on to what the program prints. */
const MOVES = 'next turn\nnext turn\nnext into\nnext over\nback over\nnext output\nquit\n';

/** What went wrong, as text; empty if nothing did. */
export function roundTripFaults({ command, directory }: Form): string[] {
  const cwd = join(directory, `round-trip-${process.pid}`);
  mkdirSync(cwd);
  try {
    cpSync(PROGRAM, cwd, { recursive: true });
    // The cache is keyed by published versions: another build's code must not be taken from it.
    const env = { ...process.env, TURNTABLE_CACHE: 'off', NODE_OPTIONS: '', NO_COLOR: '1' };
    const run = (args: readonly string[], input = ''): string => {
      const { stdout, stderr, status } = spawnSync(process.execPath, [...command, ...args], {
        cwd,
        encoding: 'utf8',
        env,
        input,
      });
      return status === 0 ? stdout : `${stdout}${stderr}exit code ${status}\n`;
    };
    const recorded = run(['record', 'main.ts']);
    const replayed = run(['replay', '--json', 'recordings']);
    const stepped = run(['debug', '--repl', 'recordings'], MOVES);
    return [
      ...(recorded === PRINTED ? [] : [`record prints\n${recorded}`]),
      ...(replayed.includes('"verdict":"same"') ? [] : [`replay says\n${replayed}`]),
      ...(stepped.endsWith('quit\n') && isStepped(stepped) ? [] : [`debug says\n${stepped}`]),
    ];
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function isStepped(text: string): boolean {
  const lines = [...text.matchAll(/counter\.ts:(\d+):\d+ in add/g)].map(([, line]) => line);
  return lines.join() === '8,9,8' && text.includes(`prints ${PRINTED.length} bytes`);
}
