// JSON data of this process as remote objects: results of commands, not values of the program.
import { UNDEFINED_OBJECT, remoteValue, type ObjectPreview, type RemoteObject } from './remote-object.ts';

export interface DataProperty {
  readonly name: string;
  readonly value: RemoteObject;
}

/** Maximum number of properties in a preview. */
const MAX_PREVIEWED = 5;

/** @param register registers an object with its properties; returns its id */
export function dataObject(value: unknown, register: (properties: () => DataProperty[]) => string): RemoteObject {
  if (value === undefined) return UNDEFINED_OBJECT;
  if (value === null) return { type: 'object', subtype: 'null', value };
  if (typeof value !== 'object') return { ...remoteValue(value), ...(typeof value === 'number' && described(value)) };
  const properties = (): DataProperty[] =>
    Object.entries(value).flatMap(([name, part]: [string, unknown]) =>
      part === undefined ? [] : [{ name, value: dataObject(part, register) }],
    );
  const preview = previewOf(value);
  const { type, subtype, description } = preview;
  const className = Array.isArray(value) ? 'Array' : 'Object';
  return { type, subtype, className, description, preview, objectId: register(properties) };
}

function described(value: number): Pick<RemoteObject, 'description'> {
  return { description: String(value) };
}

function previewOf(value: object): ObjectPreview {
  const parts = Object.entries(value).filter(([, part]) => part !== undefined);
  return {
    ...describe(value),
    overflow: parts.length > MAX_PREVIEWED,
    properties: parts.slice(0, MAX_PREVIEWED).map(([name, part]: [string, unknown]) => {
      if (part === null) return { name, type: 'object', subtype: 'null', value: 'null' };
      if (typeof part !== 'object') return { name, type: typeof part, value: String(part) };
      const { type, subtype, description } = describe(part);
      return { name, type, subtype, value: description };
    }),
  };
}

function describe(value: object): Pick<ObjectPreview, 'type' | 'subtype' | 'description'> {
  return Array.isArray(value)
    ? { type: 'object', subtype: 'array', description: `Array(${value.length})` }
    : { type: 'object', description: 'Object' };
}
