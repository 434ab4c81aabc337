// Random programs for the stepping oracle: sync and async functions, generators, classes, callbacks and timers, with one
// statement per line. They have no clocks, no randomness and no timers that race, so every run is equal. Each function
// keeps a number of its activation in `$activation`, which debuggers can read at each statement.
import { seededRandom } from '../../scripts/test-run/seeded-random.ts';

export interface SteppingProgram {
  readonly seed: number;
  /** Name of the file; TypeScript or JavaScript. */
  readonly file: string;
  readonly text: string;
  /** Line of the last statement. */
  readonly lastLine: number;
}

/** The value of a frame's `$activation`. At its declaration, which is the first statement, it is the next number. */
export const ACTIVATION = '$activation';
export const NEXT_ACTIVATION = '$ids.next';
/** The first statement of each function. */
export const FIRST_STATEMENT = `const ${ACTIVATION} = ${NEXT_ACTIVATION}++;`;

type Kind = 'sync' | 'async' | 'generator' | 'asyncGenerator';

interface Callable {
  readonly name: string;
  readonly kind: Kind;
  /** About how many statements a call executes. */
  readonly cost: number;
  /** Whether a call may throw. */
  readonly fails: boolean;
}

interface Body {
  readonly kind: Kind;
  readonly lines: string[];
  /** Readable number variables. */
  readonly values: string[];
  /** Variables that may be assigned. */
  readonly sums: string[];
  /** How often the current block runs. */
  readonly rounds: number;
  readonly depth: number;
  readonly budget: { cost: number };
  /** Whether an error thrown here is caught or expected by the callers. */
  readonly mayFail: boolean;
}

const MAX_COST = 60;
const MAX_DEPTH = 3;
/** Every fifth program is TypeScript. */
const TYPESCRIPT_EVERY = 5;

export function generateProgram(seed: number): SteppingProgram {
  return new ProgramGenerator(seed).generate();
}

