// Rewrites constructs of TypeScript whose lowering needs more of the file than their own text: namespaces, decorators
// with their metadata, `accessor` fields. The result is simpler TypeScript, from which typescript-lowering.ts erases
// the types. It behaves like tsc's output, which test/typescript checks.

import { parseSync } from 'oxc-parser';
import { lowerAccessors } from './accessors.ts';
import { flatten, Span } from './code.ts';
import { lowerLegacyDecorators } from './legacy-decorators.ts';
import { SourceEdits } from './source-edits.ts';
import { lowerStandardDecorators } from './standard-decorators.ts';
import { lowerNamespaces } from './namespaces.ts';
import { sourceMap } from './source-map.ts';
import { TypeScriptScopes } from './typescript-scopes.ts';
import type { TsNode } from './typescript-tree.ts';
import { languageOf, type TypeScriptOptions } from './typescript-options.ts';

/** Rewrites a file. Null if there is nothing to rewrite, or if the text does not parse. */
export function rewriteTypeScript(
  source: string,
  path: string,
  options: TypeScriptOptions,
  isModule: boolean,
): { readonly text: string; readonly map: object } | null {
  const { program, errors } = parseSync(path, source, {
    lang: languageOf(path),
    sourceType: 'unambiguous',
    preserveParens: true,
  });
  if (errors.some((each) => each.severity === 'Error')) return null;
  const scopes = new TypeScriptScopes(program as unknown as TsNode);
  const edits = new SourceEdits();
  if (isModule) lowerRequires(scopes, edits);
  lowerNamespaces(scopes, edits);
  lowerAccessors(scopes, edits, source);
  if (options.legacyDecorators !== false) {
    const metadata = options.emitDecoratorMetadata ?? true;
    lowerLegacyDecorators(scopes, edits, {
      source,
      path,
      emitsMetadata: metadata,
      strictNullChecks: options.strictNullChecks ?? true,
    });
  } else lowerStandardDecorators(scopes, edits, { source, path });
  if (edits.isEmpty) return null;
  const keys = [...scopes.keyVariables];
  if (keys.length > 0) edits.insert(source.length, `\nvar ${keys.join(', ')};`);
  const { text, spans } = flatten(edits.render(0, source.length), source);
  return {
    text,
    get map(): object {
      return sourceMap(text, spans, source, path);
    },
  };
}

/** Replaces `import x = require(…)` by `createRequire`, because an ES module has no `require`. */
function lowerRequires(scopes: TypeScriptScopes, edits: SourceEdits): void {
  let createName: string | undefined;
  for (const { node, statement } of scopes.requires) {
    const { id, moduleReference, importKind } = node;
    const { name, start, end } = id as TsNode;
    const isExported = statement !== node;
    if (importKind === 'type' || (!isExported && (scopes.root.values.get(name)?.useCount ?? 0) === 0)) continue;
    const isFirst = createName === undefined;
    createName ??= scopes.freshName('createRequire_1');
    const { expression } = moduleReference;
    edits.replace(statement.start, statement.end, [
      isFirst ? `import { createRequire as ${createName} } from "node:module"; ` : '',
      isExported ? 'export const ' : 'const ',
      new Span(start, end),
      ` = ${createName}(import.meta.url)(`,
      new Span(expression.start, expression.end),
      ');',
    ]);
  }
}
