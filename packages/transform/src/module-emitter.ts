// The file around its functions: imports and exports as cells, the forms of a module, a CommonJS file, a script and a
// run-time function, and the code that the top scope needs before any code of the program.

import { boundIdentifiers, literalValue, type Node, statements } from './ast.ts';
import { emitClassExpression } from './class-emitter.ts';
import { type Code, Span } from './code.ts';
import {
  declaredFunction,
  emitHoists,
  hoistedFunctions,
  isNativeDeclaration,
  newCellCode,
} from './declaration-emitter.ts';
import type { CodeEmitter } from './code-emitter.ts';
import { emitFunctionExpression, declareTemporaries } from './function-emitter.ts';
import { emitFactories, markConstantsWritten, type RestoreSelection } from './restore-emitter.ts';
import type { Scope, Variable } from './scope.ts';
import { StepEmitter } from './step-emitter.ts';
import { emitValue } from './step-expressions.ts';
import { emitListBlock, saveClassOperands } from './step-statements.ts';
import type { ExportEntry, ImportEntry, ModuleEntry } from './code-table.ts';
import { emitInitialisation } from './target-emitter.ts';
import { stepMarker } from './wrapper-emitter.ts';
import { COMMONJS_NAMES, COMMONJS_PARAMETERS, emitScopeWriter } from './write-barriers.ts';

export type FileKind = ModuleEntry['kind'];

const DEFAULT_CELL = '*default*';

/** Imports and exports of a module. Decides which top-level variables live in cells. */
export class ModuleExports {
  readonly requests: { specifier: string; attributes: Record<string, string>; start: number }[] = [];
  readonly imports: ImportEntry[] = [];
  readonly exports: ExportEntry[] = [];
  readonly cells: string[] = [];
  private readonly e: CodeEmitter;
  private readonly scope: Scope;

  constructor(e: CodeEmitter, program: Node) {
    this.e = e;
    this.scope = e.analysis.rootScope;
    for (const node of statements(program)) this.collect(node);
    for (const entry of this.exports) if (entry.cell !== undefined) this.bindToCell(entry.cell);
  }

  private addRequest(node: Node): number {
    const attributes: Record<string, string> = {};
    for (const each of node.attributes ?? []) {
      const key = each.key.type === 'Identifier' ? each.key.name : String(literalValue(each.key));
      attributes[key] = String(literalValue(each.value));
    }
    const source = node.source as Node;
    const specifier = String(literalValue(source));
    const existing = this.requests.findIndex(
      (each) => each.specifier === specifier && JSON.stringify(each.attributes) === JSON.stringify(attributes),
    );
    if (existing !== -1) return existing;
    return this.requests.push({ specifier, attributes, start: source.start }) - 1;
  }

  private collect(node: Node): void {
    switch (node.type) {
      case 'ImportDeclaration': {
        const request = this.addRequest(node);
        for (const specifier of node.specifiers) {
          const local = specifier.local.name;
          const name =
            specifier.type === 'ImportNamespaceSpecifier'
              ? '*'
              : specifier.type === 'ImportDefaultSpecifier'
                ? 'default'
                : nameOf(specifier.imported);
          const variable = this.scope.variables.get(local) as Variable;
          variable.storage = 'binding';
          variable.bindingCode = `${this.e.prefix}i${this.imports.length}`;
          this.imports.push({ request, name, local });
        }
        return;
      }
      case 'ExportAllDeclaration': {
        const request = this.addRequest(node);
        if (node.exported === null) this.exports.push({ exported: null, request });
        else this.exports.push({ exported: nameOf(node.exported), request, name: '*' });
        return;
      }
      case 'ExportDefaultDeclaration': {
        const declaration = node.declaration as Node;
        const isNamed = /^(Function|Class)Declaration$/.test(declaration.type) && declaration.id !== null;
        this.addLocalExport('default', isNamed ? (declaration.id as Node).name : DEFAULT_CELL);
        return;
      }
      case 'ExportNamedDeclaration':
        if (node.source !== null) {
          const request = this.addRequest(node);
          for (const specifier of node.specifiers) {
            this.exports.push({ exported: nameOf(specifier.exported as Node), request, name: nameOf(specifier.local) });
          }
        } else if (node.declaration === null) {
          for (const specifier of node.specifiers)
            this.addLocalExport(nameOf(specifier.exported as Node), specifier.local.name);
        } else for (const name of declaredNames(node.declaration)) this.addLocalExport(name, name);
    }
  }

