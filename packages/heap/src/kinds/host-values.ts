// Values of the host that hold nothing of the outside world: read through their own getters (which are the host's code, taken at load),
// made again from what those said. Their methods are the host's; a program's overrides are never called.

import {
  accepts,
  getterOf,
  hasNoNames,
  ownKeys,
  receiverFirst,
  type SafeSet,
  typedArrayBuffer,
  typedArrayLength,
  typedArrayOffset,
  typedArrayTag,
} from '../intrinsics.ts';
import { FIRST_KIND } from '../tags.ts';
import { hasOnlySymbols, nodeSymbol, symbolSetOf } from './target-symbols.ts';
import type { Kind } from '../kind.ts';

type State = Record<symbol, unknown>;

interface CoderSymbols {
  readonly chunk: symbol;
  readonly seen: symbol;
  readonly all: SafeSet<symbol>;
}

let coders: CoderSymbols | undefined;

/** Symbols that Node keeps the state of encoders and decoders under. */
function coderSymbols(): CoderSymbols {
  if (coders !== undefined) return coders;
  const decoder = new TextDecoder();
  const all = symbolSetOf(decoder, new TextDecoder('utf-16le'), new TextEncoder());
  return (coders = { chunk: nodeSymbol(decoder, 'chunk'), seen: nodeSymbol(decoder, 'BOM seen'), all });
}

function isCoderSymbol(key: symbol): boolean {
  return coderSymbols().all.has(key);
}

function bareCoder(object: object): boolean {
  return hasNoNames(object) && hasOnlySymbols(object, isCoderSymbol);
}

const hrefOf = getterOf<string>(URL.prototype, 'href');
const parametersText = receiverFirst(URLSearchParams.prototype.toString) as unknown as (object: object) => string;

const url: Kind = {
  tag: FIRST_KIND + 19,
  name: 'URL',
  prototype: URL.prototype,
  is: (object) => accepts(hrefOf, object),
  bare: hasNoNames,
  header: (writer, object) => writer.string(hrefOf(object)),
  allocate(reader) {
    const at = reader.at;
    const href = reader.text();
    return reader.guarded(at, () => new URL(href));
  },
};

const urlSearchParams: Kind = {
  tag: FIRST_KIND + 20,
  name: 'URLSearchParams',
  prototype: URLSearchParams.prototype,
  is: (object) => accepts(parametersText, object),
  bare: hasNoNames,
  header: (writer, object) => writer.string(parametersText(object)),
  allocate: (reader) => new URLSearchParams(reader.text()),
};

const encoderEncoding = getterOf<string>(TextEncoder.prototype, 'encoding');
const textEncoder: Kind = {
  tag: FIRST_KIND + 21,
  name: 'TextEncoder',
  hides: isCoderSymbol,
  prototype: TextEncoder.prototype,
  is: (object) => accepts(encoderEncoding, object),
  bare: bareCoder,
  allocate: () => new TextEncoder(),
};

const encodingOf = getterOf<string>(TextDecoder.prototype, 'encoding');
const isFatal = getterOf<boolean>(TextDecoder.prototype, 'fatal');
const ignoresMark = getterOf<boolean>(TextDecoder.prototype, 'ignoreBOM');

const FATAL = 1;
const IGNORES_MARK = 2;
const STARTED = 4;
const CHUNK = 8;

