// Log points: the values of expressions each time a line is executed, printed to the console. CDP has no log points:
// clients send a breakpoint whose condition logs the values.
import { logPointHits } from '@turntable/time-machine/client';
import type { ParamsOf } from '@turntable/time-machine/protocol';
import { COMMANDS_NAME } from './console-commands.ts';
import { printLine, type CdpSessionContext } from './cdp-session-context.ts';
import type { Location } from './scripts.ts';

type LogPointLocation = Pick<ParamsOf<'addBreakpoint'>, 'file' | 'line' | 'column' | 'condition'>;

/** The condition that Chrome sends for a log point. */
const LOG_POINT_PATTERN = /^\/\*\* DEVTOOLS_LOGPOINT \*\/ console\.log\(([\s\S]*)\)$/;
const SOURCE_URL_PATTERN = /\s*\/\/# sourceURL=\S+\s*$/;

/** Parses a breakpoint's condition: the logged expressions of a log point, otherwise the condition without its URL. */
export function parseLogPoint(text = ''): { readonly log: string | undefined; readonly condition: string | undefined } {
  const stripped = text.replace(SOURCE_URL_PATTERN, '').trim();
  const log = LOG_POINT_PATTERN.exec(stripped)?.[1];
  return { log, condition: log === undefined && stripped !== '' ? stripped : undefined };
}

interface LogPoint {
  readonly target: LogPointLocation;
  /** The expressions, separated by commas. */
  readonly log: string;
  readonly location: Location;
  readonly signal: AbortSignal;
  printedCount: number;
}

/** Maximum number of values that a log point prints at first. A statement of a loop may have millions. */
const DEFAULT_MAX_HITS = 1000;

export class CdpLogPoints {
  readonly #context: CdpSessionContext;
  #queue: Promise<unknown> = Promise.resolve();
  #maxHits = DEFAULT_MAX_HITS;
  /** The log points that have more values than they have printed. */
  #truncated: LogPoint[] = [];

  constructor(context: CdpSessionContext) {
    this.#context = context;
  }

  /** Queues a log point and returns a function that cancels it. @param log the expressions, separated by commas */
  add(target: LogPointLocation, log: string, location: Location): () => void {
    const controller = new AbortController();
    this.#enqueue({ target, log, location, signal: controller.signal, printedCount: 0 });
    return () => controller.abort();
  }

  /** Sets the maximum number of values of a log point, and queues the log points that have more than they printed. */
  setMaxHits(count: number): void {
    this.#maxHits = count;
    const truncated = this.#truncated;
    this.#truncated = [];
    for (const each of truncated) this.#enqueue(each);
  }

  #enqueue(logPoint: LogPoint): void {
    // Log points run one after the other: each replays the whole recording.
    this.#queue = this.#queue.then(() => this.#run(logPoint));
  }

  async #run(logPoint: LogPoint): Promise<void> {
    const { target, log, location, signal } = logPoint;
    const { file = '', line = 1, column } = target;
    const printText = (text: string): void =>
      printLine(this.#context, { type: 'log', text, time: Date.now(), location });
    try {
      if (signal.aborted) return;
      const params = { file, line, column, logExpression: `[${log}]`, separator: ' ' };
      const maxHits = this.#maxHits;
      let count = 0;
      for await (const { position, logValue: value, error } of logPointHits(this.#context.client, params, { signal })) {
        if (++count <= logPoint.printedCount || count > maxHits) continue;
        printText(`${position}  ${value ?? error ?? ''}`);
        logPoint.printedCount = count;
      }
      if (count <= maxHits) return;
      this.#truncated.push(logPoint);
      printText(
        `${log}: the first ${maxHits} of ${count} values; ${COMMANDS_NAME}.logPointHits(${count}) prints all of them`,
      );
    } catch (error) {
      if (!signal.aborted) printText(`${log}: ${(error as Error).message}`);
    }
  }
}
