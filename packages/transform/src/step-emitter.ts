// Suspendable functions: the static step function, which runs from one suspension to the next (wrapper-emitter.ts has
// its wrapper). The step keeps the function's structure. A statement list that suspends becomes a `switch ($pc)` whose
// cases are its suspension points. A resumed step descends through the lists that enclose its point. Loops, conditions
// and try statements stay native, so that V8 optimises the code between two suspensions. A variable is a native local,
// and is spilled into its frame slot only where it is live across a suspension. Guarded by `npm run bench:awfy` (async
// and generator rows).

import type { Node } from './ast.ts';
import { type Code, MappingPoint } from './code.ts';
import { hoistedFunctions } from './declaration-emitter.ts';
import type { CodeEmitter } from './code-emitter.ts';
import { emitFunctionExpression, isConstLike } from './function-emitter.ts';
import { type FunctionInfo, isLiveAt, isLiveAcrossSuspension, type Scope, type Variable } from './scope.ts';
import { emitSuspendingStatement } from './step-statements.ts';
import type { StepEntry } from './code-table.ts';
import { KeptVariables } from './kept-variables.ts';

/** A loop, switch or labelled statement that suspends, as the target of `break` and `continue`. */
export interface JumpTarget {
  readonly node: Node;
  readonly label: string;
  /** Label of the block around the body, if `continue` must not go to the native loop head; otherwise null. */
  readonly continueLabel: string | null;
  /** Numbers of guarded regions around the statement, and around the target of its `continue`. */
  readonly depth: number;
  readonly continueDepth: number;
}

/** A region whose exits, other than suspensions, must first run code that may suspend. */
export interface GuardedRegion {
  readonly label: string;
  readonly kind: string;
  readonly value: string;
  readonly exits: { key: string; jump: () => Code }[];
}

const NO_VARIABLES: ReadonlyMap<string, Variable> = new Map();

export class StepEmitter {
  readonly e: CodeEmitter;
  readonly info: FunctionInfo;
  /** Code of the current list so far. */
  parts: Code[] = [];
  readonly jumpTargets = new Map<Node, JumpTarget>();
  readonly guardedRegions: GuardedRegion[] = [];
  readonly slotNames: string[] = [];
  readonly suspensionPoints: { at: number; live: number[]; names: string[]; kept: string[] }[] = [];
  private readonly freeSlots: number[] = [];
  private temporarySlots: number[] = [];
  private readonly shadowedVariables = new Set<Variable>();
  /** Variables in slots whose names mean inner variables here. */
  private readonly hiddenVariables = new Set<Variable>();
  /** Variable in each slot in use; null for an intermediate value. */
  private readonly slotContents = new Map<number, Variable | null>();
  /** Native locals in scope that must be spilled where they are live across a suspension. */
  private readonly spilledVariables: Variable[] = [];
  readonly kept: KeptVariables;

  constructor(e: CodeEmitter, info: FunctionInfo) {
    this.e = e;
    this.info = info;
    this.kept = new KeptVariables(info, this.frame, e.probes !== null);
  }

  get pc(): string {
    return `${this.e.prefix}pc`;
  }

  get frame(): string {
    return `${this.e.prefix}F`;
  }

  get sent(): string {
    return `${this.e.prefix}v`;
  }

  get how(): string {
    return `${this.e.prefix}t`;
  }

  allocateSlot(name: string, variable: Variable | null = null): number {
    const slot = this.freeSlots.pop() ?? this.slotNames.length;
    this.slotNames[slot] = name;
    this.slotContents.set(slot, variable);
    return slot;
  }

  releaseSlot(slot: number): void {
    this.freeSlots.push(slot);
    this.slotContents.delete(slot);
  }

  /** Allocates a slot for an intermediate value, which is released when the statement ends. */
  allocateTemporarySlot(): number {
    const slot = this.allocateSlot('');
    this.temporarySlots.push(slot);
    return slot;
  }

  slotCode(slot: number): string {
    return slot < 8 ? `${this.frame}.s${slot}` : `${this.frame}.more[${slot - 8}]`;
  }

  push(...code: Code[]): void {
    this.parts.push(...code);
  }

  /** Number of the last suspension point. */
  get lastPoint(): number {
    return this.suspensionPoints.length;
  }

