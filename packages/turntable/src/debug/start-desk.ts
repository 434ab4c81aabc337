// What stands behind the start page of browsers: which recordings there are, and the time machines of those that were opened there, each at a port of its own, until all end together.
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RecentPlaces } from '@turntable/time-machine/recent';
import type { Site } from '@turntable/time-machine/server';
import { offeredServices, type OfferedService } from '@turntable/time-machine/services';
import { recordingsIn, type ListedRecording } from '../commands/ls.ts';
import { askService, type Wish } from '@turntable/recording/services';
import { isDirectory, recordingOf, serviceOf, tracedIn, whyNoPlace, withRecording } from '@turntable/replayer/replay';
import { pageAddress } from './interface-site.ts';
import { openedRecording, openedSoFar, type OpenedRecording, type OpenWish } from './opened.ts';
import { refusalOf, type Refused } from './refusal.ts';

/** A recording that can be opened, as the page shows it. */
export interface Offered {
  readonly place: string;
  readonly name: string;
  /** When it was opened last, or made: milliseconds since 1970; not known of one that is damaged. */
  readonly time: number | undefined;
  /** Which program, as far as that is known. */
  readonly about: string | undefined;
  readonly isThere: boolean;
}

export interface Offers {
  readonly recent: readonly Offered[];
  /** In the directory of recordings where this was started. */
  readonly here: readonly Offered[];
}

export type OpenAnswer = { readonly address: string } | Refused;
export type ServicesAnswer = { readonly services: readonly OfferedService[] };

const HERE = 'recordings';
const MOST = 50;

export class StartDesk {
  readonly #site: Site;
  readonly #recent: RecentPlaces;
  readonly #isTrusted: boolean;
  readonly #open = new Map<string, Promise<string>>();
  readonly #served = new Set<Promise<void>>();
  readonly #ended = Promise.withResolvers<void>();

  constructor(site: Site, recent: RecentPlaces, isTrusted: boolean) {
    this.#site = site;
    this.#recent = recent;
    this.#isTrusted = isTrusted;
  }

  offers(): Offers {
    const recent = this.#recent.list().map(({ place, time }) => ({
      place,
      name: basename(place),
      time,
      about: undefined,
      isThere: existsSync(place),
    }));
    return { recent, here: isDirectory(HERE) ? recordingsIn(HERE).toReversed().slice(0, MOST).map(offered) : [] };
  }

  forget(place: string): void {
    this.#recent.forget(place);
  }

  async services(): Promise<ServicesAnswer> {
    return { services: await offeredServices() };
  }

  /** How they are when it has been done. */
  async ask(pid: number, wish: Wish): Promise<ServicesAnswer | Refused> {
    try {
      await askService((await serviceOf(pid)).path, wish);
      return await this.services();
    } catch (error) {
      return refusalOf(error);
    }
  }

  async look(pid: number): Promise<OpenAnswer> {
    try {
      const place = await recordingOf(pid);
      return await this.#opened(`so far ${place}`, () => this.#serveSoFar(place));
    } catch (error) {
      return refusalOf(error);
    }
  }

  /** @param written as somebody has written it: from the directory where this was started on */
  async open(written: string, isForced: boolean): Promise<OpenAnswer> {
    const place = resolve(written);
    const why = whyNoPlace(place);
    if (why !== undefined) return refusalOf(new Error(why));
    const answer = await this.#opened(place, () => this.#serve(place, isForced));
    if ('address' in answer) this.#recent.note(place);
    return answer;
  }

  async #opened(name: string, serve: () => Promise<string>): Promise<OpenAnswer> {
    let opening = this.#open.get(name);
    if (opening === undefined) this.#open.set(name, (opening = serve()));
    try {
      return { address: await opening };
    } catch (error) {
      this.#open.delete(name);
      return refusalOf(error);
    }
  }

  #serve(place: string, isForced: boolean): Promise<string> {
    return this.#serving((isServed) =>
      withRecording(place, async (given, file) => {
        const directory = tracedIn(given);
        await isServed(await openedRecording(directory, file ?? directory, this.#wish(isForced)));
      }),
    );
  }

  #serveSoFar(directory: string): Promise<string> {
    return this.#serving(async (isServed) => isServed(await openedSoFar(directory, directory, this.#wish(false))));
  }

  #wish(isForced: boolean): OpenWish {
    return { phase: undefined, isForced, isAnew: false, isTrusted: this.#isTrusted };
  }

  /** Answers its address, and serves it until all end. */
  #serving(serve: (isServed: (opened: OpenedRecording) => Promise<void>) => Promise<void>): Promise<string> {
    return new Promise((settle, reject) => {
      const served = serve(async ({ server, close }) => {
        try {
          settle(pageAddress(await server.listen(0, this.#site)));
          await this.#ended.promise;
        } finally {
          await close();
        }
      }).catch(reject);
      this.#served.add(served);
    });
  }

  async close(): Promise<void> {
    this.#ended.resolve();
    await Promise.all(this.#served);
  }
}

function offered({ directory, name, created, entry, why }: ListedRecording): Offered {
  const time = created === undefined ? undefined : Date.parse(created);
  return { place: resolve(directory), name, time, about: why ?? programOf(entry), isThere: true };
}

function programOf(entry: string | null | undefined): string | undefined {
  return entry?.startsWith('file:') === true ? fileURLToPath(entry) : (entry ?? undefined);
}
