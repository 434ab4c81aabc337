// A client of the time machine with its state: asks for moves, and for what is to be seen where they lead. It knows of a recording what the protocol says, and of a window nothing.
import { allActors, RequestError, type Client, type RequestOptions } from '@turntable/time-machine/client';
import {
  ERRORS,
  type Landed,
  type MethodName,
  type ParamsOf,
  type ResultOf,
  type WayPast,
  type Where,
} from '@turntable/time-machine/protocol';
import { ActorStates } from './actor-state.ts';
import { Bookmarks } from './bookmarks.ts';
import { Branches } from './branches.ts';
import { isAt } from './breakpoints.ts';
import { commandsOf, type MoveCommand } from './commands.ts';
import { isIn, orderOf, type Focus } from './focus.ts';
import { Search } from './found.ts';
import { LastAsked } from './last-asked.ts';
import { Origins } from './origin.ts';
import { Output } from './output.ts';
import type { Panes } from './panes.ts';
import { Promises } from './promises.ts';
import { Requests } from './requests.ts';
import type { SessionPort } from './session-port.ts';
import { Snapshots } from './snapshots.ts';
import { BEGINNING, shownPlace, type Printed, type State } from './state.ts';
import { Store } from './store.ts';
import { PIECE, TimeLine } from './time-line.ts';
import { gone, turned } from './trail.ts';
import { previews, type Tree } from './tree.ts';

/** Times that a line is come by. */
const LOGGED = 500;
/** The move by which places are gone to that are known by their position. */
const TO_POSITION = 'position';

export class Session implements SessionPort<State> {
  readonly store = new Store<State>(BEGINNING);
  readonly variables = new Branches(
    this,
    () => this.state.tree,
    (tree) => this.store.put({ tree }),
  );
  readonly origins = new Origins(this);
  readonly actorStates = new ActorStates(this);
  readonly bookmarks = new Bookmarks(this);
  readonly requests = new Requests(this);
  readonly promises = new Promises(this);
  readonly output = new Output(this);
  readonly search = new Search(this);
  readonly snapshots = new Snapshots(this);
  readonly #connect: (way: WayPast | undefined) => Promise<Client>;
  readonly #renewal: 'asked' | 'anew';
  #client: Client | undefined;
  readonly #sources = new Map<string, string | undefined>();
  #moving: AbortController | undefined;
  /** The last move that was asked for while another one was made. */
  #next: (() => Promise<void>) | undefined;
  readonly #looking = new LastAsked(this);
  #printedCount = 0;
  #logging: AbortController | undefined;

  /**
   * @param connect to a time machine, or to another one if the last has ended; what it refused may be tried in a way past that
   * @param renewal how what goes on is read as far as it is by now: asked, by the time machine; anew, by another one
   */
  constructor(connect: (way: WayPast | undefined) => Promise<Client>, renewal: 'asked' | 'anew' = 'asked') {
    this.#connect = connect;
    this.#renewal = renewal;
  }

  get state(): State {
    return this.store.value;
  }

  /** Connects and asks for what there is; also again, when the connection was lost. @param way past what it was refused for */
  async open(way?: WayPast): Promise<void> {
    this.#client = undefined;
    this.store.put({ ...BEGINNING });
    try {
      const client = await this.#connect(way);
      this.#client = client;
      client.onClose = (why) => this.#lose(why);
      client.onMoved = ({ where }) => void this.#landed(where);
      const hello = await client.hello('debugger');
      const progress = { done: 0, total: hello.stretches };
      this.store.put({ stage: 'loading', hello, progress, where: hello.where, commands: commandsOf(hello.moves) });
      void this.#landed(hello.where);
      this.store.put({ actors: await allActors(client) });
      await this.#readTimeLine(hello.stretches);
      const { breakpoints } = hello.statements ? await this.request('breakpoints', {}) : { breakpoints: [] };
      this.store.put({ stage: 'ready', breakpoints });
      await this.bookmarks.read();
    } catch (error) {
      this.#lose((error as Error).message);
    }
  }

