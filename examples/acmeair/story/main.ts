// npm start
// A story in a minute: the airline runs, recorded, and visitors come; a customer who books twice at once loses miles, which is the seeded bug; the service
// is stopped. Its recording is run again, compared with what was, and asked which turns came between each other. What is said of the bug comes from there
// and from nowhere else. Ends with 1 if anything is not as it is told here, and within two minutes.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { ReplayReport } from '../../../packages/replayer/src/replay/report.ts';
import type { ToldTurn } from '../../../packages/replayer/src/replay/turn-notes.ts';
import { load } from '../load/load.ts';
import { Deadline } from './deadline.ts';
import { Customer, loseMiles, MILES_OF_A_BOOKING } from './customer.ts';
import { lostUpdate, WATCHED, type LostUpdate } from './lost-update.ts';
import { RecordedService, replay, ROOT } from './recorded-service.ts';

const CUSTOMERS = 500;
const CONNECTIONS = 4;
/** So many, by so many at a time, unless that takes too many milliseconds: on a busy machine there are fewer. */
const REQUESTS = 800;
const AT_A_TIME = 200;
const LONG_ENOUGH = 20_000;
/** Pairs of bookings, one of which is to go wrong. */
const MOST_PAIRS = 50;
const USER = 'uid7@email.com';

/** It stays: what is printed at the end is to be tried on it. */
const place = join(ROOT, '.cache/start');
const recordings = join(place, 'recordings');
const shown = (path: string): string => relative(process.cwd(), path) || '.';
const deadline = new Deadline(115_000);

/** Our own types are erased once, and not by each process. */
process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, 'node_modules/.cache/turntable-start');
rmSync(place, { recursive: true, force: true });

const service = new RecordedService(recordings, 'requests=400,end', {
  ACMEAIR_MILES: 'racy',
  ACMEAIR_CUSTOMERS: String(CUSTOMERS),
  ACMEAIR_DATABASE: 'sqlite::memory:',
});
try {
  const url = await deadline.within('the service does not listen yet', service.url);
  await deadline.within('its visitors are still there', visit(url));
  const booked = Customer.logIn(url, USER).then((customer) => loseMiles(customer, MOST_PAIRS));
  const lost = await deadline.within('no booking has gone wrong yet', booked);
  if (lost === undefined) throw new Error(`${USER} has booked twice at once ${MOST_PAIRS} times and lost no miles`);
  const earned = lost.after - lost.before;
  console.log(`${USER} has booked twice at once: ${earned} miles for two bookings of ${MILES_OF_A_BOOKING}. Why?`);
  const { code, stderr } = await deadline.within('the service has not ended yet', service.stop());
  if (code !== 0 || stderr !== '') throw new Error(`the service has ended with ${code}: ${stderr}`);
  tell();
} catch (error) {
  console.error(error instanceof Error ? `npm start: ${error.message}` : error);
  process.exitCode = 1;
} finally {
  service.kill();
}
// Whoever was not answered in time holds nothing up.
process.exit();

async function visit(url: string): Promise<void> {
  await (await fetch(`${url}/rest/api/loader/load`)).text();
  console.log(`Acme Air is at ${url}, on SQLite, recorded; ${CONNECTIONS} visitors are there`);
  const came = performance.now();
  let all = 0;
  for (let seed = 1; all < REQUESTS && performance.now() - came < LONG_ENOUGH; seed++) {
    const before = all;
    const { answered, failed } = await load({
      url,
      connections: CONNECTIONS,
      requests: AT_A_TIME,
      customers: CUSTOMERS,
      seed,
      progress: (answered) => progress(`  ${before + answered} of ${REQUESTS} requests`),
    });
    if (failed > 0) throw new Error(`${failed} of ${answered} requests have failed`);
    all += answered;
  }
  progress('');
  console.log(`${all} requests in ${((performance.now() - came) / 1000).toFixed(1)} s, all answered`);
}

