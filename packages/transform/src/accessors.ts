// `accessor` fields become a private field with a getter and a setter, as engines that have them behave.

import type { Code } from './code.ts';
import type { Edits } from './edits.ts';
import type { AccessorRecord, TypeScriptScopes } from './typescript-scopes.ts';

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
  const storage = scopes.storageOf(member);
  const holder = member.static ? (owner.id?.name ?? 'this') : 'this';
  const isStatic = member.static ? 'static ' : '';
  const kept = scopes.keyOf(member);
  const decoratorsEnd = (member.decorators ?? []).at(-1)?.end ?? member.start;
  edits.replace(decoratorsEnd, member.end, () => {
    const text = source.slice(key.start, key.end);
    const first: Code = computed
      ? ['[', kept === null ? '' : `${kept} = `, edits.render(key.start, key.end), ']']
      : text;
    const again = computed ? `[${kept ?? text}]` : text;
    const descriptor = scopes.accessorDescriptors.get(member);
    const read = descriptor === undefined ? `${holder}.#${storage}` : `${descriptor}.get.call(this)`;
    const write = descriptor === undefined ? `${holder}.#${storage} = value` : `${descriptor}.set.call(this, value)`;
    const begin =
      scopes.accessorValues.get(member) ?? (value === null ? null : (): Code => edits.render(value.start, value.end));
    return [
      ` ${isStatic}get `,
      first,
      `() { return ${read}; } ${isStatic}set ${again}(value) { ${write}; } ${isStatic}#${storage}`,
      begin === null ? '' : [' = ', begin()],
      ';',
    ];
  });
}
