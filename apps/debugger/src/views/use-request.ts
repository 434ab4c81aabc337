// A hook that loads data when its dependencies change, and drops outdated responses.
import { useEffect } from 'preact/hooks';

/**
 * @param request gets a signal that the next change aborts; it may return undefined
 * @param deps as in `useEffect`
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