  private emitSpills(position: number): string {
    let code = '';
    for (const variable of this.spilledVariables) {
      if (this.shadowedVariables.has(variable)) continue;
      if (variable.slot !== null && isLiveAt(variable, position))
        code += `${this.slotCode(variable.slot)} = ${variable.name}; `;
    }
    return code;
  }

  /** Statement that keeps variables of debug mode. */
  private keepCode(point: number, position: number): string {
    const code = this.kept.saveCode(point, position);
    return code === '' ? '' : `${code}; `;
  }

  private addPoint(node: Node, position: number): number {
    const live: number[] = [];
    for (const [slot, variable] of this.slotContents) {
      // The positions at which `super` and private names use a handle are not known.
      if (variable === null || variable.kind === 'handle' || isLiveAt(variable, position, this.info)) live.push(slot);
    }
    live.sort((a, b) => a - b);
    const names = live.map((slot) => this.nameInScope(slot));
    this.suspensionPoints.push({ at: node.start, live, names, kept: this.kept.keysAt(position) });
    return this.suspensionPoints.length;
  }

  /** Name of the variable in a slot; empty if an inner variable hides it. */
  private nameInScope(slot: number): string {
    const variable = this.slotContents.get(slot);
    const isHidden = variable !== undefined && variable !== null && this.hiddenVariables.has(variable);
    return isHidden ? '' : (this.slotNames[slot] as string);
  }

  /** Emits an `await` of a value. Returns the code of the result, which is in `$v` after the suspension. */
  emitAwait(node: Node, value: Code, position = node.end): Code {
    const { frame, sent } = this;
    const point = this.addPoint(node, position);
    const spills = this.emitSpills(position);
    const mappingPoint = new MappingPoint(node.start);
    const suspend = `${this.e.helper('await')}(${frame}, ${point}, `;
    // An argument that the helper ignores is evaluated after the value.
    const kept = this.kept.saveCode(point, position);
    const end = kept === '' ? '); ' : `, ${kept}); `;
    if (spills === '') this.push(mappingPoint, 'return ', suspend, value, end);
    else this.push(mappingPoint, `${sent} = `, value, '; ', spills, mappingPoint, 'return ', suspend, sent, end);
    const start = `case ${point}: ${this.pc} = 0; ${this.kept.restoreCode(position)}`;
    this.push(start, mappingPoint, `if (${this.how} !== 0) throw ${sent}; `);
    return sent;
  }

  /** Emits a `yield` of a value. Returns the code of the value sent in, which is in `$v` after the suspension. */
  emitYield(node: Node, value: Code): Code {
    const { frame, sent, how } = this;
    const isAsync = this.info.async;
    const position = node.end;
    this.push(`${sent} = `, isAsync ? this.emitAwait(node, value) : value, '; ');
    const point = this.addPoint(node, position);
    this.push(this.emitSpills(position), this.keepCode(point, position));
    if (isAsync) this.push(`return ${this.e.helper('yieldAsync')}(${frame}, ${point}, ${sent}); `);
    else this.push(`${frame}.pc = ${point}; return { value: ${sent}, done: false }; `);
    this.push(
      `case ${point}: ${this.pc} = 0; ${this.kept.restoreCode(position)}if (${how} !== 0) { if (${how} === 1) throw ${sent}; `,
      this.returnCode(sent),
      ' } ',
    );
    return sent;
  }

  /** Emits a `yield*`: one suspension point, which is entered once for each exchange with the inner iterator. */
  emitDelegate(node: Node, iterable: Code): Code {
    const { frame, sent, how } = this;
    const slot = this.allocateSlot('yield*');
    const code = this.slotCode(slot);
    const kind = this.info.async ? 'AsyncDelegate' : 'Delegate';
    const position = node.end;
    const construct = `${code} = new ${this.e.helper(kind)}(`;
    const point = this.addPoint(node, position);
    this.push(construct, iterable, `); ${sent} = void 0; ${how} = 0; `, this.emitSpills(position));
    this.push(
      this.keepCode(point, position),
      `case ${point}: ${this.pc} = 0; ${this.kept.restoreCode(position)}${sent} = ${this.e.helper('delegate')}(${frame}, ${point}, ${code}, ${sent}, ${how}); `,
      `if (${frame}.pc !== 0) return ${sent}; `,
      `if (${code}.returning) { `,
      this.returnCode(`${code}.value`),
      ' } ',
    );
    this.releaseSlot(slot);
    return `${code}.value`;
  }

