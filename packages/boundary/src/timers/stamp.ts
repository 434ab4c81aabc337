// Marks that no property shows and no table holds: private fields on timers and functions that Node has made.

/** A class that extends it puts its private fields on what it is given. */
export const Stamp = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;
