// Log points: the values of expressions each time a line is executed, printed to the console. CDP has no log points:
// clients send a breakpoint whose condition logs the values.
import { logPointHits } from '@turntable/time-machine/client';
import type { ParamsOf } from '@turntable/time-machine/protocol';
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

export class CdpLogPoints {
  readonly #context: CdpSessionContext;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(context: CdpSessionContext) {
    this.#context = context;
  }

  /** Queues a log point and returns a function that cancels it. @param log the expressions, separated by commas */
  add(target: LogPointLocation, log: string, location: Location): () => void {
    const controller = new AbortController();
    // Log points run one after the other: each replays the whole recording.
    this.#queue = this.#queue.then(() => this.#run(target, log, location, controller.signal));
    return () => controller.abort();
  }

  async #run(
    { file = '', line = 1, column }: LogPointLocation,
    log: string,
    location: Location,
    signal: AbortSignal,
  ): Promise<void> {
    const printText = (text: string): void =>
      printLine(this.#context, { type: 'log', text, time: Date.now(), location });
    try {
      if (signal.aborted) return;
      const params = { file, line, column, logExpression: `[${log}]`, separator: ' ' };
      for await (const { position, logValue: value, error } of logPointHits(this.#context.client, params, { signal }))
        printText(`${position}  ${value ?? error ?? ''}`);
    } catch (error) {
      if (!signal.aborted) printText(`${log}: ${(error as Error).message}`);
    }
  }
}
