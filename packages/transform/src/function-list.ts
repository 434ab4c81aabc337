// Lists the functions of a source file with the names that debuggers use for them.
import { parseSync } from 'oxc-parser';
import { locationIn, lineStarts } from './lines.ts';
import { boundNames, runtimeChildren, type TsNode } from './typescript-tree.ts';

interface Location {
  readonly line: number;
  readonly column: number;
}

export interface ListedFunction {
  /** Name without its owner: `reserve`, `#sum`, `constructor`; empty for a function without a name. */
  readonly name: string;
  /** The class, object or target of an assignment that holds the function: `Cart`, `app.locals`. */
  readonly owner: string | undefined;
  /** Names of the parameters, including those that patterns declare. */
  readonly parameters: readonly string[];
  /** Start of the parameters; without parameters, of the body. */
  readonly head: Location;
  /** Range of the body. */
  readonly start: Location;
  readonly end: Location;
}

const FUNCTION_TYPES: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

/** Names that V8 gives to the code of fields and static blocks. */
const INSTANCE_FIELDS = '<instance_members_initializer>';
const STATIC_FIELDS = '<static_initializer>';

/** Lists the functions of a file in source order; empty if the file cannot be parsed. */
export function listFunctions(source: string, path: string): readonly ListedFunction[] {
  const extension = /\.[cm]?([jt]sx?)$/.exec(path)?.[1] ?? 'js';
  const { program, errors } = parseSync(path, source, {
    lang: extension as 'js' | 'jsx' | 'ts' | 'tsx',
    preserveParens: false,
  });
  if (errors.length > 0) return [];
  const starts = lineStarts(source);
  const found: ListedFunction[] = [];
  const add = (
    name: string,
    owner: string | undefined,
    parameters: readonly string[],
    body: TsNode,
    head: TsNode = body,
  ): void => {
    found.push({
      name,
      owner,
      parameters,
      head: locationIn(starts, head.start),
      start: locationIn(starts, body.start),
      end: locationIn(starts, body.end),
    });
  };
  const visit = (node: TsNode, name: string | undefined, owner: string | undefined): void => {
    if (FUNCTION_TYPES.has(node.type)) {
      const { body, params } = node;
      if (body !== null) add(node.id?.name ?? name ?? '', owner, parameterNames(node), body, params[0] ?? body);
      for (const child of runtimeChildren(node)) visit(child, undefined, undefined);
      return;
    }
    if (node.type === 'StaticBlock') add(STATIC_FIELDS, owner, [], node);
    if (node.type === 'PropertyDefinition' && node.value !== null)
      add(node.static ? STATIC_FIELDS : INSTANCE_FIELDS, owner, [], node.value);
    const names = namesForChildren(node, name, source);
    for (const child of runtimeChildren(node)) {
      const [childName, childOwner] = names(child, owner);
      visit(child, childName, childOwner);
    }
  };
  visit(program as unknown as TsNode, undefined, undefined);
  return found.toSorted((a, b) => a.start.line - b.start.line || a.start.column - b.start.column);
}

/** Names that the parameters declare. TypeScript's parameter `this` declares none. */
function parameterNames({ params }: TsNode): string[] {
  return params.flatMap(boundNames).flatMap(({ name }) => (name === 'this' ? [] : [name]));
}

type ChildNames = (child: TsNode, owner: string | undefined) => [name: string | undefined, owner: string | undefined];

/** Names that a node gives to the functions, classes and objects among its children. */
function namesForChildren(node: TsNode, name: string | undefined, source: string): ChildNames {
  switch (node.type) {
    case 'VariableDeclarator':
      return (child) => (child === node.init && node.id?.type === 'Identifier' ? [node.id.name, undefined] : NO_NAMES);
    case 'AssignmentExpression':
      return (child) => (child === node.right ? assignedNames(node.left, source) : NO_NAMES);
    case 'ClassDeclaration':
    case 'ClassExpression':
      return (child) => (child === node.body ? [undefined, node.id?.name ?? name] : NO_NAMES);
    case 'ClassBody':
      return (_, owner) => [undefined, owner];
    case 'ObjectExpression':
      return () => [undefined, name];
    case 'MethodDefinition':
    case 'PropertyDefinition':
    case 'Property':
      return (child, owner) => (child === node.value ? [keyName(node), owner] : NO_NAMES);
    default:
      return () => NO_NAMES;
  }
}

const NO_NAMES: [undefined, undefined] = [undefined, undefined];

/** Names for the value of `target = value`. */
function assignedNames(target: TsNode, source: string): [name: string | undefined, owner: string | undefined] {
  if (target.type === 'Identifier') return [target.name, undefined];
  const text = source.slice(target.start, target.end);
  const [, owner, name] = /^([\w$.]+)\.(#?[\w$]+)$/.exec(text) ?? [];
  return [name, owner];
}

function keyName({ key, computed }: TsNode): string | undefined {
  if (computed) return undefined;
  if (key.type === 'PrivateIdentifier') return `#${key.name}`;
  return key.type === 'Identifier' ? key.name : String(key.value);
}
