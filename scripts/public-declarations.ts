// Reads exported declarations, with signatures and doc comments, from TypeScript sources. Follows imports and
// re-exports into other packages of the workspace.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  parseSync,
  type Class as ClassNode,
  type Comment,
  type Function as FunctionNode,
  type MethodDefinition,
  type Program,
  type PropertyDefinition,
  type TSInterfaceDeclaration,
  type TSTypeAliasDeclaration,
  type VariableDeclaration,
} from 'oxc-parser';
import { root } from './node-release.mjs';

export interface PublicDeclaration {
  readonly name: string;
  readonly kind: 'function' | 'class' | 'type';
  /** First paragraph of the doc comment. */
  readonly doc: string;
  readonly signature: string;
}

type Statement = Program['body'][number];
type Declaration = FunctionNode | ClassNode | VariableDeclaration | TSInterfaceDeclaration | TSTypeAliasDeclaration;

interface Source {
  readonly file: string;
  readonly text: string;
  readonly body: readonly Statement[];
  readonly comments: readonly Comment[];
}

interface FoundDeclaration {
  readonly source: Source;
  readonly node: Declaration;
  /** Start of the statement, before `export`. */
  readonly start: number;
}

const sources = new Map<string, Source>();

function sourceOf(file: string): Source {
  const known = sources.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, 'utf8');
  const { program, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const source = { file, text, body: program.body, comments };
  sources.set(file, source);
  return source;
}

/** Names that a module exports, in source order. */
export function exportedNames(file: string): string[] {
  return sourceOf(file).body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return [];
    const declared = isDeclaration(statement.declaration) ? namesOf(statement.declaration) : [];
    return [...declared, ...statement.specifiers.map(({ exported }) => moduleName(exported))];
  });
}

/** The declaration of an export. Throws if it is missing or has no doc comment. */
export function declarationOf(file: string, name: string): PublicDeclaration {
  const found = findDeclaration(sourceOf(file), name);
  if (found === undefined) throw new Error(`${relative(root, file)} exports no ${name} that can be read`);
  const signature = signatureOf(found, name);
  const aliased = found.node.type === 'VariableDeclaration' ? typeOfConstant(found, name) : undefined;
  const doc = docOf(found) ?? (aliased === undefined ? undefined : docOf(aliased));
  if (doc === undefined) throw new Error(`${relative(root, found.source.file)}: ${name} needs a doc comment`);
  return { name, kind: kindOf(found.node), doc, signature };
}

function kindOf({ type }: Declaration): PublicDeclaration['kind'] {
  if (type === 'FunctionDeclaration' || type === 'VariableDeclaration') return 'function';
  return type === 'ClassDeclaration' ? 'class' : 'type';
}

function isDeclaration(node: unknown): node is Declaration {
  const type = (node as { type?: string } | null)?.type ?? '';
  return /^(?:Function|Class|Variable|TSInterface|TSTypeAlias)Declaration$/.test(type);
}

function namesOf(node: Declaration): string[] {
  if (node.type === 'VariableDeclaration')
    return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  return node.id === null ? [] : [node.id.name];
}

function moduleName(node: { readonly type: string }): string {
  const { name, value } = node as { name?: string; value?: string };
  return name ?? value ?? '';
}

/** Finds the declaration of a name in a module: its own, or an imported or re-exported one. */
function findDeclaration(source: Source, name: string): FoundDeclaration | undefined {
  for (const statement of source.body) {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (isDeclaration(node) && namesOf(node).includes(name)) return { source, node, start: statement.start };
    const origin = originIn(statement, name);
    if (origin === undefined) continue;
    const file = resolveSpecifier(source.file, origin.specifier);
    return file === undefined ? undefined : findDeclaration(sourceOf(file), origin.name);
  }
  return undefined;
}

/** Where a statement takes a name from, if it imports or re-exports the name. */
function originIn(
  statement: Statement,
  name: string,
): { readonly specifier: string; readonly name: string } | undefined {
  if (statement.type === 'ImportDeclaration')
    for (const each of statement.specifiers)
      if (each.type === 'ImportSpecifier' && each.local.name === name)
        return { specifier: statement.source.value, name: moduleName(each.imported) };
  if (statement.type === 'ExportNamedDeclaration' && statement.source !== null)
    for (const { exported, local } of statement.specifiers)
      if (moduleName(exported) === name) return { specifier: statement.source.value, name: moduleName(local) };
  return undefined;
}

