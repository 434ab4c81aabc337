// What stands behind the start page of browsers: which recordings there are, and the time machines of those that were opened there, each at a port of its own, until all end together.
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RecentPlaces } from '@turntable/recording/recent';
import type { Site } from '@turntable/replay/server';
import { recordingsIn, type ListedRecording } from '../commands/ls.ts';
import { withRecording, whyNoPlace } from '../places/packed-place.ts';
import { isDirectory } from '../places/recording-in.ts';
import { tracedIn } from '../replay/replayable.ts';
import { pageAddress } from './interface-site.ts';
import { openedRecording } from './opened.ts';
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

  /** @param written as somebody has written it: from the directory where this was started on */
  async open(written: string, isForced: boolean): Promise<OpenAnswer> {
    const place = resolve(written);
    const why = whyNoPlace(place);
    if (why !== undefined) return refusalOf(new Error(why));
    let opening = this.#open.get(place);
    if (opening === undefined) this.#open.set(place, (opening = this.#serve(place, isForced)));
    try {
      const address = await opening;
      this.#recent.note(place);
      return { address };
    } catch (error) {
      this.#open.delete(place);
      return refusalOf(error);
    }
  }

  #serve(place: string, isForced: boolean): Promise<string> {
    const wish = { phase: undefined, isForced, isAnew: false, isTrusted: this.#isTrusted };
    return new Promise((settle, reject) => {
      const served = withRecording(place, async (given, file) => {
        const directory = tracedIn(given);
        const { server, close } = await openedRecording(directory, file ?? directory, wish);
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

  /** Those that were opened end. */
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
