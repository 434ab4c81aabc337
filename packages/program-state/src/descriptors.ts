// The own properties of an object, as a heap adapter tells the heap what an object is born with.
export function descriptorsOf(object: object): Record<PropertyKey, PropertyDescriptor> {
  return Object.getOwnPropertyDescriptors(object) as Record<PropertyKey, PropertyDescriptor>;
}
