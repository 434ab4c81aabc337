// Results of mutants, and their numbers by package.

const VERDICTS = ['caught by own tests', 'caught by other tests', 'survived'] as const;
type Verdict = (typeof VERDICTS)[number];

export interface MutantResult {
  readonly package: string;
  readonly mutant: string;
  readonly verdict: Verdict;
  /** Whether any test executes it. */
  readonly isExecuted: boolean;
  /** Whether the mutant was caught because tests hung. */
  readonly isHang: boolean;
  /** Tests that failed or hung. */
  readonly tests: readonly string[];
  readonly seconds: number;
}

interface Totals {
  readonly name: string;
  readonly mutants: number;
  readonly verdicts: Readonly<Record<Verdict, number>>;
  readonly hangs: number;
  readonly notExecuted: number;
}

export function totalsOf(name: string, results: readonly MutantResult[]): Totals {
  const verdicts = Object.fromEntries(
    VERDICTS.map((verdict) => [verdict, results.filter((each) => each.verdict === verdict).length]),
  ) as Record<Verdict, number>;
  return {
    name,
    mutants: results.length,
    verdicts,
    hangs: results.filter(({ isHang }) => isHang).length,
    notExecuted: results.filter(({ isExecuted }) => !isExecuted).length,
  };
}

export function tableOf(rows: readonly Totals[]): string {
  const line = (name: string, cells: readonly (string | number)[]): string =>
    name.padEnd(16) + cells.map((cell) => String(cell).padStart(23)).join('');
  return [
    line('package', ['mutants', ...VERDICTS, 'not executed', 'caught by a hang']),
    ...rows.map(({ name, mutants, verdicts, hangs, notExecuted }) =>
      line(name, [mutants, ...VERDICTS.map((verdict) => verdicts[verdict]), notExecuted, hangs]),
    ),
  ].join('\n');
}
