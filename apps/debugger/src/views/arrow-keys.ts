// Key handler for lists: the up and down arrow keys focus the first button of the previous or next item.
import type { TargetedKeyboardEvent } from 'preact';

const KEY_STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

export function onArrowKeys(event: TargetedKeyboardEvent<HTMLElement>): void {
  const step = Object.hasOwn(KEY_STEPS, event.key) ? KEY_STEPS[event.key] : undefined;
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const buttons = [...event.currentTarget.children].flatMap((each) => each.querySelector('button') ?? []);
  const focused = document.activeElement;
  const index = buttons.findIndex(
    (each) => each === focused || (focused !== null && each.closest('li')?.contains(focused) === true),
  );
  buttons[index + step]?.focus();
  event.preventDefault();
}
