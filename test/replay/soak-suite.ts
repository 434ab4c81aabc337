// npm run soak:suite: every program by which capture is tested, recorded, replayed, and replayed from snapshots. A failure prints what was wrong and keeps the recording.
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { someOf } from './again.ts';
import { ofReplay, programs, recordedAndAgain, type SuiteReport } from './suite.ts';

const USAGE = `Usage: npm run soak:suite -- [--from N|all] [--snapshots WHEN] [--part I/N] [--json FILE] [TEXT…]

  --from N          replayed from so many of its snapshots as well, or from all (1)
  --snapshots WHEN  when there are some (every=2ms,end)
  --part I/N        every Nth program, from the Ith on (0/1)
  --json FILE       a line for each program
  TEXT              programs with one of these in their paths`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string', default: '1' },
    snapshots: { type: 'string', default: 'every=2ms,end' },
    part: { type: 'string', default: '0/1' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const [part = 0, parts = 1] = values.part.split('/').map(Number);
if (!(part < parts))
  throw new Error(`--part ${values.part} has no programs: the last of ${parts} is ${parts - 1}/${parts}`);

function chosen(phases: readonly number[]): readonly number[] {
  if (values.from === 'all') return phases;
  return someOf(phases, Math.min(Number(values.from), phases.length), phases.length >> 1);
}

async function outcomeOf(file: string): Promise<SuiteReport> {
  try {
    return await recordedAndAgain(file, { snapshots: values.snapshots, chosen });
  } catch (error) {
    return { wrong: [String(error)], events: 0, snapshots: 0, states: 0, kept: undefined };
  }
}

async function soak(): Promise<void> {
  const files = programs()
    .filter((file) => positionals.length === 0 || positionals.some((text) => file.includes(text)))
    .filter((_, i) => i % parts === part);
  const sum = { programs: 0, failed: 0, excluded: 0, events: 0, snapshots: 0, states: 0 };
  for (const file of files) {
    const { wrong, events, snapshots, states, kept } = await outcomeOf(file);
    const why = ofReplay[file];
    const isWrong = why === undefined ? wrong.length > 0 : wrong.length === 0;
    if (values.json !== undefined)
      appendFileSync(values.json, `${JSON.stringify({ file, wrong, events, snapshots, states, kept })}\n`);
    if (isWrong)
      console.error(
        why === undefined
          ? `\nFAILED ${file}: ${wrong.join('; ').slice(0, 2000)}, in ${kept}`
          : `\nFAILED ${file} runs again to the letter: take it off the list of those that do not`,
      );
    else if (why !== undefined) console.error(`\nexcluded ${file}: ${why}`);
    sum.programs++;
    sum.failed += isWrong ? 1 : 0;
    sum.excluded += isWrong || why === undefined ? 0 : 1;
    sum.events += events;
    sum.snapshots += snapshots;
    sum.states += states;
    if (process.stderr.isTTY) process.stderr.write(`\r${sum.programs} of ${files.length}, ${sum.failed} failed `);
  }
  console.log(
    `${sum.programs} programs, ${sum.programs - sum.failed - sum.excluded} the same, ${sum.excluded} excluded, ${sum.failed} failed; ${sum.events} events, ${sum.snapshots} snapshots, ${sum.states} states compared`,
  );
  if (sum.failed > 0) process.exitCode = 1;
}

if (values.help) console.log(USAGE);
else await soak();