  /** Of a program that goes on: to the end of what it has recorded by now, with what is shown here, and breakpoints, as they were. */
  async renew(): Promise<void> {
    const client = this.#client;
    const { stage, panes, breakpoints } = this.state;
    if (client === undefined || stage !== 'ready') return;
    if (this.#renewal === 'anew') await this.open();
    else if (!(await this.#renewed(client))) return;
    this.show(panes);
    if (breakpoints.length > 0)
      await this.#changeBreakpoints(async () => {
        for (const { id: _, ...each } of breakpoints) await this.request('break', each);
      });
    if (this.#renewal === 'anew') await this.#move('To the end', { move: 'end' });
  }

  /** Whether it is another one now. */
  async #renewed(client: Client): Promise<boolean> {
    this.store.put({ busy: { title: 'What has been recorded since', done: 0, total: 0 }, notice: undefined });
    let closed: string | undefined;
    client.onClose = (why) => void (closed = why);
    try {
      await client.request('renew', {});
      // It closes all connections then.
      client.close();
      await this.open();
      return true;
    } catch (error) {
      client.onClose = (why) => this.#lose(why);
      this.store.put({ busy: undefined });
      if (closed === undefined) this.tell(error);
      else this.#lose(closed);
      return false;
    }
  }

  #lose(why: string): void {
    if (this.state.stage === 'lost') return;
    this.store.put({ stage: 'lost', why, refused: this.#client?.refused, busy: undefined, isLooking: false });
    this.#client?.close();
  }

  /** It is shown as soon as some of it is there, and anew whenever twice as much is. */
  async #readTimeLine(count: number): Promise<void> {
    let timeLine = new TimeLine(count);
    const ask = (from: number): Promise<ResultOf<'overview'>> => this.request('overview', { from, count: PIECE });
    let asked = timeLine.isFilled ? undefined : ask(timeLine.next);
    for (let shown = 0; asked !== undefined;) {
      const piece = await asked;
      // It is made while this one is put in its place.
      asked = piece.next === undefined ? undefined : ask(piece.next);
      timeLine = timeLine.with(piece);
      const progress = { done: timeLine.filled, total: count };
      const isTwice = timeLine.filled >= 2 * shown || timeLine.isFilled;
      if (isTwice) shown = timeLine.filled;
      this.store.put(isTwice ? { timeLine, progress } : { progress });
    }
    this.store.put({ timeLine });
  }

  request<M extends MethodName>(method: M, params: ParamsOf<M>, options?: RequestOptions): Promise<ResultOf<M>> {
    if (this.#client === undefined) return Promise.reject(new RequestError(0, 'nobody is connected'));
    return this.#client.request(method, params, options);
  }

  go({ move, direction, title }: MoveCommand, its: Readonly<Record<string, string>> = {}): Promise<void> {
    return this.#move(title, { move: move.id, direction, arguments: its });
  }

  /** @param position or the place of a stretch among all */
  goTo(position: string | number): Promise<void> {
    const wanted = { move: TO_POSITION, arguments: { position: String(position) } };
    return this.#move(`Go to ${position}`, wanted);
  }

  /** Back to where one has been, or forward again. */
  async turn(step: -1 | 1): Promise<void> {
    const trail = turned(this.state.trail, step);
    const to = trail?.places[trail.at];
    if (trail === undefined || to === undefined) return;
    this.store.put({ trail });
    await this.goTo(to);
  }

  cancel(): void {
    this.#next = undefined;
    this.#moving?.abort();
    this.#logging?.abort();
    this.origins.cancel();
    this.actorStates.cancel();
    this.search.cancel();
    this.snapshots.cancel();
  }

  /** What is under way is given up; if nothing is, all of the recording is shown again. */
  escape(): void {
    if (this.#moving === undefined && this.#logging === undefined) this.focusOn(undefined);
    this.cancel();
  }

  /** Views show this piece only; all of the recording, if none is said. */
  focusOn(focus: Focus | undefined): void {
    this.store.put({ focus });
  }

  show(panes: Partial<Panes>): void {
    this.store.put({ panes: { ...this.state.panes, ...panes } });
  }

  async #move(title: string, params: ParamsOf<'move'>): Promise<void> {
    if (this.#moving !== undefined) {
      this.#next = () => this.#move(title, params);
      return;
    }
    const controller = new AbortController();
    this.#moving = controller;
    this.store.put({ busy: { title, done: 0, total: 0 }, notice: undefined });
    try {
      const options = {
        signal: controller.signal,
        onProgress: (done: number, total: number) => this.store.put({ busy: { title, done, total } }),
      };
      this.#said(await this.request('move', params, options));
    } catch (error) {
      this.tell(error);
    } finally {
      this.#moving = undefined;
      this.store.put({ busy: undefined });
    }
    const next = this.#next;
    this.#next = undefined;
    await next?.();
  }

  #said({ found, why, where }: Landed): void {
    if (found) void this.#landed(where);
    else this.say(why ?? 'there is no such place');
  }

  say(text: string): void {
    this.store.put({ notice: { text, isError: false } });
  }

  /** What was given up is no error. */
  tell(error: unknown): void {
    const { code, message } = error as RequestError;
    if (code === ERRORS.cancelled || this.state.stage === 'lost') return;
    this.store.put({ notice: { text: message, isError: true } });
  }

  dismiss(): void {
    this.store.put({ notice: undefined });
  }

  async #landed(where: Where): Promise<void> {
    this.#looking.stop();
    const before = this.state.tree;
    // Those of another frame are no others of the same.
    const shown = this.state.frame === 0 ? previews(before) : new Map<string, string>();
    const trail = gone(this.state.trail, where.position);
    this.store.put({ where, trail, frame: 0, isLooking: where.statement !== undefined });
    await this.#look(async (signal) => {
      const source = this.#showSource(shownPlace(where)?.file, signal);
      if (where.statement === undefined) {
        this.store.put({ frames: [], tree: { ...before, roots: [], parts: new Map() } });
        await source;
        return;
      }
      const [{ frames }, { entries }] = await Promise.all([
        this.request('frames', {}, { signal }),
        this.request('variables', {}, { signal }),
        source,
      ]);
      if (signal.aborted) return;
      const tree: Tree = {
        roots: entries,
        parts: new Map(),
        open: before.open,
        before: shown.size > 0 ? shown : before.before,
      };
      this.store.put({ frames, tree });
      await this.variables.grow(signal);
    });
  }

  #look(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    return this.#looking.ask(work, () => this.store.put({ isLooking: false }));
  }

  /** The variables of a frame, and where it is. */
  async chooseFrame(index: number): Promise<void> {
    const place = this.state.frames[index]?.place;
    if (this.state.frames[index]?.hasLocals !== true) {
      if (place !== undefined) await this.showLine(place.file, place.line);
      return;
    }
    this.show({ top: 'variables' });
    this.store.put({ frame: index, isLooking: true });
    await this.#look(async (signal) => {
      const [{ entries }] = await Promise.all([
        this.request('variables', { frame: index }, { signal }),
        this.#showSource(place?.file, signal, place?.line),
      ]);
      if (signal.aborted) return;
      this.store.put({ tree: { roots: entries, parts: new Map(), open: this.state.tree.open, before: new Map() } });
      await this.variables.grow(signal);
    });
  }

  /** To the statement that has sent what a stretch is about. @param from whose; where all stand, unless it is said */
  goToSending(from?: string): Promise<void> {
    return this.#try(async () => {
      const { stretches, why } = await this.request('history', { from, count: 1 });
      const [{ sent, stretch } = {}] = stretches;
      const to = sent ?? stretch?.sender;
      if (to !== undefined) await this.goTo(to);
      else this.say(why ?? 'who has sent this is not known');
    });
  }

  /** An error is shown. */
  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.tell(error);
    }
  }

  async #showSource(file: string | undefined, signal?: AbortSignal, line?: number): Promise<void> {
    if (file === undefined || (this.state.source?.file === file && line === undefined)) return;
    const text = await this.sourceOf(file);
    if (signal?.aborted !== true) this.store.put({ source: { file, line, text } });
  }

  /** Undefined, if the recording has it not. */
  async sourceOf(file: string): Promise<string | undefined> {
    if (!this.#sources.has(file)) this.#sources.set(file, (await this.request('source', { file })).text);
    return this.#sources.get(file);
  }

  /** A line of a file, without going anywhere. */
  showLine(file: string, line: number): Promise<void> {
    this.show({ middle: 'source' });
    return this.#try(() => this.#showSource(file, undefined, line));
  }

  print(text: string): Promise<void> {
    return this.#print(text, () => this.request('evaluate', { text }));
  }

  /** What an expression comes to each time that the recording comes by a line. */
  async log(file: string, line: number, text: string): Promise<void> {
    const place = `${file.split('/').at(-1) ?? file}:${line}`;
    const controller = new AbortController();
    this.#logging = controller;
    const title = `${text} at ${place}`;
    const options = {
      signal: controller.signal,
      onProgress: (done: number, total: number) => this.store.put({ busy: { title, done, total } }),
    };
    const { focus, hello } = this.state;
    await this.#print(title, async () => {
      const asked = { file, line, log: text, from: focus?.from ?? 1, count: LOGGED };
      const { hits, next } = await this.request('log', asked, options);
      const isShown = (position: string): boolean => isIn(focus, orderOf(position, hello?.phases ?? []) ?? 1);
      return {
        hits: hits.filter(({ position }) => isShown(position)),
        isCut: next !== undefined && isIn(focus, next),
      };
    });
    this.#logging = undefined;
    this.store.put({ busy: undefined });
  }

  async #print(text: string, ask: () => Promise<NonNullable<Printed['answer']>>): Promise<void> {
    const number = ++this.#printedCount;
    this.show({ bottom: 'expressions' });
    const position = this.state.where?.position ?? '';
    this.store.put({ printed: [...this.state.printed, { number, text, position, answer: undefined }] });
    let answer: Printed['answer'];
    try {
      answer = await ask();
    } catch (error) {
      answer = { error: (error as Error).message, isPure: true };
    }
    this.store.put({
      printed: this.state.printed.map((each) => (each.number === number ? { ...each, answer } : each)),
    });
  }

  toggleBreakpoint(file: string, line: number, condition?: string): Promise<void> {
    const there = this.state.breakpoints.filter((each) => isAt(each, file, line));
    return this.#changeBreakpoints(async () => {
      for (const { id } of there) await this.request('unbreak', { id });
      if (there.length === 0 || condition !== undefined) await this.request('break', { file, line, condition });
    });
  }

  /** One of a kind. @param matching what it is to be like, if not anything */
  breakAt(kind: string, matching: string | undefined): Promise<void> {
    return this.#changeBreakpoints(() => this.request('break', { kind, matching }));
  }

  removeBreakpoint(id: number): Promise<void> {
    return this.#changeBreakpoints(() => this.request('unbreak', { id }));
  }

  #changeBreakpoints(change: () => Promise<unknown>): Promise<void> {
    return this.#try(async () => {
      await change();
      this.store.put(await this.request('breakpoints', {}));
    });
  }
}
