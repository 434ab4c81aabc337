// `accessor` fields become a private field with a getter and a setter, as engines that have them behave.

import type { Edits } from './edits.ts';
import type { AccessorRecord, TypeScriptScopes } from './typescript-scopes.ts';
import { listOf, type TsNode } from './typescript-tree.ts';

export function lowerAccessors(scopes: TypeScriptScopes, edits: Edits, source: string): void {
  for (const record of scopes.accessors) lowerAccessor(record, scopes, edits, source);
}

function lowerAccessor(
  { member, owner }: AccessorRecord,
  scopes: TypeScriptScopes,
  edits: Edits,
  source: string,
): void {
  const { key, value, computed } = member;
  const privates = new Set(listOf(owner.body as TsNode).map((each) => each.key?.name));
  let storage = `${key.type === 'Identifier' || key.type === 'PrivateIdentifier' ? key.name : ''}_accessor_storage`;
  while (privates.has(storage) || scopes.isTaken(storage)) storage = `_${storage}`;
  scopes.take(storage);
  const holder = member.static ? (owner.id?.name ?? 'this') : 'this';
  const isStatic = member.static ? 'static ' : '';
  const name = computed ? scopes.keyOf(member) : null;
  const decoratorsEnd = (member.decorators ?? []).at(-1)?.end ?? member.start;
  edits.replace(decoratorsEnd, member.end, () => {
    const text = source.slice(key.start, key.end);
    const first = computed ? ['[', name === null ? '' : `${name} = `, edits.render(key.start, key.end), ']'] : [text];
    const again = computed ? `[${name ?? text}]` : text;
    return [
      ` ${isStatic}get `,
      ...first,
      `() { return ${holder}.#${storage}; } ${isStatic}set ${again}(value) { ${holder}.#${storage} = value; } ${isStatic}#${storage}`,
      value === null ? '' : [' = ', edits.render(value.start, value.end)],
      ';',
    ];
  });
}
