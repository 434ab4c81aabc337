// A hook that loads data when its dependencies change, and aborts the request that has become outdated.
import { useEffect } from 'preact/hooks';

/**
 * @param request receives a signal that is aborted by the next change; returns undefined if there is nothing to load
 * @param deps dependencies as in `useEffect`
 */
export function useRequest(
  request: (signal: AbortSignal) => Promise<void> | undefined,
  deps: readonly unknown[],
  onError: (error: unknown) => void = () => {},
): void {
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    request(signal)?.catch((error: unknown) => {
      if (!signal.aborted) onError(error);
    });
    return () => controller.abort();
  }, deps);
}
