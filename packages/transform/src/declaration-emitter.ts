// Declarations: code at the start of a scope, and `var`, `let` and `const` whose names are in boxes, in cells, or
// declared at the start of a step. Declarations of plain locals stay spans of the source.

import { boundIdentifiers, type Node } from './ast.ts';
import { type Code, join, Span } from './code.ts';
import type { CodeEmitter } from './code-emitter.ts';
import { emitFunctionExpression } from './function-emitter.ts';
import type { FunctionInfo, Scope, Variable } from './scope.ts';
import { emitInitialisation, emitPattern, emitSource, storageCode } from './target-emitter.ts';

export function emitDeclaration(e: CodeEmitter, node: Node): Code {
  const names = node.declarations.flatMap((declarator) => boundIdentifiers(declarator.id as Node));
  const isAhead = node.kind === 'var' && names.some((id) => isDeclaredAhead(e, id));
  if (!isAhead && names.every((id) => e.isPlain(id))) return e.emitChildren(node);
  const isInFor = node.parent !== null && node.parent.type === 'ForStatement' && node.parent.init === node;
  if (node.kind === 'var' || names.every((id) => id.ref?.variable?.storage === 'binding')) {
    return emitDeclarationAsAssignments(e, node, isInFor);
  }
  const parts: Code[] = [];
  let keyword = node.kind;
  for (const declarator of node.declarations) {
    const id = declarator.id as Node;
    const variable = id.ref?.variable;
    if (id.type === 'Identifier' && variable !== undefined && variable !== null) {
      if (variable.storage === 'box' || (variable.storage === 'cell' && isInFor)) {
        variable.storage = 'box';
        const value = declarator.init === null ? 'void 0' : e.emitNamed(id.name, declarator.init);
        parts.push([new Span(id.start, id.end), ' = { v: ', value, ' }']);
      } else if (variable.storage === 'cell' || variable.storage === 'binding') {
        const value = declarator.init === null ? 'void 0' : e.emitNamed(id.name, declarator.init);
        parts.push([`${e.freshName('_')} = `, emitInitialisation(e, id, value)]);
      } else parts.push(e.emit(declarator));
      continue;
    }
    if (!usesOwnNames(e, id)) {
      const { code, boxes } = emitDeclarationThenBoxes(e, id, e.emit(declarator.init as Node));
      parts.push(code, ...boxes);
      continue;
    }
    keyword = 'let';
    for (const each of boundIdentifiers(id)) {
      const bound = each.ref?.variable as Variable;
      if (bound.storage === 'box') parts.push([each.name, ' = { v: void 0 }']);
      else if (bound.storage === 'cell' && isInFor) parts.push(`${each.name} = ${newCellCode(e, each.name)}`);
      else if (bound.storage === 'local') {
        bound.isDeclaredByAssignment = true;
        parts.push(each.name);
      }
    }
    parts.push([`${e.freshName('_')} = (`, emitPattern(e, id), ' = ', e.emit(declarator.init as Node), ')']);
  }
  return [`${keyword} `, join(parts, ', '), isInFor ? '' : ';'];
}

/** Whether the defaults or keys of a pattern use names that the pattern binds and that have a box or cell. */
function usesOwnNames(e: CodeEmitter, pattern: Node): boolean {
  return boundIdentifiers(pattern).some(
    (id) =>
      !e.isPlain(id) &&
      (id.ref?.variable?.references ?? []).some(
        ({ node, initialises }) =>
          node !== null && !initialises && node.start >= pattern.start && node.end <= pattern.end,
      ),
  );
}

/** `[$1, b] = init, a = { v: $1 }`. Boxes are made after the pattern, so that V8 keeps the dead zone of each name. */
function emitDeclarationThenBoxes(e: CodeEmitter, pattern: Node, init: Code): { code: Code; boxes: Code[] } {
  const boxes: Code[] = [];
  const replaced: Node[] = [];
  for (const id of boundIdentifiers(pattern)) {
    if (e.isPlain(id)) continue;
    const boxedName = e.freshName('b');
    e.substitutions.set(id, boxedName);
    replaced.push(id);
    const variable = id.ref?.variable as Variable;
    boxes.push(
      variable.storage === 'box'
        ? `${id.name} = { v: ${boxedName} }`
        : [`${e.freshName('_')} = `, emitInitialisation(e, id, boxedName)],
    );
  }
  const code: Code = [emitPattern(e, pattern), ' = ', init];
  for (const id of replaced) e.substitutions.delete(id);
  return { code, boxes };
}

export function newCellCode(e: CodeEmitter, name: string): string {
  return `new ${e.helper('Cell')}(${JSON.stringify(name)})`;
}

