// Prints the program's output while the user moves forward. Each text is printed once, when the position is after the
// statement that printed it. For the current task, the server is asked for these statements; the output of earlier
// tasks is printed completely. Consoles that link texts to statements get the statements of a limited number of texts.
import type { Client } from './client.ts';
import type { CursorInfo, MoveResult, ResultOf, StatementInfo } from '../protocol.ts';
import { comparePositionKeys, positionKey } from './position-key.ts';

type OutputEvent = ResultOf<'events'>['events'][number];
export type OutputStream = 'stdout' | 'stderr';

export interface OutputText {
  readonly stream: OutputStream;
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The statement that printed the text, if it is known. */
  readonly statement?: StatementInfo | undefined;
}

export interface OutputConsole {
  /** Maximum number of texts whose statements are looked up after a move; default: 0. */
  readonly maxLocated?: number;
  print(printed: OutputText): void;
  /** Called if the loaded page does not have all output: the rest begins in the task `from`. */
  hasMore(from: number): void;
  /** Called if the output could not be loaded. */
  failed(reason: string): void;
}

interface EventsPage {
  readonly events: readonly OutputEvent[];
  readonly next?: number | undefined;
}

const OUTPUT_KINDS = ['stdout', 'stderr'] as const;
/** Maximum number of events in one request, and printed after one move. */
const PAGE_SIZE = 1000;
/** Maximum number of outputs whose statements are looked up. A task with more prints them when it is over. */
const MAX_CURRENT_OUTPUTS = 20;

export class OutputFollower {
  readonly #client: Client;
  readonly #console: OutputConsole;
  /** Number of printed texts by task. */
  readonly #printedCounts = new Map<number, number>();
  /** First task whose output is printed. */
  #firstTask = 1;
  #controller = new AbortController();
  /** First task whose output is still to be printed, after a newer move has interrupted the request for it. */
  #resumeAt: number | undefined;

  constructor(client: Client, output: OutputConsole) {
    this.#client = client;
    this.#console = output;
  }

  /**
   * Prints the output between two positions, after a move forward. Where the program ended, also what follows.
   * @param landed result of the move, if this client made it
   */
  async cursorMoved(previous: CursorInfo, target: CursorInfo, landed?: MoveResult): Promise<void> {
    const isEnd = landed?.isEdge === true && target.statement !== undefined;
    const cursor = isEnd ? { position: target.position, order: Infinity } : target;
    this.#controller.abort();
    const { signal } = (this.#controller = new AbortController());
    const isForward = comparePositionKeys(positionKey(previous), positionKey(cursor)) < 0;
    const from = (this.#resumeAt = isForward ? (this.#resumeAt ?? previous.order) : undefined);
    if (from === undefined) return;
    try {
      const { events, next } = await this.#loadEvents(from, PAGE_SIZE, signal);
      const isInCurrentTask = ({ order }: OutputEvent): boolean => order === cursor.order;
      const earlierEvents = events.filter(({ order }) => order < cursor.order);
      const currentEvents = events.filter(isInCurrentTask);
      const count = currentEvents.length === 0 ? 0 : await this.#countPrinted(currentEvents.length, cursor, signal);
      const passed = [...earlierEvents, ...currentEvents.slice(0, count)];
      const newEvents = this.#withoutPrinted(passed);
      const statements = await this.#locate(newEvents, events, signal);
      if (signal.aborted) return;
      for (const each of newEvents) {
        this.#printedCounts.set(each.order, (this.#printedCounts.get(each.order) ?? 0) + 1);
        this.#print(each, statements.get(each));
      }
      this.#resumeAt = undefined;
      if (next !== undefined && next < cursor.order && cursor.order > this.#firstTask) this.#console.hasMore(next);
    } catch (error) {
      if (!signal.aborted) this.#console.failed((error as Error).message);
    }
  }

  /** Prints all output of the tasks `from` to `to`; returns the number of texts. */
  async printRange(from: number, to: number, signal: AbortSignal): Promise<number> {
    let count = 0;
    for (let next: number | undefined = from; next !== undefined && next <= to;) {
      const page: EventsPage = await this.#loadEvents(next, PAGE_SIZE, signal);
      const inRange = page.events.filter(({ order }) => order <= to);
      const statements = await this.#locate(inRange, page.events, signal);
      for (const each of inRange) this.#print(each, statements.get(each));
      count += inRange.length;
      next = page.next;
    }
    return count;
  }

  /** Counts the output of all tasks before this one as printed. */
  skipBefore(order: number): void {
    this.#firstTask = order;
  }

  reset(): void {
    this.#printedCounts.clear();
    this.#firstTask = 1;
  }

  stop(): void {
    this.#controller.abort();
  }

  #loadEvents(from: number, count: number, signal: AbortSignal): Promise<EventsPage> {
    return this.#client.request('events', { kinds: OUTPUT_KINDS, from, count }, { signal });
  }

  /** Number of texts of the current task that were printed before the current position. */
  async #countPrinted(count: number, cursor: CursorInfo, signal: AbortSignal): Promise<number> {
    if (cursor.task === undefined || cursor.statement === undefined || count > MAX_CURRENT_OUTPUTS) return 0;
    const targets = await this.#outputsOf(cursor.order, cursor.task.position, signal);
    // If a statement prints several texts, it is unknown how many of them are before the position.
    if (targets.length !== count) return 0;
    return targets.filter((target) => {
      const [, list = 0, statement = 0] = positionKey(target);
      return comparePositionKeys([cursor.order, list, statement], positionKey(cursor)) < 0;
    }).length;
  }

  /** Positions of the statements in a task that print. */
  async #outputsOf(order: number, position: string, signal: AbortSignal): Promise<CursorInfo[]> {
    const targets: CursorInfo[] = [];
    for (let from = position; ;) {
      const { found, cursor: target } = await this.#client.request('find', { move: 'output', from }, { signal });
      if (!found || target.order !== order) return targets;
      targets.push(target);
      from = target.position;
    }
  }

  /**
   * Finds the statements of texts. They are unknown if a task has several statements that print, and one of them prints
   * several texts; or if the recording is not replayed statement by statement. @param all all texts of the tasks
   */
  async #locate(
    events: readonly OutputEvent[],
    all: readonly OutputEvent[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<OutputEvent, StatementInfo | undefined>> {
    const located = new Set(events.slice(0, this.#console.maxLocated ?? 0));
    const statements = new Map<OutputEvent, StatementInfo | undefined>();
    for (const order of new Set(Array.from(located, (each) => each.order))) {
      const ofTask = all.filter((each) => each.order === order);
      if (ofTask.length > MAX_CURRENT_OUTPUTS) continue;
      const targets = await this.#outputsOf(order, ofTask[0]?.position ?? '', signal).catch(() => []);
      if (signal.aborted) break;
      if (targets.length !== 1 && targets.length !== ofTask.length) continue;
      for (const [i, each] of ofTask.entries())
        if (located.has(each)) statements.set(each, (targets[i] ?? targets[0])?.statement);
    }
    return statements;
  }

  #withoutPrinted(events: readonly OutputEvent[]): OutputEvent[] {
    const seenCounts = new Map<number, number>();
    return events.filter(({ order }) => {
      const index = seenCounts.get(order) ?? 0;
      seenCounts.set(order, index + 1);
      return order >= this.#firstTask && index >= (this.#printedCounts.get(order) ?? 0);
    });
  }

  #print({ kind, text, time }: OutputEvent, statement?: StatementInfo): void {
    if (text !== undefined) this.#console.print({ stream: kind as OutputStream, text, time, statement });
  }
}
