// npm run soak:suite: every program by which capture is tested, recorded, replayed, and replayed from snapshots. A failure prints what was wrong and keeps the recording.
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { someOf } from './again.ts';
import { programs, recordedAndAgain } from './suite.ts';

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

function chosen(phases: readonly number[]): readonly number[] {
  if (values.from === 'all') return phases;
  return someOf(phases, Math.min(Number(values.from), phases.length), phases.length >> 1);
}

async function soak(): Promise<void> {
  const files = programs()
    .filter((file) => positionals.length === 0 || positionals.some((text) => file.includes(text)))
    .filter((_, i) => i % parts === part);
  const sum = { programs: 0, failed: 0, events: 0, snapshots: 0, states: 0 };
  for (const file of files) {
    const { wrong, events, snapshots, states, kept } = await recordedAndAgain(file, {
      snapshots: values.snapshots,
      chosen,
    });
    if (values.json !== undefined)
      appendFileSync(values.json, `${JSON.stringify({ file, wrong, events, snapshots, states, kept })}\n`);
    if (wrong.length > 0) console.error(`\nFAILED ${file}: ${wrong.join('; ').slice(0, 2000)}, in ${kept}`);
    sum.programs++;
    sum.failed += wrong.length > 0 ? 1 : 0;
    sum.events += events;
    sum.snapshots += snapshots;
    sum.states += states;
    if (process.stderr.isTTY) process.stderr.write(`\r${sum.programs} of ${files.length}, ${sum.failed} failed `);
  }
  console.log(
    `${sum.programs} programs, ${sum.failed} failed; ${sum.events} events, ${sum.snapshots} snapshots, ${sum.states} states compared`,
  );
  if (sum.failed > 0) process.exitCode = 1;
}

if (values.help) console.log(USAGE);
else await soak();
