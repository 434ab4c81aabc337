// What a file of tests says in one way beside what it says on Node alone; of what was recorded also whether it runs again, and says so.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, runAgain, type Again, type Ran, type TestFile, type Way } from './ways.ts';

export interface Compared {
  readonly way: Way;
  /** So many tests said the same on Node alone. */
  readonly same: number;
  /** A line for each that did not, and for what else was not as it should be. */
  readonly different: readonly string[];
  /** Where the recording is, if something is wrong with it. */
  readonly kept?: string;
}

export interface FileReport {
  readonly file: string;
  readonly tests: number;
  /** Tests that failed on Node alone. */
  readonly failing: number;
  readonly compared: readonly Compared[];
}

export async function comparedIn(ways: readonly Way[], subject: TestFile): Promise<FileReport> {
  const plain = await run('plain', subject);
  const compared: Compared[] = [];
  for (const way of ways) {
    if (way === 'plain' || way === 'again') continue;
    compared.push(...(await inOneWay(way, subject, plain, ways)));
  }
  // What says nothing says it everywhere.
  if (plain.tests.length === 0)
    compared.push({ way: 'plain', same: 0, different: [`no test is told of on Node alone: ended with ${plain.end}`] });
  const failing = plain.tests.filter(({ outcome }) => outcome === 'failed').length;
  return { file: subject.file, tests: plain.tests.length, failing, compared };
}

async function inOneWay(
  way: Exclude<Way, 'plain' | 'again'>,
  subject: TestFile,
  plain: Ran,
  ways: readonly Way[],
): Promise<Compared[]> {
  if (way !== 'recorded') return [{ way, ...beside(plain, await run(way, subject)) }];
  const into = mkdtempSync(join(tmpdir(), 'turntable-published-'));
  const recorded = await run(way, subject, into);
  const found: Compared[] = [{ way, ...beside(plain, recorded) }];
  if (ways.includes('again'))
    found.push({ way: 'again', ...besideAgain(recorded, await runAgain(into, subject.style)) });
  if (found.every(({ different }) => different.length === 0)) rmSync(into, { recursive: true, force: true });
  return found.map((each) => (each.different.length === 0 ? each : { ...each, kept: into }));
}

function beside(plain: Ran, ran: Ran): Pick<Compared, 'same' | 'different'> {
  const wanted = counted(plain);
  const got = counted(ran);
  const different: string[] = [];
  let same = 0;
  for (const [what, times] of wanted) {
    const there = Math.min(times, got.get(what) ?? 0);
    same += there;
    if (there < times) different.push(`not there: ${what}`);
  }
  for (const [what, times] of got) if (times > (wanted.get(what) ?? 0)) different.push(`instead: ${what}`);
  if (plain.end !== ran.end) different.push(`ended with ${ran.end}, on Node alone with ${plain.end}`);
  return { same, different };
}

function counted({ tests }: Ran): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name, outcome } of tests) {
    const what = `${outcome} ${name}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return counts;
}

/** What Node's runner of tests has said is shown as what the outside has printed. */
function besideAgain(recorded: Ran, again: Again): Pick<Compared, 'same' | 'different'> {
  const { report } = again;
  if (report === undefined) return { same: 0, different: [`nothing was said of it: ${again.end}`] };
  const { same, different } = beside(recorded, { ...again, end: recorded.end });
  const said =
    report.verdict === 'same' ? [] : [`${report.verdict}: ${JSON.stringify(report.divergence ?? report.missing)}`];
  const states = report.cuts.different.map(([phase, worker]) => `state of worker ${worker} in snapshot ${phase}`);
  return { same, different: [...said, ...states, ...different] };
}
