// Expressions for parts of values, with which a client can ask for the last write of a part: `order.items[2]`,
// `this.#name`, `stock.get("tea")`. Some parts have no expression.
import type { ResultOf, ValueInfo } from '../protocol.ts';

export type EntryInfo = ResultOf<'variables'>['entries'][number];

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const ARRAY_INDEX = /^(?:0|[1-9]\d*)$/;
const LITERAL = /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?n?|-?Infinity|NaN|true|false|null|undefined)$/;

/** The expression for a part, if it has one. @param parent the value with the part; undefined for a variable */
export function expressionOf(
  { name, kind, value }: EntryInfo,
  parent?: { readonly expression: string | undefined; readonly value: ValueInfo | undefined },
): string | undefined {
  if (parent === undefined) return name === 'this' || IDENTIFIER.test(name) ? name : undefined;
  const { expression } = parent;
  if (expression === undefined || kind === 'accessor') return undefined;
  if (kind === 'property') return propertyExpression(expression, name);
  if (name.startsWith('#')) return `${expression}.${name}`;
  const accessor = entryExpression(name, value, parent.value);
  return accessor && `${expression}.${accessor}`;
}

function propertyExpression(owner: string, name: string): string | undefined {
  if (ARRAY_INDEX.test(name)) return `${owner}[${name}]`;
  if (IDENTIFIER.test(name)) return `${owner}.${name}`;
  return name.startsWith('[Symbol(') ? undefined : `${owner}[${JSON.stringify(name)}]`;
}

/** Expression for an entry of a Map, which is named by its key, or of a Set, which is named by its index. */
function entryExpression(
  name: string,
  entryValue: ValueInfo | undefined,
  owner: ValueInfo | undefined,
): string | undefined {
  const size = /^\S*\((\d+)\)$/.exec(owner?.preview ?? '');
  if (size === null) return undefined;
  const isSet = owner?.class?.endsWith('Set') === true && ARRAY_INDEX.test(name);
  const accessor = isSet ? (entryValue?.preview ?? '') : name;
  return isLiteral(accessor) ? `${isSet ? 'has' : 'get'}(${accessor})` : undefined;
}

/** Whether a preview is a literal that shows the whole value. */
function isLiteral(preview: string): boolean {
  if (LITERAL.test(preview)) return true;
  if (!preview.startsWith('"') || preview.endsWith('…"')) return false;
  try {
    return typeof JSON.parse(preview) === 'string';
  } catch {
    return false;
  }
}
