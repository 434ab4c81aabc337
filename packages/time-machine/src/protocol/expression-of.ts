// What a part of a value is called, as an expression that who has written it can be asked of: `order.items[2]`, `this.#name`, `stock.get("tea")`. Parts that no expression leads to have none.
import type { ResultOf, ToldValue } from '../protocol.ts';

export type ToldEntry = ResultOf<'variables'>['entries'][number];

const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const INDEX = /^(?:0|[1-9]\d*)$/;
const LITERAL = /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?n?|-?Infinity|NaN|true|false|null|undefined)$/;

/** @param within what it is a part of */
export function expressionOf(
  { name, is, value }: ToldEntry,
  within?: { readonly expression: string | undefined; readonly value: ToldValue | undefined },
): string | undefined {
  if (within === undefined) return name === 'this' || NAME.test(name) ? name : undefined;
  const { expression } = within;
  if (expression === undefined || is === 'accessor') return undefined;
  if (is === 'property') return propertyOf(expression, name);
  if (name.startsWith('#')) return `${expression}.${name}`;
  const key = entryOf(name, value, within.value);
  return key && `${expression}.${key}`;
}

function propertyOf(of: string, name: string): string | undefined {
  if (INDEX.test(name)) return `${of}[${name}]`;
  if (NAME.test(name)) return `${of}.${name}`;
  return name.startsWith('[Symbol(') ? undefined : `${of}[${JSON.stringify(name)}]`;
}

/** Of what a map or a set holds: maps are told of by their keys, sets by places. */
function entryOf(name: string, member: ToldValue | undefined, of: ToldValue | undefined): string | undefined {
  const size = /^\S*\((\d+)\)$/.exec(of?.preview ?? '');
  if (size === null) return undefined;
  const isSet = of?.class?.endsWith('Set') === true && INDEX.test(name);
  const key = isSet ? (member?.preview ?? '') : name;
  return isLiteral(key) ? `${isSet ? 'has' : 'get'}(${key})` : undefined;
}

/** Whether it says the value itself, and all of it. */
function isLiteral(preview: string): boolean {
  if (LITERAL.test(preview)) return true;
  if (!preview.startsWith('"') || preview.endsWith('…"')) return false;
  try {
    return typeof JSON.parse(preview) === 'string';
  } catch {
    return false;
  }
}
