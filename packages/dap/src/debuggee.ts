// A recording that a client looks into: what is answered of it, by the names of requests. What takes somebody elsewhere is answered at once and told when all have come there; the rest is asked
// of the time machine, which every client of it shares.
import { outText, Printed, type Direction } from '@turntable/time-machine/client';
import type { Landed } from '@turntable/time-machine/protocol';
import { Actors } from './actors.ts';
import { Breakpoints } from './breakpoints.ts';
import type { Answer, Asked } from './conversation.ts';
import { Customs } from './customs.ts';
import { Evaluation } from './evaluation.ts';
import { exceptionInfo } from './exceptions.ts';
import type { Ground } from './ground.ts';
import { GotoTargets } from './goto-targets.ts';
import { Journey, type EditorGoing } from './journey.ts';
import { LogPoints } from './log-points.ts';
import { Sources } from './sources.ts';
import { Stack } from './stack.ts';
import { Variables } from './variables.ts';
import { Writes } from './writes.ts';

/** Moves of the time machine by which the buttons of editors go, the first that there is. */
const OVER = ['over', 'stretch'];
const INTO = ['into', 'stretch'];
const OUT = ['out', 'stretch'];

export class Debuggee {
  readonly journey: Journey;
  /** Kinds of breakpoints that were met where all have stopped last by any. */
  #met: { readonly position: string; readonly kinds: readonly string[] } | undefined;
  readonly #ground: Ground;
  readonly #actors: Actors;
  readonly #sources: Sources;
  readonly #stack: Stack;
  readonly #variables: Variables;
  readonly #breakpoints: Breakpoints;
  readonly #logPoints: LogPoints;
  readonly #writes: Writes;
  readonly #evaluation: Evaluation;
  readonly #printed: Printed;
  readonly #gotoTargets: GotoTargets;
  readonly #customs: Customs;