  /** Emits code into a separate list, which gets a dispatch if something in it suspends. */
  emitNested(run: () => void): { code: Code; first: number; last: number } {
    const outer = this.parts;
    this.parts = [];
    const first = this.lastPoint + 1;
    run();
    const inner = this.parts;
    this.parts = outer;
    const last = this.lastPoint;
    const code: Code = last < first ? inner : [`switch (${this.pc}) { case 0: `, inner, ' } '];
    return { code, first, last };
  }

  /** Emits a statement that is entered again when the step resumes at one of its suspension points. */
  emitReentrant(run: () => Code): void {
    const first = this.lastPoint + 1;
    const code = run();
    this.push(this.caseLabels(first, this.lastPoint), code);
  }

  caseLabels(first: number, last: number): string {
    let code = '';
    for (let point = first; point <= last; point++) code += `case ${point}: `;
    return code;
  }

  /** Emits an `if` whose branches may suspend. A step that resumes in a branch does not evaluate the test. */
  emitBranch(test: Code, emitThen: () => void, emitElse: (() => void) | null): void {
    this.emitReentrant(() => {
      const thenBranch = this.emitNested(emitThen);
      const elseBranch = emitElse === null ? null : this.emitNested(emitElse);
      const condition: Code =
        thenBranch.last < thenBranch.first && (elseBranch === null || elseBranch.last < elseBranch.first)
          ? test
          : [`${this.pc} !== 0 ? ${this.pc} <= ${thenBranch.last} : (`, test, ')'];
      const elseCode: Code = elseBranch === null ? '' : ['else { ', elseBranch.code, '} '];
      return ['if (', condition, ') { ', thenBranch.code, '} ', elseCode];
    });
  }

  /** Code of a block: the declarations of its scope, and its statements. */
  emitBlock(list: readonly Node[], scope: Scope | null, emitBefore: (() => void) | null = null): Code {
    const { pc } = this;
    const declared: string[] = [];
    const reloads: string[] = [];
    const slots: number[] = [];
    const boxStarts: Code[] = [];
    const activeBefore = this.spilledVariables.length;
    const shadowed = this.shadowNames(scope);
    const keptBlock = this.kept.enterBlock(scope?.variables ?? NO_VARIABLES);
    const hidden = this.hideNames(scope);
    for (const variable of scope?.variables.values() ?? []) {
      this.declareVariable(variable, { declared, reloads, slots, starts: boxStarts });
    }
    const body = this.emitNested(() => {
      this.push(boxStarts);
      this.hoistFunctions(list);
      emitBefore?.();
      for (const statement of list) this.emitStatement(statement);
    });
    this.spilledVariables.length = activeBefore;
    for (const variable of shadowed) this.shadowedVariables.delete(variable);
    for (const variable of hidden) this.hiddenVariables.delete(variable);
    for (const slot of slots) this.releaseSlot(slot);
    const suspends = body.last >= body.first;
    const canResume = reloads.length > 0 && suspends;
    const spills = shadowed
      .map((variable) => `${this.slotCode(variable.slot as number)} = ${variable.name}; `)
      .join('');
    const copies = this.kept.leaveBlock(keptBlock, pc);
    const isGuarded = suspends && (spills !== '' || copies !== '');
    return [
      isGuarded ? `{ ${spills === '' ? '' : `if (${pc} === 0) { ${spills}} `}${copies}` : '',
      '{ ',
      declared.length === 0 ? '' : `let ${declared.join(', ')}; `,
      canResume ? `if (${pc} !== 0) { ${reloads.join(' ')} } ` : '',
      body.code,
      isGuarded ? '} } ' : '} ',
    ];
  }

  /** Hides outer variables that have names of this scope, and returns them. Inside, they cannot be spilled. */
  private shadowNames(scope: Scope | null): Variable[] {
    const found = this.spilledVariables.filter(
      (variable) =>
        variable.scope !== scope &&
        scope?.variables.has(variable.name) === true &&
        !this.shadowedVariables.has(variable),
    );
    for (const variable of found) this.shadowedVariables.add(variable);
    return found;
  }

