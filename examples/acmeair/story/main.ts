// npm start
// A story of less than a minute: the airline is recorded under load, a customer who books twice at once loses miles
// through the seeded bug, and the service stops. The recording is replayed, compared and searched for the bug;
// everything printed about the bug comes from the recording. Exits with 1 if anything fails, and within two minutes.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { ReplayReport } from '../../../packages/replayer/src/replay/replay-report.ts';
import type { TurnNote } from '../../../packages/replayer/src/replay/turn-notes.ts';
import { load } from '../load/load.ts';
import { StoryDeadline } from './deadline.ts';
import { CustomerClient, loseMiles, MILES_PER_BOOKING } from './customer.ts';
import { findLostUpdate, WATCHED_ACTORS, type LostUpdate } from './lost-update.ts';
import { RecordedService, replayService, ROOT } from './recorded-service.ts';

const CUSTOMERS = 500;
const CONNECTIONS = 4;
/** Requests of the load, in batches, until the time limit: on a busy machine there are fewer. */
const REQUESTS = 800;
const BATCH_SIZE = 200;
const LOAD_TIMEOUT_MS = 20_000;
/** Maximum number of pairs of bookings, one of which must lose miles. */
const MAX_PAIRS = 50;
const USER = 'uid7@email.com';

/** Kept after the story, for the commands printed at the end. */
const workDirectory = join(ROOT, '.cache/start');
const recordings = join(workDirectory, 'recordings');
const relativePath = (path: string): string => relative(process.cwd(), path) || '.';
const deadline = new StoryDeadline(115_000);

// Caches compiled code, so that processes do not strip the types of our sources again.
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules/.cache/turntable-start');
rmSync(workDirectory, { recursive: true, force: true });

const service = new RecordedService(recordings, 'requests=400,end', {
  ACMEAIR_MILES: 'racy',
  ACMEAIR_CUSTOMERS: String(CUSTOMERS),
  ACMEAIR_DATABASE: 'sqlite::memory:',
});
try {
  const url = await deadline.within('the service does not listen yet', service.url);
  await deadline.within('the load has not ended yet', generateLoad(url));
  const booked = CustomerClient.logIn(url, USER).then((customer) => loseMiles(customer, MAX_PAIRS));
  const lost = await deadline.within('no booking has lost miles yet', booked);
  if (lost === undefined) throw new Error(`${USER} has booked twice at once ${MAX_PAIRS} times and lost no miles`);
  const earned = lost.after - lost.before;
  console.log(`${USER} has booked twice at once: ${earned} miles for two bookings of ${MILES_PER_BOOKING}. Why?`);
  const { code, stderr } = await deadline.within('the service has not ended yet', service.stop());
  if (code !== 0 || stderr !== '') throw new Error(`the service has ended with ${code}: ${stderr}`);
  printReport();
} catch (error) {
  console.error(error instanceof Error ? `npm start: ${error.message}` : error);
  process.exitCode = 1;
} finally {
  service.kill();
}
// Ends pending requests.
process.exit();

async function generateLoad(url: string): Promise<void> {
  await (await fetch(`${url}/rest/api/loader/load`)).text();
  console.log(`Acme Air is at ${url}, on SQLite, recorded; ${CONNECTIONS} visitors`);
  const startedAt = performance.now();
  let all = 0;
  for (let seed = 1; all < REQUESTS && performance.now() - startedAt < LOAD_TIMEOUT_MS; seed++) {
    const before = all;
    const { answered, failed } = await load({
      url,
      connections: CONNECTIONS,
      requests: BATCH_SIZE,
      customers: CUSTOMERS,
      seed,
      progress: (answered) => progress(`  ${before + answered} of ${REQUESTS} requests`),
    });
    if (failed > 0) throw new Error(`${failed} of ${answered} requests failed`);
    all += answered;
  }
  progress('');
  console.log(`${all} requests in ${((performance.now() - startedAt) / 1000).toFixed(1)} s, all answered`);
}

