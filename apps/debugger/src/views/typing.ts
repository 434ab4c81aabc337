// Whether somebody is writing, so that a letter is a letter. The source can be read with the caret in it and not be written in: there letters are keys, and those that move the caret are not.

const TEXT_INPUT_TYPES: ReadonlySet<string> = new Set(['text', 'search', 'number', 'email', 'url', 'password']);

export function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  if (target instanceof HTMLInputElement) return TEXT_INPUT_TYPES.has(target.type);
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLElement && target.isContentEditable && event.key.length > 1;
}
