// The moves for which a recording's survey is enough. A new one is an entry here: everything else (protocol, terminal, documentation) learns of it from what it says of itself.
import { like } from './pattern.ts';
import type { SurveyIndex } from '../survey/survey-index.ts';
import { DIRECTIONS, MATCHING, type Arguments, type Landing, type Move, type Parameter } from './move.ts';
import type { Position } from '../position.ts';

const WHICH: Parameter = { name: 'which', kind: 'number', title: 'which of them', otherwise: 'the first' };
const BOTH = { directions: DIRECTIONS, parameters: [] } as const;
const LIKE = { directions: DIRECTIONS, parameters: [textLike('what it says')] } as const;
const ONE = { directions: [], parameters: [] } as const;

const TURNS = 'Turns';
const MESSAGES = 'Messages';
const EVENTS = 'Events';
const PLACES = 'Places';

export const MOVES: readonly Move[] = [
  {
    id: 'stretch',
    title: '{next} stretch of any worker, whatever it is',
    group: TURNS,
    ...BOTH,
    among: () => () => true,
  },
  {
    id: 'turn',
    title: '{next} turn of any actor',
    group: TURNS,
    ...BOTH,
    among: (index) => (place) => isTurn(index, place),
  },
  {
    id: 'actor',
    title: '{next} stretch of the same actor',
    group: TURNS,
    ...BOTH,
    among: (index, { place }) => index.performer(place)?.stretches ?? [],
  },
  {
    id: 'worker',
    title: '{next} stretch on a worker',
    group: TURNS,
    directions: DIRECTIONS,
    parameters: [{ name: 'worker', kind: 'worker', title: 'the number of a worker', otherwise: 'the same' }],
    among: (index, { place }, its) => index.ofWorker(Number(its.get('worker') ?? index.worker(place))),
  },
  {
    id: 'sender',
    title: 'the stretch that has sent the message that this one is about',
    group: MESSAGES,
    ...ONE,
    leads: (index, { place }) => toSender(index, place),
  },
  {
    id: 'receiver',
    title: 'a stretch that a message sent here has led to',
    group: MESSAGES,
    directions: [],
    parameters: [WHICH],
    leads: (index, { place }, its) => oneOf(index.receivers(place), its, whyNotTaken(index, place)),
  },
  {
    id: 'answer',
    title: 'a turn in which what was answered or settled here is taken',
    group: MESSAGES,
    directions: [],
    parameters: [WHICH],
    leads: (index, { place }, its) =>
      oneOf(
        index.receivers(place).filter((each) => isAnswer(index, each)),
        its,
        'no answer that was sent here has been taken, as far as the recording goes',
      ),
  },
  {
    id: 'resolver',
    title: 'the stretch that has settled the promise that this turn takes',
    group: MESSAGES,
    ...ONE,
    leads: (index, { place }) =>
      isAnswer(index, place) ? toSender(index, place) : { why: 'this turn is not about a promise that was settled' },
  },
  {
    id: 'birth',
    title: 'the turn in which this actor was made',
    group: MESSAGES,
    ...ONE,
    leads: (index, { place }) => toBirth(index, place),
  },
  {
    id: 'spawner',
    title: 'the stretch that spawned this actor',
    group: MESSAGES,
    ...ONE,
    leads: (index, { place }) => {
      const birth = toBirth(index, place);
      return 'why' in birth ? birth : toSender(index, birth.place);
    },
  },
  {
    id: 'output',
    title: '{next} time that something is printed',
    group: EVENTS,
    ...LIKE,
    marks: ['stdout', 'stderr'],
  },
  {
    id: 'error',
    title: '{next} error that nobody has caught',
    group: EVENTS,
    ...LIKE,
    marks: ['error'],
  },
  {
    id: 'exception',
    title: '{next} error that a catch has taken, or that has ended a turn, where it was thrown',
    group: EVENTS,
    ...LIKE,
    marks: ['exception'],
  },
  {
    id: 'rejection',
    title: '{next} error that has rejected a promise, and nothing before',
    group: EVENTS,
    ...LIKE,
    marks: ['rejection'],
  },
  {
    id: 'device',
    title: '{next} call of what is outside of the program',
    group: EVENTS,
    directions: DIRECTIONS,
    parameters: [textLike('what is called, such as fs.*, clock.*, random.*')],
    marks: ['device'],
  },
  {
    id: 'request',
    title: '{next} request to a service',
    group: EVENTS,
    directions: DIRECTIONS,
    parameters: [textLike('method and URL')],
    marks: ['request'],
  },
  {
    id: 'response',
    title: '{next} answer of a service to a request',
    group: EVENTS,
    directions: DIRECTIONS,
    parameters: [textLike('method, URL and status')],
    marks: ['response'],
  },
  {
    id: 'snapshot',
    title: '{next} phase that begins with a snapshot',
    group: EVENTS,
    ...BOTH,
    among: (index) => index.phases.slice(1).map(({ begin }) => begin),
  },
  {
    id: 'entry',
    title: '{next} call of native code',
    group: EVENTS,
    directions: DIRECTIONS,
    parameters: [{ name: 'source', kind: 'source', title: 'who calls', otherwise: 'anybody' }],
    among: (index, _, its) => {
      const source = its.get('source');
      return (place) => index.kind(place) === 'entry' && (source === undefined || index.source(place) === source);
    },
  },
  {
    id: 'match',
    title: '{next} stretch of actors of a name',
    group: EVENTS,
    directions: DIRECTIONS,
    parameters: [
      { name: 'actor', kind: 'pattern', title: 'the name of an actor, * for anything in it', otherwise: undefined },
      { name: 'method', kind: 'pattern', title: 'of a method', otherwise: 'any' },
    ],
    among: (index, _, its) => matching(index, its),
  },
  {
    id: 'start',
    title: 'the beginning',
    group: PLACES,
    ...ONE,
    leads: () => ({ place: 1 }),
  },
  {
    id: 'end',
    title: 'the end, behind the last stretch',
    group: PLACES,
    ...ONE,
    leads: (index) => ({ place: index.count + 1 }),
  },
  {
    id: 'position',
    title: 'a position',
    group: PLACES,
    directions: [],
    parameters: [
      {
        name: 'position',
        kind: 'position',
        title:
          'phase and number of a stretch (2.137), perhaps with a statement (2.137:45.2), or its place among all (137)',
        otherwise: undefined,
      },
    ],
    leads: (_index, _from, its) => {
      const position = its.get('position') as Position;
      return { place: position.order, position };
    },
  },
  {
    id: 'percentage',
    title: 'the stretch at a part of the recording',
    group: PLACES,
    directions: [],
    parameters: [{ name: 'percentage', kind: 'percentage', title: 'from 0 to 100', otherwise: undefined }],
    leads: ({ survey }, _, its) => ({ place: Math.max(1, survey.atPart(Number(its.get('percentage')) / 100)) }),
  },
  {
    id: 'time',
    title: 'the last stretch that had begun by a time',
    group: PLACES,
    directions: [],
    parameters: [
      {
        name: 'time',
        kind: 'time',
        title: 'a time (2026-11-23T12:00:00Z), or seconds since the recording began (+1.5)',
        otherwise: undefined,
      },
    ],
    leads: ({ survey }, _, its) => {
      const place = survey.atTime(Number(its.get('time')));
      return place === 0 ? { why: 'nothing had begun by that time' } : { place };
    },
  },
  {
    id: 'nth',
    title: 'a turn of a worker, as --until of turntable replay counts them',
    group: PLACES,
    directions: [],
    parameters: [
      { name: 'worker', kind: 'worker', title: 'the number of a worker', otherwise: undefined },
      { name: 'turn', kind: 'number', title: 'of its turn', otherwise: undefined },
    ],
    leads: ({ survey }, _, its) => {
      const place = survey.ofTurn(Number(its.get('worker')), Number(its.get('turn')));
      return place === undefined ? { why: `worker ${its.get('worker')} has no turn ${its.get('turn')}` } : { place };
    },
  },
];

