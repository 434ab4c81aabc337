// Tells whether a key event is input for the focused element and not a command. In the read-only source, letters are
// commands, but keys that move the caret are not.

const TEXT_INPUT_TYPES: ReadonlySet<string> = new Set(['text', 'search', 'number', 'email', 'url', 'password']);

export function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  if (target instanceof HTMLInputElement) return TEXT_INPUT_TYPES.has(target.type);
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLElement && target.isContentEditable && event.key.length > 1;
}