  private constructor(ground: Ground, actors: Actors, sources: Sources) {
    this.#ground = ground;
    this.#actors = actors;
    this.#sources = sources;
    this.journey = new Journey(ground, actors);
    const where = () => this.journey.where;
    this.#stack = new Stack(ground, { actors, sources, where });
    this.#variables = new Variables(ground);
    this.#evaluation = new Evaluation(this.#stack, this.#variables);
    this.#logPoints = new LogPoints(ground, sources);
    this.#breakpoints = new Breakpoints(ground, sources, this.#logPoints);
    this.#writes = new Writes(ground);
    this.#printed = new Printed(ground.client, {
      print: ({ to, text }) => ground.tell('output', { category: to, output: `${text}\n` }),
      more: (from) => ground.say(`more was printed from stretch ${from} on: the request turntable/output tells it`),
      fails: (why) => ground.say(`what was printed is not known: ${why}`),
    });
    this.#gotoTargets = new GotoTargets(ground, sources, this.journey);
    this.#customs = new Customs(ground, this.journey, this.#printed);
    this.journey.onLeave = () => {
      this.#stack.forget();
      this.#variables.forget();
    };
    this.journey.onArrive = (before, arrived) => void this.#printed.passed(before, arrived);
    ground.client.onMoved = ({ by, where: elsewhere }) => this.journey.moved(elsewhere, by);
  }

  /** @param threads that are told of at most */
  static async of(ground: Ground, threads: number): Promise<Debuggee> {
    const [actors, sources] = await Promise.all([Actors.read(ground, threads), Sources.read(ground)]);
    return new Debuggee(ground, actors, sources);
  }

  /** All breakpoints are set. */
  begin(): void {
    this.#logPoints.start();
  }

  /** Nothing of this client is left with the time machine. */
  async leave(): Promise<void> {
    this.journey.giveUp();
    await this.#breakpoints.clear();
  }

  /** @param reason what it is called why all stand there */
  goTo(move: 'start' | 'end', reason: string): Promise<Landed> {
    if (move === 'start') this.#printed.forget();
    return this.journey.go({
      title: `to the ${move}`,
      lead: (options) => this.journey.move({ move }, options),
      reason: () => ({ reason }),
    });
  }

  readonly answers: Readonly<Record<string, Answer>> = {
    threads: () => ({ threads: this.#actors.threads(this.journey.where) }),
    stackTrace: ({ given }) =>
      this.#stack.frames(given.integer('threadId'), {
        start: given.optionalInteger('startFrame'),
        levels: given.optionalInteger('levels'),
      }),
    scopes: ({ given }) => this.#evaluation.scopes(given.integer('frameId')),
    variables: async ({ given }) => ({
      variables: await this.#variables.variables(given.integer('variablesReference'), {
        start: given.optionalInteger('start'),
        count: given.optionalInteger('count'),
      }),
    }),
    evaluate: ({ given, signal }) => this.#evaluation.evaluate(given, signal),
    source: async ({ given }) => {
      const text = await this.#sources.text(given.optionalPart('source'), given.optionalInteger('sourceReference'));
      return { content: text };
    },
    loadedSources: async () => ({ sources: await this.#sources.all() }),
    setBreakpoints: async ({ given }) => ({ breakpoints: await this.#breakpoints.lines(given) }),
    breakpointLocations: async ({ given }) => ({ breakpoints: await this.#breakpoints.locations(given) }),
    setFunctionBreakpoints: async ({ given }) => ({ breakpoints: await this.#breakpoints.functions(given) }),
    setExceptionBreakpoints: async ({ given }) => ({ breakpoints: await this.#breakpoints.exceptions(given) }),
    dataBreakpointInfo: ({ given }) => this.#evaluation.dataBreakpointInfo(given, this.journey.where),
    setDataBreakpoints: ({ given }) => ({ breakpoints: this.#writes.set(given) }),
    continue: (asked) => {
      this.#goes(asked, this.#continuing('forward'));
      return { allThreadsContinued: true };
    },
    reverseContinue: (asked) => this.#goes(asked, this.#continuing('backward')),
    next: (asked) => this.#steps(asked, OVER, 'forward'),
    stepIn: (asked) => this.#steps(asked, INTO, 'forward'),
    stepOut: (asked) => this.#steps(asked, OUT, 'forward'),
    stepBack: (asked) => this.#steps(asked, OVER, 'backward'),
    pause: ({ afterwards }) => afterwards(() => this.journey.pause()),
    exceptionInfo: () => {
      const { where } = this.journey;
      const kinds = this.#met?.position === where.position ? this.#met.kinds : [];
      return exceptionInfo(this.#ground, where, kinds);
    },
    gotoTargets: async (asked) => ({ targets: await this.#gotoTargets.targets(asked) }),
    goto: (asked) => this.#goes(asked, this.#gotoTargets.going(asked.given.integer('targetId'))),
    restartFrame: (asked) => {
      const frame = this.#stack.frame(asked.given.integer('frameId'));
      const isInnermost = frame.is === 'call' && frame.index === 0;
      const begin = isInnermost ? this.journey.where.stretch?.position : undefined;
      const position = begin ?? this.#evaluation.positionOf(frame);
      const lead: EditorGoing['lead'] = (options) => this.journey.to(position, options);
      return this.#goes(asked, { title: `to ${position}`, lead, reason: () => ({ reason: 'goto' }) });
    },
    'turntable/moves': () => this.#customs.described,
    'turntable/where': () => this.journey.where,
    'turntable/move': (asked) => this.#customs.move(asked),
    'turntable/find': (asked) => this.#customs.find(asked),
    'turntable/ask': (asked) => this.#customs.ask(asked),
    'turntable/output': (asked) => this.#customs.output(asked),
  };

  /** It is answered that they go, and told where they are then. */
  #goes({ afterwards }: Asked, going: EditorGoing): void {
    afterwards(() => void this.journey.go(going));
  }

  #steps(asked: Asked, moves: readonly string[], direction: Direction): void {
    const { given } = asked;
    const isFine = given.optionalText('granularity') === 'instruction';
    const lead = this.journey.step(isFine ? INTO : moves, direction, given.optionalInteger('threadId'));
    return this.#goes(asked, { title: 'a step', lead, reason: () => ({ reason: 'step' }) });
  }

  /** To the next breakpoint of any sort; to the end of the recording, or its beginning, where there is none. */
  #continuing(direction: Direction): EditorGoing {
    const isForward = direction === 'forward';
    let written: { readonly landed: Landed; readonly id: number; readonly expression: string } | undefined;
    let isOut = false;
    const { journey } = this;
    return {
      title: isForward ? 'to the next breakpoint' : 'to the breakpoint before',
      lead: async (options) => {
        const all = this.#writes.isEmpty ? [] : await this.#writes.next(journey.where, direction, options);
        const write = journey.nearest(
          all.map(({ landed }) => landed),
          direction,
        );
        const wanted = { move: 'breakpoint', direction } as const;
        const stop = write === undefined ? await journey.move(wanted, options) : await journey.find(wanted, options);
        const nearest = write === undefined ? stop : journey.nearest([write, stop], direction);
        if (nearest !== undefined && nearest.found) {
          written = all.find(({ landed }) => landed === nearest);
          if (write === undefined) return nearest;
          return { ...(await journey.to(nearest.where.position, options)), breakpoints: nearest.breakpoints };
        }
        isOut = true;
        return journey.move({ move: isForward ? 'end' : 'start' }, options);
      },
      reason: ({ where, note, breakpoints = [] }) => {
        if (isOut) return { reason: isForward ? 'pause' : 'entry', description: outText(direction) };
        if (written !== undefined) {
          const { landed, id, expression } = written;
          const description = landed.note ?? note ?? `${expression} is written here`;
          return { reason: 'data breakpoint', description, hit: [id] };
        }
        const { kinds, ...reason } = this.#breakpoints.metBy(breakpoints);
        this.#met = { position: where.position, kinds };
        return reason;
      },
    };
  }
}
