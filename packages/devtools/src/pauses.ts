// Where all stand, and how they go elsewhere: every move of a client is made here, one after the other, and ends with a `Debugger.paused` that says where that was.
import { outText, Printed, titleOf, Travel, type Direction, type Going } from '@turntable/time-machine/client';
import type { Landed, ParamsOf, Where } from '@turntable/time-machine/protocol';
import type { Breakpoints } from './breakpoints.ts';
import { CallFrames } from './call-frames.ts';
import { DevtoolsError } from './devtools-error.ts';
import { print, type Ground } from './ground.ts';
import type { RemoteObjects } from './remote-objects.ts';

/** Why all stand still, in words of the protocol, and in others for people. */
export interface Reason {
  readonly reason: 'other' | 'step' | 'exception';
  readonly description?: string | undefined;
  readonly hit?: readonly string[];
}

/** Moves of the time machine by which buttons go, the first that there is. */
const MOVES = { over: ['over', 'stretch'], into: ['into', 'stretch'], out: ['out', 'stretch'] } as const;
export type Step = keyof typeof MOVES;

/** Steps that go on where nobody wants to stop. */
const MOST_PASSED = 100;

export class Pauses {
  readonly frames: CallFrames;
  readonly #ground: Ground;
  readonly #breakpoints: Breakpoints;
  readonly #printed: Printed;
  readonly #travel: Travel<Reason>;
  /** Of URLs of files that nobody wants to stop in. */
  #passed: readonly RegExp[] = [];
  #isTold = false;
  #isPaused = false;
  #telling: Promise<void> = Promise.resolve();

