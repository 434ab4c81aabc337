// Marks assertions on leaked memory, threads, handles or files. A test file that fails one is never flaky.

/** Code of the errors that a failed leak check throws. */
export const LEAK = 'TEST_LEAK';

export function checkForLeaks(assertions: () => void): void {
  try {
    assertions();
  } catch (error) {
    throw Object.assign(error as Error, { code: LEAK });
  }
}
