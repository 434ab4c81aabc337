// Up and down in lists of places: from one to the next, by the first button of each.
import type { TargetedKeyboardEvent } from 'preact';

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

export function onArrows(event: TargetedKeyboardEvent<HTMLElement>): void {
  const step = Object.hasOwn(STEPS, event.key) ? STEPS[event.key] : undefined;
  if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const places = [...event.currentTarget.children].flatMap((each) => each.querySelector('button') ?? []);
  const own = document.activeElement;
  const at = places.findIndex((each) => each === own || (own !== null && each.closest('li')?.contains(own) === true));
  places[at + step]?.focus();
  event.preventDefault();
}
