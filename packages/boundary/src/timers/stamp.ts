// Marks on native timers and functions as private fields: invisible to properties, and cheaper than a table.

/** Base class that returns the object it is given, so that a subclass adds its private fields to the object. */
export const Stamp = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;