/** A UTF-8 decoder keeps undecoded bytes under Node's symbols; decoders of other encodings keep them in the decoding library. */
const textDecoder: Kind = {
  tag: FIRST_KIND + 22,
  name: 'TextDecoder',
  hides: isCoderSymbol,
  prototype: TextDecoder.prototype,
  is: (object) => accepts(encodingOf, object),
  bare: bareCoder,
  header(writer, object) {
    const { chunk, seen } = coderSymbols();
    const left = (object as State)[chunk];
    const started = (object as State)[seen] === true;
    const hasChunk = typedArrayTag(left as object) !== undefined;
    writer.string(encodingOf(object));
    writer.byte(
      (isFatal(object) ? FATAL : 0) |
        (ignoresMark(object) ? IGNORES_MARK : 0) |
        (started ? STARTED : 0) |
        (hasChunk ? CHUNK : 0),
    );
    if (!hasChunk) return;
    const bytes = left as Uint8Array;
    writer.varint(typedArrayLength(bytes));
    writer.blob(new Uint8Array(typedArrayBuffer(bytes), typedArrayOffset(bytes), typedArrayLength(bytes)));
  },
  allocate(reader) {
    const at = reader.at;
    const encoding = reader.text();
    const flags = reader.byte();
    const options = { fatal: (flags & FATAL) !== 0, ignoreBOM: (flags & IGNORES_MARK) !== 0 };
    const decoder = reader.guarded(at, () => new TextDecoder(encoding, options));
    const { chunk, seen } = coderSymbols();
    if ((flags & STARTED) !== 0) (decoder as unknown as State)[seen] = true;
    if ((flags & CHUNK) === 0) return decoder;
    const bytes = reader.span(reader.count(1, 'bytes of a character'));
    // Node expects a Buffer.
    (decoder as unknown as State)[chunk] = Buffer.from(bytes);
    return decoder;
  },
};

type Formatter = { resolvedOptions(): Record<string, unknown> };
type Options = (object: object) => Record<string, unknown>;
/** Their order is their number. */
const FORMATTERS = [
  Intl.Collator,
  Intl.DateTimeFormat,
  Intl.ListFormat,
  Intl.NumberFormat,
  Intl.PluralRules,
  Intl.RelativeTimeFormat,
  Intl.Segmenter,
  Intl.DisplayNames,
  (Intl as unknown as { DurationFormat: typeof Intl.ListFormat }).DurationFormat,
  Intl.Locale,
].map((type) => {
  const constructor = type as unknown as new (locale: string, options: object) => Formatter;
  const prototype = constructor.prototype as Formatter | Intl.Locale;
  if ('resolvedOptions' in prototype)
    return { make: constructor, options: receiverFirst(prototype.resolvedOptions) as unknown as Options };
  const tagOf = receiverFirst(prototype.toString as (this: unknown) => string);
  return { make: constructor, options: (object: object) => ({ locale: tagOf(object) }) };
});

function formatterOf(object: object): number {
  for (let i = 0; i < FORMATTERS.length; i++) if (accepts(FORMATTERS[i]?.options as never, object)) return i;
  return -1;
}

/** `Intl` objects, by their resolved options. */
export const formatter: Kind = {
  tag: FIRST_KIND + 23,
  name: 'Intl formatter',
  prototype: undefined,
  is: (object) => formatterOf(object) >= 0,
  bare: hasNoNames,
  header(writer, object) {
    const number = formatterOf(object);
    writer.byte(number);
    const options = FORMATTERS[number]?.options(object) as Record<string, unknown>;
    const names = ownKeys(options) as string[];
    const keys: string[] = [];
    // What they answer in lists follows from the rest.
    for (let i = 0; i < names.length; i++)
      if (typeof options[names[i] as string] !== 'object') keys[keys.length] = names[i] as string;
    writer.varint(keys.length);
    for (let i = 0; i < keys.length; i++) {
      writer.string(keys[i] as string);
      writer.value(options[keys[i] as string]);
    }
  },
  allocate(reader) {
    const at = reader.at;
    const formatter = FORMATTERS[reader.byte()];
    if (formatter === undefined) throw reader.corrupt('the number of a formatter', at);
    const options: Record<string, unknown> = {};
    for (let left = reader.count(2, 'options'); left > 0; left--) {
      const key = reader.text();
      const value = reader.value();
      if (value !== null && (typeof value === 'object' || typeof value === 'function'))
        throw reader.corrupt('an option', at);
      if (key !== '__proto__') options[key] = value;
    }
    return reader.guarded(at, () => new formatter.make(options['locale'] as string, options));
  },
};

export const HOST_KINDS: readonly Kind[] = [url, urlSearchParams, textEncoder, textDecoder, formatter];
/** Prototypes of the formatters, which share one kind. */
export const FORMATTER_PROTOTYPES: readonly object[] = FORMATTERS.map(({ make }) => make.prototype as object);