class ProgramGenerator {
  readonly #seed: number;
  readonly #random: () => number;
  readonly #isTypeScript: boolean;
  readonly #callables: Callable[] = [];
  readonly #classes: { readonly name: string; readonly cost: number }[] = [];
  #names = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = seededRandom(seed * 7919 + 17);
    this.#isTypeScript = seed % TYPESCRIPT_EVERY === 0;
  }

  generate(): SteppingProgram {
    const functions: string[] = [];
    const kinds: Kind[] = ['sync', 'sync', 'async', 'generator', 'async', 'asyncGenerator', 'async', 'sync', 'async'];
    for (const kind of kinds) {
      functions.push(...this.#function(kind));
      if (this.#chance(0.3)) functions.push(...this.#class());
    }
    const main = this.#body('async', 1, 0, false, { cost: 0 });
    this.#fill(main, 6);
    const lines = [
      'const $ids = { next: 1 };',
      FIRST_STATEMENT,
      `function tick()${this.#type(': Promise<void>')} {`,
      `  ${FIRST_STATEMENT}`,
      `  return ${ACTIVATION} && new Promise((resolve) => ${ACTIVATION} && setImmediate(resolve));`,
      '}',
      ...functions,
      'let total = 0;',
      ...main.lines,
      `console.log('end', total, ${ACTIVATION});`,
    ];
    const file = `program-${this.#seed}.${this.#isTypeScript ? 'ts' : 'mjs'}`;
    return { seed: this.#seed, file, text: `${lines.join('\n')}\n`, lastLine: lines.length };
  }

  // Random choices.

  #int(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #pick<T>(all: readonly T[]): T {
    return all[this.#int(all.length)] as T;
  }

  #name(prefix: string): string {
    return `${prefix}${++this.#names}`;
  }

  #type(annotation: string): string {
    return this.#isTypeScript ? annotation : '';
  }

  // Functions.

  #body(kind: Kind, rounds: number, depth: number, mayFail: boolean, budget: Body['budget']): Body {
    const sums = depth === 0 && kind === 'async' && rounds === 1 && budget.cost === 0 ? ['total'] : ['sum'];
    return { kind, lines: [], values: [...sums], sums, rounds, depth, budget, mayFail };
  }

  /** The lines of a function body, without its head: from the activation number to the return. */
  #functionBody(kind: Kind, parameter: string, count: number, fails: boolean): { lines: string[]; cost: number } {
    const budget = { cost: 3 };
    const body: Body = {
      kind,
      lines: [],
      values: [parameter, 'sum'],
      sums: ['sum'],
      rounds: 1,
      depth: 1,
      budget,
      mayFail: fails,
    };
    this.#fill(body, count);
    if (kind === 'generator' || kind === 'asyncGenerator') this.#yield(body);
    if (fails) this.#throwAt(body, parameter);
    const lines = [
      FIRST_STATEMENT,
      `let sum = ${parameter};`,
      ...body.lines,
      this.#chance(0.7) ? `return ${ACTIVATION} && sum;` : `sum = ${ACTIVATION} && sum;\nreturn sum;`,
    ].flatMap((each) => each.split('\n'));
    return { lines: lines.map((each) => `  ${each}`), cost: budget.cost };
  }

  #function(kind: Kind): string[] {
    const name = this.#name(kind === 'generator' || kind === 'asyncGenerator' ? 'items' : 'work');
    const fails = (kind === 'sync' || kind === 'async') && this.#chance(0.3);
    const { lines, cost } = this.#functionBody(kind, 'n', 2 + this.#int(3), fails);
    const n = `n${this.#type(': number')}`;
    this.#callables.push({ name, kind, cost, fails });
    const isAsync = kind === 'async' || kind === 'asyncGenerator';
    const isGenerator = kind === 'generator' || kind === 'asyncGenerator';
    if (!isGenerator && this.#chance(0.25))
      return [`const ${name} = ${isAsync ? 'async ' : ''}(${n}) => {`, ...lines, '};'];
    return [`${isAsync ? 'async ' : ''}function${isGenerator ? '*' : ''} ${name}(${n}) {`, ...lines, '}'];
  }

  #class(): string[] {
    const name = this.#name('Item');
    const method = this.#functionBody('sync', 'n', 1 + this.#int(2), false);
    const getter = this.#functionBody('sync', 'this.size', 1, false);
    const later = this.#functionBody('async', 'n', 1 + this.#int(2), false);
    this.#classes.push({ name, cost: method.cost + getter.cost + later.cost + 6 });
    const n = `n${this.#type(': number')}`;
    const indented = (lines: readonly string[]): string[] => lines.map((each) => `  ${each}`);
    return [
      `class ${name} {`,
      `  size${this.#type(': number')} = ${ACTIVATION} && 1;`,
      `  constructor(${n}) {`,
      `    ${FIRST_STATEMENT}`,
      `    this.size = ${ACTIVATION} && n;`,
      '  }',
      `  method(${n}) {`,
      ...indented(method.lines),
      '  }',
      '  get value() {',
      ...indented(getter.lines),
      '  }',
      `  async later(${n}) {`,
      ...indented(later.lines),
      '  }',
      '}',
    ];
  }

  // Statements.

  #fill(body: Body, count: number): void {
    for (let i = 0; i < count; i++) this.#statement(body);
  }

  #add(body: Body, ...lines: readonly string[]): void {
    body.lines.push(...lines);
    body.budget.cost += lines.length * body.rounds;
  }

  #block(body: Body, count: number, rounds = 1, mayFail = body.mayFail): string[] {
    const values = [...body.values];
    const inner = { ...body, lines: [], values, rounds: body.rounds * rounds, depth: body.depth + 1, mayFail };
    this.#fill(inner, count);
    return inner.lines.map((each: string) => `  ${each}`);
  }

  #value(body: Body): string {
    return this.#chance(0.7) ? this.#pick(body.values) : String(1 + this.#int(4));
  }

  /** A function that the budget allows; undefined if there is none. */
  #callee(body: Body, kind: Kind): Callable | undefined {
    const left = MAX_COST * (body.depth === 0 ? 6 : 1) - body.budget.cost;
    const found = this.#callables.filter(
      (each) => each.kind === kind && each.cost * body.rounds <= left && (body.mayFail || !each.fails),
    );
    if (found.length === 0) return undefined;
    const callee = this.#pick(found);
    body.budget.cost += callee.cost * body.rounds;
    return callee;
  }

  #call(body: Body): string {
    const callee = this.#callee(body, 'sync');
    return callee === undefined ? this.#value(body) : `${callee.name}(${this.#value(body)})`;
  }

  #statement(body: Body): void {
    const { kind, depth } = body;
    const choices: (() => void)[] = [
      () => this.#assign(body),
      () => this.#assign(body),
      () => this.#callStatement(body),
    ];
    choices.push(
      () => this.#callStatement(body),
      () => this.#declare(body),
      () => this.#callback(body),
    );
    if (depth < MAX_DEPTH) {
      choices.push(
        () => this.#branch(body),
        () => this.#loop(body),
        () => this.#loop(body),
        () => this.#tryCatch(body),
      );
      choices.push(
        () => this.#closure(body),
        () => this.#iterate(body),
        () => this.#switch(body),
      );
    }
    choices.push(() => this.#object(body));
    if (kind === 'async' || kind === 'asyncGenerator') {
      const asynchronous = [
        (): void => this.#await(body),
        (): void => this.#await(body),
        (): void => this.#awaitCall(body),
        (): void => this.#awaitCall(body),
        (): void => this.#combinator(body),
        (): void => this.#chain(body),
        (): void => this.#scheduled(body),
      ];
      if (depth < MAX_DEPTH)
        asynchronous.push(
          () => this.#asyncTry(body),
          () => this.#iterateAsync(body),
        );
      choices.push(...asynchronous);
    }
    if (kind === 'generator' || kind === 'asyncGenerator')
      choices.push(
        () => this.#yield(body),
        () => this.#yield(body),
      );
    this.#pick(choices)();
  }

  #sum(body: Body): string {
    return this.#pick(body.sums);
  }

  #assign(body: Body): void {
    this.#add(body, `${this.#sum(body)} += ${this.#value(body)};`);
  }

  #callStatement(body: Body): void {
    const call = this.#call(body);
    const outer = this.#chance(0.3) ? this.#callee(body, 'sync') : undefined;
    const value = outer === undefined ? call : `${outer.name}(${call})`;
    this.#add(body, `${this.#sum(body)} += ${this.#chance(0.2) ? `${value} + ${this.#call(body)}` : value};`);
  }

  #declare(body: Body): void {
    const [name, other] = [this.#name('v'), this.#name('v')];
    switch (this.#int(3)) {
      case 0:
        this.#add(body, `const ${name} = ${this.#call(body)};`);
        break;
      case 1:
        this.#add(body, `const [${name}, ${other} = ${this.#call(body)}] = [${this.#value(body)}];`);
        body.values.push(other);
        break;
      default:
        this.#add(body, `const { ${name} = ${this.#call(body)} } = {${this.#type(` ${name}: undefined `)}};`);
    }
    body.values.push(name);
  }

  #branch(body: Body): void {
    const test = this.#chance(0.3) ? this.#call(body) : this.#value(body);
    const lines = [`if (${test} % 2 === 0) {`, ...this.#block(body, 1 + this.#int(2))];
    if (this.#chance(0.6)) lines.push('} else {', ...this.#block(body, 1 + this.#int(2)));
    body.lines.push(...lines, '}');
  }

  #loop(body: Body): void {
    const counter = this.#name('i');
    const inner = this.#block(body, 1 + this.#int(2), 2);
    switch (this.#int(4)) {
      case 0:
        body.lines.push(`for (let ${counter} = 0; ${counter} < 2; ${counter}++) {`, ...inner, '}');
        return;
      case 1:
        body.lines.push(`let ${counter} = 2;`, `while (${counter}-- > 0) {`, ...inner, '}');
        return;
      case 2:
        body.lines.push(`let ${counter} = 1;`, 'do {', ...inner, `} while (${counter}-- > 0);`);
        return;
      default: {
        const label = this.#name('outer');
        const other = this.#name('i');
        const jump = this.#pick(['break', 'continue']);
        body.lines.push(
          `${label}: for (let ${counter} = 0; ${counter} < 2; ${counter}++) {`,
          `  for (const ${other} of [1, 2]) {`,
          ...inner.map((each) => `  ${each}`),
          `    if (${other} === ${counter}) {`,
          `      ${jump} ${label};`,
          '    }',
          '  }',
          '}',
        );
      }
    }
  }

  #iterate(body: Body): void {
    const item = this.#name('x');
    const callee = this.#callee({ ...body, rounds: body.rounds * 2 }, 'generator');
    const source = callee === undefined ? `[1, ${this.#value(body)}]` : `${callee.name}(${this.#value(body)})`;
    const inner = this.#block({ ...body, values: [...body.values, item] }, 1 + this.#int(2), 2);
    const end = this.#chance(0.3) ? ['  if (sum > 20) {', '    break;', '  }'] : [];
    body.lines.push(
      `for (const ${item} of ${source}) {`,
      `  ${this.#sum(body)} += ${item};`,
      ...inner,
      ...end.map((each) => each.replace('sum', this.#sum(body))),
      '}',
    );
  }

  #switch(body: Body): void {
    body.lines.push(
      `switch (${this.#value(body)} % 3) {`,
      '  case 0:',
      ...this.#block(body, 1).map((each) => `  ${each}`),
      '    break;',
      '  case 1: {',
      ...this.#block(body, 1).map((each) => `  ${each}`),
      '  }',
      '  default:',
      `    ${this.#sum(body)} += 1;`,
      '}',
    );
  }

  #tryCatch(body: Body): void {
    const inner = this.#block(body, 1 + this.#int(2), 1, true);
    const throws = this.#chance(0.5)
      ? [`  if (${this.#value(body)} % 2 === 1) {`, "    throw new Error('odd');", '  }']
      : [];
    const lines = ['try {', ...inner, ...throws];
    const hasFinally = this.#chance(0.4);
    lines.push('} catch {', ...this.#block(body, 1), `  ${this.#sum(body)} += 1;`);
    if (hasFinally) lines.push('} finally {', `  ${this.#sum(body)} += 2;`);
    body.lines.push(...lines, '}');
  }

  /** A throw that depends on a parameter, at the end of a function. */
  #throwAt(body: Body, parameter: string): void {
    body.lines.push(`if (${parameter} % 3 === 1) {`, `  throw new Error('failed ' + ${ACTIVATION});`, '}');
  }

  #closure(body: Body): void {
    const name = this.#name('fn');
    const inner = this.#block({ ...body, kind: 'sync', depth: MAX_DEPTH - 1, mayFail: false }, 1);
    body.lines.push(
      `const ${name} = (x${this.#type(': number')}) => {`,
      `  ${FIRST_STATEMENT}`,
      ...inner,
      `  return ${ACTIVATION} && x + 1;`,
      '};',
    );
    this.#add(body, `${this.#sum(body)} += ${name}(${this.#value(body)});`);
    if (this.#chance(0.4)) this.#add(body, `${this.#sum(body)} += ${name}(${name}(1));`);
  }

  #callback(body: Body): void {
    const name = this.#name('all');
    const x = `x${this.#type(': number')}`;
    const call = this.#callee({ ...body, rounds: body.rounds * 2 }, 'sync');
    const value = call === undefined ? 'x + 1' : `${call.name}(x)`;
    if (this.#chance(0.35)) {
      this.#add(body, `const ${name} = [1, 2].map((${x}) => ${ACTIVATION} && ${value});`);
    } else {
      const method = this.#pick(['map', 'filter', 'forEach']);
      body.lines.push(
        `const ${name} = [1, 2].${method}((${x}) => {`,
        `  ${FIRST_STATEMENT}`,
        `  const y = ${value};`,
        `  return ${ACTIVATION} && y;`,
        '});',
      );
      body.budget.cost += 6 * body.rounds;
    }
    this.#add(body, `${this.#sum(body)} += Array.isArray(${name}) ? ${name}.length : 1;`);
  }

  #object(body: Body): void {
    const found = this.#classes.filter(({ cost }) => cost * body.rounds + body.budget.cost <= MAX_COST * 2);
    if (found.length === 0) return this.#callStatement(body);
    const { name, cost } = this.#pick(found);
    body.budget.cost += cost * body.rounds;
    const object = this.#name('item');
    this.#add(body, `const ${object} = new ${name}(${this.#value(body)});`);
    this.#add(body, `${this.#sum(body)} += ${object}.method(${this.#value(body)});`);
    if (this.#chance(0.5)) this.#add(body, `${this.#sum(body)} += ${object}.value;`);
    if (body.kind.startsWith('async'))
      this.#add(body, `${this.#sum(body)} += await ${object}.later(${this.#value(body)});`);
  }

  #yield(body: Body): void {
    const delegate = this.#chance(0.25) ? this.#callee(body, 'generator') : undefined;
    if (delegate !== undefined) this.#add(body, `yield* ${delegate.name}(${this.#value(body)});`);
    else if (this.#chance(0.3)) this.#add(body, `sum += (yield ${this.#value(body)}) ?? 1;`);
    else this.#add(body, `yield ${this.#value(body)};`);
  }

  // Statements of async functions.

  #await(body: Body): void {
    const name = this.#name('v');
    switch (this.#int(4)) {
      case 0:
        this.#add(body, 'await null;');
        return;
      case 1:
        this.#add(body, 'await tick();');
        return;
      case 2:
        this.#add(body, `const ${name} = await Promise.resolve(${this.#value(body)});`);
        body.values.push(name);
        return;
      default:
        this.#add(body, `${this.#sum(body)} += await ${this.#value(body)};`);
    }
  }

  #awaitCall(body: Body): void {
    const callee = this.#callee(body, 'async');
    if (callee === undefined) return this.#await(body);
    const call = `${callee.name}(${this.#value(body)})`;
    const name = this.#name('p');
    switch (this.#int(4)) {
      case 0:
        this.#add(body, `const ${name} = await ${call};`);
        body.values.push(name);
        return;
      case 1:
        if (callee.fails) {
          this.#add(body, `await ${call};`);
          return;
        }
        this.#add(body, `const ${name} = ${call};`);
        this.#statement({ ...body, depth: MAX_DEPTH, mayFail: false });
        this.#add(body, `${this.#sum(body)} += await ${name};`);
        return;
      case 2:
        this.#add(body, `${this.#sum(body)} += (await ${call}) + ${this.#call(body)};`);
        return;
      default:
        this.#add(body, `await ${call};`);
    }
  }

  #combinator(body: Body): void {
    const safe = { ...body, mayFail: false };
    const [one, two] = [this.#callee(safe, 'async'), this.#callee(safe, 'async')];
    if (one === undefined || two === undefined) return this.#await(body);
    const name = this.#name('all');
    const calls = `[${one.name}(${this.#value(body)}), ${two.name}(${this.#value(body)})]`;
    const method = this.#pick(['all', 'all', 'allSettled', 'race', 'any']);
    this.#add(body, `const ${name} = await Promise.${method}(${calls});`);
    const value = method === 'race' || method === 'any' ? name : `${name}.length`;
    this.#add(body, `${this.#sum(body)} += ${value};`);
  }

  #chain(body: Body): void {
    const callee = this.#callee({ ...body, mayFail: true }, 'async');
    const start = callee === undefined ? 'Promise.resolve(1)' : `${callee.name}(${this.#value(body)})`;
    const name = this.#name('v');
    const lines = [`const ${name} = await ${start}.then((x${this.#type(': number')}) => {`];
    lines.push(`  ${FIRST_STATEMENT}`, `  const y = x + 1;`, `  return ${ACTIVATION} && y;`);
    lines.push(`}).catch(() => ${ACTIVATION} && 0)${this.#chance(0.4) ? `.finally(() => ${ACTIVATION} && 0)` : ''};`);
    body.lines.push(...lines);
    body.budget.cost += 6 * body.rounds;
    body.values.push(name);
  }

  /** A callback of the event loop or of the microtask queue. */
  #scheduled(body: Body): void {
    const schedule = this.#pick(['setImmediate', 'process.nextTick', 'queueMicrotask']);
    body.lines.push(
      `await new Promise${this.#type('<void>')}((resolve) => {`,
      `  ${FIRST_STATEMENT}`,
      `  ${schedule}(() => {`,
      `    ${FIRST_STATEMENT}`,
      `    ${this.#sum(body)} += ${this.#call({ ...body, mayFail: false })};`,
      `    resolve(${ACTIVATION} && undefined);`,
      '  });',
      `  return ${ACTIVATION};`,
      '});',
    );
    body.budget.cost += 6 * body.rounds;
  }

  #asyncTry(body: Body): void {
    const callee = this.#callee({ ...body, mayFail: true }, 'async');
    if (callee === undefined) return this.#tryCatch(body);
    const lines = ['try {', `  ${this.#sum(body)} += await ${callee.name}(${this.#value(body)});`];
    lines.push(...this.#block(body, 1, 1, true), '} catch (error) {', `  ${this.#sum(body)} += error ? 1 : 2;`);
    if (this.#chance(0.5)) lines.push('} finally {', ...this.#block(body, 1));
    body.lines.push(...lines, '}');
    body.budget.cost += 3 * body.rounds;
  }

  #iterateAsync(body: Body): void {
    const item = this.#name('x');
    const callee = this.#callee({ ...body, rounds: body.rounds * 2 }, 'asyncGenerator');
    const source = callee === undefined ? `[1, Promise.resolve(2)]` : `${callee.name}(${this.#value(body)})`;
    const inner = this.#block({ ...body, values: [...body.values, item] }, 1, 2);
    body.lines.push(`for await (const ${item} of ${source}) {`, `  ${this.#sum(body)} += ${item};`, ...inner, '}');
  }
}
