/**
 * Returns the error, to be thrown again. The unused argument marks the line for Node, which then does not print it as
 * the source of the error. A comment would not survive a bundler.
 */
export function rethrownError<E>(error: E, _marker: 'node-do-not-add-exception-line'): E {
  return error;
}
