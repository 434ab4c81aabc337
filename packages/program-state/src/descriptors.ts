// The own properties of an object, as heap adapters report its initial properties.
export function descriptorsOf(object: object): Record<PropertyKey, PropertyDescriptor> {
  return Object.getOwnPropertyDescriptors(object) as Record<PropertyKey, PropertyDescriptor>;
}
