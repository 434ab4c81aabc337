// The constructs of TypeScript that need to know more of the file than their own text, rewritten into simpler TypeScript:
// namespaces, decorators with their metadata, `accessor` fields. Types and the rest are left for `typescript.ts` to erase.
//
// What comes out behaves as tsc's output does; test/typescript compares the two.

import { parseSync } from 'oxc-parser';
import { lowerAccessors } from './accessors.ts';
import { flatten } from './code.ts';
import { lowerLegacyDecorators } from './legacy-decorators.ts';
import { Edits } from './edits.ts';
import { lowerNamespaces } from './namespaces.ts';
import { sourceMap } from './source-map.ts';
import { TypeScriptScopes } from './typescript-scopes.ts';
import type { TsNode } from './typescript-tree.ts';
import type { TypeScriptOptions } from './typescript.ts';

/** `null`: there is nothing of the kind, or the text cannot be read. */
export function rewriteTypeScript(
  source: string,
  path: string,
  options: TypeScriptOptions,
): { text: string; map: object } | null {
  const { program, errors } = parseSync(path, source, {
    lang: path.endsWith('x') ? 'tsx' : 'ts',
    sourceType: 'unambiguous',
    preserveParens: true,
  });
  if (errors.some((each) => each.severity === 'Error')) return null;
  const scopes = new TypeScriptScopes(program as unknown as TsNode);
  const edits = new Edits();
  lowerNamespaces(scopes, edits);
  lowerAccessors(scopes, edits, source);
  if (options.legacyDecorators !== false) {
    const metadata = options.emitDecoratorMetadata ?? true;
    lowerLegacyDecorators(scopes, edits, {
      source,
      path,
      metadata,
      strictNullChecks: options.strictNullChecks ?? true,
    });
  }
  if (edits.isEmpty) return null;
  const keys = [...scopes.keys];
  if (keys.length > 0) edits.insert(source.length, `\nvar ${keys.join(', ')};`);
  const { text, spans } = flatten(edits.render(0, source.length), source);
  return { text, map: sourceMap(text, spans, source, path) };
}
