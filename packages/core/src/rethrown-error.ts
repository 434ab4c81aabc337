/**
 * The error, to be thrown again. The argument stops Node from showing that line as the source (bundlers drop comments).
 */
export function rethrownError<E>(error: E, _marker: 'node-do-not-add-exception-line'): E {
  return error;
}
