// The last address of each recording that `turntable devtools` served, so that a restarted server has the same address.
// The file contains the secrets of the addresses; only its owner can read it.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface ServedAddress {
  readonly port: number;
  readonly secret: string;
}

interface RecordedAddress extends ServedAddress {
  /** Absolute path of the recording. */
  readonly path: string;
}

const MAX_ADDRESSES = 50;

export class DevtoolsAddresses {
  readonly #file: string | undefined;

  /** @param file undefined to keep no addresses */
  constructor(file: string | undefined) {
    this.#file = file;
  }

  find(path: string): ServedAddress | undefined {
    return this.#list().find((each) => each.path === path);
  }

  add(path: string, { port, secret }: ServedAddress): void {
    if (this.#file === undefined) return;
    const others = this.#list().filter((each) => each.path !== path);
    const temporary = `${this.#file}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true });
      const all = [{ path, port, secret }, ...others].slice(0, MAX_ADDRESSES);
      writeFileSync(temporary, JSON.stringify(all), { mode: 0o600 });
      renameSync(temporary, this.#file);
    } catch {
      // Serving a recording must not fail because the address cannot be kept.
    }
  }

  #list(): RecordedAddress[] {
    if (this.#file === undefined) return [];
    try {
      const all: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
      return Array.isArray(all) ? all.filter(isRecordedAddress) : [];
    } catch {
      // The file does not exist yet, or is damaged.
      return [];
    }
  }
}

function isRecordedAddress(each: unknown): each is RecordedAddress {
  const { path, port, secret } = (each ?? {}) as Partial<RecordedAddress>;
  return typeof path === 'string' && Number.isInteger(port) && /^[\da-f]{32}$/.test(String(secret));
}