  private addLocalExport(exported: string, cell: string): void {
    this.exports.push({ exported, cell });
  }

  /** Turns exports of imported names into re-exports. Runs at the end, because the import may follow the export. */
  resolveReExports(): void {
    for (const [index, entry] of this.exports.entries()) {
      const imported = this.imports.find((each) => each.local === entry.cell);
      if (imported === undefined) continue;
      this.exports[index] = { exported: entry.exported, request: imported.request, name: imported.name };
    }
    for (const entry of this.exports) {
      if (entry.cell !== undefined && !this.cells.includes(entry.cell)) this.cells.push(entry.cell);
    }
  }

  private bindToCell(name: string): void {
    const variable = this.scope.variables.get(name);
    if (variable === undefined || variable.kind === 'import') return;
    // A variable that is never reassigned is a local, copied once to its cell. Other variables are in their cells.
    if (
      variable.storage === 'local' &&
      variable.writeCount === 0 &&
      variable.kind !== 'var' &&
      variable.declarationCount === 1
    )
      return;
    variable.storage = 'binding';
    variable.bindingCode = this.cellCode(name);
  }

  cellCode(name: string): string {
    return `${this.e.prefix}x${name === DEFAULT_CELL ? '' : `_${name}`}`;
  }

  /** Declarations of the cells. @param isRestored whether they have their captured values already */
  emitCells(isRestored = false): Code {
    const { prefix } = this.e;
    const parts = this.imports.map((_, index) => `const ${prefix}i${index} = ${prefix}M.import(${index}); `);
    for (const name of this.cells) {
      parts.push(`const ${this.cellCode(name)} = ${prefix}M.cell(${JSON.stringify(name)}); `);
      const variable = this.scope.variables.get(name);
      if (!isRestored && variable?.storage === 'binding' && variable.kind === 'var') {
        parts.push(`${this.e.helper('init')}(${this.cellCode(name)}, void 0); `);
      }
    }
    return parts;
  }

  /** Code that copies variables to their cells, after a statement has initialised the variables. */
  emitInitialisations(names: readonly string[]): Code {
    const parts: Code[] = [];
    for (const name of names) {
      if (!this.cells.includes(name) || this.scope.variables.get(name)?.storage !== 'local') continue;
      parts.push(`${this.e.helper('init')}(${this.cellCode(name)}, ${name}); `);
    }
    return parts;
  }

