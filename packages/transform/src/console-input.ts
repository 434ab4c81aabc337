// Input of a debugger's console that may be more than an expression: statements, declarations, `await`. The code runs in
// a `with` block whose object has the variables of the paused function, so assignments reach them.
//
//   const x = 3; x + sum     const x = 3; return tt$declare((x + sum), { x }, ["x"]);
//   await done               return (tt$await(done))
//   this                     return (tt$this(this))         sloppy code turns undefined into the global object
//
// Types and private members are treated as in expressions (plain-expression.ts), writes have barriers
// (console-barriers.ts).
import { parseSync } from 'oxc-parser';
import {
  boundIdentifiers,
  childrenOf,
  isClass,
  isFunction,
  type Node,
  skipParens,
  statements,
  targetsOf,
} from './ast.ts';
import { ConsoleBarriers, renderWrapped, type WrappedRange } from './console-barriers.ts';
import { PlainWriter } from './plain-expression.ts';

export interface InputCode {
  /** Statements of a function, for a `with` block. */
  readonly code: string;
  /** Whether the input assigns or declares a variable, which is no side effect for V8. */
  readonly hasOwnEffects: boolean;
  /** Whether barriers report all writes. */
  readonly hasAllBarriers: boolean;
}

/** Code around an input that makes it a program. */
interface Form {
  readonly before: string;
  readonly after: string;
  readonly isExpression: boolean;
}

const FORMS: readonly Form[] = [
  { before: '(', after: '\n)', isExpression: true },
  { before: '{', after: '\n}', isExpression: false },
];
/** Forms of inputs that may await. Outside of async functions, `await (x)` is a call. */
const ASYNC_FORMS: readonly Form[] = [
  { before: '(async () => (', after: '\n))', isExpression: true },
  { before: '(async () => {', after: '\n})', isExpression: false },
];

interface ParsedInput {
  readonly source: string;
  readonly form: Form;
  readonly program: Node;
}

/**
 * The code of an input; undefined if it is not valid.
 * @param readerName function that reads private members (plain-expression.ts)
 */
export function toConsoleInput(text: string, readerName: string): InputCode | undefined {
  const parsed = parseInput(text, ['js', 'ts']);
  if (parsed === undefined) return undefined;
  const { source, form, program } = parsed;
  const plain = new PlainWriter(source, readerName).write(program);
  return new InputWriter(plain, form).write();
}

function parseInput(text: string, languages: readonly ('js' | 'ts')[]): ParsedInput | undefined {
  const forms = /\bawait\b/.test(text) ? ASYNC_FORMS : FORMS;
  const candidates = forms.flatMap((form) => languages.map((lang) => ({ form, lang })));
  for (const { form, lang } of candidates) {
    const source = `${form.before}${text}${form.after}`;
    const program = parse(source, lang);
    if (program !== undefined && !(form.isExpression && isDeclaration(innerNodes(program, form)[0])))
      return { source, form, program };
  }
  return undefined;
}

function parse(source: string, lang: 'js' | 'ts'): Node | undefined {
  const { program, errors } = parseSync(`input.${lang}`, source, { sourceType: 'script', lang, preserveParens: true });
  return errors.length === 0 ? (program as unknown as Node) : undefined;
}

/** The input's expression, or its statements. */
function innerNodes(program: Node, form: Form): Node[] {
  const [first] = statements(program) as [Node];
  // In parentheses or braces; around them, an async form has a function in parentheses.
  const node = first.type === 'ExpressionStatement' ? first.expression : first;
  const inner = ASYNC_FORMS.includes(form) ? node.expression.body : node;
  return form.isExpression ? [inner.expression] : statements(inner);
}

/** `function f() {}` and `class C {}` declare a variable in a console. */
function isDeclaration(node: Node | undefined): boolean {
  return node !== undefined && (isFunction(node) || isClass(node)) && (node.id ?? null) !== null;
}

/** Whether `await` and `this` belong to the input, and not to a function in it. */
interface Owner {
  readonly ownsAwait: boolean;
  readonly ownsThis: boolean;
}

