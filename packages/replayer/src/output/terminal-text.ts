// Texts for a terminal. Recordings are untrusted: their texts must neither control the terminal nor reorder its text, so
// such characters are written as JSON escapes. Text that is JSON keeps its meaning.

/** C0 and C1 controls with DEL, and the controls of Unicode that change the direction of text or begin a line. */
const CONTROL = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;
/** The same, without line feeds and tabs. */
const LINE_CONTROL = /(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;
/** The same, or a sequence that sets or resets a colour, bold or underline, as `util.inspect` writes them. */
const COLOUR_OR_CONTROL = new RegExp(String.raw`\u001B\[(?:[34]9|[39][0-7]|1|4|22|24)m|${LINE_CONTROL.source}`, 'gu');

const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Makes one line of a text. */
export function sanitizeText(text: string): string {
  return text.replaceAll(CONTROL, escapeCharacter);
}

/** Leaves line feeds and tabs as they are. */
export function sanitizeLines(text: string): string {
  return text.replaceAll(LINE_CONTROL, escapeCharacter);
}

/** Also leaves colours as they are: for values that `util.inspect` has coloured. */
export function sanitizeColouredLines(text: string): string {
  return text.replaceAll(COLOUR_OR_CONTROL, (found) => (found.length > 1 ? found : escapeCharacter(found)));
}