/** Updates a progress line on a terminal. */
function progress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001B[K${text}`);
}

/** Replays the recording and prints the bug. */
function printReport(): void {
  const recording = join(recordings, readdirSync(recordings)[0] ?? '');
  console.log(
    `\nThe service has ended. Replaying its recording, ${relativePath(recording)}, without network and database …`,
  );
  const wholeReplay = replayBeforeDeadline(['--turns', WATCHED_ACTORS]);
  requireSame(wholeReplay);
  const { turns, messages, events, cuts, milliseconds, turnNotes = [] } = wholeReplay;
  console.log(
    `same: ${turns} turns, ${messages} messages between workers, ${events} events, the states of ${cuts.compared} threads at snapshots, in ${(milliseconds / 1000).toFixed(1)} s`,
  );
  const update = findLostUpdate(turnNotes, USER);
  if (update === undefined) throw new Error(`no lost update of ${USER} in ${turnNotes.length} reported turns`);
  const last = update.writes.at(-1) as TurnNote;
  const until = `turn=${last.turn},worker=${last.worker}`;
  const partialReplay = replayBeforeDeadline(['--until', until, '--turns', WATCHED_ACTORS]);
  requireSame(partialReplay);
  if (partialReplay.reached?.turns !== last.turn) throw new Error(`the replay did not stop at ${until}`);
  if (JSON.stringify(findLostUpdate(partialReplay.turnNotes ?? [], USER)) !== JSON.stringify(update))
    throw new Error(`turns up to ${until} interleave differently than in the whole replay`);
  console.log(`replayed to the turn in which the miles are lost:\n`);
  console.log(describeLostUpdate(update));
  console.log(`\nLook further:\n${nextCommands(update, until)}`);
  console.log(`\n${(performance.now() / 1000).toFixed(0)} s in total`);
}

function replayBeforeDeadline(args: readonly string[]): ReplayReport {
  const report = replayService(recordings, args, deadline.leftMs);
  if (report !== undefined) return report;
  const command = `npm run --silent turntable -- replay ${relativePath(recordings)} ${args.map((each) => (/[ *]/.test(each) ? `'${each}'` : each)).join(' ')}`;
  throw deadline.timeoutError(`the replay has not ended yet (${command})`);
}

function requireSame({ verdict, cuts, divergence }: ReplayReport): void {
  if (verdict !== 'same' || cuts.different.length > 0 || cuts.compared === 0)
    throw new Error(`the replay is ${verdict}: ${JSON.stringify(divergence ?? cuts)}`);
}

function describeLostUpdate({ reads, resumptions, writes, read, written }: LostUpdate): string {
  const turnText = ({ worker, turn }: TurnNote): string => `worker ${worker}, turn ${String(turn).padEnd(6)}`;
  const callText = ({ actor, method, from }: TurnNote): string => `${actor}.${method} for ${from}`;
  const rows = [
    ...reads.map((turn) => [turnText(turn), callText(turn), `reads ${read}`, turn.location]),
    ...resumptions.map((turn) => [
      turnText(turn),
      `${turn.actor}, ${turn.resumedFunction} resumes`,
      `with ${read}`,
      turn.location,
    ]),
    ...writes.map((turn) => [turnText(turn), callText(turn), `writes ${written}`, turn.location]),
  ].map((cells) => cells.map((cell) => cell ?? ''));
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const lines = rows.map((cells) => `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`);
  return [
    ...lines.map((line) => line.trimEnd()),
    '',
    `Both bookings read ${read} before either wrote, so the second write changes nothing. The await in between:`,
    '',
    ...sourceAround(resumptions[0]?.location),
  ].join('\n');
}

/** Source lines around a location. */
function sourceAround(location: string | undefined): string[] {
  const [, file, line] = /^(.*):(\d+):\d+$/.exec(location ?? '') ?? [];
  if (file === undefined || line === undefined) throw new Error(`unknown source location: ${location}`);
  const lines = readFileSync(resolve(ROOT, file), 'utf8').split('\n');
  const first = Math.max(0, Number(line) - 2);
  return lines
    .slice(first, Number(line) + 8)
    .map((text, i) => `  ${first + i + 1 === Number(line) ? '>' : ' '} ${String(first + i + 1).padStart(4)}  ${text}`);
}

function nextCommands({ writes }: LostUpdate, until: string): string {
  const { actor } = writes[0] as TurnNote;
  const { worker, turn } = writes.at(-1) as TurnNote;
  const directory = relativePath(recordings);
  return [
    `debug ${directory}    # 'goto ${worker}:${turn}' goes to that turn, 'help' lists all commands`,
    `replay ${directory} --until ${until} --turns '${actor}'`,
    `inspect ${directory} --trace --worker ${writes[0]?.worker} --from 1`,
    `inspect ${directory} --eval "s => s.actorsOf('Customers').map(({ name, turns, bytes }) => ({ name, turns, bytes }))"`,
    `export ${directory} --as chrome -o run.json`,
  ]
    .map((args) => `  npm run --silent turntable -- ${args}`)
    .join('\n');
}
