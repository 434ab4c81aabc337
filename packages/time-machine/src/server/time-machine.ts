// A recording that is moved about in: where its clients stand, and what they are answered. All stand at one place and go together: a process that stands at a statement holds a whole
// program, and who looks at one recording in a terminal and in a window wants to see the same in both. Who wants to look elsewhere asks about it and goes nowhere.
import { Conductor, type Engines } from '../conductor/conductor.ts';
import { like } from '../moves/pattern.ts';
import { SurveyIndex } from '../survey/survey-index.ts';
import { beginOf, isBeginning, positionOf, positionText, type Position } from '../position.ts';
import { ERRORS, PROTOCOL_VERSION, type Landed, type ParamsOf, type ResultOf, type Where } from '../protocol.ts';
import type { Survey } from '../survey/survey.ts';
import { pause, type Asker } from './asker.ts';
import { Bookmarks, type Bookmark } from './bookmarks.ts';
import { Destinations, type Found } from './destinations.ts';
import { greetingOf, type RecordingToldOf } from './greeting.ts';
import { Overview } from './overview.ts';
import { notInside, Refusal } from './refusal.ts';
import { sendersOf } from './senders-of.ts';
import { ToldSnapshots, type Snapshots } from './snapshots.ts';
import { textSearch } from './text-search.ts';
import { toldPromises } from './told-promises.ts';
import { ToldStatements, type StatementsOf } from './told-statements.ts';
import { toldMarks, toldRequests, toldStatement, toldStretch } from './told-stretch.ts';

/** What it takes to go into stretches. */
export interface Inside extends Engines {
  /** The text of a file as it was recorded. */
  readonly sourceOf: (file: string) => string | undefined;
  /** The files of which it has the texts. */
  readonly files?: () => readonly string[];
  /** The statements of one, by that text; not known, if it is not said. */
  readonly statementsOf?: StatementsOf;
  /** The file in which bookmarks are kept; nowhere, if it is not said. */
  readonly bookmarksIn?: string | undefined;
  /** Those of the recording; none, if it is not said. */
  readonly snapshots?: Snapshots | undefined;
  /** Of a program that goes on: puts what it has recorded by now in the place of this, and answers until when that is. */
  readonly renew?: (() => Promise<number>) | undefined;
}

/** Stretches that are asked without a pause. */
const PIECE = 1 << 14;

export class TimeMachine {
  readonly #index: SurveyIndex;
  readonly #recording: RecordingToldOf;
  readonly #version: string;
  readonly #conductor: Conductor | undefined;
  readonly #destinations: Destinations;
  readonly #given: Inside | undefined;
  readonly #statements: ToldStatements;
  readonly #bookmarks: Bookmarks;
  readonly #snapshots: ToldSnapshots;
  #overview: Overview | undefined;
  #position: Position = beginOf(1);
  /** Moves are made one after the other. */
  #moving: Promise<unknown> = Promise.resolve();
  readonly #onMoved = new Set<(by: number, where: Where) => void>();

  /** @param version of Turntable */
  constructor(survey: Survey, recording: RecordingToldOf, version: string, inside?: Inside) {
    this.#index = SurveyIndex.of(survey);
    this.#conductor = inside && new Conductor(this.#index, inside);
    this.#destinations = new Destinations(this.#index, this.#conductor);
    this.#given = inside;
    this.#statements = new ToldStatements(inside?.statementsOf ?? (() => undefined));
    this.#bookmarks = new Bookmarks(inside?.bookmarksIn);
    this.#snapshots = new ToldSnapshots(inside?.snapshots, this.#index);
    this.#recording = recording;
    this.#version = version;
  }

  /** @returns what ends that */
  watch(listener: (by: number, where: Where) => void): () => void {
    this.#onMoved.add(listener);
    return () => void this.#onMoved.delete(listener);
  }

