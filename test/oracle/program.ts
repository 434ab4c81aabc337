/*
 * Random small programs of scoping and control flow: a tree that fast-check can shrink, rendered as the text of one
 * function. All names resolve, all loops burn fuel, and the program reports its actions through `see`. Errors of the
 * language itself (dead zones, assignment to constants) are part of the comparison.
 */
import fc from 'fast-check';

export type Kind = 'sync' | 'async' | 'generator' | 'asyncGenerator';

export type ProgramExpression =
  | { readonly type: 'number'; readonly value: number }
  | { readonly type: 'variable'; readonly index: number }
  | { readonly type: 'binary' | 'logical'; readonly operator: string; readonly parts: readonly ProgramExpression[] }
  | {
      readonly type: 'conditional' | 'see' | 'array' | 'template' | 'sequence' | 'spread';
      readonly parts: readonly ProgramExpression[];
    }
  | {
      readonly type: 'assign';
      readonly index: number;
      readonly operator: string;
      readonly parts: readonly ProgramExpression[];
    }
  | { readonly type: 'update'; readonly index: number; readonly operator: string; readonly prefix: boolean }
  | { readonly type: 'member'; readonly operator: string; readonly parts: readonly ProgramExpression[] }
  | { readonly type: 'suspend'; readonly flavour: number; readonly parts: readonly ProgramExpression[] }
  | { readonly type: 'arrow'; readonly parts: readonly ProgramExpression[] };

export type ProgramStatement =
  | { readonly type: 'expression'; readonly value: ProgramExpression }
  | {
      readonly type: 'declare';
      readonly how: 'let' | 'const' | 'var';
      readonly index: number;
      readonly value: ProgramExpression;
    }
  | {
      readonly type: 'destructure';
      readonly how: 'let' | 'const' | 'assign';
      readonly indexes: readonly number[];
      readonly values: readonly ProgramExpression[];
    }
  | { readonly type: 'if'; readonly test: ProgramExpression; readonly bodies: readonly ProgramBlock[] }
  | {
      readonly type: 'while' | 'do';
      readonly label: boolean;
      readonly test: ProgramExpression;
      readonly bodies: readonly ProgramBlock[];
    }
  | {
      readonly type: 'for';
      readonly label: boolean;
      readonly how: 'let' | 'var';
      readonly update: ProgramExpression;
      readonly bodies: readonly ProgramBlock[];
    }
  | {
      readonly type: 'of' | 'in' | 'await-of';
      readonly label: boolean;
      readonly how: 'let' | 'const' | 'var';
      readonly values: readonly ProgramExpression[];
      readonly bodies: readonly ProgramBlock[];
    }
  | {
      readonly type: 'switch';
      readonly value: ProgramExpression;
      readonly tests: readonly ProgramExpression[];
      readonly bodies: readonly ProgramBlock[];
    }
  | { readonly type: 'try'; readonly shape: 'catch' | 'finally' | 'both'; readonly bodies: readonly ProgramBlock[] }
  | { readonly type: 'block'; readonly label: boolean; readonly bodies: readonly ProgramBlock[] }
  | { readonly type: 'jump'; readonly how: 'break' | 'continue'; readonly depth: number }
  | { readonly type: 'return' | 'throw'; readonly value: ProgramExpression }
  | { readonly type: 'closure'; readonly body: ProgramExpression }
  | { readonly type: 'call'; readonly value: ProgramExpression }
  | { readonly type: 'delegate'; readonly values: readonly ProgramExpression[] }
  | { readonly type: 'function'; readonly index: number; readonly bodies: readonly ProgramBlock[] };

export type ProgramBlock = readonly ProgramStatement[];

/** Restrictions of the grammar: the regenerator does not support block scopes. */
export type Dialect = { readonly scoping: boolean };

const VARIABLE_NAMES = ['a', 'b', 'c', 'd'];
const MAX_DEPTH = 4;

