// Tests mutants, one after the other, in a copy of the tree: with the tests that execute them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyMutation } from './mutations.ts';
import type { ExecutingTests } from './probes.ts';
import type { Mutant } from './sample.ts';
import type { MutantResult } from './summary.ts';
import { runTests, type TestResult } from './tests.ts';

/** The most test files of other packages and whole programs that run for one mutant. */
const MAX_OTHER_FILES = 30;

interface UnmutatedResult {
  readonly isPassed: boolean;
  readonly durationMs: number;
}

export interface MutantTesterOptions {
  /** Time without a test that starts or ends, after which the running tests hang. */
  readonly limitMs: number;
  /** Results of test files without a mutant, which testers share. */
  readonly unmutatedResults: Map<string, UnmutatedResult>;
}

export class MutantTester {
  readonly #tree: string;
  readonly #limitMs: number;
  readonly #unmutatedResults: Map<string, UnmutatedResult>;

  constructor(tree: string, { limitMs, unmutatedResults }: MutantTesterOptions) {
    this.#tree = tree;
    this.#limitMs = limitMs;
    this.#unmutatedResults = unmutatedResults;
  }

  async test(mutant: Mutant, { files, isUnknown }: ExecutingTests): Promise<MutantResult> {
    const startedAt = performance.now();
    const { package: name, description } = mutant;
    const isOwn = (file: string): boolean => file.startsWith(`packages/${name}/test/`);
    const stages = [
      ['caught by own tests', files.filter(isOwn)],
      ['caught by other tests', files.filter((file) => !isOwn(file)).slice(0, MAX_OTHER_FILES)],
    ] as const;
    const resultOf = (verdict: MutantResult['verdict'], tested?: TestResult): MutantResult => ({
      package: name,
      mutant: description,
      verdict,
      isExecuted: files.length > 0 || isUnknown,
      isHang: tested?.outcome === 'hang',
      tests: tested?.tests ?? [],
      seconds: Math.round((performance.now() - startedAt) / 1000),
    });
    for (const [verdict, patterns] of stages) {
      const tested = patterns.length === 0 ? undefined : await this.#findFailure(mutant, patterns);
      if (tested !== undefined) return resultOf(verdict, tested);
    }
    return resultOf('survived');
  }

  /** Returns a failure or hang that the mutant causes. Failures without a mutant, and slow tests, are ignored. */
  async #findFailure(mutant: Mutant, patterns: readonly string[]): Promise<TestResult | undefined> {
    for (let silenceMs = this.#limitMs; ;) {
      const excluded = [...this.#unmutatedResults]
        .filter(([, { isPassed }]) => !isPassed)
        .map(([file]) => `--exclude=${file}`);
      const tested = await this.#runMutated(mutant, [...patterns, ...excluded], silenceMs);
      if (tested.outcome === 'passed') return undefined;
      if (tested.files.length === 0) return tested;
      const unmutated = await this.#runUnmutated(tested.files);
      if (!unmutated.isPassed) continue;
      if (tested.outcome === 'failed') return tested;
      const rerun = await this.#runMutated(mutant, tested.files, Math.max(this.#limitMs, 3 * unmutated.durationMs));
      if (rerun.outcome !== 'passed') return rerun;
      console.error(`slow, but not hanging: ${tested.files.join(', ')}`);
      silenceMs *= 2;
    }
  }

  async #runMutated({ file, mutation }: Mutant, patterns: readonly string[], silenceMs: number): Promise<TestResult> {
    const path = join(this.#tree, file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(path, applyMutation(source, mutation));
    const tested = await runTests(this.#tree, patterns, { silenceMs });
    writeFileSync(path, source);
    return tested;
  }

  /** Runs files one by one without the mutant. */
  async #runUnmutated(files: readonly string[]): Promise<UnmutatedResult> {
    for (const file of files) {
      if (this.#unmutatedResults.has(file)) continue;
      const startedAt = performance.now();
      const isPassed = (await runTests(this.#tree, [file], { silenceMs: 4 * this.#limitMs })).outcome === 'passed';
      this.#unmutatedResults.set(file, { isPassed, durationMs: performance.now() - startedAt });
      if (!isPassed) console.error(`${file} fails without a mutant, too`);
    }
    const found = files.map((file) => this.#unmutatedResults.get(file) as UnmutatedResult);
    return {
      isPassed: found.every(({ isPassed }) => isPassed),
      durationMs: Math.max(...found.map(({ durationMs }) => durationMs)),
    };
  }
}