function isTurn(index: SurveyIndex, place: number): boolean {
  const kind = index.kind(place);
  return kind !== 'entry' && kind !== 'jobs' && kind !== 'evaluation';
}

function isAnswer(index: SurveyIndex, place: number): boolean {
  if (place > index.count) return false;
  const kind = index.kind(place);
  return kind === 'fulfil' || kind === 'reject';
}

function toSender(index: SurveyIndex, place: number): Landing {
  const sender = place > index.count ? undefined : index.sender(place);
  if (sender !== undefined) return { place: sender };
  const isEntry = place <= index.count && !isTurn(index, place);
  return {
    why: isEntry ? 'nothing of the program has sent this: it came from outside' : 'who has sent this is not known',
  };
}

/** Actors that are named of those for whom something waits. */
const SOME = 5;

function whyNotTaken(index: SurveyIndex, place: number): string {
  const names = [...new Set(index.leftBy(place).map(({ actor }) => actor))];
  if (names.length === 0) return 'nothing that was sent here has been taken, as far as the recording goes';
  const more = names.length > SOME ? ' and others' : '';
  return `what was sent here to ${names.slice(0, SOME).join(', ')}${more} still waits when the recording ends`;
}

function toBirth(index: SurveyIndex, place: number): Landing {
  const birth = index.performer(place)?.birth;
  return birth === undefined
    ? { why: 'this actor was there when the recording began, or is a main program' }
    : { place: birth };
}

function oneOf(those: Uint32Array, its: Arguments, nothing: string): Landing {
  const which = Number(its.get('which') ?? 1);
  const place = those[which - 1];
  if (place !== undefined) return { place };
  return {
    why:
      those.length === 0
        ? nothing
        : `there ${those.length === 1 ? 'is 1' : `are ${those.length}`}, and no number ${which}`,
  };
}

/** What need not be given. */
function textLike(what: string): Parameter {
  return { name: MATCHING, kind: 'pattern', title: `${what}, * for anything in it`, otherwise: 'anything' };
}

function matching(index: SurveyIndex, its: Arguments): (place: number) => boolean {
  const isMeant = like(String(its.get('actor')));
  const meant = new Set(index.performers.filter(({ name }) => isMeant(name)));
  const method = its.get('method');
  const isCalled = method === undefined ? undefined : like(String(method));
  return (place) => {
    const performer = index.performer(place);
    if (performer === undefined || !meant.has(performer)) return false;
    return isCalled === undefined || isCalled(index.survey.stretch(place).method ?? '');
  };
}
