// Marks on timers that no property shows: private fields on objects that Node has made.

/** A class that extends it puts its private fields on what it is given. */
export const Stamp = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;
