// Log points of DAP clients: the value of an expression each time a line is executed. The server searches the whole
// recording in a separate process, and each hit is printed when it is found.
import { logPointHits } from '@turntable/time-machine/client';
import type { ParamsOf } from '@turntable/time-machine/protocol';
import type { SessionContext } from './session-context.ts';
import type { Sources } from './sources.ts';
import type { VariableStore } from './variable-store.ts';

type LogPointLocation = Pick<ParamsOf<'addBreakpoint'>, 'file' | 'line' | 'column' | 'condition'>;

export class LogPoints {
  readonly #context: SessionContext;
  readonly #sources: Sources;
  readonly #variables: VariableStore;
  #queue: Promise<unknown>;
  #release: () => void = () => {};

  constructor(context: SessionContext, sources: Sources, variables: VariableStore) {
    this.#context = context;
    this.#sources = sources;
    this.#variables = variables;
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
    const print = (output: string, variablesReference?: number): void => {
      const place = { source, line: numbering.toClientLine(line) };
      emitEvent('output', { category: 'console', output, ...place, variablesReference });
    };
    try {
      const parsed = parseMessage(message);
      const expression = valuesOf(parsed);
      const params = { file, line, column, condition, logExpression: listOf(parsed), separator: '' };
      let count = 0;
      for await (const { position, logValue: value, hasParts, error } of logPointHits(client, params, item)) {
        if (++count > maxLogPointHits) continue;
        const reference = hasParts ? this.#variables.valueAt({ position, expression }) : undefined;
        print(`${position}  ${value ?? error ?? ''}\n`, reference);
      }
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

/** A log message: its texts and expressions, in order. */
type LogMessage = readonly (readonly [kind: 'text' | 'expression', text: string])[];

/** Parses a message: `sum is {this.sum}` is a text and an expression. */
function parseMessage(message: string): LogMessage {
  const parts: (readonly ['text' | 'expression', string])[] = [];
  let text = '';
  let depth = 0;
  for (const char of message) {
    if (char === '{' && depth++ === 0) {
      parts.push(['text', text]);
      text = '';
    } else if (char === '}' && depth > 0 && --depth === 0) {
      parts.push(['expression', text]);
      text = '';
    } else text += char;
  }
  const all: LogMessage = depth > 0 ? [['text', message]] : [...parts, ['text', text]];
  return all.filter(([kind, each]) => kind === 'expression' || each !== '');
}

/** An expression for the list of a message's parts: `["sum is ", (this.sum)]`. */
function listOf(message: LogMessage): string {
  return `[${message.map(([kind, text]) => (kind === 'text' ? JSON.stringify(text) : `(${text})`)).join(', ')}]`;
}

/** An expression for the value of a message's only expression, or for an object with the values of all by their texts. */
function valuesOf(message: LogMessage): string {
  const expressions = message.flatMap(([kind, text]) => (kind === 'expression' ? [text.trim()] : []));
  if (expressions.length === 1) return expressions[0] as string;
  return `({ ${expressions.map((text) => `${JSON.stringify(text)}: (${text})`).join(', ')} })`;
}