  /** Hides variables in slots that have names of this scope from the names of suspension points, and returns them. */
  private hideNames(scope: Scope | null): Variable[] {
    if (scope === null) return [];
    const found: Variable[] = [];
    for (const variable of this.slotContents.values())
      if (variable !== null && variable.scope !== scope && scope.variables.has(variable.name)) found.push(variable);
    const hidden = found.filter((variable) => !this.hiddenVariables.has(variable));
    for (const variable of hidden) this.hiddenVariables.add(variable);
    return hidden;
  }

  private declareVariable(
    variable: Variable,
    into: { declared: string[]; reloads: string[]; slots: number[]; starts: Code[] },
  ): void {
    const { kind, storage, name } = variable;
    if (kind === 'import' || kind === 'handle' || kind === 'name' || kind === 'param' || storage === 'binding') return;
    if (variable.isRoot) {
      // In a module with top-level await, variables of the top scope are in the module function around the step.
      if (kind !== 'function' && this.e.analysis.root.hasTopLevelAwait)
        variable.isDeclaredByAssignment = kind === 'const';
      return;
    }
    const isBoxed = storage === 'box' || storage === 'cell';
    const isLiveAcross = isLiveAcrossSuspension(variable);
    const isKept = this.kept.declare(variable);
    if (!isBoxed && !isLiveAcross) {
      if (isKept) variable.isDeclaredAtHead = variable.isDeclaredByAssignment = true;
      if (kind === 'function' || variable.isDeclaredAtHead) into.declared.push(name);
      return;
    }
    into.declared.push(name);
    if (isLiveAcross) {
      const slot = this.allocateSlot(name, variable);
      variable.slot = slot;
      into.slots.push(slot);
      into.reloads.push(`${name} = ${this.slotCode(slot)};`);
      if (!isBoxed && !isConstLike(variable)) this.spilledVariables.push(variable);
    }
    variable.isDeclaredByAssignment = true;
    if (isBoxed) {
      const box = storage === 'cell' ? `new ${this.e.helper('Cell')}(${JSON.stringify(name)})` : '{ v: void 0 }';
      const slot = isLiveAcross ? `${this.slotCode(variable.slot as number)} = ` : '';
      into.starts.push(`${name} = ${slot}${box}; `);
    }
  }

  /** Emits the functions that the list declares, as assignments at its start. */
  private hoistFunctions(list: readonly Node[]): void {
    for (const node of hoistedFunctions(list)) {
      const id = node.id as Node;
      const variable = id.ref?.variable as Variable;
      if (variable.isRoot) continue;
      const value = emitFunctionExpression(this.e, node, { name: id.name });
      const target = variable.storage === 'local' ? id.name : `${id.name}.v`;
      this.push(`${target} = `, value, '; ');
      this.storeInSlot(variable);
    }
  }

  /** Stores the value of a variable that is assigned only once in its slot, instead of spilling it. */
  storeInSlot(variable: Variable | null | undefined): void {
    if (variable === null || variable === undefined) return;
    if (variable.isRoot) this.push(this.e.exports?.emitInitialisations([variable.name]) ?? '');
    if (variable.slot === null) return;
    if (variable.storage === 'local' && isConstLike(variable)) {
      this.push(`${this.slotCode(variable.slot)} = ${variable.name}; `);
    }
  }

  /** Whether a variable is declared elsewhere, so that its declaration becomes an assignment. */
  isAssigned(variable: Variable): boolean {
    return variable.slot !== null || variable.storage !== 'local' || variable.isRoot || variable.isDeclaredAtHead;
  }

  /** Makes a reassigned parameter be spilled like other variables. */
  spillAtPoints(variable: Variable): void {
    this.spilledVariables.push(variable);
  }

  emitStatement(node: Node): void {
    const outer = this.temporarySlots;
    this.temporarySlots = [];
    this.emitProbe(node);
    emitSuspendingStatement(this, node);
    for (const slot of this.temporarySlots) this.releaseSlot(slot);
    this.temporarySlots = outer;
  }

  /** Emits the probe of debug mode before a statement. Other code emits it if the statement stays as it is. */
  emitProbe(node: Node): void {
    const { probes } = this.e;
    if (probes !== null)
      this.push(node.suspends === true ? probes.probeAhead(this.e, node) : probes.probeInList(this.e, node));
  }

  /** Emits the probe of debug mode before an expression that suspends. */
  emitValueProbe(node: Node): void {
    if (node.suspends === true && this.e.probes !== null) this.push(this.e.probes.probeAhead(this.e, node));
  }