/** Whether a name is declared at the start of its list, because it is live across suspensions or in a nested body. */
export function isDeclaredAhead(e: CodeEmitter, id: Node): boolean {
  const { step } = e.context;
  const variable = id.ref?.variable;
  if (variable === null || variable === undefined) return false;
  return variable.isDeclaredAtHead || (step !== null && step.isAssigned(variable));
}

/** Code for `var` declarations of boxed names and for exported declarations. Their storage exists already. */
function emitDeclarationAsAssignments(e: CodeEmitter, node: Node, isInFor: boolean): Code {
  const parts: Code[] = [];
  for (const declarator of node.declarations) {
    const id = declarator.id as Node;
    if (declarator.init === null) {
      const variable = id.ref?.variable ?? null;
      if (variable !== null && variable.isLexical) parts.push(emitInitialisation(e, id, 'void 0'));
      else if (variable !== null && variable.storage === 'local' && !isDeclaredAhead(e, id))
        e.context.fn.temporaries.push(id.name);
      continue;
    }
    for (const each of boundIdentifiers(id)) {
      if (each.ref?.variable?.storage === 'local' && !isDeclaredAhead(e, each))
        e.context.fn.temporaries.push(each.name);
    }
    if (id.type === 'Identifier') parts.push(emitInitialisation(e, id, e.emitNamed(id.name, declarator.init)));
    else parts.push(['(', emitPattern(e, id), ' = ', e.emit(declarator.init), ')']);
  }
  return [join(parts, ', '), isInFor ? '' : ';'];
}

export function emitPatternAssignment(e: CodeEmitter, id: Node, init: Node): Code {
  if (id.type !== 'Identifier') return ['(', emitPattern(e, id), ' = ', emitSource(e, id, init), ')'];
  if (e.substitutions.has(init)) return emitInitialisation(e, id, e.emit(init));
  return emitInitialisation(e, id, e.isPlain(id) ? e.emit(init) : e.emitNamed(id.name, init));
}

/** `let` declarations of the names of a pattern, with their boxes, cells and values. */
export function emitPatternDeclaration(e: CodeEmitter, pattern: Node, value: Code, keyword = 'let'): Code {
  const variables = boundIdentifiers(pattern).map((id) => id.ref?.variable as Variable);
  for (const variable of variables) if (variable.storage === 'local') variable.isDeclaredByAssignment = true;
  if (!usesOwnNames(e, pattern)) {
    const { code, boxes } = emitDeclarationThenBoxes(e, pattern, value);
    return [`${keyword} `, join([code, ...boxes], ', '), '; '];
  }
  const parts: Code[] = [];
  for (const { name, storage } of variables) {
    if (storage === 'local') parts.push(`${keyword} ${name}; `);
    else parts.push(`${keyword} ${name} = ${storage === 'cell' ? newCellCode(e, name) : '{ v: void 0 }'}; `);
  }
  const assignment: Code = [emitPattern(e, pattern), ' = ', value];
  return [parts, pattern.type === 'ObjectPattern' ? ['(', assignment, '); '] : [assignment, '; ']];
}

/** Code at the start of a scope: boxes, cells, and functions that are no longer native declarations. */
export function emitHoists(e: CodeEmitter, scope: Scope, list: readonly Node[], keyword: 'var' | 'let'): Code {
  const parts: Code[] = [];
  for (const variable of scope.variables.values()) {
    if (variable.storage === 'cell' && variable.kind !== 'param') {
      parts.push(`const ${variable.name} = ${newCellCode(e, variable.name)}; `);
    } else if (variable.storage === 'box' && (variable.kind === 'var' || variable.kind === 'function')) {
      parts.push(`${keyword} ${variable.name} = { v: ${variable.initialCode ?? 'void 0'} }; `);
    } else if (variable.isDeclaredAtHead && variable.kind === 'var') {
      parts.push(`${keyword} ${variable.name}${variable.initialCode === null ? '' : ` = ${variable.initialCode}`}; `);
    }
  }
  const declaredNames = new Set<string>();
  for (const node of hoistedFunctions(list)) {
    const name = (node.id as Node).name;
    const variable = (node.id as Node).ref?.variable as Variable;
    if (isNativeDeclaration(node)) continue;
    const isNew =
      variable.storage === 'local' && !declaredNames.has(name) && variable.scope === scope && variable.kind !== 'param';
    declaredNames.add(name);
    const value = emitFunctionExpression(e, node, { name });
    if (variable.storage === 'binding') {
      parts.push([`${e.helper('init')}(${storageCode(variable)}, `, value, '); ']);
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
  if (info.isWrapped) return false;
  return variable === null || variable === undefined || (variable.storage === 'local' && !variable.isDeclaredAtHead);
}

/** Function that a statement declares, without labels and `export`; null if it declares none. */
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
