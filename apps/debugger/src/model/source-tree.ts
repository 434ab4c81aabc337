// The syntax tree of a source file: what a statement assigns to a variable or property (another value unchanged, whose
// writes are traced next, or a combination of values), which argument a call passes, and the expression at a caret. All
// results are derived from the syntax, and undefined or empty if that is not sufficient.
import { typescriptLanguage } from '@codemirror/lang-javascript';
import type { StatementInfo } from '@turntable/time-machine/protocol';

/** The value that a statement assigns: a copy of another value, or computed from operands. */
export interface AssignedValue {
  /** The expression whose value is copied; undefined if the value is not a copy. */
  readonly copiedFrom: string | undefined;
  /** Expressions from which the value is computed; empty for a copy. */
  readonly operands: readonly string[];
}

/** A parameter of a function, and the function's name. */
export interface FunctionParameter {
  readonly functionName: string;
  readonly index: number;
}

type SyntaxTree = ReturnType<typeof typescriptLanguage.parser.parse>;
type SyntaxNode = SyntaxTree['topNode'];

const FUNCTION_NODES: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunction',
  'MethodDeclaration',
]);
const CALL_NODES: ReadonlySet<string> = new Set(['CallExpression', 'NewExpression']);
/** Names that are not variables of the program, and therefore cannot be traced. */
const BUILTIN_NAMES: ReadonlySet<string> = new Set(['undefined', 'NaN', 'Infinity', 'globalThis', 'arguments']);
const NO_ASSIGNMENT: AssignedValue = { copiedFrom: undefined, operands: [] };

export class SourceTree {
  readonly #source: string;
  readonly #tree: SyntaxTree;
  readonly #lineStarts: readonly number[];

  constructor(source: string) {
    this.#source = source;
    this.#tree = typescriptLanguage.parser.parse(source);
    const lineStarts = [0];
    for (let offset = source.indexOf('\n'); offset !== -1; offset = source.indexOf('\n', offset + 1))
      lineStarts.push(offset + 1);
    this.#lineStarts = lineStarts;
  }

  /** Returns the source of the statement's first line, trimmed. */
  lineText({ line }: StatementInfo): string {
    return this.#source.slice(this.#offsetAt(line, 1), (this.#lineStarts[line] ?? this.#source.length + 1) - 1).trim();
  }

