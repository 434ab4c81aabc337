// Log points: the values of expressions each time a line is executed, printed to the console. CDP has no log points:
// clients send a breakpoint whose condition logs the values.
import { logPointHits } from '@turntable/time-machine/client';
import type { ParamsOf } from '@turntable/time-machine/protocol';
import { COMMANDS_NAME } from './console-commands.ts';
import { printLine, type CdpSessionContext } from './cdp-session-context.ts';
import type { RemoteObject } from './remote-object.ts';
import type { RemoteObjects } from './remote-objects.ts';
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

/** An expression for the value of the only expression, or for a list of the values of all. */
function valueOf(expressions: string): string {
  return `((...values) => (values.length === 1 ? values[0] : values))(${expressions})`;
}

/** Maximum number of values that a log point prints at first. A statement of a loop may have millions. */
const DEFAULT_MAX_HITS = 1000;

export class CdpLogPoints {
  readonly #context: CdpSessionContext;
  readonly #objects: RemoteObjects;
  #queue: Promise<unknown> = Promise.resolve();
  #maxHits = DEFAULT_MAX_HITS;
  /** The log points that have more values than they have printed. */
  #truncated: LogPoint[] = [];

  constructor(context: CdpSessionContext, objects: RemoteObjects) {
    this.#context = context;
    this.#objects = objects;
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
    const print = (text: string, object?: RemoteObject): void =>
      printLine(this.#context, { type: 'log', text, object, time: Date.now(), location });
    try {
      if (signal.aborted) return;
      const params = { file, line, column, logExpression: `[${log}]`, separator: ' ' };
      const maxHits = this.#maxHits;
      let count = 0;
      for await (const hit of logPointHits(this.#context.client, params, { signal })) {
        if (++count <= logPoint.printedCount || count > maxHits) continue;
        const { position, logValue: value, hasParts, error } = hit;
        if (hasParts === true && value !== undefined)
          print(position, this.#objects.valueAt({ position, expression: valueOf(log) }, value));
        else print(`${position}  ${value ?? error ?? ''}`);
        logPoint.printedCount = count;
      }
      if (count <= maxHits) return;
      this.#truncated.push(logPoint);
      print(
        `${log}: the first ${maxHits} of ${count} values; ${COMMANDS_NAME}.logPointHits(${count}) prints all of them`,
      );
    } catch (error) {
      if (!signal.aborted) print(`${log}: ${(error as Error).message}`);
    }
  }
}