  /** Code of a statement at the top level of a module, outside of suspended code. */
  emitStatement(node: Node): Code {
    const { e } = this;
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
        return '';
      case 'ExportNamedDeclaration': {
        const { declaration } = node;
        if (declaration === null) return '';
        if (declaration.type === 'FunctionDeclaration') {
          return isNativeDeclaration(declaration) ? e.emit(declaration) : '';
        }
        return [this.emitDeclared(declaration), this.emitInitialisations(declaredNames(declaration))];
      }
      case 'ExportDefaultDeclaration': {
        const declaration = node.declaration as Node;
        if (declaration.type === 'FunctionDeclaration') {
          return declaration.id !== null && isNativeDeclaration(declaration) ? e.emit(declaration) : '';
        }
        if (declaration.type === 'ClassDeclaration' && declaration.id !== null) {
          return [this.emitDeclared(declaration), this.emitInitialisations([declaration.id.name])];
        }
        return [`${e.helper('init')}(${this.cellCode(DEFAULT_CELL)}, `, e.emitNamed('default', declaration), '); '];
      }
      default: {
        const declared = declaredFunction(node);
        if (declared !== null && !isNativeDeclaration(declared)) return '';
        return [this.emitDeclared(node), this.emitInitialisations(declaredNames(node))];
      }
    }
  }

  private emitDeclared(node: Node): Code {
    if (node.type === 'ClassDeclaration') {
      const variable = (node.id as Node).ref?.variable;
      if (variable?.storage === 'binding')
        return [emitInitialisation(this.e, node.id as Node, emitClassExpression(this.e, node)), '; '];
    }
    return [this.e.emit(node), '\n'];
  }

  /** Form of `emitStatement` for a module with top-level await. */
  emitSuspendingStatement(step: StepEmitter, node: Node): void {
    const { e } = this;
    if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return;
    const { declaration } = node;
    if (declaration === null || declaration.type === 'FunctionDeclaration') return;
    if (
      node.type === 'ExportNamedDeclaration' ||
      (declaration.type === 'ClassDeclaration' && declaration.id !== null)
    ) {
      step.emitStatement(declaration);
      return;
    }
    if (declaration.type === 'ClassDeclaration') saveClassOperands(step, declaration);
    const suspends = declaration.suspends === true && declaration.type !== 'ClassDeclaration';
    const code = suspends ? emitValue(step, declaration) : e.emitNamed('default', declaration);
    step.push(`${e.helper('init')}(${this.cellCode(DEFAULT_CELL)}, `, code, '); ');
  }

  /** Copies exported functions to their cells, so that they exist before any module is evaluated. */
  emitExportedFunctions(list: readonly Node[]): Code {
    const { e } = this;
    const parts: Code[] = [];
    for (const node of list) {
      if (
        node.type === 'ExportDefaultDeclaration' &&
        node.declaration?.type === 'FunctionDeclaration' &&
        node.declaration.id === null
      ) {
        const code = emitFunctionExpression(e, node.declaration, { name: 'default' });
        parts.push(`${e.helper('init')}(${this.cellCode(DEFAULT_CELL)}, `, code, '); ');
      }
    }
    const names = new Set(hoistedFunctions(list).map((node) => (node.id as Node).name));
    for (const name of names) parts.push(this.emitInitialisations([name]));
    return parts;
  }
}

function nameOf(node: Node): string {
  return node.type === 'Identifier' ? node.name : String(literalValue(node));
}

function declaredNames(node: Node): string[] {
  if (node.type === 'VariableDeclaration') {
    return node.declarations.flatMap((each) => boundIdentifiers(each.id as Node)).map((id) => id.name);
  }
  if (/^(Function|Class)Declaration$/.test(node.type) && node.id !== null) return [node.id.name];
  return [];
}

export interface EmittedFile {
  readonly code: Code;
  readonly module: ModuleEntry;
}

/** Emits a file. With a selection, emits the form that restores (restore-emitter.ts). */
export function emitFile(e: CodeEmitter, program: Node, kind: FileKind, selection?: RestoreSelection): EmittedFile {
  const topVariables = [...e.analysis.rootScope.variables.values()];
  // A script must declare all its names, because other scripts see them, and because its last value must be the
  // function.
  const unreachedNames = new Set(kind === 'script' ? [] : selection?.dead);
  const dead = new Set(
    topVariables.flatMap(({ name, isLexical }) => (isLexical && unreachedNames.has(name) ? [name] : [])),
  );
  // The restored top scope declares constants as variables, so V8 does not protect them from writes.
  if (selection !== undefined) markConstantsWritten(topVariables.filter(({ name }) => !dead.has(name)));
  const file = kind === 'module' ? emitModule(e, program) : emitScript(e, program, kind);
  if (selection === undefined) return file;
  // The normal form has been emitted first, so that names, slots and steps are the same in both forms.
  return { code: emitRestoration(e, file.module, { ...selection, dead }), module: file.module };
}

interface RestoreSets extends Omit<RestoreSelection, 'dead'> {
  readonly dead: ReadonlySet<string>;
}

