// Marks on native timers and functions as private fields: invisible to properties, and cheaper than a table.

/** A subclass adds its private fields to the object that its constructor is given. */
export const Stamp = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;
