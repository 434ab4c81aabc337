// Which recordings were opened lately, and with which code: that one may be opened again without a question, as long as its code is the same. Pages are told of places only.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { RecentPlaces } from '@turntable/time-machine/recent';
import type { Beginning } from '../bridge.ts';

export class Recent extends RecentPlaces {
  told(): Beginning['recent'] {
    return this.list().map(({ place, time }) => ({ place, name: basename(place), time, isThere: existsSync(place) }));
  }

  has(place: string): boolean {
    return this.list().some((each) => each.place === place);
  }

  /** Whether somebody has agreed to run this very code again: what `codeOf` answered then. */
  isAgreed(place: string, code: string | undefined): boolean {
    return code !== undefined && this.list().some((each) => each.place === place && each.code === code);
  }
}

/**
 * Which code would be run: a manifest names all texts of its recording by their digests; of a packed recording it is all of the file. Undefined, where that is not known: of a directory with several
 * recordings, and of what is none.
 */
export async function codeOf(place: string): Promise<string | undefined> {
  try {
    const file = statSync(place).isDirectory() ? join(place, 'manifest.json') : place;
    // What is no file might never end.
    if (!statSync(file).isFile()) return undefined;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}
