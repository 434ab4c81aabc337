// What a statement makes the value of that it gives to something: another one as it is (a copy, whose origin is asked for next), or several. Read from the source, where debuggers of other languages would
// have the compiler's word: what it cannot tell it says nothing about.
import { typescriptLanguage } from '@codemirror/lang-javascript';
import type { ToldStatement } from '@turntable/time-machine/protocol';

/** What stands where a value was given. */
export interface Given {
  /** The value is this one's as it is. */
  readonly copied: string | undefined;
  /** What it was made of otherwise. */
  readonly parts: readonly string[];
}

/** Of a parameter, whose function may be called by that name. */
export interface Parameter {
  readonly function: string;
  readonly place: number;
}

type Tree = ReturnType<typeof typescriptLanguage.parser.parse>;
type Node = Tree['topNode'];

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunction',
  'MethodDeclaration',
]);
const CALLS: ReadonlySet<string> = new Set(['CallExpression', 'NewExpression']);
/** Names that nobody has written. */
const KNOWN: ReadonlySet<string> = new Set(['undefined', 'NaN', 'Infinity', 'globalThis', 'arguments']);
const NOTHING: Given = { copied: undefined, parts: [] };

export class SourceTree {
  readonly #text: string;
  readonly #tree: Tree;
  readonly #lines: readonly number[];

  constructor(text: string) {
    this.#text = text;
    this.#tree = typescriptLanguage.parser.parse(text);
    const lines = [0];
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
    this.#lines = lines;
  }

  /** Its line, without what stands before and behind. */
  lineOf({ line }: ToldStatement): string {
    return this.#text.slice(this.#at(line, 1), (this.#lines[line] ?? this.#text.length + 1) - 1).trim();
  }

