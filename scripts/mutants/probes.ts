// Finds the test files that execute mutants: a copy of the tree has a probe at each mutant, and one run of all tests shows
// which files execute it, in any process or thread.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RolldownMagicString } from 'rolldown';
import type { Mutation } from './mutations.ts';
import { PROBES_VARIABLE, testFileOf } from './probe-files.ts';
import type { Mutant } from './sample.ts';
import { runTests } from './tests.ts';

/** Where processes append that have no `PROBES_VARIABLE`. */
const UNKNOWN = 'unknown';
/** The permissions of replay processes, which must be able to write the files of probes. */
const PERMISSIONS_FILE = 'packages/replayer/src/replay/permissions.ts';
const SILENCE_MS = 10 * 60_000;

export interface ExecutingTests {
  /** Test files that execute a mutant, those first that are quick and execute few other mutants. */
  readonly files: readonly string[];
  /** Whether a process of an unknown test executes it. */
  readonly isUnknown: boolean;
}

/** @param patterns paths of tests, all if empty */
export async function findExecutingTests(
  tree: string,
  mutants: readonly Mutant[],
  patterns: readonly string[],
): Promise<Map<Mutant, ExecutingTests>> {
  const directory = join(tree, 'node_modules/.cache/mutant-probes');
  mkdirSync(directory, { recursive: true });
  const mutantsByFile = Map.groupBy(mutants.entries(), ([, mutant]) => mutant.file);
  const sources = new Map<string, string>();
  for (const file of new Set([...mutantsByFile.keys(), PERMISSIONS_FILE])) {
    const source = readFileSync(join(tree, file), 'utf8');
    sources.set(file, source);
    const probes = (mutantsByFile.get(file) ?? []).map(([id, { mutation }]) => ({ id, mutation }));
    const probed = withProbes(source, probes, join(directory, UNKNOWN));
    writeFileSync(join(tree, file), file === PERMISSIONS_FILE ? withWritePermission(probed, directory) : probed);
  }
  const { durations } = await runTests(tree, patterns, {
    silenceMs: SILENCE_MS,
    isThorough: true,
    env: { [PROBES_VARIABLE]: directory },
  });
  for (const [file, source] of sources) writeFileSync(join(tree, file), source);

  const executedBy = new Map(readdirSync(directory).map((name) => [testFileOf(name), readIds(join(directory, name))]));
  const costOf = (file: string): number => (durations.get(file) ?? 0) * (executedBy.get(file)?.size ?? 0);
  return new Map(
    mutants.map((mutant, id) => {
      const found = [...executedBy].filter(([, ids]) => ids.has(id)).map(([file]) => file);
      const files = found.filter((file) => file !== UNKNOWN).toSorted((a, b) => costOf(a) - costOf(b));
      return [mutant, { files, isUnknown: found.includes(UNKNOWN) }];
    }),
  );
}

function readIds(path: string): Set<number> {
  return new Set(readFileSync(path, 'utf8').trim().split('\n').map(Number));
}

/** Adds a directory to which replay processes may write. */
function withWritePermission(source: string, directory: string): string {
  const flag = "'--permission',";
  if (!source.includes(flag)) throw new Error(`${PERMISSIONS_FILE} does not contain ${flag}`);
  return source.replace(flag, `${flag} ${JSON.stringify(`--allow-fs-write=${directory}`)},`);
}

interface Probe {
  readonly id: number;
  readonly mutation: Mutation;
}

/** @param fallback file to which processes append that have no `PROBES_VARIABLE` */
export function withProbes(source: string, probes: readonly Probe[], fallback: string): string {
  const text = new RolldownMagicString(source);
  // Outer ones first: the prefix of an inner one follows theirs, and its suffix precedes theirs.
  for (const { id, mutation } of probes.toSorted(
    ({ mutation: a }, { mutation: b }) => a.start - b.start || b.end - a.end,
  )) {
    const [prefix, suffix] = around(mutation, `__probe?.(${id})`);
    text.appendRight(mutation.start, prefix);
    text.prependLeft(mutation.end, suffix);
  }
  const [shebang = ''] = /^#!.*\n/.exec(source) ?? [];
  return shebang + probeFunction(fallback) + text.toString().slice(shebang.length);
}

function around({ kind }: Mutation, call: string): readonly [string, string] {
  if (kind === 'statement') return [`{ ${call}; `, ' }'];
  if (kind === 'arguments') return [`...(${call}, []), `, ''];
  return [`(${call}, `, ')'];
}

/**
 * On one line. A variable, because a circular import may run code of the module before this line. Threads without an
 * environment take the path from the thread that started them, or from the environment with which their process started.
 */
function probeFunction(fallback: string): string {
  const body = [
    'if (process?.getBuiltinModule === undefined) return undefined;',
    "const { appendFileSync, existsSync, readFileSync } = process.getBuiltinModule('node:fs');",
    "const { getEnvironmentData } = process.getBuiltinModule('node:worker_threads');",
    "const environment = '/proc/self/environ';",
    `const pattern = /(?:^|\\0)${PROBES_VARIABLE}=([^\\0]*)/;`,
    "const inherited = () => existsSync(environment) ? pattern.exec(readFileSync(environment, 'utf8'))?.[1] : undefined;",
    `const path = process.env.${PROBES_VARIABLE} ?? getEnvironmentData('${PROBES_VARIABLE}') ?? inherited() ?? ${JSON.stringify(fallback)};`,
    'const seen = new Set();',
    'return (id: number) => {',
    'if (seen.has(id)) return; seen.add(id); try { appendFileSync(path, `${id}\\n`); } catch {}',
    '};',
  ];
  return `var __probe = ((process) => { ${body.join(' ')} })(globalThis.process); `;
}
