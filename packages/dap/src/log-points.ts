// Log points: what an expression comes to each time that the recording comes by a line, all of them, told as soon as they are known. Nothing was printed there when it was recorded: it is
// evaluated now, over the whole recording, in a process that nobody else waits for.
import { logged } from '@turntable/time-machine/client';
import type { ParamsOf } from '@turntable/time-machine/protocol';
import type { Ground } from './ground.ts';
import type { Sources } from './sources.ts';

type Place = Pick<ParamsOf<'break'>, 'file' | 'line' | 'column' | 'condition'>;

export class LogPoints {
  readonly #ground: Ground;
  readonly #sources: Sources;
  #ready: Promise<unknown>;
  #begin: () => void = () => {};

  constructor(ground: Ground, sources: Sources) {
    this.#ground = ground;
    this.#sources = sources;
    this.#ready = new Promise<void>((settle) => (this.#begin = settle));
  }

  /** From here on: whoever has not set all of its breakpoints yet does not wait for what is told of them. */
  start(): void {
    this.#begin();
  }

  /** Answers what ends it. @param message of which the pieces in braces are expressions */
  begin(place: Place, message: string): () => void {
    const controller = new AbortController();
    // One after the other: each goes through the whole recording.
    this.#ready = this.#ready.then(() => this.#tell(place, message, controller));
    return () => controller.abort();
  }

  async #tell(
    { file = '', line = 1, column, condition }: Place,
    message: string,
    controller: AbortController,
  ): Promise<void> {
    if (controller.signal.aborted) return;
    const { client, tell, works, counting } = this.#ground;
    const work = works.begin(`${message} at line ${line}, over the whole recording`, controller);
    const source = await this.#sources.told(`/${file}`);
    const say = (output: string): void =>
      tell('output', { category: 'console', output, source, line: counting.lineTo(line) });
    try {
      const wish = { file, line, column, condition, log: templateOf(message) };
      for await (const { position, log, error } of logged(client, wish, work))
        say(`${position}  ${log ?? error ?? ''}\n`);
    } catch (error) {
      if (!controller.signal.aborted) say(`${message}: ${(error as Error).message}\n`);
    } finally {
      work.end();
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
