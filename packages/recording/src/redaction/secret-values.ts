// Values that were found under the name of a secret, and are secret wherever else they occur: as they are, escaped in
// JSON, in URLs, in base64, and in bytes that are read as Latin-1.

/** Minimum length of a known value: shorter ones occur in too many other places. */
const MIN_LENGTH = 6;
/** Minimum length of a value of letters only, without capitals inside, which might be an ordinary word. */
const MIN_WORD_LENGTH = 12;
/** Maximum number of known values. Beyond it, values are redacted only where they have a name or a format. */
const MAX_VALUES = 100_000;
const FILTER_BITS = 16;

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Whether a value is distinctive enough to be redacted wherever it occurs. */
export function isDistinctive(value: string): boolean {
  return value.length >= MIN_LENGTH && (value.length >= MIN_WORD_LENGTH || !/^[A-Z]?[a-z]+$/.test(value));
}

export class SecretValues {
  readonly #values = new Set<string>();
  /** Values that cannot be searched yet. */
  readonly #added: string[] = [];
  /** Values in all encodings, by the hash of their first characters, the longest first. */
  readonly #byHash = new Map<number, string[]>();
  /** One bit for each hash, which rules out most places of a text without a lookup. */
  readonly #filter = new Uint8Array(1 << (FILTER_BITS - 3));

  get size(): number {
    return this.#values.size;
  }

  [Symbol.iterator](): IterableIterator<string> {
    return this.#values.values();
  }

  add(value: string): void {
    if (value.length < MIN_LENGTH || this.#values.has(value) || this.#values.size >= MAX_VALUES) return;
    this.#values.add(value);
    this.#added.push(value);
  }

  /** Makes the values that were added since the last search searchable. */
  #index(): void {
    for (const value of this.#added.splice(0))
      for (const form of formsOf(value)) {
        const hash = hashAt(form, 0);
        const others = this.#byHash.get(hash);
        // Longest first, because a value may contain another one.
        if (others === undefined) this.#byHash.set(hash, [form]);
        else if (!others.includes(form)) {
          const place = others.findIndex(({ length }) => length < form.length);
          others.splice(place === -1 ? others.length : place, 0, form);
        }
        const bit = filterBit(hash);
        this.#filter[bit >> 3] = (this.#filter[bit >> 3] ?? 0) | (1 << (bit & 7));
      }
  }

  /** Finds the known values in a text. At the end of a cut text, the beginning of one is enough. */
  *find(text: string, isCut = false): Generator<TextRange> {
    if (this.#values.size === 0) return;
    this.#index();
    for (let start = 0; start + MIN_LENGTH <= text.length; start++) {
      const hash = hashAt(text, start);
      const bit = filterBit(hash);
      if (((this.#filter[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) continue;
      const rest = text.length - start;
      const found = this.#byHash
        .get(hash)
        ?.find((value) =>
          value.length <= rest ? text.startsWith(value, start) : isCut && value.startsWith(text.slice(start)),
        );
      if (found === undefined) continue;
      const end = Math.min(start + found.length, text.length);
      yield { start, end };
      start = end - 1;
    }
  }
}

function formsOf(value: string): Set<string> {
  const escaped = JSON.stringify(value).slice(1, -1);
  const bytes = Buffer.from(value);
  const forms = [
    value,
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('latin1'),
    Buffer.from(value, 'utf16le').toString('latin1'),
  ];
  // A text with half a character cannot be encoded.
  if (value.isWellFormed()) forms.push(encodeURIComponent(value), encodeURIComponent(value).replaceAll('%20', '+'));
  return new Set(forms);
}

/** Hashes the first characters of a value. */
function hashAt(text: string, start: number): number {
  let hash = 0;
  for (let i = 0; i < MIN_LENGTH; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(start + i)) | 0;
  return hash;
}

function filterBit(hash: number): number {
  return (hash ^ (hash >>> FILTER_BITS)) & ((1 << FILTER_BITS) - 1);
}
