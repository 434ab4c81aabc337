// Log points: what an expression comes to each time that the recording comes by a line, all of them, in the console as soon as they are known. Clients write them as conditions that print.
import { logged } from '@turntable/time-machine/client';
import type { ParamsOf } from '@turntable/time-machine/protocol';
import { print, type Ground } from './ground.ts';
import type { Location } from './scripts.ts';

type Place = Pick<ParamsOf<'break'>, 'file' | 'line' | 'column' | 'condition'>;

/** As Chrome writes them. */
const LOG_POINT = /^\/\*\* DEVTOOLS_LOGPOINT \*\/ console\.log\(([\s\S]*)\)$/;
const SOURCE = /\s*\/\/# sourceURL=\S+\s*$/;

/** What is printed, if it is one, or else where it counts. */
export function logPoint(text = ''): { readonly log: string | undefined; readonly condition: string | undefined } {
  const plain = text.replace(SOURCE, '').trim();
  const log = LOG_POINT.exec(plain)?.[1];
  return { log, condition: log === undefined && plain !== '' ? plain : undefined };
}

export class LogPoints {
  readonly #ground: Ground;
  #last: Promise<unknown> = Promise.resolve();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** Answers what ends it. @param log what is given to the console */
  begin(place: Place, log: string, at: Location): () => void {
    const controller = new AbortController();
    // One after the other: each goes through the whole recording.
    this.#last = this.#last.then(() => this.#tell(place, log, at, controller.signal));
    return () => controller.abort();
  }

  async #tell({ file = '', line = 1, column }: Place, log: string, at: Location, signal: AbortSignal): Promise<void> {
    const say = (text: string): void => print(this.#ground, { type: 'log', text, time: Date.now(), at });
    try {
      if (signal.aborted) return;
      const wish = { file, line, column, log: `[${log}].join(' ')` };
      for await (const { position, log: found, error } of logged(this.#ground.client, wish, { signal }))
        say(`${position}  ${found ?? error ?? ''}`);
    } catch (error) {
      if (!signal.aborted) say(`${log}: ${(error as Error).message}`);
    }
  }
}
