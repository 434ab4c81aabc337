// The syntax tree as the transform sees it: ESTree from oxc-parser through one wide type.
//
// A node of a given `type` has the fields that ESTree defines for this type. The wide interface declares the fields
// with their usual types, so that a `switch (node.type)` needs no casts. The analysis stores its results (`parent`,
// `ref`, `fn`, `scope`, …) on the nodes, so a tree serves only one transform and is never shared.

import { visitorKeys } from 'oxc-parser';
import type { ClassInfo, FunctionInfo, Reference, Scope } from './scope.ts';

export interface Node {
  type: string;
  start: number;
  end: number;
  name: string;
  id: Node | null;
  params: Node[];
  body: Node;
  async: boolean;
  generator: boolean;
  await: boolean;
  delegate: boolean;
  expression: Node;
  expressions: Node[];
  argument: Node | null;
  arguments: Node[];
  callee: Node;
  object: Node;
  property: Node;
  properties: Node[];
  elements: (Node | null)[];
  key: Node;
  value: Node;
  kind: string;
  method: boolean;
  shorthand: boolean;
  computed: boolean;
  optional: boolean;
  static: boolean;
  left: Node;
  right: Node;
  operator: string;
  prefix: boolean;
  init: Node | null;
  test: Node | null;
  update: Node | null;
  consequent: Node;
  alternate: Node | null;
  block: Node;
  handler: Node | null;
  finalizer: Node | null;
  param: Node | null;
  discriminant: Node;
  cases: Node[];
  label: Node | null;
  declarations: Node[];
  declaration: Node | null;
  superClass: Node | null;
  quasi: Node;
  quasis: Node[];
  tag: Node;
  meta: Node;
  source: Node | null;
  options: Node | null;
  specifiers: Node[];
  imported: Node;
  local: Node;
  exported: Node | null;
  attributes: Node[];
  directive?: string | null;
  /** `source` for `import.source(…)`, `defer` for `import.defer(…)`. */
  phase?: string | null;

  // Results of the analysis.
  parent: Node | null;
  /** Whether the node contains a suspension point of the function to which the node belongs. */
  suspends?: boolean;
  /** Whether the node or a descendant is emitted differently from its source text. */
  isDirty?: boolean;
  /** Whether this is a `this` that may be the global object, other than as the object of a member access. */
  isSloppyThis?: boolean;
  ref?: Reference;
  fn?: FunctionInfo;
  classInfo?: ClassInfo;
  scope?: Scope;
}

/** Data about nodes of one type. */
export interface NodeType {
  /** Type as one shared string instead of the parser's separate ones, so that V8 can compare addresses. */
  readonly type: string;
  /** Names of the fields that hold child nodes. */
  readonly keys: readonly string[];
}

const nodeTypes = new Map<string, NodeType>();

export function nodeTypeOf(type: string): NodeType {
  return nodeTypes.get(type) ?? addNodeType(type);
}

function addNodeType(type: string): NodeType {
  const kind = { type, keys: visitorKeys[type] ?? [] };
  nodeTypes.set(type, kind);
  return kind;
}

/** Statements of a block, program, class body, static block or switch case. */
export function statements(node: Node): Node[] {
  return (node.type === 'SwitchCase' ? node.consequent : node.body) as unknown as Node[];
}

export function literalValue(node: Node): unknown {
  return node.value as unknown;
}

export function isFunction(node: Node): boolean {
  return (
    node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'
  );
}

export function isClass(node: Node): boolean {
  return node.type === 'ClassDeclaration' || node.type === 'ClassExpression';
}

/** The node inside any parentheses. */
export function skipParens(node: Node): Node {
  let inner = node;
  while (inner.type === 'ParenthesizedExpression') inner = inner.expression;
  return inner;
}

/** Child nodes in source order. Of a shorthand property, only the value is returned. */
export function childrenOf(node: Node): Node[] {
  const { keys } = nodeTypeOf(node.type);
  const found: Node[] = [];
  const fields = node as unknown as Record<string, Node | (Node | null)[] | null | undefined>;
  let isSorted = true;
  let last = -1;
  const add = (child: Node): void => {
    if (child.start < last) isSorted = false;
    last = child.start;
    found.push(child);
  };
  for (const key of keys) {
    if (key === 'key' && node.type === 'Property' && node.shorthand) continue;
    const child = fields[key];
    if (child === null || child === undefined) continue;
    if (Array.isArray(child)) {
      for (const each of child) if (each !== null) add(each);
    } else add(child);
  }
  if (!isSorted) found.sort((a, b) => a.start - b.start);
  return found;
}

/** Marks a node and its ancestors as changed (`isDirty`). */
export function markDirty(node: Node | null): void {
  for (let ancestor = node; ancestor !== null && ancestor.isDirty !== true; ancestor = ancestor.parent)
    ancestor.isDirty = true;
}

/** Identifier nodes of the names that a pattern binds. */
export function boundIdentifiers(pattern: Node): Node[] {
  return targetsOf(pattern).filter(({ type }) => type === 'Identifier');
}

/** Targets of a pattern: names and members. An expression that is not a pattern is its own only target. */
export function targetsOf(pattern: Node, into: Node[] = []): Node[] {
  switch (pattern.type) {
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        targetsOf(property.type === 'RestElement' ? (property.argument as Node) : property.value, into);
      }
      break;
    case 'ArrayPattern':
      for (const element of pattern.elements) if (element !== null) targetsOf(element, into);
      break;
    case 'AssignmentPattern':
      targetsOf(pattern.left, into);
      break;
    case 'RestElement':
      targetsOf(pattern.argument as Node, into);
      break;
    default:
      into.push(pattern);
  }
  return into;
}

/** End of a simple statement. For classes, and statements that contain statements, this is the end of the head. */
export function headEnd(node: Node, text: string): number {
  const { type, end, declaration } = node;
  if (type === 'ExportDefaultDeclaration' && declaration !== null) return headEnd(declaration, text);
  const bodyStart =
    type === 'IfStatement'
      ? node.consequent.start
      : type === 'SwitchStatement'
        ? text.indexOf('{', node.discriminant.end)
        : HAS_BODY.test(type)
          ? node.body.start
          : -1;
  return bodyStart === -1 ? end : text.slice(0, bodyStart).trimEnd().length;
}

const HAS_BODY = /^(For|ForIn|ForOf|While|With)Statement$|^Class(Declaration|Expression)$/;

/** Name of a property or member; null if its key is not literal. */
export function memberName(member: Node): string | null {
  const { key } = member;
  if (member.computed) return key.type === 'Literal' ? String(literalValue(key)) : null;
  if (key.type === 'Identifier') return key.name;
  if (key.type === 'PrivateIdentifier') return `#${key.name}`;
  return String(literalValue(key));
}

/** Whether the node is an anonymous function or class, which gets its name from the context (NamedEvaluation). */
export function isAnonymousFunction(node: Node): boolean {
  const inner = skipParens(node);
  if (isFunction(inner)) return inner.id === null || inner.id === undefined;
  if (!isClass(inner)) return false;
  return inner.id === null && !statements(inner.body).some((member) => isStaticNameMember(member));
}

function isStaticNameMember(member: Node): boolean {
  return member.type !== 'StaticBlock' && member.static && !member.computed && memberName(member) === 'name';
}

export function containsFunction(node: Node): boolean {
  if (isFunction(node) || isClass(node)) return true;
  return childrenOf(node).some(containsFunction);
}