function emitRestoration(e: CodeEmitter, { kind, variables }: ModuleEntry, selection: RestoreSets): Code {
  const { dead } = selection;
  const { prefix } = e;
  const factories = emitFactories(e, selection);
  const parameters = kind === 'commonjs' ? `, ${COMMONJS_PARAMETERS.join(', ')}` : '';
  const strict = kind === 'module' || e.analysis.root.strict ? "'use strict'; " : '';
  const isParameter = (name: string): boolean => kind === 'commonjs' && COMMONJS_NAMES.has(name);
  const declared = variables.filter((name) => !e.rootVariables.includes(name) && !isParameter(name) && !dead.has(name));
  // Variables of a script are shared by all scripts of a context.
  const sharedNames = kind === 'script' ? declared : [];
  const locals = [...(kind === 'script' ? [] : declared), ...e.analysis.root.temporaries];
  return [
    sharedNames.length === 0 ? '' : `let ${sharedNames.join(', ')}; `,
    `(function (${prefix}M, ${prefix}R${parameters}) { ${strict}`,
    emitPrelude(e, variables, { dead }),
    e.exports === null ? '' : e.exports.emitCells(true),
    // `var`, because a variable of a sloppy file may be called `let`.
    locals.length === 0 ? '' : `var ${[...new Set(locals)].join(', ')}; `,
    kind === 'commonjs' ? `${prefix}M.given((${prefix}c) => { ${emitAssignments(e, COMMONJS_PARAMETERS)}}); ` : '',
    '\n',
    e.hoisted,
    e.topLevelStep,
    'return ',
    factories,
    // This declaration is never reached, so the names stay in their dead zones.
    dead.size === 0 ? '; })' : `; let ${[...dead].join(', ')}; })`,
  ];
}

/** Code that reads the realm's members. It comes first in the file, but is emitted last, when all uses are known. */
function emitPrelude(
  e: CodeEmitter,
  variables: readonly string[],
  form: 'module' | 'script' | { readonly dead: ReadonlySet<string> } = 'module',
): Code {
  const names = [...e.helpers].map((name) =>
    name === 'A' ? `ambient: ${e.prefix}A` : `${realmMember(name)}: ${e.prefix}${name}`,
  );
  const parts: Code[] = [];
  if (form === 'script') {
    parts.push(`const { M: ${e.prefix}M, R: ${e.prefix}R } = globalThis[Symbol.for('turntable.script')]; `);
  }
  parts.push(`${e.prefix}R.defineFile(${e.prefix}M, ${JSON.stringify(e.id)}); `);
  if (names.length > 0) parts.push(`const { ${names.join(', ')} } = ${e.prefix}R; `);
  if (e.rootVariables.length > 0) parts.push(`let ${e.rootVariables.join(', ')}; `);
  if (variables.length > 0) {
    // Variables are read one at a time, because reading an uninitialised one throws.
    const read = variables.map((name, index) => `case ${index}: return ${name}; `).join('');
    const writerCode =
      typeof form === 'string' ? '' : `, (${e.prefix}c) => { ${emitAssignments(e, variables, form.dead)}}`;
    const setterCode = emitScopeWriter(e, variables);
    parts.push(
      `${e.prefix}M.scope((${e.prefix}i) => { switch (${e.prefix}i) { ${read}} }${writerCode === '' && setterCode !== '' ? ', void 0' : writerCode}${setterCode}); `,
    );
  }
  return parts;
}

function emitAssignments(
  e: CodeEmitter,
  names: readonly string[],
  excludedNames: ReadonlySet<string> = new Set(),
): string {
  return names.map((name, index) => (excludedNames.has(name) ? '' : `${name} = ${e.prefix}c[${index}]; `)).join('');
}

function realmMember(name: string): string {
  return name === 'P' ? 'probe' : name;
}

/** Kinds of declarations of a script that do not become properties of the global object. */
const LEXICAL_KINDS: ReadonlySet<string> = new Set(['let', 'const', 'class']);