/** One line that is written anew; nothing where nobody looks. */
function progress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001B[K${text}`);
}

/** What the recording says. */
function tell(): void {
  const recording = join(recordings, readdirSync(recordings)[0] ?? '');
  console.log(
    `\nThe service is gone. Its recording, ${shown(recording)}, is run again, without network and database …`,
  );
  const whole = replayed(['--turns', WATCHED]);
  requireSame(whole);
  const { turns, messages, events, cuts, milliseconds, told = [] } = whole;
  console.log(
    `the same: ${turns} turns, ${messages} messages between threads, ${events} events, the states of ${cuts.compared} threads at snapshots, in ${(milliseconds / 1000).toFixed(1)} s`,
  );
  const found = lostUpdate(told, USER);
  if (found === undefined) throw new Error(`no update of ${USER} was lost in what is told of ${told.length} turns`);
  const last = found.writes.at(-1) as ToldTurn;
  const until = `turn=${last.turn},worker=${last.worker}`;
  const again = replayed(['--until', until, '--turns', WATCHED]);
  requireSame(again);
  if (again.reached?.turns !== last.turn) throw new Error(`the replay has not ended at ${until}`);
  if (JSON.stringify(lostUpdate(again.told ?? [], USER)) !== JSON.stringify(found))
    throw new Error(`up to ${until} other turns came between each other than in the whole run`);
  console.log(`run again once more, to the turn in which the miles are lost:\n`);
  console.log(storyOf(found));
  console.log(`\nLook further:\n${commandsFor(found, until)}`);
  console.log(`\n${(performance.now() / 1000).toFixed(0)} s in all`);
}

function replayed(args: readonly string[]): ReplayReport {
  const report = replay(recordings, args, deadline.left);
  if (report !== undefined) return report;
  const command = `npm run --silent turntable -- replay ${shown(recordings)} ${args.map((each) => (/[ *]/.test(each) ? `'${each}'` : each)).join(' ')}`;
  throw deadline.missed(`the recording has not run again to its end (${command})`);
}

function requireSame({ verdict, cuts, divergence }: ReplayReport): void {
  if (verdict !== 'same' || cuts.different.length > 0 || cuts.compared === 0)
    throw new Error(`the replay is ${verdict}: ${JSON.stringify(divergence ?? cuts)}`);
}

function storyOf({ reads, goesOn, writes, read, written }: LostUpdate): string {
  const at = ({ worker, turn }: ToldTurn): string => `worker ${worker}, turn ${String(turn).padEnd(6)}`;
  const asks = ({ actor, method, from }: ToldTurn): string => `${actor}.${method} for ${from}`;
  const rows = [
    ...reads.map((turn) => [at(turn), asks(turn), `reads ${read}`, turn.place]),
    ...goesOn.map((turn) => [at(turn), `${turn.actor}, ${turn.goesOn} goes on`, `with ${read}`, turn.place]),
    ...writes.map((turn) => [at(turn), asks(turn), `writes ${written}`, turn.place]),
  ].map((cells) => cells.map((cell) => cell ?? ''));
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const lines = rows.map((cells) => `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`);
  return [
    ...lines.map((line) => line.trimEnd()),
    '',
    `Both have read ${read} before either has written: the second one writes what is there already. The await between them:`,
    '',
    ...sourceAround(goesOn[0]?.place),
  ].join('\n');
}

/** The line that a place names, with those around it. */
function sourceAround(place: string | undefined): string[] {
  const [, file, line] = /^(.*):(\d+):\d+$/.exec(place ?? '') ?? [];
  if (file === undefined || line === undefined) throw new Error(`no line of the source is known: ${place}`);
  const lines = readFileSync(resolve(ROOT, file), 'utf8').split('\n');
  const first = Math.max(0, Number(line) - 2);
  return lines
    .slice(first, Number(line) + 8)
    .map((text, i) => `  ${first + i + 1 === Number(line) ? '>' : ' '} ${String(first + i + 1).padStart(4)}  ${text}`);
}

function commandsFor({ writes }: LostUpdate, until: string): string {
  const { actor } = writes[0] as ToldTurn;
  const { worker, turn } = writes.at(-1) as ToldTurn;
  const directory = shown(recordings);
  return [
    `debug ${directory}    # 'nth ${worker} ${turn}' goes to that turn, 'help' says where else one can go`,
    `replay ${directory} --until ${until} --turns '${actor}'`,
    `inspect ${directory} --trace --worker ${writes[0]?.worker} --from 1`,
    `inspect ${directory} --eval "s => s.actorsOf('Customers').map(({ name, turns, bytes }) => ({ name, turns, bytes }))"`,
    `export ${directory} --as chrome -o run.json`,
  ]
    .map((args) => `  npm run --silent turntable -- ${args}`)
    .join('\n');
}
