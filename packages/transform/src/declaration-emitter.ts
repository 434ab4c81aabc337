// Declarations: what a scope needs at its start, and `var`, `let` and `const` whose names live in boxes, cells or at the head
// of a step. A declaration of plain locals stays the span it was.

import { boundIdentifiers, type Node } from './ast.ts';
import { type Code, join, Span } from './code.ts';
import type { Emitter } from './emitter.ts';
import { functionExpression } from './function-emitter.ts';
import type { FunctionInfo, Scope, Variable } from './scope.ts';
import { emitInitialisation, emitPattern, sourceOf, storageCode } from './target-emitter.ts';

export function emitDeclaration(e: Emitter, node: Node): Code {
  const names = node.declarations.flatMap((declarator) => boundIdentifiers(declarator.id as Node));
  const isAhead = node.kind === 'var' && names.some((id) => isDeclaredAhead(e, id));
  if (!isAhead && names.every((id) => e.isPlain(id))) return e.emitChildren(node);
  const inFor = node.parent !== null && node.parent.type === 'ForStatement' && node.parent.init === node;
  if (node.kind === 'var' || names.every((id) => id.ref?.variable?.storage === 'binding')) {
    return emitDeclarationAsAssignments(e, node, inFor);
  }
  const parts: Code[] = [];
  let keyword = node.kind;
  for (const declarator of node.declarations) {
    const id = declarator.id as Node;
    const variable = id.ref?.variable;
    if (id.type === 'Identifier' && variable !== undefined && variable !== null) {
      if (variable.storage === 'box' || (variable.storage === 'cell' && inFor)) {
        variable.storage = 'box';
        const value = declarator.init === null ? 'void 0' : e.named(id.name, declarator.init);
        parts.push([new Span(id.start, id.end), ' = { v: ', value, ' }']);
      } else if (variable.storage === 'cell' || variable.storage === 'binding') {
        const value = declarator.init === null ? 'void 0' : e.named(id.name, declarator.init);
        parts.push([`${e.fresh('_')} = `, emitInitialisation(e, id, value)]);
      } else parts.push(e.emit(declarator));
      continue;
    }
    if (!usesOwnNames(e, id)) {
      const { code, boxes } = declareThenBox(e, id, e.emit(declarator.init as Node));
      parts.push(code, ...boxes);
      continue;
    }
    keyword = 'let';
    for (const each of boundIdentifiers(id)) {
      const bound = each.ref?.variable as Variable;
      if (bound.storage === 'box') parts.push([each.name, ' = { v: void 0 }']);
      else if (bound.storage === 'cell' && inFor) parts.push(`${each.name} = ${newCell(e, each.name)}`);
      else if (bound.storage === 'local') {
        bound.converted = true;
        parts.push(each.name);
      }
    }
    parts.push([`${e.fresh('_')} = (`, emitPattern(e, id), ' = ', e.emit(declarator.init as Node), ')']);
  }
  return [`${keyword} `, join(parts, ', '), inFor ? '' : ';'];
}

/** A pattern whose defaults or keys use the names it binds. */
function usesOwnNames(e: Emitter, pattern: Node): boolean {
  return boundIdentifiers(pattern).some(
    (id) =>
      !e.isPlain(id) &&
      (id.ref?.variable?.references ?? []).some(
        ({ node, initialises }) =>
          node !== null && !initialises && node.start >= pattern.start && node.end <= pattern.end,
      ),
  );
}

/** `[$1, b] = init, a = { v: $1 }`: boxes come after the pattern, so that V8 keeps the dead zone of every name. */
function declareThenBox(e: Emitter, pattern: Node, init: Code): { code: Code; boxes: Code[] } {
  const boxes: Code[] = [];
  const replaced: Node[] = [];
  for (const id of boundIdentifiers(pattern)) {
    if (e.isPlain(id)) continue;
    const raw = e.fresh('b');
    e.substitutions.set(id, raw);
    replaced.push(id);
    const variable = id.ref?.variable as Variable;
    boxes.push(
      variable.storage === 'box'
        ? `${id.name} = { v: ${raw} }`
        : [`${e.fresh('_')} = `, emitInitialisation(e, id, raw)],
    );
  }
  const code: Code = [emitPattern(e, pattern), ' = ', init];
  for (const id of replaced) e.substitutions.delete(id);
  return { code, boxes };
}

export function newCell(e: Emitter, name: string): string {
  return `new ${e.use('Cell')}(${JSON.stringify(name)})`;
}

/** A `var` whose declaration stands at the head of its list: one that lives across suspensions, or in a body within another. */
export function isDeclaredAhead(e: Emitter, id: Node): boolean {
  const { step } = e.around;
  const variable = id.ref?.variable;
  if (variable === null || variable === undefined) return false;
  return variable.declaredAhead || (step !== null && step.isAssigned(variable));
}