function innerOwner({ type }: Node, { ownsThis }: Owner): Owner {
  return { ownsAwait: false, ownsThis: ownsThis && type === 'ArrowFunctionExpression' };
}

class InputWriter {
  readonly #source: string;
  readonly #form: Form;
  readonly #ranges: WrappedRange[] = [];
  /** Offsets of `await` keywords, which are removed. */
  readonly #awaits: number[] = [];
  #hasAssignment = false;

  constructor(source: string, form: Form) {
    this.#source = source;
    this.#form = form;
  }

  write(): InputCode | undefined {
    const program = parse(this.#source, 'js');
    if (program === undefined) return undefined;
    const nodes = innerNodes(program, this.#form);
    const barriers = new ConsoleBarriers();
    for (const node of nodes) {
      barriers.visit(node);
      this.#visit(node, { ownsAwait: true, ownsThis: true });
    }
    const last = nodes.at(-1);
    const result = this.#form.isExpression ? last : last?.type === 'ExpressionStatement' ? last.expression : undefined;
    const declared = this.#form.isExpression ? [] : nodes.flatMap(declaredNames);
    const constants = this.#form.isExpression ? [] : nodes.filter(isConstDeclaration).flatMap(declaredNames);
    const variables = `{ ${declared.join(', ')} }, ${JSON.stringify(constants)}`;
    const around: readonly [string, string] =
      declared.length === 0 ? ['return (', ')'] : ['return tt$declare((', `), ${variables})`];
    // Around what wraps the same range.
    if (result !== undefined) this.#ranges.unshift(rangeAround(result, around[0], around[1]));
    const end = result === undefined && declared.length > 0 ? `;tt$declare(undefined, ${variables});` : '';
    return {
      code: `${this.#render(barriers)}${end}`,
      hasOwnEffects: this.#hasAssignment || declared.length > 0,
      hasAllBarriers: barriers.isComplete,
    };
  }

  #visit(node: Node, owner: Owner): void {
    switch (node.type) {
      case 'AwaitExpression':
        if (owner.ownsAwait) this.#removeAwait(node);
        break;
      case 'ThisExpression':
        if (owner.ownsThis) this.#wrap(node, 'tt$this(', ')');
        break;
      case 'AssignmentExpression':
        this.#noteTargets(node.left);
        break;
      case 'UpdateExpression':
        this.#noteTargets(node.argument as Node);
        break;
      case 'ForInStatement':
      case 'ForOfStatement':
        if (node.left.type !== 'VariableDeclaration') this.#noteTargets(node.left);
        break;
    }
    const inner = isClass(node) || isFunction(node) ? innerOwner(node, owner) : owner;
    for (const child of childrenOf(node)) this.#visit(child, inner);
  }

  #removeAwait(node: Node): void {
    this.#awaits.push(node.start);
    this.#wrap(node.argument as Node, 'tt$await(', ')');
  }

  #noteTargets(target: Node): void {
    if (targetsOf(skipParens(target)).some((each) => skipParens(each).type === 'Identifier'))
      this.#hasAssignment = true;
  }

  #wrap(node: Node, before: string, after: string): void {
    this.#ranges.push(rangeAround(node, before, after));
  }

  #render({ wrappedRanges }: ConsoleBarriers): string {
    const { before, after } = this.#form;
    let source = this.#source;
    for (const start of this.#awaits) source = `${source.slice(0, start)}     ${source.slice(start + 'await'.length)}`;
    const code = renderWrapped(source, [...this.#ranges, ...wrappedRanges]);
    return code.slice(before.length, code.length - after.length);
  }
}

function rangeAround({ start, end }: Node, before: string, after: string): WrappedRange {
  return { start, end, before, after };
}

function isConstDeclaration(statement: Node): boolean {
  return statement.type === 'VariableDeclaration' && statement.kind === 'const';
}

/** Names that a statement at the top level of an input declares. */
function declaredNames(statement: Node): string[] {
  if (statement.type === 'VariableDeclaration')
    return statement.declarations.flatMap(({ id }) => boundIdentifiers(id as Node).map(({ name }) => name));
  return isDeclaration(statement) && statement.id ? [statement.id.name] : [];
}
