// No two exported types of the packages have the same name, so that a name identifies one declaration.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { sourceFiles } from '../../scripts/import-graph.ts';
import { root } from '../../scripts/node-release.mjs';

const STAND_IN = 'An inert view shows an object of this class without its behaviour, under the name of the class.';
const MODULE_TABLE =
  'The transform declares the shape of the table it emits, core the same table as it reads it: neither imports the other.';

/** Deliberately shared names, with the files that declare them and the reason. */
const TWINS: Readonly<Record<string, { readonly files: readonly string[]; readonly reason: string }>> = {
  BoundFunction: {
    files: ['packages/core/src/bound-function.ts', 'packages/heap/src/inert/stand-ins.ts'],
    reason: STAND_IN,
  },
  Cell: { files: ['packages/core/src/cell.ts', 'packages/heap/src/inert/stand-ins.ts'], reason: STAND_IN },
  Eventual: { files: ['packages/core/src/eventual.ts', 'packages/heap/src/inert/stand-ins.ts'], reason: STAND_IN },
  Frame: { files: ['packages/core/src/frame.ts', 'packages/heap/src/inert/stand-ins.ts'], reason: STAND_IN },
  ExportEntry: {
    files: ['packages/core/src/modules/module-table.ts', 'packages/transform/src/code-table.ts'],
    reason: MODULE_TABLE,
  },
  ImportEntry: {
    files: ['packages/core/src/modules/module-table.ts', 'packages/transform/src/code-table.ts'],
    reason: MODULE_TABLE,
  },
};

/** The files that declare each exported type: interfaces, type aliases, classes and enums. */
function declarations(files: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of files) {
    const { program } = parseSync(file, readFileSync(join(root, file), 'utf8'));
    const names = new Set<string>();
    new Visitor({
      ExportNamedDeclaration({ declaration }) {
        switch (declaration?.type) {
          case 'TSInterfaceDeclaration':
          case 'TSTypeAliasDeclaration':
          case 'TSEnumDeclaration':
            names.add(declaration.id.name);
            break;
          case 'ClassDeclaration':
            if (declaration.id !== null) names.add(declaration.id.name);
            break;
          default:
        }
      },
    }).visit(program);
    for (const name of names) found.set(name, [...(found.get(name) ?? []), file]);
  }
  return found;
}

test('no two exported types share a name, except deliberate twins', () => {
  const files = sourceFiles(root, globSync('{packages,apps}/*/src', { cwd: root }));
  const shared = [...declarations(files)].filter(([, places]) => places.length > 1);
  expect(Object.fromEntries(shared)).toEqual(
    Object.fromEntries(Object.entries(TWINS).map(([name, { files: places }]) => [name, places])),
  );
});