/** The source file of a specifier; undefined for other packages. */
function resolveSpecifier(importer: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return join(dirname(importer), specifier);
  const [, folder, subpath = ''] = /^(?:@turntable\/)?([a-z-]+)(\/.*)?$/.exec(specifier) ?? [];
  if (folder === undefined || !/^(?:@turntable\/|turntable(?:\/|$))/.test(specifier)) return undefined;
  const directory = join(root, 'packages', folder);
  const { exports } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  const file = exports[`.${subpath}`]?.['turntable-source'];
  return file === undefined ? undefined : join(directory, file);
}

/** First paragraph of the comment that ends where the declaration starts. */
function docOf({ source, start }: FoundDeclaration): string | undefined {
  const comment = source.comments.findLast(
    ({ type, value, end }) => type === 'Block' && value.startsWith('*') && end <= start,
  );
  // Line comments may be between the doc comment and the declaration.
  const between = comment === undefined ? 'none' : source.text.slice(comment.end, start).replaceAll(/\/\/.*/g, '');
  if (comment === undefined || between.trim() !== '') return undefined;
  const lines = comment.value.split('\n').map((line) => line.replace(/^\s*\*+ ?/, '').trim());
  const text = lines.join('\n').trim();
  return text
    .split(/\n\n|\n?@/)[0]
    ?.replaceAll('\n', ' ')
    .trim();
}

function signatureOf(found: FoundDeclaration, name: string): string {
  const { node, source } = found;
  const { text } = source;
  switch (node.type) {
    case 'FunctionDeclaration':
      return withOptionalParameters(text.slice(node.start, node.body?.start ?? node.end)).trim();
    case 'VariableDeclaration':
      return constantSignature(found, name);
    case 'ClassDeclaration':
      return classSignature(text, node);
    default:
      return text.slice(node.start, node.end);
  }
}

/** Writes parameters with a default value as optional ones. */
function withOptionalParameters(signature: string): string {
  return signature.replace(/^async /, '').replaceAll(/(\w+): ([^,=()]+?) = [^,)]+/g, '$1?: $2');
}

/** The declaration of the named type of a constant. */
function typeOfConstant({ node, source }: FoundDeclaration, name: string): FoundDeclaration | undefined {
  if (node.type !== 'VariableDeclaration') return undefined;
  const id = node.declarations.find((each) => each.id.type === 'Identifier' && each.id.name === name)?.id;
  const annotation = id?.type === 'Identifier' ? id.typeAnnotation?.typeAnnotation : undefined;
  if (annotation?.type !== 'TSTypeReference' || annotation.typeName.type !== 'Identifier') return undefined;
  return findDeclaration(source, annotation.typeName.name);
}

/** A constant with the text of its type, so that a function is shown with its parameters. */
function constantSignature(found: FoundDeclaration, name: string): string {
  const { node, source } = found;
  const type = typeOfConstant(found, name);
  if (type?.node.type === 'TSTypeAliasDeclaration') {
    const { typeAnnotation } = type.node;
    return `const ${name}: ${type.source.text.slice(typeAnnotation.start, typeAnnotation.end)}`;
  }
  if (type?.node.type === 'TSInterfaceDeclaration')
    return `const ${name}: ${type.source.text.slice(type.node.body.start, type.node.body.end)}`;
  const text = source.text.slice(node.start, node.end);
  return text.replace(/ =\s[\s\S]*$/, '');
}

/** A class without bodies, constructor and private members. */
function classSignature(text: string, node: ClassNode): string {
  const members = node.body.body.flatMap((member) => {
    if (member.type !== 'MethodDefinition' && member.type !== 'PropertyDefinition') return [];
    if (member.computed || member.key.type !== 'Identifier' || member.key.name === 'constructor') return [];
    const end = memberSignatureEnd(member);
    const comment = /\n( *\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\n *$/.exec(text.slice(0, member.start))?.[1];
    const declaration = `  ${text.slice(member.start, end).trim().replace(/;$/, '')};`;
    return comment === undefined ? [declaration] : [comment, declaration];
  });
  const head = text.slice(node.start, node.body.start).trim();
  return members.length === 0 ? `${head} {}` : `${head} {\n${members.join('\n')}\n}`;
}

/** End of a member without its body, or without the value of a property that declares its type. */
function memberSignatureEnd(member: MethodDefinition | PropertyDefinition): number {
  if (member.type === 'MethodDefinition' || member.type === 'TSAbstractMethodDefinition')
    return (member.value as FunctionNode).body?.start ?? member.end;
  const { typeAnnotation, value, end } = member as PropertyDefinition;
  return value === null ? end : (typeAnnotation?.end ?? end);
}
