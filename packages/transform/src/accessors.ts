// Turns `accessor` fields into a private field with a getter and a setter, the equivalent that the language defines.

import type { Code } from './code.ts';
import type { SourceEdits } from './source-edits.ts';
import type { AccessorRecord, TypeScriptScopes } from './typescript-scopes.ts';

export function lowerAccessors(scopes: TypeScriptScopes, edits: SourceEdits, source: string): void {
  for (const record of scopes.accessors) lowerAccessorField(record, scopes, edits, source);
}

function lowerAccessorField(
  { member, owner }: AccessorRecord,
  scopes: TypeScriptScopes,
  edits: SourceEdits,
  source: string,
): void {
  const { key, value, computed } = member;
  const storage = scopes.storageName(member);
  const holder = member.static ? (owner.id?.name ?? 'this') : 'this';
  const staticPrefix = member.static ? 'static ' : '';
  const keyVariable = scopes.keyVariable(member);
  const decoratorsEnd = (member.decorators ?? []).at(-1)?.end ?? member.start;
  edits.replace(decoratorsEnd, member.end, () => {
    const text = source.slice(key.start, key.end);
    const firstKey: Code = computed
      ? ['[', keyVariable === null ? '' : `${keyVariable} = `, edits.render(key.start, key.end), ']']
      : text;
    const secondKey = computed ? `[${keyVariable ?? text}]` : text;
    const descriptor = scopes.accessorDescriptors.get(member);
    const read = descriptor === undefined ? `${holder}.#${storage}` : `${descriptor}.get.call(this)`;
    const write = descriptor === undefined ? `${holder}.#${storage} = value` : `${descriptor}.set.call(this, value)`;
    const initialValue =
      scopes.accessorValues.get(member) ?? (value === null ? null : (): Code => edits.render(value.start, value.end));
    return [
      ` ${staticPrefix}get `,
      firstKey,
      `() { return ${read}; } ${staticPrefix}set ${secondKey}(value) { ${write}; } ${staticPrefix}#${storage}`,
      initialValue === null ? '' : [' = ', initialValue()],
      ';',
    ];
  });
}