/** `var` declarations of boxed names, and exported declarations, whose storage exists already. */
function emitDeclarationAsAssignments(e: Emitter, node: Node, inFor: boolean): Code {
  const parts: Code[] = [];
  for (const declarator of node.declarations) {
    const id = declarator.id as Node;
    if (declarator.init === null) {
      const variable = id.ref?.variable ?? null;
      if (variable !== null && variable.isLexical) parts.push(emitInitialisation(e, id, 'void 0'));
      else if (variable !== null && variable.storage === 'local' && !isDeclaredAhead(e, id))
        e.around.fn.temporaries.push(id.name);
      continue;
    }
    for (const each of boundIdentifiers(id)) {
      if (each.ref?.variable?.storage === 'local' && !isDeclaredAhead(e, each)) e.around.fn.temporaries.push(each.name);
    }
    if (id.type === 'Identifier') parts.push(emitInitialisation(e, id, e.named(id.name, declarator.init)));
    else parts.push(['(', emitPattern(e, id), ' = ', e.emit(declarator.init), ')']);
  }
  return [join(parts, ', '), inFor ? '' : ';'];
}

export function assignPattern(e: Emitter, id: Node, init: Node): Code {
  if (id.type !== 'Identifier') return ['(', emitPattern(e, id), ' = ', sourceOf(e, id, init), ')'];
  if (e.substitutions.has(init)) return emitInitialisation(e, id, e.emit(init));
  return emitInitialisation(e, id, e.isPlain(id) ? e.emit(init) : e.named(id.name, init));
}

/** `let` declarations of a pattern's names, boxes and cells included, and their values. */
export function declarePattern(e: Emitter, pattern: Node, value: Code, keyword = 'let'): Code {
  const variables = boundIdentifiers(pattern).map((id) => id.ref?.variable as Variable);
  for (const variable of variables) if (variable.storage === 'local') variable.converted = true;
  if (!usesOwnNames(e, pattern)) {
    const { code, boxes } = declareThenBox(e, pattern, value);
    return [`${keyword} `, join([code, ...boxes], ', '), '; '];
  }
  const parts: Code[] = [];
  for (const { name, storage } of variables) {
    if (storage === 'local') parts.push(`${keyword} ${name}; `);
    else parts.push(`${keyword} ${name} = ${storage === 'cell' ? newCell(e, name) : '{ v: void 0 }'}; `);
  }
  const assignment: Code = [emitPattern(e, pattern), ' = ', value];
  return [parts, pattern.type === 'ObjectPattern' ? ['(', assignment, '); '] : [assignment, '; ']];
}

/** What a scope needs at its start: boxes, cells, and functions that are no native declarations any more. */
export function emitHoists(e: Emitter, scope: Scope, list: readonly Node[], keyword: 'var' | 'let'): Code {
  const parts: Code[] = [];
  for (const variable of scope.variables.values()) {
    if (variable.storage === 'cell' && variable.kind !== 'param') {
      parts.push(`const ${variable.name} = ${newCell(e, variable.name)}; `);
    } else if (variable.storage === 'box' && (variable.kind === 'var' || variable.kind === 'function')) {
      parts.push(`${keyword} ${variable.name} = { v: ${variable.initial ?? 'void 0'} }; `);
    } else if (variable.declaredAhead && variable.kind === 'var') {
      parts.push(`${keyword} ${variable.name}${variable.initial === null ? '' : ` = ${variable.initial}`}; `);
    }
  }
  const declared = new Set<string>();
  for (const node of hoistedFunctions(list)) {
    const name = (node.id as Node).name;
    const variable = (node.id as Node).ref?.variable as Variable;
    if (isNativeDeclaration(node)) continue;
    const isNew =
      variable.storage === 'local' && !declared.has(name) && variable.scope === scope && variable.kind !== 'param';
    declared.add(name);
    const value = functionExpression(e, node, { name });
    if (variable.storage === 'binding') {
      parts.push([`${e.use('init')}(${storageCode(variable)}, `, value, '); ']);
      continue;
    }
    const target: Code = isNew ? `${keyword} ${name}` : variable.storage === 'local' ? name : `${name}.v`;
    parts.push([target, ' = ', value, '; ']);
  }
  return parts;
}

export function isNativeDeclaration(node: Node): boolean {
  const info = node.fn as FunctionInfo;
  const variable = (node.id as Node).ref?.variable;
  if (info.wrapped) return false;
  return variable === null || variable === undefined || (variable.storage === 'local' && !variable.declaredAhead);
}

/** The function a statement declares, through labels and `export`. */
export function declaredFunction(statement: Node): Node | null {
  let node = statement;
  while (node.type === 'LabeledStatement') node = node.body;
  if (node.type === 'FunctionDeclaration' && node.id !== null) return node;
  return null;
}

export function hoistedFunctions(list: readonly Node[]): Node[] {
  const found: Node[] = [];
  for (const statement of list) {
    const exported = statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration';
    const node = exported ? statement.declaration : statement;
    const declared = node === null ? null : declaredFunction(node);
    if (declared !== null) found.push(declared);
  }
  return found;
}