  constructor(ground: Ground, objects: RemoteObjects, breakpoints: Breakpoints) {
    this.#ground = ground;
    this.#breakpoints = breakpoints;
    this.frames = new CallFrames(ground, objects, () => this.where);
    const info = (text: string): void => print(ground, { type: 'info', text, time: Date.now() });
    this.#printed = new Printed(ground.client, {
      print: ({ to, text, time }) => print(ground, { type: to === 'stderr' ? 'error' : 'log', text, time }),
      more: (from) => info(`more was printed from stretch ${from} on: TimeTravel.output tells it`),
      fails: (why) => info(`what was printed is not known: ${why}`),
    });
    this.#travel = new Travel<Reason>(ground.client, ground.hello.where, {
      begin: (_, controller) => {
        this.#leave();
        return { signal: controller.signal, end: () => {} };
      },
      stopped: (reason) => this.#stopped(reason),
      stayed: (why) => {
        info(why);
        this.#stopped({ reason: 'other', description: why });
      },
    });
    this.#travel.onLeave = () => {
      this.frames.forget();
      objects.forget();
    };
    this.#travel.onArrive = (before, where) => {
      // Who is back at the beginning sees all of it again.
      if (where.order === 1 && where.statement === undefined) this.#printed.forget();
      void this.#printed.passed(before, where);
    };
  }

  get where(): Where {
    return this.#travel.where;
  }

  begin(): void {
    this.#isTold = true;
    this.#stopped({ reason: 'other' });
  }

  cease(): void {
    this.#isTold = false;
  }

  /** What was printed up to here. */
  printedBefore(): Promise<void> {
    const { where } = this;
    // Who listens only now has been told of nothing.
    this.#printed.forget();
    const start: Where = { position: '0.1', order: 1 };
    return this.#printed.passed(start, where);
  }

  output(from: number, to: number, signal: AbortSignal): Promise<number> {
    return this.#printed.all(from, to, signal);
  }

  /** Files of which the URL is like one of these are passed by. Throws where one is no pattern. */
  pass(patterns: readonly string[]): void {
    this.#passed = patterns.filter((each) => each !== '').map((each) => new RegExp(each));
  }

  #leave(): void {
    if (this.#isTold && this.#isPaused) this.#ground.tell('Debugger.resumed');
    this.#isPaused = false;
  }

  #stopped(reason: Reason): void {
    if (this.#isTold) this.#telling = this.#telling.then(() => this.#tellPaused(reason));
  }

  async #tellPaused({ reason, description, hit = [] }: Reason): Promise<void> {
    const { position } = this.where;
    const { frames } = this;
    const callFrames = await this.#framesHere();
    // Who goes on before that is told later.
    if (!this.#isTold || this.#travel.isGoing || position !== this.where.position) return;
    this.#isPaused = true;
    this.#ground.tell('Debugger.paused', {
      callFrames,
      reason,
      data: { position, description },
      hitBreakpoints: hit,
      asyncStackTraceId: frames.depth > 0 && this.where.stretch !== undefined ? { id: frames.sendersId } : undefined,
    });
  }

  async #framesHere(): Promise<readonly object[]> {
    try {
      return await this.frames.all();
    } catch (error) {
      print(this.#ground, {
        type: 'info',
        text: `the stack is not known: ${(error as Error).message}`,
        time: Date.now(),
      });
      return this.frames.unknown();
    }
  }

  /** Settles when it has been told where all stand now. */
  async go(going: Going<Reason>, signal?: AbortSignal): Promise<Landed> {
    const landed = await this.#travel.go(going, signal);
    await this.#telling;
    return landed;
  }

  /** Whether something is looked for. */
  get isGoing(): boolean {
    return this.#travel.isGoing;
  }

  /** Only says where all stand. */
  stay(): void {
    this.#stopped({ reason: 'other' });
  }

  /** Behind the end of what was recorded so far the program itself goes on. */
  letGo(): void {
    this.#leave();
  }

  giveUp(): void {
    this.#travel.giveUp();
  }

  end(): void {
    this.#isTold = false;
    this.giveUp();
    this.#printed.end();
  }

  /** Another client has gone there, and so have all. */
  moved(where: Where, by: number): void {
    this.taken(where, `client ${by} has gone here`);
  }

  /** All stand there, though nobody has gone here by a move of this client's. */
  taken(where: Where, description: string): void {
    this.#leave();
    this.#travel.arrived(where, { reason: 'other', description });
  }

  step(step: Step, direction: Direction): Going<Reason> {
    const id = MOVES[step].find((each) => this.#has(each)) ?? step;
    return {
      title: 'a step',
      lead: async (options) => {
        if (this.#passed.length === 0) return this.#travel.move({ move: id, direction }, options);
        let landed = await this.#travel.find({ move: id, direction }, options);
        for (let i = 0; landed.found && this.#isPassed(landed.where) && i < MOST_PASSED; i++)
          landed = await this.#travel.find({ move: MOVES.out[0], direction, from: landed.where.position }, options);
        return landed.found ? this.#travel.to(landed.where.position, options) : landed;
      },
      reason: () => ({ reason: 'step' }),
    };
  }

  #has(id: string): boolean {
    return this.#ground.hello.moves.some((move) => move.id === id);
  }

  #isPassed({ statement }: Where): boolean {
    const url = statement === undefined ? undefined : this.#ground.scripts.ofFile(statement.file)?.url;
    return url !== undefined && this.#passed.some((each) => each.test(url));
  }

  /** To the next breakpoint; to the end of the recording, or its beginning, where there is none. */
  onwards(direction: Direction): Going<Reason> {
    let isOut = false;
    return {
      title: 'to the next breakpoint',
      lead: async (options) => {
        // Where stretches are not gone into there is nothing to stop at.
        const stop = this.#has('breakpoint')
          ? await this.#travel.move({ move: 'breakpoint', direction }, options)
          : undefined;
        if (stop?.found === true) return stop;
        isOut = true;
        return this.#travel.move({ move: direction === 'forward' ? 'end' : 'start' }, options);
      },
      reason: ({ note, breakpoints = [] }) => {
        if (isOut) return { reason: 'other', description: outText(direction) };
        const { hit, isOfErrors } = this.#breakpoints.metBy(breakpoints);
        return { reason: isOfErrors ? 'exception' : 'other', description: note, hit };
      },
    };
  }

  to(position: string): Going<Reason> {
    const lead: Going<Reason>['lead'] = (options) => this.#travel.to(position, options);
    return { title: `to ${position}`, lead, reason: () => ({ reason: 'other' }) };
  }

  /** Any move that the server describes. */
  move(wanted: ParamsOf<'move'>): Going<Reason> {
    const move = this.#ground.hello.moves.find(({ id }) => id === wanted.move);
    if (move === undefined) {
      const known = this.#ground.hello.moves.map(({ id }) => id).join(', ');
      throw new DevtoolsError('TT_CDP_PARAMS', `there is no move ${wanted.move}; there are ${known}`);
    }
    const title = titleOf(move, wanted.direction);
    return {
      title,
      lead: (options) => this.#travel.move(wanted, options),
      reason: ({ note }) => ({ reason: 'other', description: note ?? title }),
    };
  }

  find(wanted: ParamsOf<'find'>, signal: AbortSignal): Promise<Landed> {
    return this.#travel.find(wanted, { signal });
  }
}
