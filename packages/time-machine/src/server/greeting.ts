// What a client is told as it comes: of the recording, and of all that there is to go to and to stop at, so that none has a list of its own.
import type { ConductedMove } from '../conductor/steps.ts';
import { aboutHappening, HAPPENING_KINDS, hasStatement } from '../happenings.ts';
import type { Move } from '../moves/move.ts';
import { isPrinted, MARK_KINDS, STRETCH_KINDS, type MarkKind, type StretchKind } from '../notes.ts';
import { PROTOCOL_VERSION, type ResultOf } from '../protocol.ts';
import type { SurveyIndex } from '../survey/survey-index.ts';

export interface RecordingToldOf {
  readonly name: string;
  /** The snapshot that it begins with, if not with the start. */
  readonly from: number | undefined;
  /** What came of it when it was run again. */
  readonly verdict: string;
  /** Of a program that goes on, until when it is what was recorded: milliseconds since 1970. */
  readonly until?: number | undefined;
}

const KIND_TITLES: Readonly<Record<StretchKind, string>> = {
  evaluation: 'the program is loaded',
  entry: 'native code calls',
  call: 'a method is called by a message',
  construct: 'an actor is made',
  fulfil: 'a promise was fulfilled',
  reject: 'a promise was rejected',
  stop: 'an actor is stopped',
  jobs: 'jobs of what has come',
};

const MARK_TITLES: Readonly<Record<MarkKind, string>> = {
  stdout: 'prints',
  stderr: 'prints to standard error',
  error: 'an error that nobody has caught',
  cut: 'a snapshot',
  exception: 'an error that a catch has taken, or that has ended a turn',
  rejection: 'an error that has rejected a promise',
  device: 'calls what is outside of the program',
  request: 'a request to a service',
  response: 'an answer to a request',
};

const BREAKPOINT_KINDS = HAPPENING_KINDS.map((id) => {
  const { title, group, tells } = aboutHappening(id);
  return { id, title, group, tells, conditions: hasStatement(id) };
});

interface GreetingParts {
  readonly recording: RecordingToldOf;
  readonly client: number;
  /** Of Turntable. */
  readonly version: string;
  readonly index: SurveyIndex;
  readonly moves: readonly (Move | ConductedMove)[];
  /** Whether stretches are gone into. */
  readonly isInside: boolean;
}

export function greetingOf({
  client,
  recording,
  version,
  index: { survey, phases },
  moves,
  isInside,
}: GreetingParts): Omit<ResultOf<'hello'>, 'where'> {
  const { count } = survey;
  return {
    version: PROTOCOL_VERSION,
    server: { name: 'turntable', version },
    client,
    recording,
    statements: isInside,
    stretches: count,
    begins: count === 0 ? 0 : survey.stretch(1).time,
    ends: count === 0 ? 0 : survey.stretch(count).time,
    phases,
    threads: survey.threads.map(({ worker, life, count: stretches, end }) => ({ worker, life, stretches, end })),
    kinds: STRETCH_KINDS.map((id) => ({ id, title: KIND_TITLES[id] })),
    marks: MARK_KINDS.map((id) => ({ id, title: MARK_TITLES[id], isOutput: isPrinted(id) || id === 'error' })),
    moves: moves.map(({ id, title, group, directions, parameters }) => ({
      id,
      title,
      group,
      directions,
      parameters: parameters.map((parameter) => ({ ...parameter })),
    })),
    breakpoints: isInside ? BREAKPOINT_KINDS : [],
  };
}
