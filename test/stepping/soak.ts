// npm run soak:stepping: see USAGE.
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { type Comparison, compare, shareOf, withPrograms } from './comparison.ts';
import { NODE_MAJOR, readAnswers, writeAnswers, type Answers } from './golden-answers.ts';
import { askV8 } from './v8-answers.ts';

const USAGE = `Usage: npm run soak:stepping -- [--seeds 1-100] [options]

Compares steps of the time machine with those of V8's debugger, in random
programs. Prints the moves that lead elsewhere. Exit code 1 if one of them is not
in test/stepping/known-differences.ts, or if one in the list no longer differs.

  --seeds FROM-TO  programs (1-100, the golden ones; others need --v8)
  --v8             ask V8, instead of reading its answers from the golden file
  --update         write the answers of V8 to the golden file of this Node version
                   and compare nothing
  --json           print one line of JSON`;

const OPTIONS = {
  seeds: { type: 'string', default: '1-100' },
  v8: { type: 'boolean', default: false },
  update: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

/** Number of programs in one recording. */
const GROUP = 25;
const MIN_SHARE = 0.98;
const USAGE_ERROR = 2;

const { values } = parseArgs({ options: OPTIONS });

async function soak(): Promise<void> {
  const [from = 0, to = from] = values.seeds.split('-').map(Number);
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 1 || to < from) {
    console.error(`--seeds must be FROM-TO\n\n${USAGE}`);
    process.exitCode = USAGE_ERROR;
    return;
  }
  const seeds = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const answers = values.update && from === 1 ? new Map() : readAnswers();
  if (values.v8 || values.update) await askAll(seeds, answers);
  if (values.update) return;
  const total = {
    programs: seeds.length,
    equal: 0,
    differences: 0,
    unlisted: 0,
    vanished: 0,
    irreversible: 0,
    variables: 0,
    otherVariables: 0,
  };
  for (let i = 0; i < seeds.length; i += GROUP) {
    const comparison = await compare(seeds.slice(i, i + GROUP), answers);
    const { equal, differences, vanished, irreversible, equalVariables, variableDifferences } = comparison;
    total.equal += equal;
    total.differences += differences.length;
    total.unlisted += differences.filter(({ known }) => known === undefined).length;
    total.vanished += vanished.length;
    total.irreversible += irreversible.length;
    total.variables += equalVariables + variableDifferences.length;
    total.otherVariables += variableDifferences.length;
    report(comparison);
  }
  const share = total.equal / (total.equal + total.differences);
  if (values.json) console.log(JSON.stringify({ node: NODE_MAJOR, ...total, share }));
  else
    console.log(
      `${total.programs} programs, ${total.equal + total.differences} moves: ${(100 * share).toFixed(2)} % as in V8, ` +
        `${total.differences} different, ${total.unlisted} of them not listed; ` +
        `${total.variables} variables, ${total.otherVariables} of them different`,
    );
  if (share < MIN_SHARE || total.unlisted + total.vanished + total.irreversible + total.otherVariables > 0)
    process.exitCode = 1;
}

async function askAll(seeds: readonly number[], answers: Answers): Promise<void> {
  for (const seed of seeds) {
    await withPrograms([seed], async ([program], directory) => {
      if (program !== undefined) answers.set(seed, await askV8(program, directory));
    });
    console.error(`V8: program ${seed} of ${seeds.at(-1)}`);
    if (values.update) writeAnswers(answers);
  }
}

function report({ differences, vanished, irreversible, variableDifferences, ...comparison }: Comparison): void {
  for (const { text, known } of differences)
    console.error(known === undefined ? text : `${text}\n  known: ${known.reason}`);
  for (const { seed, line, hit, move } of vanished)
    console.error(
      `no longer differs: program ${seed}, line ${line}, hit ${hit}, move ${move}; remove it from the list`,
    );
  for (const each of variableDifferences) console.error(each);
  for (const each of irreversible) console.error(`not reversible: ${each}`);
  console.error(`${(100 * shareOf({ differences, ...comparison })).toFixed(2)} % of these programs`);
}

if (values.help) console.log(USAGE);
else await soak();