/** Names of the captured variables of the top scope, including variables that the transform adds. */
function rootVariableNames(e: CodeEmitter, kinds?: ReadonlySet<string>): string[] {
  const found: string[] = [];
  for (const variable of e.analysis.rootScope.variables.values()) {
    if (kinds !== undefined && !kinds.has(variable.kind)) continue;
    if (variable.kind === 'import' || variable.kind === 'handle' || variable.storage === 'binding') continue;
    found.push(variable.name);
  }
  for (const { name, variable, writes } of e.analysis.references) {
    if (variable === null && writes && COMMONJS_NAMES.has(name) && !found.includes(name)) found.push(name);
  }
  for (const name of e.rootVariables) if (!name.startsWith(`${e.prefix}T`)) found.push(name);
  return found;
}

function declareHandles(e: CodeEmitter): void {
  for (const variable of e.analysis.rootScope.variables.values()) {
    if (variable.kind === 'handle') e.rootVariables.push(e.handleCode(variable));
  }
}

function emitModule(e: CodeEmitter, program: Node): EmittedFile {
  const { prefix, analysis } = e;
  const exports = new ModuleExports(e, program);
  exports.resolveReExports();
  e.exports = exports;
  e.markStorage();
  declareHandles(e);
  const list = statements(program);
  const head = `(function${analysis.root.hasTopLevelAwait ? '' : '*'} (${prefix}M, ${prefix}R) { 'use strict'; `;
  let code: Code;
  if (analysis.root.hasTopLevelAwait) code = emitTopLevelAwait(e, exports, list);
  else {
    const hoists = emitHoists(e, analysis.rootScope, list, 'let');
    const body: Code[] = [];
    let offset = 0;
    for (const node of list) {
      if (node.start > offset) body.push(new Span(offset, node.start));
      if (e.probes !== null)
        body.push(
          e.probes.probeInList(e, node),
          ...(node.declaration ? [e.probes.probeInList(e, node.declaration)] : []),
        );
      body.push(exports.emitStatement(node), e.lacksSemicolon(node) ? ';' : '');
      offset = node.end;
    }
    body.push(new Span(offset, e.source.length));
    code = [
      hoists,
      exports.emitExportedFunctions(list),
      'yield;\n',
      e.probes?.withFileReports(analysis.root, body) ?? body,
    ];
  }
  const names = rootVariableNames(e);
  const cells = exports.emitCells();
  return {
    code: [head, emitPrelude(e, names), declareTemporaries(analysis.root), cells, code, '\n', e.hoisted, '})'],
    module: {
      kind: 'module',
      async: analysis.root.hasTopLevelAwait,
      requests: exports.requests,
      imports: exports.imports,
      exports: exports.exports,
      cells: exports.cells,
      variables: names,
    },
  };
}

