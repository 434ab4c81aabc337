import type { JSX } from 'preact';

/** The logo: a gramophone record on a turntable. */
export function Logo(): JSX.Element {
  return (
    <svg class="logo" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <circle cx="12" cy="12" r="10" fill="currentColor" />
      <circle cx="12" cy="12" r="6.5" fill="none" stroke="var(--raised)" stroke-width="0.75" />
      <circle cx="12" cy="12" r="3.5" fill="var(--accent)" />
      <circle cx="12" cy="12" r="1" fill="var(--raised)" />
    </svg>
  );
}
