// The survey of a recording: it is run again once, as fast as it goes and without a word, each of its threads notes its stretches, and here they are read. What its program prints is not
// seen, and states are not compared: whether it is the same is told by `turntable replay`. A survey that is the same is kept, but of sealed recordings.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openRecording, type Recording } from '@turntable/recording';
import { Survey, SurveyCache, surveyKey } from '@turntable/time-machine';
import { ownCache } from '../places/own-cache.ts';
import { Room } from '../places/packed-place.ts';
import { version } from '../version.ts';
import { keyOf, unbegunText, verdictOf, type Divergence, type Stuck, type Verdict } from './outcome.ts';
import { isWhole } from './report.ts';
import type { WayPast } from '@turntable/time-machine/protocol';
import { beginningOf, obstaclesTo, reasonsAgainst, type Obstacles } from './replayable.ts';
import { runAgain } from './run-again.ts';
import { SurveyStates } from './survey-states.ts';

export interface Surveyed {
  readonly survey: Survey;
  /** States of cuts of which the recording has no snapshot, if any were kept; they may go away. It is read as a recording. */
  readonly states: Recording | undefined;
  /** Whether it goes to the end of the recording. */
  readonly verdict: Verdict;
  /** Threads that are known no further than to what they do not come back from. */
  readonly stuck: readonly Stuck[];
  /** Where it stops, if something differed there. */
  readonly divergence: (Divergence & { readonly worker: number }) | undefined;
}

/** Why there is none. */
export class NoSurvey extends Error {
  readonly code = 'TT_NO_SURVEY';
  /** What might be tried all the same. */
  readonly waysPast: readonly WayPast[];

  constructor(message: string, waysPast: readonly WayPast[] = []) {
    super(message);
    this.waysPast = waysPast;
  }
}

/** What a recording is run again as. */
export interface SurveyedRecording {
  readonly recording: Recording;
  /** Where it is. */
  readonly directory: string;
  /** The snapshot that it begins with; the start. */
  readonly from: number | undefined;
}

export interface SurveyWish {
  /** The snapshot to begin with, unless with the first moment that it has. */
  readonly phase: number | undefined;
  /** Also what might come out otherwise. */
  readonly isForced: boolean;
  /** One that is kept does not do. */
  readonly isAnew: boolean;
  /** Statement lists are counted: it takes longer. */
  readonly debug?: boolean;
  /** So many milliseconds of the processor's lie between two states that are kept, or more (0: there is one at each cut); usual ones, if it is left out. Only of what is in debug mode any are. */
  readonly spacing?: number | undefined;
  /** Where it keeps transformed code, if it may do nothing but what it needs. */
  readonly cache?: string | undefined;
}

export async function surveyOf(directory: string, wish: SurveyWish): Promise<Surveyed & SurveyedRecording> {
  const recording = openRecording(directory);
  const from = wish.phase ?? beginningOf(recording);
  const obstacles = obstaclesTo(recording, { code: 'recorded', from });
  const reasons = reasonsAgainst(obstacles, wish.isForced);
  if (reasons.length > 0)
    throw new NoSurvey(`it cannot be run again here:\n  ${reasons.join('\n  ')}`, waysPast(obstacles));
  const its = { recording, directory, from };
  return { ...its, ...(await keptOrMade(its, wish)) };
}

function waysPast({ must, takesKey }: Obstacles): WayPast[] {
  if (takesKey === true) return ['key'];
  return must.length === 0 ? ['force'] : [];
}

async function keptOrMade(
  its: SurveyedRecording,
  { isAnew, debug = false, spacing = SPACING, cache: code }: SurveyWish,
): Promise<Surveyed> {
  const { directory, from } = its;
  const place = ownCache('surveys', process.env);
  const cache = place === undefined ? undefined : new SurveyCache(place);
  const form = `${version}${debug ? ' debug' : ''}`;
  const key = cache && surveyKey(directory, filesOf(directory, from), form, process.versions.node, from ?? null);
  if (cache === undefined || key === undefined) return { ...(await made(its, debug, code)), states: undefined };
  const statesHere = (): Recording | undefined => (debug ? statesIn(cache.statesOf(key)) : undefined);
  const kept = isAnew ? undefined : cache.get(key);
  if (kept !== undefined)
    return { survey: kept.survey, ...(kept.about as About), divergence: undefined, states: statesHere() };
  const room = debug ? cache.roomForStates(key) : undefined;
  const states = room === undefined ? undefined : new SurveyStates(room, its.recording.manifest.workers);
  let surveyed: Omit<Surveyed, 'states'> | undefined;
  try {
    surveyed = await made(its, debug, code, states && { states, spacing });
    const { survey, verdict, stuck } = surveyed;
    if (verdict !== 'diverged') cache.put(key, survey, { verdict, stuck } satisfies About);
  } finally {
    const directory = await states?.close();
    cache.putStates(key, surveyed?.verdict === 'diverged' ? undefined : directory);
  }
  return { ...surveyed, states: statesHere() };
}

/** What is kept with a survey. */
type About = Pick<Surveyed, 'verdict' | 'stuck'>;

/** Milliseconds of the processor's, of a run again that is warm: another one takes longer for as much. */
const SPACING = 50;

function statesIn(directory: string): Recording | undefined {
  try {
    return openRecording(directory);
  } catch {
    return undefined;
  }
}

interface StatesWanted {
  readonly states: SurveyStates;
  readonly spacing: number;
}

async function made(
  its: SurveyedRecording,
  debug: boolean,
  cache: string | undefined,
  wanted?: StatesWanted,
  stuck: readonly Stuck[] = [],
): Promise<Omit<Surveyed, 'states'>> {
  const { recording, directory, from } = its;
  using room = new Room();
  const survey = { directory: room.directory, states: wanted && { spacing: wanted.spacing } };
  const order = {
    recording: directory,
    code: 'recorded',
    from,
    survey,
    debug,
    stuck,
    isWatched: process.stderr.isTTY,
  } as const;
  const permissions = cache === undefined ? undefined : { writes: [room.directory], cache };
  const options = { console: 'mute', json: true, permissions, states: wanted?.states } as const;
  const { outcome, unbegun, stderr, how } = await runAgain(recording, order, options);
  if (unbegun !== undefined) throw new NoSurvey(unbegunText(from, unbegun));
  if (outcome === undefined)
    throw new NoSurvey(`the process ended (${how}) before anything could be said\n${stderr}`.trimEnd());
  const more = outcome.stuck?.filter((each) => !stuck.some((known) => keyOf(known) === keyOf(each))) ?? [];
  // What they had not noted yet is lost. States are there up to where they are.
  if (more.length > 0) return made(its, debug, cache, undefined, [...stuck, ...more]);
  const differing = outcome.workers.find(({ divergence }) => divergence !== undefined);
  return {
    survey: Survey.read(room.directory),
    verdict: verdictOf(outcome, isWhole(recording.manifest, from ?? null)),
    stuck,
    divergence: differing?.divergence && { ...differing.divergence, worker: differing.worker },
  };
}

function filesOf(directory: string, from: number | undefined): string[] {
  const traces = join(directory, 'traces');
  const names = existsSync(traces) ? readdirSync(traces).map((name) => join('traces', name)) : [];
  const snapshots = from === undefined ? [] : readdirSync(join(directory, 'snapshots'));
  const first = snapshots.filter((name) => Number.parseInt(name, 10) === from).map((name) => join('snapshots', name));
  return ['manifest.json', ...names, ...first];
}