  /** @param what it gives something to @param rest what is asked about of that: `.city` of `order.address` */
  givenBy(statement: ToldStatement, what: string, rest = ''): Given {
    // What an object begins with is told of where its value is.
    const [initial] = statement.kind === 'field' ? this.#within(statement) : [];
    if (initial !== undefined) return this.#of(initial, rest);
    const gifts = this.#gifts(statement);
    const meant = gifts.find(([to]) => bare(this.#textOf(to)) === bare(what));
    const isVariable = /^[\p{ID_Continue}$]+$/u.test(what);
    // The same by another name: `self.sum`, for `this.sum`.
    const alike = isVariable ? undefined : gifts.find(([to]) => lastName(this.#textOf(to)) === lastName(what));
    const taken = gifts.find(([to]) => to.name.endsWith('Pattern') && this.#defines(to, what));
    const [, value, isUpdate] = meant ?? alike ?? taken ?? [];
    // A method of what it changes: `stock.set('tea', count)`. Variables have none.
    if (value === undefined) return isVariable ? NOTHING : this.#ofArguments(this.#callIn(statement));
    const isTaken = taken !== undefined && meant === undefined && alike === undefined;
    const way = isTaken ? this.#wayTo(taken[0], what) : '';
    // A part of it, nobody knows which.
    if (way === undefined) return { copied: undefined, parts: this.#pathsIn([value]) };
    const given = this.#of(value, way + rest);
    if (isUpdate !== true) return given;
    return { copied: undefined, parts: [...new Set([what, ...given.parts, ...(given.copied ? [given.copied] : [])])] };
  }

  /** What a call there passes for a parameter. @param rest what is asked about of that */
  passedBy(statement: ToldStatement, parameter: Parameter | undefined, rest = ''): Given {
    const calls = this.#within(statement).filter(({ name }) => CALLS.has(name));
    const isMeant = (call: Node): boolean => lastName(this.#calleeOf(call)) === parameter?.function;
    const call = calls.find(isMeant) ?? (calls.length === 1 ? calls[0] : undefined);
    const value = call && parameter && argumentsOf(call)[parameter.place];
    if (call !== undefined && isMeant(call) && value !== undefined) return this.#of(value, rest);
    return this.#ofArguments(call ?? calls[0]);
  }

  /** Which parameter of the function around a statement it is. */
  parameterAt(statement: ToldStatement, name: string): Parameter | undefined {
    let node: Node | null = this.#tree.resolveInner(this.#at(statement.line, statement.column), 1);
    while (node !== null && !FUNCTIONS.has(node.name)) node = node.parent;
    const list = node?.getChild('ParamList');
    if (list == null) return undefined;
    const place = parametersOf(list).findIndex((each) =>
      each.some((part) => part.name === 'VariableDefinition' && this.#textOf(part) === name),
    );
    const called = statement.function.split('.').at(-1)?.trim() ?? '';
    return place === -1 ? undefined : { function: called, place };
  }

  /** What the caret is in, as far as it can be asked about: `order.items` where it stands in `items`. */
  expressionAt(line: number, column: number): string | undefined {
    const at = this.#at(line, column);
    for (const side of [1, -1] as const) {
      let node: Node | null = this.#tree.resolveInner(at, side);
      if (node.name === 'PropertyName' || node.name === 'PrivatePropertyName') node = node.parent;
      if (node?.name === 'VariableDefinition') return this.#textOf(node);
      if (node !== null && this.#isPath(node)) return bare(this.#textOf(node));
    }
    return undefined;
  }

  #at(line: number, column: number): number {
    return Math.min(this.#text.length, (this.#lines[line - 1] ?? this.#text.length) + column - 1);
  }

  #textOf({ from, to }: Node): string {
    return this.#text.slice(from, to);
  }

  /** Nodes in a statement, outer ones first; not those of functions in it. */
  #within({ line, column, endLine, endColumn }: ToldStatement): Node[] {
    const [from, to] = [this.#at(line, column), this.#at(endLine, endColumn)];
    const found: Node[] = [];
    this.#tree.iterate({
      from,
      to,
      enter: ({ node }) => {
        const isInside = node.from >= from && node.to <= to;
        if (isInside) found.push(node);
        return !(isInside && FUNCTIONS.has(node.name));
      },
    });
    return found;
  }

  /** What a pattern takes for a variable: `.price` in `{ price: cost }`. */
  #wayTo(pattern: Node, name: string): string | undefined {
    for (const property of pattern.getChildren('PatternProperty')) {
      const key = property.getChild('PropertyName');
      const to = property.getChild('VariableDefinition');
      const inner = property.getChild('ObjectPattern');
      const behind = inner === null ? undefined : this.#wayTo(inner, name);
      if (key !== null && behind !== undefined) return `.${this.#textOf(key)}${behind}`;
      const isWhole = property.getChild('Spread') === null;
      if (isWhole && to !== null && this.#textOf(to) === name) return `.${this.#textOf(key ?? to)}`;
    }
    return undefined;
  }

  #callIn(statement: ToldStatement): Node | undefined {
    return this.#within(statement).find(({ name }) => CALLS.has(name));
  }

  #defines(pattern: Node, name: string): boolean {
    return nodesIn(pattern).some((node) => node.name === 'VariableDefinition' && this.#textOf(node) === name);
  }

  /** What is given in it: to what, what, and whether that is added to what was there. */
  #gifts(statement: ToldStatement): (readonly [to: Node, value: Node, isUpdate: boolean])[] {
    return this.#within(statement).flatMap((node) => {
      if (node.name === 'PostfixExpression' || node.name === 'UnaryExpression') {
        const [to] = /^(?:\+\+|--)|(?:\+\+|--)$/.test(this.#textOf(node)) ? expressionsIn(node) : [];
        return to === undefined ? [] : [[to, to, true] as const];
      }
      if (node.name === 'AssignmentExpression') {
        const [to, value] = expressionsIn(node);
        return to && value ? [[to, value, node.getChild('UpdateOp') !== null] as const] : [];
      }
      if (node.name === 'VariableDeclaration' || node.name === 'PropertyDeclaration') return givenIn(node);
      return [];
    });
  }

  #of(value: Node, rest = ''): Given {
    const inner = unwrapped(value);
    if (this.#isPath(inner)) return { copied: `${bare(this.#textOf(inner))}${rest}`, parts: [] };
    const [, name, behind = ''] = /^\.([\p{ID_Continue}$]+)(.*)$/u.exec(rest) ?? [];
    const inside =
      inner.name === 'ObjectExpression' && name !== undefined ? this.#ofProperty(inner, name, behind) : undefined;
    return inside ?? { copied: undefined, parts: this.#pathsIn([inner]) };
  }

  /** Of an object that is written out: its own, or what it has from another one. */
  #ofProperty(object: Node, name: string, rest: string): Given | undefined {
    for (const property of object.getChildren('Property').toReversed()) {
      const key = property.getChild('PropertyDefinition');
      const [value] = expressionsIn(property).filter((each) => each.name !== 'PropertyDefinition');
      if (key === null && property.getChild('Spread') !== null && value !== undefined)
        return this.#of(value, `.${name}${rest}`);
      if (key === null || this.#textOf(key) !== name) continue;
      return value === undefined ? { copied: `${name}${rest}`, parts: [] } : this.#of(value, rest);
    }
    return undefined;
  }

  #ofArguments(call: Node | undefined): Given {
    if (call === undefined) return NOTHING;
    const all = argumentsOf(call);
    const [only] = all;
    return all.length === 1 && only !== undefined ? this.#of(only) : { copied: undefined, parts: this.#pathsIn(all) };
  }

  /** The whole ones: of `order.items`, not `order` as well. */
  #pathsIn(nodes: readonly Node[]): string[] {
    const found = new Set<string>();
    const visit = (node: Node): void => {
      if (FUNCTIONS.has(node.name) || node.name === 'ClassExpression') return;
      if (this.#isPath(node)) {
        found.add(bare(this.#textOf(node)));
        return;
      }
      // A property that has its name from its value: `{ price }`.
      if (
        node.name === 'Property' &&
        node.firstChild?.name === 'PropertyDefinition' &&
        node.firstChild.nextSibling === null
      )
        found.add(this.#textOf(node));
      const callee = CALLS.has(node.name) ? expressionsIn(node)[0] : undefined;
      for (let child = node.firstChild; child !== null; child = child.nextSibling) {
        const isCallee = callee !== undefined && child.from === callee.from && child.to === callee.to;
        if (!isCallee) visit(child);
      }
    };
    for (const node of nodes) visit(node);
    return [...found];
  }

  /** Names, and what is behind them step by step; what a map answers by a key. */
  #isPath(node: Node): boolean {
    if (node.name === 'this') return true;
    if (node.name === 'VariableName') return !KNOWN.has(this.#textOf(node));
    if (node.name === 'MemberExpression') {
      const of = node.firstChild;
      return of !== null && this.#isPath(of);
    }
    if (node.name !== 'CallExpression' || argumentsOf(node).length !== 1) return false;
    const callee = node.firstChild;
    const method = lastName(this.#calleeOf(node));
    return callee?.name === 'MemberExpression' && (method === 'get' || method === 'has') && this.#isPath(callee);
  }

  #calleeOf(call: Node): string {
    const [callee] = expressionsIn(call);
    return callee === undefined ? '' : this.#textOf(callee);
  }
}

/** Of a declaration: what it declares, each with its value, if it has one. */
function givenIn(declaration: Node): (readonly [to: Node, value: Node, isUpdate: boolean])[] {
  const found: (readonly [Node, Node, boolean])[] = [];
  let to: Node | undefined;
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

function argumentsOf(call: Node): Node[] {
  const list = call.getChild('ArgList');
  return list === null ? [] : expressionsIn(list);
}

/** The nodes of each parameter, those inside of them among these. */
function parametersOf(list: Node): Node[][] {
  const found: Node[][] = [];
  let its: Node[] = [];
  for (let child = list.firstChild; child !== null; child = child.nextSibling) {
    // A list of one name has no parentheses.
    const isBetween = child.name === ',' || child.name === ')' || child.name === '(';
    if (!isBetween) its.push(...nodesIn(child));
    if ((isBetween || child.nextSibling === null) && its.length > 0) {
      found.push(its);
      its = [];
    }
  }
  return found;
}

/** Itself, and all that are in it. */
function nodesIn(node: Node): Node[] {
  const found = [node];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(...nodesIn(child));
  return found;
}

function expressionsIn(node: Node): Node[] {
  const found: Node[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (isExpression(child)) found.push(child);
  return found;
}

/** No punctuation, operator, keyword, type or comment. */
function isExpression({ name }: Node): boolean {
  if (name === 'this' || name === 'super' || name === 'null') return true;
  return (
    /^[A-Z]/.test(name) && !/(?:Op|^Equals|^TypeAnnotation|Comment|List|^Privacy|^Optional|^Spread|^Block)$/.test(name)
  );
}

/** Without parentheses around it, and what says no more than its type. */
function unwrapped(node: Node): Node {
  const isNotNull = node.name === 'PostfixExpression' && node.getChild('LogicOp') !== null;
  const [inner] = isNotNull || node.name === 'ParenthesizedExpression' ? expressionsIn(node) : [];
  return inner === undefined ? node : unwrapped(inner);
}

function bare(text: string): string {
  return text.replaceAll(/\s+/g, '').replaceAll('?.', '.');
}

/** What stands last in an expression: `price` of `order.price`. */
function lastName(text: string): string {
  return /([\p{ID_Continue}$#]+)\W*$/u.exec(text.replace(/\[[^\]]*\]$/, ''))?.[1] ?? text;
}
