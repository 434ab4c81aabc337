/** An error that is thrown again on this line, which Node does not show as the source of the error because it contains these words (bundlers drop comments). */
export function rethrownError<E>(error: E, _marker: 'node-do-not-add-exception-line'): E {
  return error;
}
