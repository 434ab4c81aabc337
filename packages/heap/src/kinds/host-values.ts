// Values of the host that do no I/O: URLs, their parameters, text encoders and decoders, `Intl` formatters. Host code,
// taken at load, reads and recreates them. Overrides by the program are never called.

import {
  passesBrandCheck,
  getterOf,
  hasNoStringKeys,
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
import type { ObjectKind } from '../object-kind.ts';

type SymbolProperties = Record<symbol, unknown>;

interface CoderSymbols {
  readonly chunk: symbol;
  readonly bomSeen: symbol;
  readonly allSymbols: SafeSet<symbol>;
}

let cachedCoderSymbols: CoderSymbols | undefined;

/** Returns the symbols under which Node keeps the state of text encoders and decoders. */
function coderSymbols(): CoderSymbols {
  if (cachedCoderSymbols !== undefined) return cachedCoderSymbols;
  const decoder = new TextDecoder();
  const allSymbols = symbolSetOf(decoder, new TextDecoder('utf-16le'), new TextEncoder());
  return (cachedCoderSymbols = {
    chunk: nodeSymbol(decoder, 'chunk'),
    bomSeen: nodeSymbol(decoder, 'BOM seen'),
    allSymbols,
  });
}

function isCoderSymbol(key: symbol): boolean {
  return coderSymbols().allSymbols.has(key);
}

function isBareCoder(object: object): boolean {
  return hasNoStringKeys(object) && hasOnlySymbols(object, isCoderSymbol);
}

const hrefOf = getterOf<string>(URL.prototype, 'href');
const searchParamsText = receiverFirst(URLSearchParams.prototype.toString) as unknown as (object: object) => string;

const urlKind: ObjectKind = {
  tag: FIRST_KIND + 19,
  name: 'URL',
  prototype: URL.prototype,
  matches: (object) => passesBrandCheck(hrefOf, object),
  isBare: hasNoStringKeys,
  writeHeader: (writer, object) => writer.string(hrefOf(object)),
  allocate(reader) {
    const start = reader.offset;
    const href = reader.stringValue();
    return reader.guard(start, () => new URL(href));
  },
};

const urlSearchParamsKind: ObjectKind = {
  tag: FIRST_KIND + 20,
  name: 'URLSearchParams',
  prototype: URLSearchParams.prototype,
  matches: (object) => passesBrandCheck(searchParamsText, object),
  isBare: hasNoStringKeys,
  writeHeader: (writer, object) => writer.string(searchParamsText(object)),
  allocate: (reader) => new URLSearchParams(reader.stringValue()),
};

const encoderEncoding = getterOf<string>(TextEncoder.prototype, 'encoding');
const textEncoderKind: ObjectKind = {
  tag: FIRST_KIND + 21,
  name: 'TextEncoder',
  isHostKey: isCoderSymbol,
  prototype: TextEncoder.prototype,
  matches: (object) => passesBrandCheck(encoderEncoding, object),
  isBare: isBareCoder,
  allocate: () => new TextEncoder(),
};

const encodingOf = getterOf<string>(TextDecoder.prototype, 'encoding');
const isFatal = getterOf<boolean>(TextDecoder.prototype, 'fatal');
const ignoresBom = getterOf<boolean>(TextDecoder.prototype, 'ignoreBOM');

const FATAL = 1;
const IGNORES_BOM = 2;
const STARTED = 4;
const CHUNK = 8;

// UTF-8 decoders keep undecoded bytes under Node's symbols, others in the decoding library.
const textDecoderKind: ObjectKind = {
  tag: FIRST_KIND + 22,
  name: 'TextDecoder',
  isHostKey: isCoderSymbol,
  prototype: TextDecoder.prototype,
  matches: (object) => passesBrandCheck(encodingOf, object),
  isBare: isBareCoder,
  writeHeader(writer, object) {
    const { chunk, bomSeen } = coderSymbols();
    const pendingBytes = (object as SymbolProperties)[chunk];
    const isStarted = (object as SymbolProperties)[bomSeen] === true;
    const hasChunk = typedArrayTag(pendingBytes as object) !== undefined;
    writer.string(encodingOf(object));
    writer.byte(
      (isFatal(object) ? FATAL : 0) |
        (ignoresBom(object) ? IGNORES_BOM : 0) |
        (isStarted ? STARTED : 0) |
        (hasChunk ? CHUNK : 0),
    );
    if (!hasChunk) return;
    const bytes = pendingBytes as Uint8Array;
    writer.varint(typedArrayLength(bytes));
    writer.blob(new Uint8Array(typedArrayBuffer(bytes), typedArrayOffset(bytes), typedArrayLength(bytes)));
  },
  allocate(reader) {
    const start = reader.offset;
    const encoding = reader.stringValue();
    const flags = reader.byte();
    const options = { fatal: (flags & FATAL) !== 0, ignoreBOM: (flags & IGNORES_BOM) !== 0 };
    const decoder = reader.guard(start, () => new TextDecoder(encoding, options));
    const { chunk, bomSeen } = coderSymbols();
    if ((flags & STARTED) !== 0) (decoder as unknown as SymbolProperties)[bomSeen] = true;
    if ((flags & CHUNK) === 0) return decoder;
    const bytes = reader.span(reader.count(1, 'bytes of a character'));
    // Node expects a Buffer.
    (decoder as unknown as SymbolProperties)[chunk] = Buffer.from(bytes);
    return decoder;
  },
};

type Formatter = { resolvedOptions(): Record<string, unknown> };
type OptionsReader = (object: object) => Record<string, unknown>;
/** Formatters; the index is the number in the format. */
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
    return { make: constructor, options: receiverFirst(prototype.resolvedOptions) as unknown as OptionsReader };
  const tagOf = receiverFirst(prototype.toString as (this: unknown) => string);
  return { make: constructor, options: (object: object) => ({ locale: tagOf(object) }) };
});

