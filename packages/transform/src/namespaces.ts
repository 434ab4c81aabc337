// Namespaces become functions that fill an object; an exported variable is a property of that object wherever it is named.

import { type Code, Span } from './code.ts';
import type { Edits } from './edits.ts';
import type { NamespaceBlock, NamespaceRecord, TsScope, TypeScriptScopes } from './typescript-scopes.ts';
import { declarationOf, isTypeOnly, listOf, namesIn, type TsNode } from './typescript-tree.ts';

export function lowerNamespaces(scopes: TypeScriptScopes, edits: Edits): void {
  for (const record of scopes.namespaces) lowerNamespace(record, scopes, edits);
  for (const { node, scope, shorthand } of scopes.references) {
    const block = scope.resolve(node.name)?.block;
    if (block === null || block === undefined) continue;
    qualify(node, block, shorthand, edits);
  }
}

function qualify({ name, start }: TsNode, block: NamespaceBlock, shorthand: boolean, edits: Edits): void {
  const end = start + name.length;
  edits.replace(start, end, () => [`${shorthand ? `${name}: ` : ''}${block.parameter}.`, new Span(start, end)]);
}

function lowerNamespace(record: NamespaceRecord, scopes: TypeScriptScopes, edits: Edits): void {
  const { node, statement, blocks, scope, from, merges, seeded } = record;
  const body = node.body as TsNode;
  const block = blocks.at(-1) as NamespaceBlock;
  const [first] = blocks as [NamespaceBlock];
  let outer = scope;
  for (const _ of blocks) outer = outer.parent as TsScope;
  const declares = merges
    ? ''
    : from !== null || outer.parent !== null
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
        const outer = i === blocks.length - 1 ? from : (blocks[blocks.length - 2 - i] as NamespaceBlock);
        const made = outer === null ? name : `${outer.parameter}.${name}`;
        return `})(${outer === null ? '' : `${name} = `}${made} || (${made} = {}));`;
      })
      .join(''),
  );
  for (const each of listOf(body)) lowerMember(each, block, record, scopes, edits, seeded);
}

function lowerMember(
  statement: TsNode,
  block: NamespaceBlock,
  { scope }: NamespaceRecord,
  scopes: TypeScriptScopes,
  edits: Edits,
  seeded: ReadonlySet<TsNode>,
): void {
  const node = declarationOf(statement);
  if (isTypeOnly(node) || (node === statement && node.type === 'ExportNamedDeclaration')) {
    edits.replace(statement.start, statement.end);
    return;
  }
  const exported = statement.type === 'ExportNamedDeclaration';
  if (node.type === 'TSImportEqualsDeclaration') {
    const { name } = node.id as TsNode;
    const {
      moduleReference: { start, end },
    } = node;
    const used = exported || (scope.values.get(name)?.uses ?? 0) > 0;
    const target = (): string => (exported ? `${block.parameter}.` : 'var ');
    edits.replace(statement.start, statement.end, () =>
      used
        ? [target(), new Span((node.id as TsNode).start, (node.id as TsNode).end), ' = ', edits.render(start, end), ';']
        : ';',
    );
    return;
  }
  if (!exported) return;
  const assigned = (name: string): string => `${block.parameter}.${name} = ${name};`;
  switch (node.type) {
    case 'VariableDeclaration':
      lowerVariables(statement, node, block, edits);
      return;
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      // Decorated ones assign after each step themselves.
      if (scopes.classes.some((each) => each.node === node)) return;
      edits.replace(statement.start, node.start);
      edits.insert(statement.end, () => ` ${assigned((node.id as TsNode).name)}`);
      return;
    case 'TSEnumDeclaration': {
      const { name, start, end } = node.id as TsNode;
      if (!seeded.has(node)) {
        edits.replace(statement.start, node.start);
        edits.insert(statement.end, () => ` ${assigned(name)}`);
        return;
      }
      const part = scopes.fresh(`${name}_1`);
      edits.replace(statement.start, node.start, () => `let ${name} = ${block.parameter}.${name};`);
      edits.replace(start, end, part);
      edits.insert(statement.end, ` Object.assign(${name}, ${part});`);
    }
  }
}

function lowerVariables(statement: TsNode, { declarations }: TsNode, block: NamespaceBlock, edits: Edits): void {
  for (const { id } of declarations) {
    const pattern = id as TsNode;
    if (pattern.type === 'Identifier') continue;
    const shorthands = new Set<TsNode>();
    collectShorthands(pattern, shorthands);
    for (const name of namesIn(pattern)) {
      qualify(name, block, shorthands.has(name), edits);
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
