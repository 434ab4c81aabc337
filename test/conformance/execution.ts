/*
 * Runs one test262 file in all its variants, in realms of one kind, and judges it by the suite's INTERPRETING.md. A
 * file passes if every variant passes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Frontmatter, TestVariant } from './frontmatter.ts';
import { parseFrontmatter, variantsOf } from './frontmatter.ts';
import type { OpenTestRealm, TestRealm } from './test-realm.ts';

export type FileOutcome = {
  readonly failure: ConformanceFailure | undefined;
  readonly refused: 'eval' | 'with' | undefined;
  /** The reason why the test's state cannot be captured in principle, if there is one. */
  readonly exclusion?: string | undefined;
  /** How often its programs moved to another realm. */
  readonly interruptions?: number;
};
export type ConformanceFailure = {
  readonly variant: TestVariant | '';
  readonly reason: string;
  readonly detail: string;
};

/** Turns of the event loop for an async test: a realm waits only for jobs and for files that are read synchronously. */
const MAX_ASYNC_ROUNDS = 60;

const harnessSources = new Map<string, string>();

export function harnessSource(suite: string, name: string): string {
  let source = harnessSources.get(name);
  if (source === undefined) {
    source = readFileSync(join(suite, 'harness', name), 'utf8');
    harnessSources.set(name, source);
  }
  return source;
}

/** @param only the variant to run of scripts that have both */
export async function executeFile(
  suite: string,
  path: string,
  source: string,
  open: OpenTestRealm,
  only?: TestVariant,
): Promise<FileOutcome> {
  const meta = parseFrontmatter(source);
  let refused: FileOutcome['refused'];
  let exclusion: string | undefined;
  let interruptions = 0;
  const openNoting: OpenTestRealm = ({ print }) =>
    open({
      print,
      onRefusal: (construct) => (refused ??= construct),
      onExclusion: (reason) => (exclusion ??= reason),
      onInterruption: () => interruptions++,
    });
  const all = variantsOf(meta);
  const variants = only !== undefined && all.includes(only) ? [only] : all;
  for (const variant of variants) {
    const verdict = await executeVariant(suite, join(suite, path), source, meta, variant, openNoting);
    if (verdict !== undefined) return { failure: { variant, ...verdict }, refused, exclusion, interruptions };
  }
  return { failure: undefined, refused, exclusion, interruptions };
}

type Verdict = { readonly reason: string; readonly detail: string } | undefined;

async function executeVariant(
  suite: string,
  file: string,
  source: string,
  meta: Frontmatter,
  variant: TestVariant,
  open: OpenTestRealm,
): Promise<Verdict> {
  const printed: string[] = [];
  const isAsync = meta.flags.includes('async');
  let realm: TestRealm;
  try {
    realm = open({ print: (text) => printed.push(text) });
    if (variant !== 'raw') {
      const names = ['assert.js', 'sta.js', ...(isAsync ? ['doneprintHandle.js'] : []), ...meta.includes];
      for (const name of names) realm.harness(harnessSource(suite, name), name);
    }
  } catch (error) {
    return { reason: 'harness', detail: describe(error) };
  }

  const verdict = await runTest(realm, { file, source, meta, variant, isAsync, printed });
  if (verdict !== undefined || realm.failure === undefined) return verdict;
  return { reason: `interruption: ${realm.failure.reason}`, detail: realm.failure.detail };
}

type ConformanceTest = {
  readonly file: string;
  readonly source: string;
  readonly meta: Frontmatter;
  readonly variant: TestVariant;
  readonly isAsync: boolean;
  readonly printed: readonly string[];
};

async function runTest(realm: TestRealm, test: ConformanceTest): Promise<Verdict> {
  const { file, source, meta, variant, isAsync, printed } = test;
  let phase = 'parse';
  try {
    if (variant === 'module') {
      const module = realm.module(source, file);
      phase = 'resolution';
      module.link();
      phase = 'runtime';
      await module.evaluate();
    } else {
      const script = realm.script(variant === 'strict' ? `"use strict";\n${source}` : source, file);
      phase = 'runtime';
      script.run();
    }
    realm.interrupt?.();
  } catch (error) {
    realm.interrupt?.();
    if (meta.negative === undefined) return { reason: `${phase} error`, detail: describe(error) };
    const type = errorClassOf(error);
    if (type === meta.negative.type && phase === meta.negative.phase) return undefined;
    return {
      reason: 'negative',
      detail: `expected ${meta.negative.type} in phase ${meta.negative.phase}, got ${describe(error)} in phase ${phase}`,
    };
  }
  if (meta.negative !== undefined) {
    return { reason: 'negative', detail: `expected ${meta.negative.type} in phase ${meta.negative.phase}, got none` };
  }
  if (!isAsync) return undefined;

  for (let round = 0; round < MAX_ASYNC_ROUNDS; round++) {
    const line = printed.find((text) => text.startsWith('Test262:'));
    if (line === 'Test262:AsyncTestComplete') return undefined;
    if (line !== undefined) return { reason: 'async failure', detail: line.slice('Test262:AsyncTestFailure:'.length) };
    await setImmediate();
  }
  return { reason: 'async', detail: '$DONE was not called' };
}

function errorClassOf(error: unknown): string {
  if ((typeof error !== 'object' && typeof error !== 'function') || error === null) return typeof error;
  const { constructor } = error as { constructor?: { name?: unknown } };
  const { name } = error as { name?: unknown };
  return typeof constructor?.name === 'string' && constructor.name !== 'Object' ? constructor.name : String(name);
}

export function describe(error: unknown): string {
  try {
    if (typeof error !== 'object' || error === null) return `thrown ${typeof error}: ${String(error)}`;
    const { message } = error as { message?: unknown };
    return `${errorClassOf(error)}: ${String(message)}`;
  } catch {
    return 'an indescribable error';
  }
}
