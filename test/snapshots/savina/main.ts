// `main.ts PLACE [TIMES] [WHICH…]`: runs programs of the suite beside each other, the actors of all of them on the main thread, on one worker or spread over two, and
// has a snapshot taken whenever one of them is half-way. Says in lines of JSON which are over and, at the end, what came out of all: after a restore, too, of
// those that were over before. With TIMES each is run so often, at a brief size, one run behind the other, and only the first is looked at in its midst.

import { far, spawnWith, start, type App } from 'turntable';
import { WORKERS, type Place } from '../../../bench/savina/options.ts';
import { Part } from './part.ts';
import { BRIEF, PARTS, type Line } from './parts.ts';

/** The main thread takes snapshots. */
class Camera {
  readonly #app: App;
  readonly #id: string;

  constructor(app: App, id: string) {
    this.#app = app;
    this.#id = id;
  }

  async reached(): Promise<void> {
    say({ halfway: this.#id, phase: await this.#taken() });
  }

  async #taken(): Promise<number | null> {
    try {
      return (await this.#app.snapshot())?.phase ?? null;
    } catch (error) {
      if ((error as { code?: string }).code !== 'TT_NO_SNAPSHOT') throw error;
      // Whoever reads this learns why.
      console.error(`${this.#id}: ${(error as Error).message}`);
      return null;
    }
  }
}

function say(line: Line): void {
  console.log(JSON.stringify(line));
}

const [place = 'main', ...given] = process.argv.slice(2);
const times = /^\d+$/.test(given[0] ?? '') ? Number(given.shift()) : 1;
const ids = given;
const workers = WORKERS[place as Place];
const app = start({ workers });
const results = await Promise.all(
  ids.map(async (id) => {
    const { program, size: long } = PARTS[id]!;
    const size = times === 1 ? long : BRIEF[program]!;
    const part = spawnWith({ on: Math.min(workers, 1) }, Part, program);
    let result = await part.perform(size, far(new Camera(app, id)));
    say({ over: id });
    for (let i = 1; i < times; i++) {
      result = await part.perform(size);
      say({ over: id });
    }
    return [id, result] as const;
  }),
);
say({ results });
