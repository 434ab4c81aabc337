// Checks import attributes against the format of the module, with Node's errors (lib/internal/modules/esm/assert.js).
import { codedError, type ImportAttributes } from '@turntable/core';

const SUPPORTED_TYPES = new Set(['json']);

export function validateAttributes(url: string, format: string, attributes: ImportAttributes): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (key !== 'type') throw unsupported(key, value, url);
  }
  const expected = format === 'json' ? 'json' : undefined;
  const { type } = attributes;
  if (type === expected) return;
  if (type === undefined) {
    throw codedError(
      TypeError,
      'ERR_IMPORT_ATTRIBUTE_MISSING',
      `Module "${url}" needs an import attribute of "type: ${expected}"`,
    );
  }
  if (!SUPPORTED_TYPES.has(type)) throw unsupported('type', type, url);
  throw codedError(TypeError, 'ERR_IMPORT_ATTRIBUTE_TYPE_INCOMPATIBLE', `Module "${url}" is not of type "${type}"`);
}

function unsupported(key: string, value: string, url: string): Error {
  return codedError(
    TypeError,
    'ERR_IMPORT_ATTRIBUTE_UNSUPPORTED',
    `Import attribute "${key}" with value "${value}" is not supported in ${url}`,
  );
}
