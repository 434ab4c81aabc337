// What a view asks for when something changes. An answer that is not wanted any more is dropped.
import { useEffect } from 'preact/hooks';

/**
 * @param request is given a signal that is aborted by the next change; may ask nothing
 * @param deps as of `useEffect`
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