export function blocks({ scoping }: Dialect): fc.Arbitrary<ProgramBlock> {
  const index = fc.nat(VARIABLE_NAMES.length - 1);
  const { block } = fc.letrec<{
    expression: ProgramExpression;
    suspend: ProgramExpression;
    statement: ProgramStatement;
    block: ProgramBlock;
  }>((tie) => {
    const one = fc.tuple(tie('expression')) as fc.Arbitrary<readonly ProgramExpression[]>;
    const two = fc.tuple(tie('expression'), tie('expression')) as fc.Arbitrary<readonly ProgramExpression[]>;
    const three = fc.tuple(tie('expression'), tie('expression'), tie('expression')) as fc.Arbitrary<
      readonly ProgramExpression[]
    >;
    const body = fc.tuple(tie('block')) as fc.Arbitrary<readonly ProgramBlock[]>;
    const label = fc.boolean();
    const recordOf = <T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
      fc.record(shape) as unknown as fc.Arbitrary<T>;
    const type = <T extends string>(value: T): fc.Arbitrary<T> => fc.constant(value);
    const how = scoping ? fc.constantFrom('let' as const, 'const' as const) : fc.constant('var' as const);
    const closures: fc.Arbitrary<ProgramStatement>[] = scoping
      ? [
          recordOf({ type: type('closure'), body: tie('expression') }),
          recordOf({ type: type('closure'), body: tie('expression') }),
          recordOf({ type: type('function'), index, bodies: body }),
          recordOf({
            type: type('destructure'),
            how: fc.constantFrom('let' as const, 'const' as const, 'assign' as const),
            indexes: fc.tuple(index, index),
            values: two,
          }),
          recordOf({ type: type('await-of'), label, how, values: two, bodies: body }),
          recordOf({ type: type('in'), label, how, values: two, bodies: body }),
        ]
      : [];
    return {
      suspend: recordOf({ type: type('suspend'), flavour: fc.nat(3), parts: one }),
      expression: fc.oneof(
        { maxDepth: MAX_DEPTH, depthIdentifier: 'expression', withCrossShrink: true },
        recordOf({ type: type('number'), value: fc.integer({ min: -2, max: 3 }) }),
        recordOf({ type: type('variable'), index }),
        tie('suspend'),
        tie('suspend'),
        recordOf({ type: type('binary'), operator: fc.constantFrom('+', '-', '*', '<', '===', '**', ','), parts: two }),
        recordOf({ type: type('logical'), operator: fc.constantFrom('&&', '||', '??'), parts: two }),
        recordOf({
          type: fc.constantFrom('conditional' as const, 'sequence' as const, 'see' as const, 'array' as const),
          parts: three,
        }),
        recordOf({
          type: fc.constantFrom('see' as const, 'array' as const, 'template' as const, 'spread' as const),
          parts: two,
        }),
        recordOf({
          type: type('assign'),
          index,
          operator: fc.constantFrom('=', '+=', '-=', '??=', '&&=', '||='),
          parts: one,
        }),
        recordOf({ type: type('update'), index, operator: fc.constantFrom('++', '--'), prefix: fc.boolean() }),
        recordOf({ type: type('member'), operator: fc.constantFrom('', '=', '+=', '||=', '++', '?.'), parts: two }),
        ...(scoping ? [recordOf<ProgramExpression>({ type: type('arrow'), parts: one } as never)] : []),
      ) as fc.Arbitrary<ProgramExpression>,
      statement: fc.oneof(
        { maxDepth: MAX_DEPTH, depthIdentifier: 'statement', withCrossShrink: true },
        recordOf({ type: type('expression'), value: tie('expression') }),
        recordOf({ type: type('expression'), value: tie('suspend') }),
        recordOf({
          type: type('declare'),
          how: scoping
            ? fc.constantFrom('let' as const, 'const' as const, 'var' as const)
            : fc.constant('var' as const),
          index,
          value: tie('expression'),
        }),
        recordOf({ type: type('jump'), how: fc.constantFrom('break' as const, 'continue' as const), depth: fc.nat(2) }),
        recordOf({ type: type('if'), test: tie('expression'), bodies: fc.tuple(tie('block'), tie('block')) }),
        recordOf({
          type: fc.constantFrom('while' as const, 'do' as const),
          label,
          test: tie('expression'),
          bodies: body,
        }),
        recordOf({
          type: type('for'),
          label,
          how: scoping ? fc.constantFrom('let' as const, 'var' as const) : fc.constant('var' as const),
          update: tie('expression'),
          bodies: body,
        }),
        recordOf({ type: type('of'), label, how, values: two, bodies: body }),
        recordOf({
          type: type('switch'),
          value: tie('expression'),
          tests: two,
          bodies: fc.tuple(tie('block'), tie('block'), tie('block')),
        }),
        recordOf({
          type: type('try'),
          shape: fc.constantFrom('catch' as const, 'finally' as const, 'both' as const),
          bodies: fc.tuple(tie('block'), tie('block'), tie('block')),
        }),
        recordOf({
          type: type('try'),
          shape: fc.constantFrom('finally' as const, 'both' as const),
          bodies: fc.tuple(tie('block'), tie('block'), tie('block')),
        }),
        recordOf({ type: type('block'), label, bodies: body }),
        recordOf({ type: fc.constantFrom('return' as const, 'throw' as const), value: tie('expression') }),
        recordOf({ type: type('delegate'), values: two }),
        ...(closures.length > 0
          ? [recordOf<ProgramStatement>({ type: type('call'), value: tie('expression') } as never)]
          : []),
        ...closures,
      ) as fc.Arbitrary<ProgramStatement>,
      block: fc.array(tie('statement'), { maxLength: 4, depthIdentifier: 'statement' }),
    };
  });
  return block;
}

