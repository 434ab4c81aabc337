// Source maps of TypeScript files. Chrome DevTools shows the text of a script as JavaScript, but the text of a source map
// in the language of its file name. Recorded text is the text as written, so the map leads each word to itself.

const TYPESCRIPT_FILE = /\.[cm]?tsx?$/;
/** The starts of words and of single other characters, which is where statements, variables and calls begin. */
const TOKEN = /[\p{ID_Continue}$]+|\S/gu;
const BASE64_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

interface MappedFile {
  readonly url: string;
  readonly source: string;
  readonly lines: readonly string[];
}

/** Returns the source map of a TypeScript file as a data URL; undefined for other files. */
export function sourceMapUrlOf({ url, source, lines }: MappedFile): string | undefined {
  if (!TYPESCRIPT_FILE.test(url)) return undefined;
  const map = { version: 3, sources: [url], sourcesContent: [source], names: [], mappings: identityMappings(lines) };
  return `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
}

function identityMappings(lines: readonly string[]): string {
  let [previousLine, previousColumn] = [0, 0];
  return lines
    .map((text, line) => {
      let generatedColumn = 0;
      const segments = Array.from(text.matchAll(TOKEN), ({ index }) => {
        // The fields of a segment are relative: generated column, index of the source, its line and column.
        const fields = [index - generatedColumn, 0, line - previousLine, index - previousColumn];
        [generatedColumn, previousLine, previousColumn] = [index, line, index];
        return fields.map(encodeVlq).join('');
      });
      return segments.join(',');
    })
    .join(';');
}

/** Encodes a number in base 64, five bits a digit, least significant first; the lowest bit is the sign. */
function encodeVlq(value: number): string {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = '';
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += BASE64_DIGITS[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}