function emitTopLevelAwait(e: CodeEmitter, exports: ModuleExports, list: readonly Node[]): Code {
  const { analysis, prefix } = e;
  const step = new StepEmitter(e, analysis.root);
  const declared: string[] = [];
  for (const variable of analysis.rootScope.variables.values()) {
    if (variable.kind === 'import' || variable.kind === 'handle' || variable.storage === 'binding') continue;
    if (variable.storage === 'cell') {
      declared.push(`${variable.name} = ${newCellCode(e, variable.name)}`);
      continue;
    }
    const isNative =
      variable.kind === 'function' &&
      hoistedFunctions(list).some((node) => node.id?.name === variable.name && isNativeDeclaration(node));
    if (!isNative) declared.push(variable.name);
    if (variable.kind === 'const') variable.isDeclaredByAssignment = true;
  }
  const nativeFunctions: Code[] = [];
  const otherFunctions: Code[] = [];
  for (const node of hoistedFunctions(list)) {
    if (isNativeDeclaration(node)) nativeFunctions.push(e.emit(node), '\n');
    else {
      const id = node.id as Node;
      otherFunctions.push(emitInitialisation(e, id, emitFunctionExpression(e, node, { name: id.name })), '; ');
    }
  }
  const functions = exports.emitExportedFunctions(list);
  const body = e.inContext({ step, stepOf: null, thisCode: 'void 0', fn: analysis.root }, () =>
    emitListBlock(step, list, null, null),
  );
  const name = `${prefix}body`;
  const locals = declareTemporaries(analysis.root);
  analysis.root.temporaries.length = 0;
  e.steps.set(analysis.root, step.tableEntry(name));
  const more = step.slotNames.length > 8 ? `, ${step.slotNames.length - 8}` : '';
  e.topLevelStep = [
    `\nfunction ${name}(${step.frame}, ${step.sent}, ${step.how}) { ${stepMarker(e, analysis.root)}let ${step.pc} = ${step.frame}.pc; ${step.frame}.pc = 0; ${locals}${e.barriers === null ? '' : `${e.barriers.topScopeBarrier(e)}; `}`,
    body,
    '}\n',
  ];
  return [
    declared.length === 0 ? '' : `let ${declared.join(', ')}; `,
    nativeFunctions,
    otherFunctions,
    functions,
    e.topLevelStep,
    `return new ${e.helper('Frame')}(${name}${more});`,
  ];
}

function emitScript(e: CodeEmitter, program: Node, kind: FileKind): EmittedFile {
  const { prefix, analysis } = e;
  e.markStorage();
  declareHandles(e);
  const list = statements(program);
  const usesArguments = kind === 'commonjs' && analysis.root.usesArguments;
  const names = (): string[] =>
    kind === 'commonjs'
      ? [...rootVariableNames(e), ...(usesArguments ? [`${prefix}arguments`] : [])]
      : kind === 'script'
        ? rootVariableNames(e, LEXICAL_KINDS)
        : [];
  if (usesArguments) e.context.argumentsCode = `${prefix}arguments`;
  const directives = list.filter((each) => typeof each.directive === 'string');
  const start = directives.at(-1)?.end ?? 0;
  const bodyStatements = list.slice(directives.length);
  let code: Code;
  if (kind === 'function') {
    const expression = (bodyStatements[0] as Node).expression;
    const text = e.emit(expression);
    const locals = declareTemporaries(analysis.root);
    code = [`(function (${prefix}M, ${prefix}R) { `, emitPrelude(e, []), locals, e.hoisted, 'return ', text, ';\n})'];
  } else {
    const hoists = emitHoists(e, analysis.rootScope, bodyStatements, 'var');
    const body = e.emitStatements(bodyStatements, start, e.source.length);
    const head: Code = directives.length === 0 ? '' : [new Span((directives[0] as Node).start, start), '; '];
    if (kind === 'commonjs') {
      const parameters = COMMONJS_PARAMETERS.join(', ');
      const open = `(function (${prefix}M, ${prefix}R, ${parameters}) { `;
      const argumentsDeclaration = usesArguments
        ? `const ${prefix}arguments = (function () { return arguments; })(${parameters}); `
        : '';
      const locals = declareTemporaries(analysis.root);
      code = [
        open,
        head,
        emitPrelude(e, names()),
        argumentsDeclaration,
        locals,
        hoists,
        '\n',
        e.probes?.withFileReports(analysis.root, body) ?? body,
        '\n',
        e.hoisted,
        '})',
      ];
    } else {
      const steps = e.hoisted.map((each): Code => ['const ', stepNameOf(e, each), ' = ', each, '; ']);
      code = [head, emitPrelude(e, names(), 'script'), declareTemporaries(analysis.root), steps, hoists, '\n', body];
    }
  }
  const variables = names();
  return { code, module: { kind, async: false, requests: [], imports: [], exports: [], cells: [], variables } };
}

function stepNameOf(e: CodeEmitter, code: Code): string {
  return (/function ([^(]+)\(/.exec(e.sourceText(code)) as RegExpExecArray)[1] as string;
}