/** Surroundings of a piece of text: the legal jump targets, and the names declared in the current block. */
type RenderContext = {
  readonly kind: Kind;
  readonly targets: readonly { readonly label: string | undefined; readonly loop: boolean; readonly plain: boolean }[];
  readonly declared: Set<string>;
};

/** The text of `function main(p) { … }` of the given kind. */
export function render(block: ProgramBlock, kind: Kind): string {
  let counter = 0;
  const fresh = (prefix: string): string => `${prefix}${counter++}`;
  const head = { sync: 'function', async: 'async function', generator: 'function*', asyncGenerator: 'async function*' }[
    kind
  ];
  const inner = renderBlock(block, { kind, targets: [], declared: new Set() });
  return `${head} main(p) { let a = 1, b = p, c = [2], d; const o = { x: 1, y: 2 }, fs = []; ${inner} return see('end', typeof a, typeof b, fs.length); }`;

  function renderBlock(statements: ProgramBlock, context: RenderContext): string {
    const scope = { ...context, declared: new Set<string>() };
    return `{ tick(); ${statements.map((statement) => renderStatement(statement, scope)).join(' ')} }`;
  }

  function loopText(label: boolean, context: RenderContext, text: (innerContext: RenderContext) => string): string {
    const name = label ? fresh('L') : undefined;
    const innerContext = { ...context, targets: [...context.targets, { label: name, loop: true, plain: true }] };
    return `${name === undefined ? '' : `${name}: `}${text(innerContext)}`;
  }

  function renderStatement(statement: ProgramStatement, context: RenderContext): string {
    const e = (expression: ProgramExpression | undefined): string =>
      expression === undefined ? '0' : renderExpression(expression, context.kind);
    const body = (i: number, bodies: readonly ProgramBlock[], bodyContext: RenderContext = context): string =>
      renderBlock(bodies[i] ?? [], bodyContext);
    switch (statement.type) {
      case 'expression':
        return `see(${e(statement.value)});`;
      case 'declare': {
        if (statement.how === 'var')
          return `var v${statement.index % 2} = ${e(statement.value)}; see(v${statement.index % 2});`;
        const name = VARIABLE_NAMES[statement.index] ?? 'a';
        if (context.declared.has(name)) return `${name} = ${e(statement.value)};`;
        context.declared.add(name);
        return `${statement.how} ${name} = ${e(statement.value)};`;
      }
      case 'destructure': {
        const [first, second] = statement.indexes.map((index) => VARIABLE_NAMES[index] ?? 'a') as [string, string];
        const declares =
          statement.how !== 'assign' &&
          first !== second &&
          !context.declared.has(first) &&
          !context.declared.has(second);
        if (declares) context.declared.add(first).add(second);
        return `${declares ? `${statement.how} ` : ';'}[${first}, ${second} = ${e(statement.values[0])}] = [${e(statement.values[1])}];`;
      }
      case 'if':
        return `if (${e(statement.test)}) ${body(0, statement.bodies)} else ${body(1, statement.bodies)}`;
      case 'while':
        return loopText(
          statement.label,
          context,
          (innerContext) => `while (burn() && ${e(statement.test)}) ${body(0, statement.bodies, innerContext)}`,
        );
      case 'do':
        return loopText(
          statement.label,
          context,
          (innerContext) => `do ${body(0, statement.bodies, innerContext)} while (burn() && ${e(statement.test)});`,
        );
      case 'for': {
        const name = statement.how === 'var' ? fresh('i') : (VARIABLE_NAMES[counter % VARIABLE_NAMES.length] ?? 'a');
        return loopText(
          statement.label,
          context,
          (innerContext) =>
            `for (${statement.how} ${name} = 0; burn() && ${name} < 2; ${name}++, ${e(statement.update)}) ${body(0, statement.bodies, innerContext)}`,
        );
      }
      case 'of':
      case 'in':
      case 'await-of': {
        const isAwait =
          statement.type === 'await-of' && (context.kind === 'async' || context.kind === 'asyncGenerator');
        const name = statement.how === 'var' ? 'v0' : (VARIABLE_NAMES[counter++ % VARIABLE_NAMES.length] ?? 'a');
        const values = statement.values.map(e).join(', ');
        const subject =
          statement.type === 'in'
            ? `{ k: ${e(statement.values[0])}, l: ${e(statement.values[1])} }`
            : `items(${values})`;
        return loopText(
          statement.label,
          context,
          (innerContext) =>
            `for ${isAwait ? 'await ' : ''}(${statement.how} ${name} ${statement.type === 'in' ? 'in' : 'of'} ${subject}) ${body(0, statement.bodies, innerContext)}`,
        );
      }
      case 'switch': {
        const innerContext = {
          ...context,
          declared: new Set<string>(),
          targets: [...context.targets, { label: undefined, loop: false, plain: true }],
        };
        const list = (i: number): string =>
          (statement.bodies[i] ?? []).map((each) => renderStatement(each, innerContext)).join(' ');
        return `switch (${e(statement.value)}) { case ${e(statement.tests[0])}: ${list(0)} default: ${list(1)} case ${e(statement.tests[1])}: ${list(2)} }`;
      }
      case 'try': {
        const caught =
          statement.shape === 'finally' ? '' : ` catch (x) { see('caught', x); ${body(1, statement.bodies)} }`;
        const last = statement.shape === 'catch' ? '' : ` finally { see('finally'); ${body(2, statement.bodies)} }`;
        return `try ${body(0, statement.bodies)}${caught}${last}`;
      }
      case 'block': {
        if (!statement.label) return body(0, statement.bodies);
        const label = fresh('B');
        return `${label}: ${body(0, statement.bodies, { ...context, targets: [...context.targets, { label, loop: false, plain: false }] })}`;
      }
      case 'jump':
        return renderJump(statement.how, statement.depth, context);
      case 'return':
        return `if (burn()) return see('return', ${e(statement.value)});`;
      case 'throw':
        return `if (burn()) throw ${e(statement.value)};`;
      case 'closure':
        return `fs.push(() => see('closure', ${renderExpression(statement.body, 'sync')}));`;
      case 'call':
        return `fs.length && fs[Math.abs(+${e(statement.value)} || 0) % fs.length]();`;
      case 'function': {
        const name = VARIABLE_NAMES[statement.index] ?? 'a';
        const text = renderBlock(statement.bodies[0] ?? [], { kind: 'sync', targets: [], declared: new Set() });
        if (context.declared.has(name)) return `fs.push(function () ${text});`;
        context.declared.add(name);
        return `function ${name}() ${text} fs.push(${name});`;
      }
      case 'delegate': {
        const values = `items(${statement.values.map(e).join(', ')})`;
        return context.kind === 'generator' || context.kind === 'asyncGenerator'
          ? `see(yield* ${values});`
          : `see(...${values});`;
      }
    }
  }

  function renderJump(how: 'break' | 'continue', depth: number, { targets }: RenderContext): string {
    const usable = targets.filter(
      ({ label, loop, plain }) => (how === 'continue' ? loop : true) && (plain || label !== undefined),
    );
    const target = usable.at(-1 - (depth % Math.max(1, usable.length)));
    if (target === undefined) return ';';
    if (target.label !== undefined) return `if (burn()) ${how} ${target.label};`;
    // Without a label, only the innermost target can be meant.
    const innermost = targets.findLast(({ loop, plain }) => (how === 'continue' ? loop : plain));
    return innermost === target ? `if (burn()) ${how};` : ';';
  }

  function renderExpression(expression: ProgramExpression, functionKind: Kind): string {
    const parts = 'parts' in expression ? expression.parts.map((part) => renderExpression(part, functionKind)) : [];
    const [first = '0', second = '0', third = '0'] = parts;
    switch (expression.type) {
      case 'number':
        return String(expression.value < 0 ? `(${expression.value})` : expression.value);
      case 'variable':
        return VARIABLE_NAMES[expression.index] ?? 'a';
      case 'binary':
        return expression.operator === '**'
          ? `((${first}) ** (${second}))`
          : `(${first} ${expression.operator} ${second})`;
      case 'logical':
        return `((${first}) ${expression.operator} (${second}))`;
      case 'conditional':
        return `(${first} ? ${second} : ${third})`;
      case 'see':
        return `see(${parts.join(', ')})`;
      case 'array':
        return `[${parts.join(', ')}]`;
      case 'template':
        return `\`\${${first}}-\${${second}}\``;
      case 'sequence':
        return `(${parts.join(', ')})`;
      case 'spread':
        return `see(...[${first}], ${second})`;
      case 'assign':
        return `(${VARIABLE_NAMES[expression.index] ?? 'a'} ${expression.operator} ${first})`;
      case 'update':
        return expression.prefix
          ? `(${expression.operator}${VARIABLE_NAMES[expression.index] ?? 'a'})`
          : `(${VARIABLE_NAMES[expression.index] ?? 'a'}${expression.operator})`;
      case 'member':
        if (expression.operator === '') return `o[${first}]`;
        if (expression.operator === '?.') return `(${first})?.[${second}]`;
        if (expression.operator === '++') return `(o[${first}]++)`;
        return `(o[${first}] ${expression.operator} ${second})`;
      case 'suspend':
        if (functionKind === 'sync') return `(${first})`;
        if (functionKind === 'generator') return `(yield ${first})`;
        if (functionKind === 'asyncGenerator' && expression.flavour % 2 === 1) return `(yield ${first})`;
        return expression.flavour === 2 ? `(await later(${first}))` : `(await ${first})`;
      case 'arrow':
        return functionKind === 'async' || functionKind === 'asyncGenerator'
          ? `(await (async () => ${renderExpression(expression.parts[0] as ProgramExpression, 'async')})())`
          : `(() => ${renderExpression(expression.parts[0] as ProgramExpression, 'sync')})()`;
    }
  }
}
