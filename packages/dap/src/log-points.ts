// Log points: what an expression comes to each time that the recording comes by a line, all of them, told as soon as they are known. Nothing was printed there when it was recorded: it is
// evaluated now, over the whole recording, in a process that nobody else waits for.
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

  /** From here on: whoever has not set all of its breakpoints yet does not wait for what is told of them. */
  start(): void {
    this.#release();
  }

  /** Answers what ends it. @param message of which the pieces in braces are expressions */
  add(location: LogPointLocation, message: string): () => void {
    const controller = new AbortController();
    // One after the other: each goes through the whole recording.
    this.#queue = this.#queue.then(() => this.#run(location, message, controller));
    return () => controller.abort();
  }

  async #run(
    { file = '', line = 1, column, condition }: LogPointLocation,
    message: string,
    controller: AbortController,
  ): Promise<void> {
    if (controller.signal.aborted) return;
    const { client, emitEvent, progress, numbering } = this.#context;
    const item = progress.start(`${message} at line ${line}, over the whole recording`, controller);
    const source = await this.#sources.sourceOf(`/${file}`);
    const print = (output: string): void =>
      emitEvent('output', { category: 'console', output, source, line: numbering.toClientLine(line) });
    try {
      const params = { file, line, column, condition, logExpression: templateOf(message) };
      for await (const { position, logValue: value, error } of logPointHits(client, params, item))
        print(`${position}  ${value ?? error ?? ''}\n`);
    } catch (error) {
      if (!controller.signal.aborted) print(`${message}: ${(error as Error).message}\n`);
    } finally {
      item.end();
    }
  }
}

/** As an expression: `sum is {this.sum}` is a template. */
export function templateOf(message: string): string {
  const chars = [...message];
  let text = '';
  let depth = 0;
  for (const [i, char] of chars.entries()) {
    if (char === '{' && depth++ === 0) text += '${';
    else if (char === '}' && depth > 0) {
      depth--;
      text += '}';
    } else if (depth > 0) text += char;
    else if (char === '`' || char === '\\') text += `\\${char}`;
    else text += char === '$' && chars[i + 1] === '{' ? '\\$' : char;
  }
  return depth > 0 ? `\`${message.replaceAll(/[`\\$]/g, '\\$&')}\`` : `\`${text}\``;
}
