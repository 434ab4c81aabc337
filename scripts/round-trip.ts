// Records a program with an actor, replays it and steps through it with `turntable debug`: from sources and bundles in
// test/house/forms.test.ts, from the packages as they are published in `npm run pack`.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './node-release.mjs';

export interface Form {
  /** Flags of Node and the file of the command line. */
  readonly command: readonly string[];
  /** Folder from which `turntable` can be imported; a temporary folder is created in it. */
  readonly directory: string;
}

const PROGRAM = join(root, 'scripts/round-trip');
const PRINTED = 'counted 3\n';
/** Moves into a method, over a statement and back, then on to the program's output. */
const MOVES = 'forward turn\nforward turn\nstep\nnext\nreverse-next\nforward output\nquit\n';

/** Describes each failure; empty if there is none. */
export function roundTripFaults({ command, directory }: Form): string[] {
  const cwd = join(directory, `round-trip-${process.pid}`);
  mkdirSync(cwd);
  try {
    cpSync(PROGRAM, cwd, { recursive: true });
    // The cache is keyed by published versions and may hold code of another build.
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
      ...(replayed.includes('"verdict":"same"') ? [] : [`replay prints\n${replayed}`]),
      ...(stepped.endsWith('quit\n') && isStepped(stepped) ? [] : [`debug prints\n${stepped}`]),
    ];
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function isStepped(text: string): boolean {
  const lines = [...text.matchAll(/counter\.ts:(\d+):\d+ in add/g)].map(([, line]) => line);
  return lines.join() === '8,9,8' && text.includes(`prints ${PRINTED.length} bytes`);
}
