// List of recently opened recordings, the most recent first, for clients that offer them and ask for consent to replay
// them. The list is kept in a file that has the paths of recordings and digests of their code, not their contents.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { digestCode } from '@turntable/recording/code-digest';

export interface RecentRecording {
  /** Path of a recording's directory or of a packed recording. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  /** Digest of the code that the user has agreed to run. */
  readonly codeDigest?: string;
}

/** What the user must agree to before a recording is replayed. */
export interface ConsentRequest {
  /** Path of the recording. */
  readonly path: string;
  readonly codeDigest: string;
  /** Whether the sandbox is off. */
  readonly isTrusted: boolean;
}

const MAX_RECENT = 20;

/** Digest of the code of a recording; undefined for a directory of several recordings and for anything else. */
export async function codeDigestOf(path: string): Promise<string | undefined> {
  return digestCode(path).catch(() => undefined);
}

export class RecentRecordings {
  readonly #file: string | undefined;

  /** @param file file of the list; if undefined, nothing is kept */
  constructor(file: string | undefined) {
    this.#file = file;
  }

  list(): RecentRecording[] {
    if (this.#file === undefined) return [];
    try {
      const all: unknown = JSON.parse(readFileSync(this.#file, 'utf8'));
      return Array.isArray(all) ? all.filter(isRecentRecording).slice(0, MAX_RECENT) : [];
    } catch {
      // The file does not exist yet, or is damaged.
      return [];
    }
  }

  /** Whether the user has agreed to run the code with this digest when opening this path. */
  hasConsent(path: string, codeDigest: string): boolean {
    return this.#find(path)?.codeDigest === codeDigest;
  }

  /**
   * Puts a recording that was opened now at the front of the list.
   * @param agreedDigest digest of the code that the user has agreed to run; without it, earlier consent remains
   */
  add(path: string, agreedDigest?: string): void {
    const codeDigest = agreedDigest ?? this.#find(path)?.codeDigest;
    const noted = { path, openedAt: Date.now(), ...(codeDigest !== undefined && { codeDigest }) };
    this.#save([noted, ...this.#without(path)]);
  }

  remove(path: string): void {
    this.#save(this.#without(path));
  }

  #find(path: string): RecentRecording | undefined {
    return this.list().find((each) => each.path === path);
  }

  #without(path: string): RecentRecording[] {
    return this.list().filter((each) => each.path !== path);
  }

  #save(all: readonly RecentRecording[]): void {
    if (this.#file === undefined) return;
    const temporary = `${this.#file}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true });
      writeFileSync(temporary, JSON.stringify(all.slice(0, MAX_RECENT)), { mode: 0o600 });
      renameSync(temporary, this.#file);
    } catch {
      // Opening a recording must not fail because the list cannot be written.
    }
  }
}

function isRecentRecording(each: unknown): each is RecentRecording {
  const { path, openedAt } = (each ?? {}) as Partial<RecentRecording>;
  return typeof path === 'string' && typeof openedAt === 'number';
}
