/**
 * The error, to be thrown again. Node does not show a line with the marker as the source of an error. Bundlers drop
 * comments, so it is an argument.
 */
export function rethrownError<E>(error: E, _marker: 'node-do-not-add-exception-line'): E {
  return error;
}
