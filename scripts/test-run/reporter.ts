// Vitest reporter that writes the structured report of a run. After each file it cleans up: it deletes the scratch
// directory of a passed file, and notes and kills processes that a failed file left.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';
import { killAll, processesLeftOf } from './processes.ts';
import type {
  ErrorReport,
  FileReport,
  Observed,
  OutputReport,
  ProcessReport,
  RunReport,
  TestReport,
  TestState,
} from './report.ts';
import { OBSERVED_FILE, RUN_VARIABLE, scratchOf } from './scratch.ts';

/** Environment variable that names the file to write. */
export const REPORT_VARIABLE = 'TURNTABLE_TEST_REPORT';

const NODE = Number.parseInt(process.versions.node, 10);

export class ReportWriter implements Reporter {
  readonly #observed = new Map<string, Observed>();
  readonly #processesLeft = new Map<string, readonly ProcessReport[] | undefined>();
  readonly #deletions: Promise<void>[] = [];

  async onTestModuleEnd(module: TestModule): Promise<void> {
    const run = process.env[RUN_VARIABLE];
    if (run === undefined) return;
    const scratch = scratchOf(run, pathOf(module));
    this.#observed.set(module.moduleId, readObserved(scratch));
    if (module.ok()) {
      // Processes of the file may still write there; the test command deletes the rest.
      this.#deletions.push(rm(scratch, { recursive: true, force: true }).catch(() => {}));
      return;
    }
    const left = await processesLeftOf(scratch);
    this.#processesLeft.set(module.moduleId, left);
    killAll(left ?? []);
  }

  async onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): Promise<void> {
    await Promise.all(this.#deletions);
    const path = process.env[REPORT_VARIABLE];
    if (path === undefined) return;
    const report: RunReport = {
      files: modules.map((module) => this.#fileReport(module)),
      errorsOutsideTests: errors.map(errorReport),
    };
    writeFileSync(path, JSON.stringify(report));
  }

  #fileReport(module: TestModule): FileReport {
    const suites = [...module.children.allSuites()];
    const { output, children } = this.#observed.get(module.moduleId) ?? NOTHING_OBSERVED;
    return {
      file: pathOf(module),
      node: NODE,
      state: stateOf(module.state()),
      durationMs: module.diagnostic().duration,
      tests: [...module.children.allTests()].map(testReport),
      errors: [module, ...suites].flatMap((each: TestModule | TestSuite) => each.errors().map(errorReport)),
      output: [...logsOf(module, suites), ...output].toSorted((a, b) => a.at - b.at),
      children,
      processesLeft: this.#processesLeft.get(module.moduleId),
    };
  }
}

const NOTHING_OBSERVED: Observed = { output: [], children: [] };

/** Only failed files and reruns have some. */
function readObserved(scratch: string): Observed {
  const path = join(scratch, OBSERVED_FILE);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Observed) : NOTHING_OBSERVED;
}

function pathOf({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId).split(sep).join('/');
}

/** A file that was never run has failed: a run that stopped early must not look better than it was. */
function stateOf(state: ReturnType<TestModule['state']>): TestState {
  return state === 'passed' || state === 'skipped' ? state : 'failed';
}

function testReport(test: TestCase): TestReport {
  const { state, errors = [] } = test.result();
  return {
    id: test.id,
    name: test.fullName,
    state: state === 'pending' ? 'skipped' : state,
    durationMs: test.diagnostic()?.duration ?? 0,
    errors: errors.map(errorReport),
  };
}

/** The error, its causes and the parts of an AggregateError read as one text. */
function errorReport(error: SerializedError): ErrorReport {
  const chain = chainOf(error);
  const { name = 'Error', stack = '', diff, expected, actual } = error;
  const withCode = chain.find(({ code }) => typeof code === 'string') ?? error;
  const withSignal = chain.find(({ signal }) => typeof signal === 'string');
  const { code } = withCode as { code?: unknown };
  return {
    name,
    message: stripVTControlCharacters(chain.map(({ message }) => message).join('\n')),
    stack: stripVTControlCharacters(stack),
    diff: stripVTControlCharacters(typeof diff === 'string' ? diff : ''),
    code: typeof code === 'string' || typeof code === 'number' ? code : undefined,
    signal: withSignal?.['signal'] as string | undefined,
    wasKilled: withSignal?.['killed'] === true || withSignal?.['code'] === 'ETIMEDOUT',
    expected: typeof expected === 'string' ? expected : undefined,
    actual: typeof actual === 'string' ? actual : undefined,
  };
}

function chainOf(error: SerializedError): SerializedError[] {
  const found: SerializedError[] = [];
  const add = (each: unknown): void => {
    if (typeof each !== 'object' || each === null || found.includes(each as SerializedError)) return;
    const one = each as SerializedError & { readonly errors?: unknown };
    found.push(one);
    add(one.cause);
    if (Array.isArray(one.errors)) one.errors.forEach(add);
  };
  add(error);
  return found;
}

function logsOf(module: TestModule, suites: readonly TestSuite[]): OutputReport[] {
  return [module, ...suites, ...module.children.allTests()].flatMap((task) =>
    task.logs().map(({ type, time, content }) => ({
      source: type,
      at: time,
      during: task.type === 'test' ? [task.id] : [],
      text: content,
    })),
  );
}
