// npm run soak:suite: records, replays, and replays from snapshots every program of the capture tests. A failure prints
// its problems and keeps the recording.
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { sample } from './record-and-replay.ts';
import { REPLAY_DIFFERENCES, programs, recordAndReplay, type SuiteReport } from './suite.ts';

const USAGE = `Usage: npm run soak:suite -- [--from N|all] [--snapshots WHEN] [--part I/N] [--json FILE] [TEXT…]

  --from N          also replay from N of its snapshots, or from all (1)
  --snapshots WHEN  when to take snapshots (every=2ms,end)
  --part I/N        every Nth program, starting with the Ith (0/1)
  --json FILE       append a line for each program to FILE
  TEXT              only programs with one of these texts in their paths`;

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
const [partIndex = 0, partCount = 1] = values.part.split('/').map(Number);
if (!(partIndex < partCount))
  throw new Error(`--part ${values.part} has no programs: the last of ${partCount} is ${partCount - 1}/${partCount}`);

function choosePhases(phases: readonly number[]): readonly number[] {
  if (values.from === 'all') return phases;
  return sample(phases, Math.min(Number(values.from), phases.length), phases.length >> 1);
}

async function replayProgram(file: string): Promise<SuiteReport> {
  try {
    return await recordAndReplay(file, { snapshots: values.snapshots, choosePhases });
  } catch (error) {
    return { problems: [String(error)], events: 0, snapshots: 0, states: 0, keptRecording: undefined };
  }
}

async function soak(): Promise<void> {
  const files = programs()
    .filter((file) => positionals.length === 0 || positionals.some((text) => file.includes(text)))
    .filter((_, i) => i % partCount === partIndex);
  const sum = { programs: 0, failed: 0, excluded: 0, events: 0, snapshots: 0, states: 0 };
  for (const file of files) {
    const { problems, events, snapshots, states, keptRecording } = await replayProgram(file);
    const reason = REPLAY_DIFFERENCES[file];
    const isWrong = reason === undefined ? problems.length > 0 : problems.length === 0;
    if (values.json !== undefined)
      appendFileSync(values.json, `${JSON.stringify({ file, problems, events, snapshots, states, keptRecording })}\n`);
    if (isWrong)
      console.error(
        reason === undefined
          ? `\nFAILED ${file}: ${problems.join('; ').slice(0, 2000)}, in ${keptRecording}`
          : `\nFAILED ${file} replays exactly: remove it from REPLAY_DIFFERENCES`,
      );
    else if (reason !== undefined) console.error(`\nexcluded ${file}: ${reason}`);
    sum.programs++;
    sum.failed += isWrong ? 1 : 0;
    sum.excluded += isWrong || reason === undefined ? 0 : 1;
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
