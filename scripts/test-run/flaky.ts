// Decides from the report of a failed test file whether the file may count as flaky if its rerun passes. Pure.
// Structured facts come first (error codes, signals, processes left); PATTERNS match text where there is no structure.
import { LEAK } from './leak-check.ts';
import type { ErrorReport, FileReport } from './report.ts';

export const REASONS = [
  'divergence',
  'state-mismatch',
  'unexpected-signal',
  'hang-detector',
  'leak',
  'process-left-after-timeout',
] as const;
export type Reason = (typeof REASONS)[number];

/** Flaky files that one `npm test` tolerates, both Node versions together. */
export const MAX_FLAKY_FILES = 3;

/**
 * What the product and Node print in each case. Searched in error messages, diffs and output, never in stack traces: those
 * name test files. `test/house/flaky.test.ts` holds them against the functions that print them.
 */
const PATTERNS: Readonly<Record<Exclude<Reason, 'process-left-after-timeout'>, readonly RegExp[]>> = {
  divergence: [/\bTT_DIVERGED\b/, /\bdiverged\b/, /does something else than was recorded/],
  'state-mismatch': [
    /\bcompared at cuts, different: /,
    // JSON of a replay report, and the same in the diff of an assertion.
    /"different":[\s+-]*(?:Array )?\[[\s+-]*(?:Array )?\[/,
    /"?\bisSame"?: false\b/,
  ],
  'unexpected-signal': [/\bSIG(?:SEGV|ABRT|BUS|ILL|FPE|TRAP|SYS)\b/, /\bcore dumped\b/],
  'hang-detector': [
    /hangs in native code/,
    /nothing comes any more, and every thread waits/,
    /\bno outcome of .*: the recording lacks\b/,
    /the threads make no progress: /,
    /"hungThreads":[\s+-]*(?:Array )?\[[\s+-]*(?:Object )?\{/,
  ],
  leak: [new RegExp(`\\b${LEAK}\\b`), /\bmemory leak detected\b/],
};

/** Why a failed file can never count as flaky; empty if it can. */
export function reasonsNotFlaky(file: FileReport): Reason[] {
  const facts = factsOf(file);
  return REASONS.filter((reason) => {
    if (reason === 'process-left-after-timeout') return facts.isTimeout && file.processesLeft?.length !== 0;
    return (
      facts.structured.has(reason) || PATTERNS[reason].some((pattern) => facts.texts.some((text) => pattern.test(text)))
    );
  });
}

interface Facts {
  readonly structured: ReadonlySet<Reason>;
  readonly texts: readonly string[];
  readonly isTimeout: boolean;
}

function factsOf(file: FileReport): Facts {
  const errors = [...file.errors, ...file.tests.flatMap((test) => test.errors)];
  const structured = new Set(errors.flatMap(reasonsOfError));
  const passed = new Set(file.tests.filter(({ state }) => state === 'passed').map(({ id }) => id));
  // Tests of divergences print divergences: output and signals while only passed tests were running are expected. In
  // hooks and while a failed test was running they count.
  const isExpected = (during: readonly string[]): boolean => during.length > 0 && during.every((id) => passed.has(id));
  for (const { signal, wasKilled, endedDuring } of file.children)
    if (signal !== null && !wasKilled && !isExpected(endedDuring)) structured.add('unexpected-signal');
  return {
    structured,
    texts: [
      ...errors.flatMap(({ message, diff, code }) => [message, diff, String(code ?? '')]),
      ...file.output.filter(({ during }) => !isExpected(during)).map(({ text }) => text),
    ],
    isTimeout: errors.some(isTimeout),
  };
}

function reasonsOfError({ signal, wasKilled, expected, actual }: ErrorReport): Reason[] {
  const reasons: Reason[] = [];
  if (signal !== undefined && !wasKilled) reasons.push('unexpected-signal');
  if (isDigest(expected) && isDigest(actual)) reasons.push('state-mismatch');
  return reasons;
}

/** States are compared by their hashes, which assertions print. */
function isDigest(text: string | undefined): boolean {
  return text !== undefined && /^"?[0-9a-f]{16,}"?$/.test(text);
}

function isTimeout({ name, message }: ErrorReport): boolean {
  return (
    name === 'TestTimeoutError' ||
    name === 'HookTimeoutError' ||
    /\b(?:Test|Hook) timed out in \d+ms\b|\bphase of ".*" hook timed out after \d+ms\b/.test(message)
  );
}