  hello({ version }: ParamsOf<'hello'>, asker: Asker): Promise<ResultOf<'hello'>> {
    if (version !== PROTOCOL_VERSION)
      throw new Refusal(
        ERRORS.greeting,
        `this server speaks version ${PROTOCOL_VERSION} of the protocol, not ${version}`,
      );
    const parts = { client: asker.client, recording: this.#recording, version: this.#version, index: this.#index };
    const { all: moves } = this.#destinations;
    const greeting = greetingOf({ ...parts, moves, isInside: this.#conductor !== undefined });
    return this.#here(asker, (where) => ({ ...greeting, where }));
  }

  where(_: ParamsOf<'where'>, asker: Asker): Promise<Where> {
    return this.#here(asker, (where) => where);
  }

  async move(params: ParamsOf<'move'>, asker: Asker): Promise<Landed> {
    const moving = this.#moving.then(async () => {
      asker.signal.throwIfAborted();
      const landed = await this.#destinations.find(params, this.#position, asker);
      const told = await this.#landed(landed, this.#position, asker.signal);
      // Nobody is moved by what was given up, however late.
      asker.signal.throwIfAborted();
      asker.answers(told);
      if ('position' in landed) this.#goTo(landed.position, told.where, asker);
      return told;
    });
    this.#moving = moving.catch(() => {});
    return moving;
  }

  async find({ from, of, ...wanted }: ParamsOf<'find'>, asker: Asker): Promise<Landed> {
    const begin = from === undefined ? this.#position : this.#positionOf(from);
    if (of !== undefined && !this.#destinations.named(wanted.move).parameters.some(({ kind }) => kind === 'expression'))
      throw new Refusal(ERRORS.params, `the move ${wanted.move} takes no expression: it is not asked of an actor`);
    return this.#landed(await this.#destinations.find(wanted, begin, asker, of), begin, asker.signal);
  }

  async stretches(params: ParamsOf<'stretches'>, asker: Asker): Promise<ResultOf<'stretches'>> {
    const { from, count, direction = 'forward', actor, worker } = params;
    const index = this.#index;
    const isMeant = actor === undefined ? undefined : like(actor);
    const meant = isMeant && new Set(index.performers.filter(({ name }) => isMeant(name)));
    const step = direction === 'forward' ? 1 : -1;
    const found: ResultOf<'stretches'>['stretches'][number][] = [];
    let place = Math.min(from, index.count + (step < 0 ? 0 : 1));
    for (let asked = 1; place >= 1 && place <= index.count && found.length < count; place += step, asked++) {
      const isOne = worker === undefined || index.worker(place) === worker;
      const performer = index.performer(place);
      if (isOne && (meant === undefined || (performer !== undefined && meant.has(performer))))
        found.push(this.#stretch(place));
      if (asked % PIECE === 0) await pause(asker, asked, index.count);
    }
    const isMore = place >= 1 && place <= index.count;
    return { stretches: found, next: isMore ? place : undefined };
  }

  marks(params: ParamsOf<'marks'>): ResultOf<'marks'> {
    return toldMarks(this.#index, params);
  }

  search(params: ParamsOf<'search'>, asker: Asker): Promise<ResultOf<'search'>> {
    return textSearch(this.#index, params, (done, total) => pause(asker, done, total));
  }

  requests(params: ParamsOf<'requests'>): ResultOf<'requests'> {
    return toldRequests(this.#index, params);
  }

  snapshots(): ResultOf<'snapshots'> {
    return this.#snapshots.all();
  }

  classes(params: ParamsOf<'classes'>, { signal }: Asker): Promise<ResultOf<'classes'>> {
    return this.#snapshots.classes(params, signal);
  }

  receivers({ order, from = 0, count }: ParamsOf<'receivers'>): ResultOf<'receivers'> {
    if (order > this.#index.count) throw noStretch(order, this.#index.count);
    const all = this.#index.receivers(order);
    return {
      stretches: Array.from(all.subarray(from, from + count), (each) => this.#stretch(each)),
      total: all.length,
    };
  }

  actors({ actor = '*', from = 0, count }: ParamsOf<'actors'>): ResultOf<'actors'> {
    const isMeant = like(actor);
    const meant = this.#index.performers
      .filter(({ name }) => isMeant(name))
      .toSorted((one, other) => (one.stretches[0] ?? 0) - (other.stretches[0] ?? 0));
    const actors = meant.slice(from, from + count).map(({ worker, name, stretches, birth }) => ({
      worker,
      name,
      stretches: stretches.length,
      first: stretches[0] ?? 1,
      last: stretches.at(-1) ?? 1,
      birth,
    }));
    return { actors, total: meant.length };
  }

  overview(wish: ParamsOf<'overview'>): ResultOf<'overview'> {
    this.#overview ??= new Overview(this.#index);
    return this.#overview.piece(wish);
  }

  propose(params: ParamsOf<'propose'>): ResultOf<'propose'> {
    return this.#destinations.propose(params);
  }

  #goTo(position: Position, where: Where, { client }: Asker): void {
    this.#position = position;
    this.#conductor?.goes(position);
    for (const listener of this.#onMoved) listener(client, where);
  }

  get #inside(): Conductor {
    if (this.#conductor !== undefined) return this.#conductor;
    throw notInside();
  }

  async frames(_: ParamsOf<'frames'>, { signal }: Asker): Promise<ResultOf<'frames'>> {
    const frames = await this.#inside.frames(this.#position, signal);
    return {
      frames: frames.map(({ index, function: name, place, at }) => ({
        index,
        function: name,
        place,
        hasLocals: at !== undefined,
        position: at && positionText(at, this.#index.phases),
      })),
    };
  }

  async variables({ frame = 0 }: ParamsOf<'variables'>, { signal }: Asker): Promise<ResultOf<'variables'>> {
    return { entries: await this.#inside.variables(this.#position, frame, signal) };
  }

  expand({ id, from = 0, count }: ParamsOf<'expand'>, { signal }: Asker): Promise<ResultOf<'expand'>> {
    return this.#inside.at(this.#position, signal, (engine) => engine.expand(id, { from, count }));
  }

  text({ id, from = 0, count }: ParamsOf<'text'>, { signal }: Asker): Promise<ResultOf<'text'>> {
    return this.#inside.at(this.#position, signal, (engine) => engine.text(id, { from, count }));
  }

  evaluate(wish: ParamsOf<'evaluate'>, { signal }: Asker): Promise<ResultOf<'evaluate'>> {
    return this.#inside.evaluate(this.#position, { effects: undefined, ...wish }, signal);
  }

  async population(params: ParamsOf<'population'>, { signal }: Asker): Promise<ResultOf<'population'>> {
    const { actor = '*', from = 0, count } = params;
    const isMeant = like(actor);
    const actors = await this.#inside.at(this.#position, signal, (engine) => engine.actors());
    const all = actors.filter(({ name }) => isMeant(name));
    return { actors: all.slice(from, from + count), total: all.length };
  }

  async mailbox(params: ParamsOf<'mailbox'>, { signal }: Asker): Promise<ResultOf<'mailbox'>> {
    const { worker, id, from = 0, count } = params;
    return this.#inside.at(this.#position, signal, (engine) => engine.mailbox({ worker, id }, { from, count }));
  }

  async promises({ from = 0, ...wanted }: ParamsOf<'promises'>, { signal }: Asker): Promise<ResultOf<'promises'>> {
    const promises = await this.#inside.at(this.#position, signal, (engine) => engine.promises({ from, ...wanted }));
    return toldPromises(promises, { most: wanted.count, phases: this.#index.phases });
  }

  async difference(params: ParamsOf<'difference'>, { signal }: Asker): Promise<ResultOf<'difference'>> {
    const { from, to, actor, skip = 0, count } = params;
    const ends = [this.#positionOf(from), to === undefined ? this.#position : this.#positionOf(to)] as const;
    const { performers } = this.#index;
    const own = this.#index.performer(this.#position.order);
    const isMeant = actor === undefined ? undefined : like(actor);
    const meant = isMeant === undefined ? [own ?? performers[0]] : performers.filter(({ name }) => isMeant(name));
    if (meant.length === 0)
      throw new Refusal(ERRORS.params, `there is no actor ${JSON.stringify(actor)}; population tells which there are`);
    const of = meant
      .slice(0, MOST_COMPARED)
      .flatMap((each) => (each ? [{ worker: each.worker, actor: each.name }] : []));
    const { found, isCut } = await this.#inside.difference(of, ends, signal);
    const entries = found.slice(skip, skip + count).map((each) => ({
      ...each,
      path: each.path.slice(0, LONGEST_LINE),
      before: each.before?.slice(0, LONGEST_LINE),
      after: each.after?.slice(0, LONGEST_LINE),
    }));
    return { entries, total: found.length, isCut: isCut || meant.length > of.length };
  }

  async changes(params: ParamsOf<'changes'>, asker: Asker): Promise<ResultOf<'changes'>> {
    const { text, from, first = 1, last = this.#index.count, count } = params;
    const position = from === undefined ? this.#position : this.#positionOf(from);
    const performer = this.#index.performer(position.order);
    if (performer === undefined) throw new Refusal(ERRORS.params, 'nobody runs at the end: ask where somebody does');
    const { worker, life } = this.#index.survey.stretch(position.order);
    const file = (await this.#inside.placeOf(position, asker.signal))?.file;
    const range = { from: first, to: Math.min(last, this.#index.count), count };
    const { changes, next } = await this.#inside.changes(
      { worker, life, text, actor: performer.name, file },
      range,
      asker,
    );
    const told = changes.map(({ position: { order }, before, after }) => ({
      stretch: this.#stretch(order),
      before: before.slice(0, LONGEST_LINE),
      after: after.slice(0, LONGEST_LINE),
    }));
    return { changes: told, next };
  }

  async history({ from, count }: ParamsOf<'history'>, asker: Asker): Promise<ResultOf<'history'>> {
    const { order } = from === undefined ? this.#position : this.#positionOf(from);
    const chain = sendersOf(this.#index, order, count);
    const stretches = new Map<number, ResultOf<'history'>['stretches'][number]>();
    // A process goes forward.
    for (const each of chain.orders.toReversed()) {
      const sent = this.#conductor && (await this.#conductor.sentAt(each, asker.signal));
      const isIn = sent !== undefined && !isBeginning(sent);
      const place = isIn ? await this.#conductor?.placeOf(sent, asker.signal) : undefined;
      stretches.set(each, {
        stretch: this.#stretch(each),
        sent: isIn ? positionText(sent, this.#index.phases) : undefined,
        statement: place && toldStatement(place),
      });
    }
    return { stretches: chain.orders.flatMap((each) => stretches.get(each) ?? []), why: chain.why };
  }

  breakpoints(): ResultOf<'breakpoints'> {
    return { breakpoints: this.#inside.breakpoints };
  }

  break(wish: ParamsOf<'break'>): ResultOf<'break'> {
    const breakpoint = this.#inside.addBreakpoint(wish);
    if (typeof breakpoint === 'string') throw new Refusal(ERRORS.params, breakpoint);
    return breakpoint;
  }

  async log(wish: ParamsOf<'log'>, asker: Asker): Promise<ResultOf<'log'>> {
    const { hits, next } = await this.#inside.log(wish, asker);
    const told = hits.map(({ position, log, error }) => ({
      position: positionText(position, this.#index.phases),
      log: log?.slice(0, LONGEST),
      error: error?.slice(0, LONGEST),
    }));
    return { hits: told, next };
  }

  unbreak({ id }: ParamsOf<'unbreak'>): ResultOf<'unbreak'> {
    return { found: this.#inside.removeBreakpoint(id) };
  }

  bookmarks(): ResultOf<'bookmarks'> {
    return { bookmarks: this.#bookmarks.all.map((each) => this.#told(each)) };
  }

  bookmark({ id, position, note }: ParamsOf<'bookmark'>): ResultOf<'bookmark'> {
    const textOf = (at: Position): string => positionText(at, this.#index.phases);
    const wished = position === undefined ? undefined : textOf(this.#positionOf(position));
    return this.#told(
      id === undefined
        ? this.#bookmarks.add(wished ?? textOf(this.#position), note ?? '')
        : this.#bookmarks.change(id, wished, note),
    );
  }

  unbookmark({ id }: ParamsOf<'unbookmark'>): ResultOf<'unbookmark'> {
    return { found: this.#bookmarks.remove(id) };
  }

  #told(bookmark: Bookmark): ResultOf<'bookmark'> {
    const { phases, count } = this.#index;
    const order = positionOf(bookmark.position, phases, count)?.order ?? Infinity;
    return { ...bookmark, stretch: order > count ? undefined : this.#stretch(order) };
  }

  sources(): ResultOf<'sources'> {
    return { files: this.#given?.files?.() ?? [] };
  }

  source({ file }: ParamsOf<'source'>): ResultOf<'source'> {
    return { text: this.#given?.sourceOf(file) };
  }

  statements(params: ParamsOf<'statements'>): ResultOf<'statements'> {
    return this.#statements.some(params);
  }

  async renew(): Promise<ResultOf<'renew'>> {
    const renew = this.#given?.renew;
    if (renew !== undefined) return { until: await renew() };
    throw new Refusal(ERRORS.params, 'this is all of the recording: its program was not running when it was opened');
  }

  /** To the end, with all clients there will be. */
  goToEnd(): void {
    this.#position = beginOf(this.#index.count + 1);
  }

  async close(): Promise<void> {
    this.#snapshots.close();
    await this.#conductor?.close();
  }

  async #landed(landing: Found, otherwise: Position, signal: AbortSignal): Promise<Landed> {
    if ('why' in landing) return { found: false, why: landing.why, where: await this.#whereOf(otherwise, signal) };
    const { position, note, origin, breakpoints } = landing;
    return { found: true, note, origin, breakpoints, where: await this.#whereOf(position, signal) };
  }

  #positionOf(text: string): Position {
    const position = positionOf(text, this.#index.phases, this.#index.count);
    if (position === undefined)
      throw new Refusal(ERRORS.params, `the recording has no position ${JSON.stringify(text)}`);
    return position;
  }

  /** Answers by where all stand when that is known, who may have been moved meanwhile. */
  async #here<Told>(asker: Asker, by: (where: Where) => Told): Promise<Told> {
    for (;;) {
      const position = this.#position;
      const where = await this.#whereOf(position, asker.signal);
      if (position === this.#position) {
        const told = by(where);
        asker.answers(told);
        return told;
      }
      asker.signal.throwIfAborted();
    }
  }

  async #whereOf(position: Position, signal: AbortSignal): Promise<Where> {
    const { order } = position;
    const place = await this.#conductor?.placeOf(position, signal);
    return {
      position: positionText(position, this.#index.phases),
      order,
      stretch: order > this.#index.count ? undefined : this.#stretch(order),
      statement: place && toldStatement(place),
    };
  }

  #stretch(order: number): NonNullable<Where['stretch']> {
    return toldStretch(this.#index, order);
  }
}

/** Characters of what is told of an expression. */
const LONGEST = 100_000;
const LONGEST_LINE = 10_000;
/** Actors whose states are compared at once. */
const MOST_COMPARED = 100;

function noStretch(order: number, count: number): Refusal {
  return new Refusal(ERRORS.params, `there is no stretch ${order}: they are numbered from 1 to ${count}`);
}
