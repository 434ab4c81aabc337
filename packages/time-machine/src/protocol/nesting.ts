// Depth limit of JSON that a client sends. Validation and serialization recurse, so deeper messages could exhaust the
// stack. The text is scanned before it is parsed, which keeps a refused message from taking memory.

/** Maximum number of objects and lists in a message that contain each other. Valid messages need fewer than ten. */
export const MAX_NESTING_DEPTH = 64;

export const NESTING_PROBLEM = `a message may be nested at most ${MAX_NESTING_DEPTH} levels deep`;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Whether a text, if it is JSON, is nested deeper than the limit. */
export function isNestedTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (unit === BACKSLASH) i++;
    } else if (unit === OPENING_BRACKET || unit === OPENING_BRACE) {
      if (++depth > MAX_NESTING_DEPTH) return true;
    } else if (unit === CLOSING_BRACKET || unit === CLOSING_BRACE) depth--;
  }
  return false;
}