  /** @param target the assigned variable or property @param path the traced part of it: `.city` of `order.address` */
  assignedValue(statement: StatementInfo, target: string, path = ''): AssignedValue {
    // The declaration of a field assigns its initial value.
    const [initial] = statement.kind === 'field' ? this.#nodesOfStatement(statement) : [];
    if (initial !== undefined) return this.#describeValue(initial, path);
    const assignments = this.#assignments(statement);
    const exact = assignments.find(([to]) => normalizePath(this.#textOf(to)) === normalizePath(target));
    const isVariable = /^[\p{ID_Continue}$]+$/u.test(target);
    // The same property may be written through another name: `self.sum` for `this.sum`.
    const sameName = isVariable
      ? undefined
      : assignments.find(([to]) => lastPropertyName(this.#textOf(to)) === lastPropertyName(target));
    const destructured = assignments.find(([to]) => to.name.endsWith('Pattern') && this.#patternDefines(to, target));
    const [, value, isUpdate] = exact ?? sameName ?? destructured ?? [];
    // A method may change its object: `stock.set('tea', count)`.
    if (value === undefined) return isVariable ? NO_ASSIGNMENT : this.#describeArguments(this.#firstCall(statement));
    const isDestructured = destructured !== undefined && exact === undefined && sameName === undefined;
    const prefix = isDestructured ? this.#pathInPattern(destructured[0], target) : '';
    // The pattern binds the variable, but which part of the value is unknown.
    if (prefix === undefined) return { copiedFrom: undefined, operands: this.#pathsIn([value]) };
    const assigned = this.#describeValue(value, prefix + path);
    if (isUpdate !== true) return assigned;
    return {
      copiedFrom: undefined,
      operands: [...new Set([target, ...assigned.operands, ...(assigned.copiedFrom ? [assigned.copiedFrom] : [])])],
    };
  }

  /** Returns the argument that a call passes for a parameter. @param path the traced part of the argument */
  passedArgument(statement: StatementInfo, parameter: FunctionParameter | undefined, path = ''): AssignedValue {
    const calls = this.#nodesOfStatement(statement).filter(({ name }) => CALL_NODES.has(name));
    const isMatch = (call: SyntaxNode): boolean => lastPropertyName(this.#calleeText(call)) === parameter?.functionName;
    const call = calls.find(isMatch) ?? (calls.length === 1 ? calls[0] : undefined);
    const value = call && parameter && callArguments(call)[parameter.index];
    if (call !== undefined && isMatch(call) && value !== undefined) return this.#describeValue(value, path);
    return this.#describeArguments(call ?? calls[0]);
  }

  /** Returns the parameter with a name, in the function around a statement; undefined if it has none. */
  parameterNamed(statement: StatementInfo, name: string): FunctionParameter | undefined {
    let node: SyntaxNode | null = this.#tree.resolveInner(this.#offsetAt(statement.line, statement.column), 1);
    while (node !== null && !FUNCTION_NODES.has(node.name)) node = node.parent;
    const list = node?.getChild('ParamList');
    if (list == null) return undefined;
    const index = parameterNodes(list).findIndex((each) =>
      each.some((part) => part.name === 'VariableDefinition' && this.#textOf(part) === name),
    );
    const functionName = statement.function.split('.').at(-1)?.trim() ?? '';
    return index === -1 ? undefined : { functionName, index };
  }

  /** Returns the expression at the caret: `order.items` if the caret is in `items`. Undefined if there is no name. */
  expressionAt(line: number, column: number): string | undefined {
    const offset = this.#offsetAt(line, column);
    for (const side of [1, -1] as const) {
      let node: SyntaxNode | null = this.#tree.resolveInner(offset, side);
      if (node.name === 'PropertyName' || node.name === 'PrivatePropertyName') node = node.parent;
      if (node?.name === 'VariableDefinition') return this.#textOf(node);
      if (node !== null && this.#isPath(node)) return normalizePath(this.#textOf(node));
    }
    return undefined;
  }

  #offsetAt(line: number, column: number): number {
    return Math.min(this.#source.length, (this.#lineStarts[line - 1] ?? this.#source.length) + column - 1);
  }

  #textOf({ from, to }: SyntaxNode): string {
    return this.#source.slice(from, to);
  }

  /** Returns all nodes of a statement, outer nodes first, without those in nested functions. */
  #nodesOfStatement({ line, column, endLine, endColumn }: StatementInfo): SyntaxNode[] {
    const [from, to] = [this.#offsetAt(line, column), this.#offsetAt(endLine, endColumn)];
    const found: SyntaxNode[] = [];
    this.#tree.iterate({
      from,
      to,
      enter: ({ node }) => {
        const isWithin = node.from >= from && node.to <= to;
        if (isWithin) found.push(node);
        return !(isWithin && FUNCTION_NODES.has(node.name));
      },
    });
    return found;
  }

  /** Returns the part that an object pattern binds to a variable: `.price` in `{ price: cost }` for `cost`. */
  #pathInPattern(pattern: SyntaxNode, name: string): string | undefined {
    for (const property of pattern.getChildren('PatternProperty')) {
      const key = property.getChild('PropertyName');
      const to = property.getChild('VariableDefinition');
      const inner = property.getChild('ObjectPattern');
      const innerPath = inner === null ? undefined : this.#pathInPattern(inner, name);
      if (key !== null && innerPath !== undefined) return `.${this.#textOf(key)}${innerPath}`;
      const isWhole = property.getChild('Spread') === null;
      if (isWhole && to !== null && this.#textOf(to) === name) return `.${this.#textOf(key ?? to)}`;
    }
    return undefined;
  }

  #firstCall(statement: StatementInfo): SyntaxNode | undefined {
    return this.#nodesOfStatement(statement).find(({ name }) => CALL_NODES.has(name));
  }

  #patternDefines(pattern: SyntaxNode, name: string): boolean {
    return withDescendants(pattern).some((node) => node.name === 'VariableDefinition' && this.#textOf(node) === name);
  }

  /** Returns the assignments of a statement: target, value, and whether the value is combined with the old one. */
  #assignments(statement: StatementInfo): (readonly [to: SyntaxNode, value: SyntaxNode, isUpdate: boolean])[] {
    return this.#nodesOfStatement(statement).flatMap((node) => {
      if (node.name === 'PostfixExpression' || node.name === 'UnaryExpression') {
        const [to] = /^(?:\+\+|--)|(?:\+\+|--)$/.test(this.#textOf(node)) ? childExpressions(node) : [];
        return to === undefined ? [] : [[to, to, true] as const];
      }
      if (node.name === 'AssignmentExpression') {
        const [to, value] = childExpressions(node);
        return to && value ? [[to, value, node.getChild('UpdateOp') !== null] as const] : [];
      }
      if (node.name === 'VariableDeclaration' || node.name === 'PropertyDeclaration') return declaredValues(node);
      return [];
    });
  }

  #describeValue(value: SyntaxNode, path = ''): AssignedValue {
    const inner = unwrap(value);
    if (this.#isPath(inner)) return { copiedFrom: `${normalizePath(this.#textOf(inner))}${path}`, operands: [] };
    const [, name, restPath = ''] = /^\.([\p{ID_Continue}$]+)(.*)$/u.exec(path) ?? [];
    const propertyValue =
      inner.name === 'ObjectExpression' && name !== undefined
        ? this.#describeProperty(inner, name, restPath)
        : undefined;
    return propertyValue ?? { copiedFrom: undefined, operands: this.#pathsIn([inner]) };
  }

  /** Describes the value of a property of an object literal: the property's own, or that of a spread object. */
  #describeProperty(object: SyntaxNode, name: string, path: string): AssignedValue | undefined {
    for (const property of object.getChildren('Property').toReversed()) {
      const key = property.getChild('PropertyDefinition');
      const [value] = childExpressions(property).filter((each) => each.name !== 'PropertyDefinition');
      if (key === null && property.getChild('Spread') !== null && value !== undefined)
        return this.#describeValue(value, `.${name}${path}`);
      if (key === null || this.#textOf(key) !== name) continue;
      return value === undefined ? { copiedFrom: `${name}${path}`, operands: [] } : this.#describeValue(value, path);
    }
    return undefined;
  }

  #describeArguments(call: SyntaxNode | undefined): AssignedValue {
    if (call === undefined) return NO_ASSIGNMENT;
    const all = callArguments(call);
    const [only] = all;
    return all.length === 1 && only !== undefined
      ? this.#describeValue(only)
      : { copiedFrom: undefined, operands: this.#pathsIn(all) };
  }

  /** Returns the longest paths in expressions: `order.items` without `order`. */
  #pathsIn(nodes: readonly SyntaxNode[]): string[] {
    const found = new Set<string>();
    const visit = (node: SyntaxNode): void => {
      if (FUNCTION_NODES.has(node.name) || node.name === 'ClassExpression') return;
      if (this.#isPath(node)) {
        found.add(normalizePath(this.#textOf(node)));
        return;
      }
      // A shorthand property is a path itself: `{ price }`.
      if (
        node.name === 'Property' &&
        node.firstChild?.name === 'PropertyDefinition' &&
        node.firstChild.nextSibling === null
      )
        found.add(this.#textOf(node));
      const callee = CALL_NODES.has(node.name) ? childExpressions(node)[0] : undefined;
      for (let child = node.firstChild; child !== null; child = child.nextSibling) {
        const isCallee = callee !== undefined && child.from === callee.from && child.to === callee.to;
        if (!isCallee) visit(child);
      }
    };
    for (const node of nodes) visit(node);
    return [...found];
  }

  /** Whether a node is a path: a variable or `this`, followed by property accesses and lookups in a map or set. */
  #isPath(node: SyntaxNode): boolean {
    if (node.name === 'this') return true;
    if (node.name === 'VariableName') return !BUILTIN_NAMES.has(this.#textOf(node));
    if (node.name === 'MemberExpression') {
      const object = node.firstChild;
      return object !== null && this.#isPath(object);
    }
    if (node.name !== 'CallExpression' || callArguments(node).length !== 1) return false;
    const callee = node.firstChild;
    const method = lastPropertyName(this.#calleeText(node));
    return callee?.name === 'MemberExpression' && (method === 'get' || method === 'has') && this.#isPath(callee);
  }

  #calleeText(call: SyntaxNode): string {
    const [callee] = childExpressions(call);
    return callee === undefined ? '' : this.#textOf(callee);
  }
}

/** Returns the variables of a declaration with their values. */
function declaredValues(declaration: SyntaxNode): (readonly [to: SyntaxNode, value: SyntaxNode, isUpdate: boolean])[] {
  const found: (readonly [SyntaxNode, SyntaxNode, boolean])[] = [];
  let to: SyntaxNode | undefined;
  let isValue = false;
  for (let child = declaration.firstChild; child !== null; child = child.nextSibling) {
    if (/^(?:Variable|Property|PrivateProperty)Definition$|Pattern$|^PropertyName$/.test(child.name) && !isValue)
      to = child;
    else if (child.name === 'Equals') isValue = true;
    else if (isValue && to !== undefined && isExpression(child)) {
      found.push([to, child, false]);
      isValue = false;
    }
  }
  return found;
}

function callArguments(call: SyntaxNode): SyntaxNode[] {
  const list = call.getChild('ArgList');
  return list === null ? [] : childExpressions(list);
}

/** Returns the nodes of each parameter, with their descendants. */
function parameterNodes(list: SyntaxNode): SyntaxNode[][] {
  const found: SyntaxNode[][] = [];
  let nodes: SyntaxNode[] = [];
  for (let child = list.firstChild; child !== null; child = child.nextSibling) {
    // Parameters are separated by commas; an arrow function with one parameter may have no parentheses.
    const isBetween = child.name === ',' || child.name === ')' || child.name === '(';
    if (!isBetween) nodes.push(...withDescendants(child));
    if ((isBetween || child.nextSibling === null) && nodes.length > 0) {
      found.push(nodes);
      nodes = [];
    }
  }
  return found;
}

/** Returns a node and all its descendants. */
function withDescendants(node: SyntaxNode): SyntaxNode[] {
  const found = [node];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(...withDescendants(child));
  return found;
}

function childExpressions(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (isExpression(child)) found.push(child);
  return found;
}

/** Whether a node is an expression, as opposed to punctuation, operators, keywords, types and comments. */
function isExpression({ name }: SyntaxNode): boolean {
  if (name === 'this' || name === 'super' || name === 'null') return true;
  return (
    /^[A-Z]/.test(name) && !/(?:Op|^Equals|^TypeAnnotation|Comment|List|^Privacy|^Optional|^Spread|^Block)$/.test(name)
  );
}

/** Returns the expression inside parentheses and non-null assertions. */
function unwrap(node: SyntaxNode): SyntaxNode {
  const isNotNull = node.name === 'PostfixExpression' && node.getChild('LogicOp') !== null;
  const [inner] = isNotNull || node.name === 'ParenthesizedExpression' ? childExpressions(node) : [];
  return inner === undefined ? node : unwrap(inner);
}

function normalizePath(text: string): string {
  return text.replaceAll(/\s+/g, '').replaceAll('?.', '.');
}

/** Returns the last name of a path: `price` of `order.price`. */
function lastPropertyName(text: string): string {
  return /([\p{ID_Continue}$#]+)\W*$/u.exec(text.replace(/\[[^\]]*\]$/, ''))?.[1] ?? text;
}
