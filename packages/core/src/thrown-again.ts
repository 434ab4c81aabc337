/**
 * An error that is thrown again on this line. Node shows the line where one that ends the process was thrown last, unless these words stand in it; a comment would do, if
 * bundlers kept it.
 */
export function thrownAgain<E>(error: E, _words: 'node-do-not-add-exception-line'): E {
  return error;
}