function formatterNumberOf(object: object): number {
  for (let i = 0; i < FORMATTERS.length; i++) if (passesBrandCheck(FORMATTERS[i]?.options as never, object)) return i;
  return -1;
}

/** The kind of `Intl` objects, which are written by their resolved options. */
export const formatterKind: ObjectKind = {
  tag: FIRST_KIND + 23,
  name: 'Intl formatter',
  prototype: undefined,
  matches: (object) => formatterNumberOf(object) >= 0,
  isBare: hasNoStringKeys,
  writeHeader(writer, object) {
    const number = formatterNumberOf(object);
    writer.byte(number);
    const options = FORMATTERS[number]?.options(object) as Record<string, unknown>;
    const names = ownKeys(options) as string[];
    const keys: string[] = [];
    // Options that are lists follow from the others.
    for (let i = 0; i < names.length; i++)
      if (typeof options[names[i] as string] !== 'object') keys[keys.length] = names[i] as string;
    writer.varint(keys.length);
    for (let i = 0; i < keys.length; i++) {
      writer.string(keys[i] as string);
      writer.value(options[keys[i] as string]);
    }
  },
  allocate(reader) {
    const start = reader.offset;
    const entry = FORMATTERS[reader.byte()];
    if (entry === undefined) throw reader.corrupt('the number of a formatter', start);
    const options: Record<string, unknown> = {};
    for (let remaining = reader.count(2, 'options'); remaining > 0; remaining--) {
      const key = reader.stringValue();
      const value = reader.value();
      if (value !== null && (typeof value === 'object' || typeof value === 'function'))
        throw reader.corrupt('an option', start);
      if (key !== '__proto__') options[key] = value;
    }
    return reader.guard(start, () => new entry.make(options['locale'] as string, options));
  },
};

export const HOST_KINDS: readonly ObjectKind[] = [
  urlKind,
  urlSearchParamsKind,
  textEncoderKind,
  textDecoderKind,
  formatterKind,
];
/** Prototypes of the formatters, which share one kind. */
export const FORMATTER_PROTOTYPES: readonly object[] = FORMATTERS.map(({ make }) => make.prototype as object);
