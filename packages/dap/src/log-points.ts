// Log points of DAP clients: the value of an expression each time a line is executed. The server searches the whole
// recording in a separate process, and each hit is printed when it is found.
import { logPointHits } from '@turntable/time-machine/client';
import type { ParamsOf } from '@turntable/time-machine/protocol';
import type { SessionContext } from './session-context.ts';
import type { Sources } from './sources.ts';

type LogPointLocation = Pick<ParamsOf<'addBreakpoint'>, 'file' | 'line' | 'column' | 'condition'>;

export class LogPoints {
  readonly #context: SessionContext;
  readonly #sources: Sources;
  #queue: Promise<unknown>;
  #release: () => void = () => {};

  constructor(context: SessionContext, sources: Sources) {
    this.#context = context;
    this.#sources = sources;
    this.#queue = new Promise<void>((settle) => (this.#release = settle));
  }

  /** Starts the searches. To be called after the client has set all breakpoints, which would wait for a search. */
  start(): void {
    this.#release();
  }

  /** Queues a search and returns a function that cancels it. @param message text with expressions in braces */
  add(location: LogPointLocation, message: string): () => void {
    const controller = new AbortController();
    // Log points run one after the other: each replays the whole recording.
    this.#queue = this.#queue.then(() => this.#run(location, message, controller));
    return () => controller.abort();
  }

  async #run(
    { file = '', line = 1, column, condition }: LogPointLocation,
    message: string,
    controller: AbortController,
  ): Promise<void> {
    if (controller.signal.aborted) return;
    const { client, emitEvent, maxLogPointHits, progress, numbering } = this.#context;
    const item = progress.start(`${message} at line ${line}, over the whole recording`, controller);
    const source = await this.#sources.sourceOf(`/${file}`);
    const print = (output: string): void =>
      emitEvent('output', { category: 'console', output, source, line: numbering.toClientLine(line) });
    try {
      const params = { file, line, column, condition, logExpression: partsOf(message), separator: '' };
      let count = 0;
      for await (const { position, logValue: value, error } of logPointHits(client, params, item))
        if (++count <= maxLogPointHits) print(`${position}  ${value ?? error ?? ''}\n`);
      if (count > maxLogPointHits)
        print(
          `${message}: the first ${maxLogPointHits} of ${count} values; "logPointHits" in launch.json sets the limit\n`,
        );
    } catch (error) {
      if (!controller.signal.aborted) print(`${message}: ${(error as Error).message}\n`);
    } finally {
      item.end();
    }
  }
}

/** Converts a log message to a list of its parts: `sum is {this.sum}` to `["sum is ", (this.sum)]`. */
export function partsOf(message: string): string {
  const parts: string[] = [];
  let text = '';
  let depth = 0;
  for (const char of message) {
    if (char === '{' && depth++ === 0) {
      parts.push(JSON.stringify(text));
      text = '';
    } else if (char === '}' && depth > 0 && --depth === 0) {
      parts.push(`(${text})`);
      text = '';
    } else text += char;
  }
  const all = depth > 0 ? [JSON.stringify(message)] : [...parts, JSON.stringify(text)];
  return `[${all.filter((part) => part !== '""').join(', ')}]`;
}
