// Lowers namespaces to functions that fill an object. Each use of an exported variable becomes a property access.

import { type Code, Span } from './code.ts';
import type { SourceEdits } from './source-edits.ts';
import type { NamespaceBlock, NamespaceRecord, TsScope, TypeScriptScopes } from './typescript-scopes.ts';
import { exportedDeclaration, isTypeOnly, bodyStatements, boundNames, type TsNode } from './typescript-tree.ts';

export function lowerNamespaces(scopes: TypeScriptScopes, edits: SourceEdits): void {
  for (const record of scopes.namespaces) lowerNamespace(record, scopes, edits);
  for (const { node, scope, isShorthand } of scopes.references) {
    const block = scope.resolve(node.name)?.block;
    if (block === null || block === undefined) continue;
    qualifyName(node, block, isShorthand, edits);
  }
}

function qualifyName({ name, start }: TsNode, block: NamespaceBlock, isShorthand: boolean, edits: SourceEdits): void {
  const end = start + name.length;
  edits.replace(start, end, () => [`${isShorthand ? `${name}: ` : ''}${block.parameter}.`, new Span(start, end)]);
}

function lowerNamespace(record: NamespaceRecord, scopes: TypeScriptScopes, edits: SourceEdits): void {
  const { node, statement, blocks, scope, exportedFrom, isMerged, mergedEnums } = record;
  const body = node.body as TsNode;
  const block = blocks.at(-1) as NamespaceBlock;
  const [first] = blocks as [NamespaceBlock];
  let outer = scope;
  for (const _ of blocks) outer = outer.parent as TsScope;
  const declares = isMerged
    ? ''
    : exportedFrom !== null || outer.parent !== null
      ? `let ${first.name.name}`
      : `${statement === node ? '' : 'export '}var ${first.name.name}`;
  edits.replace(statement.start, body.start + 1, () => {
    const code: Code[] = [declares, ';'];
    for (const [i, { name, parameter }] of blocks.entries()) {
      if (i > 0) code.push(`let ${name.name};`);
      code.push('(function (', new Span(name.start, name.start), parameter, ') {');
    }
    return code;
  });
  edits.replace(body.end - 1, body.end, () =>
    blocks
      .toReversed()
      .map(({ name: { name } }, i) => {
        const outer = i === blocks.length - 1 ? exportedFrom : (blocks[blocks.length - 2 - i] as NamespaceBlock);
        const targetCode = outer === null ? name : `${outer.parameter}.${name}`;
        return `})(${outer === null ? '' : `${name} = `}${targetCode} || (${targetCode} = {}));`;
      })
      .join(''),
  );
  for (const each of bodyStatements(body)) lowerMember(each, block, record, scopes, edits, mergedEnums);
}

function lowerMember(
  statement: TsNode,
  block: NamespaceBlock,
  { scope }: NamespaceRecord,
  scopes: TypeScriptScopes,
  edits: SourceEdits,
  mergedEnums: ReadonlySet<TsNode>,
): void {
  const node = exportedDeclaration(statement);
  if (isTypeOnly(node) || (node === statement && node.type === 'ExportNamedDeclaration')) {
    edits.replace(statement.start, statement.end);
    return;
  }
  const isExported = statement.type === 'ExportNamedDeclaration';
  if (node.type === 'TSImportEqualsDeclaration') {
    const { name } = node.id as TsNode;
    const {
      moduleReference: { start, end },
    } = node;
    const isUsed = isExported || (scope.values.get(name)?.useCount ?? 0) > 0;
    const target = (): string => (isExported ? `${block.parameter}.` : 'var ');
    edits.replace(statement.start, statement.end, () =>
      isUsed
        ? [target(), new Span((node.id as TsNode).start, (node.id as TsNode).end), ' = ', edits.render(start, end), ';']
        : ';',
    );
    return;
  }
  if (!isExported) return;
  const assignmentOf = (name: string): string => `${block.parameter}.${name} = ${name};`;
  switch (node.type) {
    case 'VariableDeclaration':
      lowerVariables(statement, node, block, edits);
      return;
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      // For a decorated class, the code of its decorators makes these assignments.
      if (scopes.classes.some((each) => each.node === node)) return;
      edits.replace(statement.start, node.start);
      edits.insert(statement.end, () => ` ${assignmentOf((node.id as TsNode).name)}`);
      return;
    case 'TSEnumDeclaration': {
      const { name, start, end } = node.id as TsNode;
      if (!mergedEnums.has(node)) {
        edits.replace(statement.start, node.start);
        edits.insert(statement.end, () => ` ${assignmentOf(name)}`);
        return;
      }
      const partName = scopes.freshName(`${name}_1`);
      edits.replace(statement.start, node.start, () => `let ${name} = ${block.parameter}.${name};`);
      edits.replace(start, end, partName);
      edits.insert(statement.end, ` Object.assign(${name}, ${partName});`);
    }
  }
}

function lowerVariables(statement: TsNode, { declarations }: TsNode, block: NamespaceBlock, edits: SourceEdits): void {
  for (const { id } of declarations) {
    const pattern = id as TsNode;
    if (pattern.type === 'Identifier') continue;
    const shorthands = new Set<TsNode>();
    collectShorthands(pattern, shorthands);
    for (const name of boundNames(pattern)) {
      qualifyName(name, block, shorthands.has(name), edits);
    }
  }
  edits.replace(statement.start, statement.end, () => {
    const code: Code[] = [];
    for (const { id, init } of declarations) {
      if (init === null) continue;
      const pattern = id as TsNode;
      const value = edits.render(init.start, init.end);
      code.push(code.length === 0 ? ';' : ', ');
      if (pattern.type === 'Identifier') {
        code.push(block.parameter, '.', new Span(pattern.start, pattern.start + pattern.name.length), ' = ', value);
      } else {
        const end = pattern.typeAnnotation?.start ?? pattern.end;
        code.push('(', edits.render(pattern.start, end), ' = ', value, ')');
      }
    }
    return [code, ';'];
  });
}

function collectShorthands(pattern: TsNode, into: Set<TsNode>): void {
  switch (pattern.type) {
    case 'ObjectPattern':
      for (const each of pattern.properties) {
        if (each.type === 'RestElement') continue;
        const value = each.value as TsNode;
        const target = value.type === 'AssignmentPattern' ? value.left : value;
        if (each.shorthand) into.add(target);
        else collectShorthands(target, into);
      }
      return;
    case 'ArrayPattern':
      for (const each of pattern.elements) if (each !== null) collectShorthands(each, into);
      return;
    case 'AssignmentPattern':
      collectShorthands(pattern.left, into);
  }
}
