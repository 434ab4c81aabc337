// What a view asks for when something changes. An answer that is not wanted any more is dropped.
import { useEffect } from 'preact/hooks';

/**
 * @param ask is given a signal that is aborted by the next change; may ask nothing
 * @param changes as of `useEffect`
 */
export function useAsked(
  ask: (signal: AbortSignal) => Promise<void> | undefined,
  changes: readonly unknown[],
  fails: (error: unknown) => void = () => {},
): void {
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    ask(signal)?.catch((error: unknown) => {
      if (!signal.aborted) fails(error);
    });
    return () => controller.abort();
  }, changes);
}