  /** Code that leaves the function with a value. The value's code must not suspend. */
  returnCode(value: Code): Code {
    const region = this.guardedRegions.at(-1);
    if (region !== undefined)
      return `{ ${region.value} = (${this.e.sourceText(value)}); ${region.kind} = 2; break ${region.label}; }`;
    if (this.info.generator && !this.info.async) return ['return { value: (', value, '), done: true };'];
    return ['return ', value, ';'];
  }

  /** Code of a `return`, `break` or `continue` that does not itself suspend. */
  emitJump(node: Node): Code {
    if (node.type === 'ReturnStatement') {
      return this.returnCode(node.argument === null ? 'void 0' : this.e.emit(node.argument));
    }
    const target = this.jumpTargets.get(jumpTargetOf(node) as Node);
    if (target === undefined) return this.e.source.slice(node.start, node.end);
    return this.jumpCode(target, node.type === 'BreakStatement' ? 'break' : 'continue');
  }

  jumpCode(target: JumpTarget, kind: 'break' | 'continue'): Code {
    const region = this.guardedRegions.at(-1);
    const depth = kind === 'break' ? target.depth : target.continueDepth;
    if (region !== undefined && this.guardedRegions.length > depth) {
      const key = `${kind} ${target.label}`;
      let index = region.exits.findIndex((exit) => exit.key === key);
      if (index === -1) index = region.exits.push({ key, jump: () => this.jumpCode(target, kind) }) - 1;
      return `{ ${region.kind} = ${index + 3}; break ${region.label}; }`;
    }
    if (kind === 'break') return `break ${target.label};`;
    return target.continueLabel === null ? `continue ${target.label};` : `break ${target.continueLabel};`;
  }

  /** Emits `emitBody` so that each exit except a suspension first runs the code of `emitFinal`. Both may suspend. */
  emitGuard(emitBody: () => void, emitFinal: (kind: string, value: string) => void): void {
    const { e } = this;
    const kindSlot = this.allocateSlot('completion kind');
    const valueSlot = this.allocateSlot('completion value');
    const region: GuardedRegion = {
      label: e.freshName('R'),
      kind: this.slotCode(kindSlot),
      value: this.slotCode(valueSlot),
      exits: [],
    };
    this.push(`${region.kind} = 0; `);
    const caughtName = e.freshName('e');
    this.emitReentrant(() => {
      this.guardedRegions.push(region);
      const inner = this.emitNested(emitBody);
      this.guardedRegions.pop();
      return [
        `${region.label}: { try { `,
        inner.code,
        `} catch (${caughtName}) { ${region.kind} = 1; ${region.value} = ${caughtName}; } } `,
      ];
    });
    emitFinal(region.kind, region.value);
    this.push(`if (${region.kind} === 1) throw ${region.value}; `);
    this.push(`if (${region.kind} === 2) `, this.returnCode(region.value), ' ');
    region.exits.forEach((exit, index) => this.push(`if (${region.kind} === ${index + 3}) `, exit.jump(), ' '));
    this.releaseSlot(kindSlot);
    this.releaseSlot(valueSlot);
  }

  tableEntry(name: string): StepEntry {
    const slots = this.slotNames;
    const points = this.suspensionPoints.map(({ at, live, names, kept }) => ({
      at,
      live,
      ...(live.every((slot, i) => slots[slot] === names[i]) ? {} : { names }),
      ...(kept.length === 0 ? {} : { kept }),
    }));
    return { name, slots, points };
  }
}

/** Statement that a `break` or `continue` refers to. */
function jumpTargetOf(jump: Node): Node | null {
  const label = jump.label?.name;
  for (let ancestor = jump.parent; ancestor !== null; ancestor = ancestor.parent) {
    if (label !== undefined) {
      if (ancestor.type === 'LabeledStatement' && ancestor.label?.name === label) {
        let body = ancestor.body;
        while (body.type === 'LabeledStatement') body = body.body;
        return isLoop(body) ? body : ancestor;
      }
    } else if (isLoop(ancestor) || (jump.type === 'BreakStatement' && ancestor.type === 'SwitchStatement'))
      return ancestor;
  }
  return null;
}

export function isLoop(node: Node): boolean {
  return /^(For|ForIn|ForOf|While|DoWhile)Statement$/.test(node.type);
}
