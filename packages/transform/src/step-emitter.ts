// Suspendable functions: the static step function that runs from one suspension to the next (its wrapper: wrapper-emitter.ts).
//
// The step keeps the function's own structure. A statement list in which something suspends becomes a `switch ($pc)` whose
// cases are its suspension points; a resumed step walks down through the lists that enclose its point. Loops, conditions
// and try statements stay native, so everything between two suspensions runs as V8 likes it. A variable lives in a native
// local and is spilled into its frame slot only where it is live across a suspension.
//
// Guarded by `npm run bench:awfy` (async and generator rows).

import type { Node } from './ast.ts';
import { type Code, Mark } from './code.ts';
import { hoistedFunctions } from './declaration-emitter.ts';
import type { Emitter } from './emitter.ts';
import { functionExpression, isConstLike } from './function-emitter.ts';
import { type FunctionInfo, isLiveAt, livesAcross, type Scope, type Variable } from './scope.ts';
import { emitSuspending } from './step-statements.ts';
import type { StepEntry } from './table.ts';

/** A loop, switch or labelled statement that suspends, as jumps see it. */
export interface JumpTarget {
  readonly node: Node;
  readonly label: string;
  /** Set where `continue` must not go to the native loop head: the labelled block around the body. */
  readonly continueLabel: string | null;
  /** How many regions stand around the statement, and around where its `continue` leads. */
  readonly depth: number;
  readonly continueDepth: number;
}

/** A stretch whose abrupt exits must first run code that suspends. */
export interface Region {
  readonly label: string;
  readonly kind: string;
  readonly value: string;
  readonly exits: { key: string; jump: () => Code }[];
}

export class StepEmitter {
  readonly e: Emitter;
  readonly info: FunctionInfo;
  /** What has been emitted into the list at hand. */
  parts: Code[] = [];
  readonly targets = new Map<Node, JumpTarget>();
  readonly regions: Region[] = [];
  readonly slotNames: string[] = [];
  readonly points: { at: number; live: number[] }[] = [];
  private readonly freeSlots: number[] = [];
  private temporarySlots: number[] = [];
  /** What each slot in use holds: a variable, or a value of the emitted code's own. */
  private readonly shadowed = new Set<Variable>();
  private readonly occupied = new Map<number, Variable | null>();
  /** Variables in scope that hold their value in a local and are spilled where they live on. */
  private readonly active: Variable[] = [];

  constructor(e: Emitter, info: FunctionInfo) {
    this.e = e;
    this.info = info;
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

  allocate(name: string, variable: Variable | null = null): number {
    const slot = this.freeSlots.pop() ?? this.slotNames.length;
    this.slotNames[slot] = name;
    this.occupied.set(slot, variable);
    return slot;
  }

  release(slot: number): void {
    this.freeSlots.push(slot);
    this.occupied.delete(slot);
  }

  /** A slot for an intermediate value, free again when the statement ends. */
  allocateTemporary(): number {
    const slot = this.allocate('');
    this.temporarySlots.push(slot);
    return slot;
  }

  slotCode(slot: number): string {
    return slot < 8 ? `${this.frame}.s${slot}` : `${this.frame}.more[${slot - 8}]`;
  }

  push(...code: Code[]): void {
    this.parts.push(...code);
  }

  /** Number of the last point so far. */
  get lastPoint(): number {
    return this.points.length;
  }

  private spills(at: number): Code {
    let code = '';
    for (const variable of this.active) {
      if (this.shadowed.has(variable)) continue;
      if (variable.slot !== null && isLiveAt(variable, at))
        code += `${this.slotCode(variable.slot)} = ${variable.name}; `;
    }
    return code;
  }

  private newPoint(node: Node, at: number): number {
    const live: number[] = [];
    for (const [slot, variable] of this.occupied) {
      // Where `super` and private names stand is not noted of a handle.
      if (variable === null || variable.kind === 'handle' || isLiveAt(variable, at, this.info)) live.push(slot);
    }
    this.points.push({ at: node.start, live: live.toSorted((a, b) => a - b) });
    return this.points.length;
  }

  /** Suspends for an `await` of a value; afterwards the result is in `$v`. */
  awaitValue(node: Node, value: Code, at = node.end): Code {
    const { frame, sent } = this;
    const spills = this.spills(at);
    const k = this.newPoint(node, at);
    const mark = new Mark(node.start);
    const suspend = `${this.e.use('await')}(${frame}, ${k}, `;
    if (spills === '') this.push(mark, 'return ', suspend, value, '); ');
    else this.push(mark, `${sent} = `, value, '; ', spills, mark, 'return ', suspend, `${sent}); `);
    this.push(`case ${k}: ${this.pc} = 0; `, mark, `if (${this.how} !== 0) throw ${sent}; `);
    return sent;
  }

  /** Suspends at a `yield`; afterwards the value sent in is in `$v`. */
  yieldValue(node: Node, value: Code): Code {
    const { frame, sent, how } = this;
    const isAsync = this.info.async;
    const at = node.end;
    this.push(`${sent} = `, isAsync ? this.awaitValue(node, value) : value, '; ');
    const spills = this.spills(at);
    const k = this.newPoint(node, at);
    this.push(spills);
    if (isAsync) this.push(`return ${this.e.use('yieldAsync')}(${frame}, ${k}, ${sent}); `);
    else this.push(`${frame}.pc = ${k}; return { value: ${sent}, done: false }; `);
    this.push(
      `case ${k}: ${this.pc} = 0; if (${how} !== 0) { if (${how} === 1) throw ${sent}; `,
      this.returnJump(sent),
      ' } ',
    );
    return sent;
  }

  /** `yield*`: one point that is entered once per exchange with the inner iterator. */
  delegate(node: Node, iterable: Code): Code {
    const { frame, sent, how } = this;
    const slot = this.allocate('yield*');
    const code = this.slotCode(slot);
    const kind = this.info.async ? 'AsyncDelegate' : 'Delegate';
    const at = node.end;
    this.push(`${code} = new ${this.e.use(kind)}(`, iterable, `); ${sent} = void 0; ${how} = 0; `, this.spills(at));
    const k = this.newPoint(node, at);
    this.push(
      `case ${k}: ${this.pc} = 0; ${sent} = ${this.e.use('delegate')}(${frame}, ${k}, ${code}, ${sent}, ${how}); `,
      `if (${frame}.pc !== 0) return ${sent}; `,
      `if (${code}.returning) { `,
      this.returnJump(`${code}.value`),
      ' } ',
    );
    this.release(slot);
    return `${code}.value`;
  }

  /** Emits into a list of its own; the result carries its dispatch if something suspended in it. */
  nested(run: () => void): { code: Code; first: number; last: number } {
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

  /** Emits a statement that is entered again when one of its own points is resumed. */
  reentrant(run: () => Code): void {
    const first = this.lastPoint + 1;
    const code = run();
    this.push(this.labels(first, this.lastPoint), code);
  }

  labels(first: number, last: number): string {
    let code = '';
    for (let k = first; k <= last; k++) code += `case ${k}: `;
    return code;
  }

  /** `if` with branches that may suspend. The test is evaluated only when not resuming. */
  branch(test: Code, yes: () => void, no: (() => void) | null): void {
    this.reentrant(() => {
      const a = this.nested(yes);
      const b = no === null ? null : this.nested(no);
      const condition: Code =
        a.last < a.first && (b === null || b.last < b.first)
          ? test
          : [`${this.pc} !== 0 ? ${this.pc} <= ${a.last} : (`, test, ')'];
      return ['if (', condition, ') { ', a.code, '} ', b === null ? '' : ['else { ', b.code, '} ']];
    });
  }

  /** The statements of a block, with what the scope declares. */
  block(list: readonly Node[], scope: Scope | null, before: (() => void) | null = null): Code {
    const { pc } = this;
    const declared: string[] = [];
    const reloads: string[] = [];
    const slots: number[] = [];
    const starts: Code[] = [];
    const activeBefore = this.active.length;
    const spilled = this.shadow(scope);
    for (const variable of scope?.variables.values() ?? []) {
      this.declareVariable(variable, { declared, reloads, slots, starts });
    }
    const body = this.nested(() => {
      this.push(starts);
      this.hoistFunctions(list);
      before?.();
      for (const statement of list) this.statement(statement);
    });
    this.active.length = activeBefore;
    for (const variable of spilled) this.shadowed.delete(variable);
    for (const slot of slots) this.release(slot);
    const suspends = body.last >= body.first;
    const resumes = reloads.length > 0 && suspends;
    const spills = spilled.map((variable) => `${this.slotCode(variable.slot as number)} = ${variable.name}; `).join('');
    const guarded = suspends && spills !== '';
    return [
      guarded ? `{ if (${pc} === 0) { ${spills}} ` : '',
      '{ ',
      declared.length === 0 ? '' : `let ${declared.join(', ')}; `,
      resumes ? `if (${pc} !== 0) { ${reloads.join(' ')} } ` : '',
      body.code,
      guarded ? '} } ' : '} ',
    ];
  }

  /** Variables whose names the scope takes: inside it nothing can spill them, and nothing but closures can change them. */
  private shadow(scope: Scope | null): Variable[] {
    const found = this.active.filter(
      (variable) =>
        variable.scope !== scope && scope?.variables.has(variable.name) === true && !this.shadowed.has(variable),
    );
    for (const variable of found) this.shadowed.add(variable);
    return found;
  }

  private declareVariable(
    variable: Variable,
    into: { declared: string[]; reloads: string[]; slots: number[]; starts: Code[] },
  ): void {
    const { kind, storage, name } = variable;
    if (kind === 'import' || kind === 'handle' || kind === 'name' || kind === 'param' || storage === 'binding') return;
    if (variable.isRoot) {
      // Variables of a module with top-level await stand in the module function, around the step.
      if (kind !== 'function' && this.e.analysis.root.topLevelAwait) variable.converted = kind === 'const';
      return;
    }
    const boxed = storage === 'box' || storage === 'cell';
    const across = livesAcross(variable);
    if (!boxed && !across) {
      if (kind === 'function' || variable.declaredAhead) into.declared.push(name);
      return;
    }
    into.declared.push(name);
    if (across) {
      const slot = this.allocate(name, variable);
      variable.slot = slot;
      into.slots.push(slot);
      into.reloads.push(`${name} = ${this.slotCode(slot)};`);
      if (!boxed && !isConstLike(variable)) this.active.push(variable);
    }
    variable.converted = true;
    if (boxed) {
      const box = storage === 'cell' ? `new ${this.e.use('Cell')}(${JSON.stringify(name)})` : '{ v: void 0 }';
      const slot = across ? `${this.slotCode(variable.slot as number)} = ` : '';
      into.starts.push(`${name} = ${slot}${box}; `);
    }
  }

  /** Function declarations of the list, as assignments at its start. */
  private hoistFunctions(list: readonly Node[]): void {
    for (const node of hoistedFunctions(list)) {
      const id = node.id as Node;
      const variable = id.ref?.variable as Variable;
      if (variable.isRoot) continue;
      const value = functionExpression(this.e, node, { name: id.name });
      const target = variable.storage === 'local' ? id.name : `${id.name}.v`;
      this.push(`${target} = `, value, '; ');
      this.writeThrough(variable);
    }
  }

  /** Stores a variable that is assigned only once in its slot, so that no suspension has to. */
  writeThrough(variable: Variable | null | undefined): void {
    if (variable === null || variable === undefined) return;
    if (variable.isRoot) this.push(this.e.exports?.initialisations([variable.name]) ?? '');
    if (variable.slot === null) return;
    if (variable.storage === 'local' && isConstLike(variable)) {
      this.push(`${this.slotCode(variable.slot)} = ${variable.name}; `);
    }
  }

  /** Whether a declared variable has its declaration elsewhere, so that here it is only assigned. */
  isAssigned(variable: Variable): boolean {
    return variable.slot !== null || variable.storage !== 'local' || variable.isRoot || variable.declaredAhead;
  }

  /** A parameter that is assigned later on: spilled like any variable. */
  trackMutable(variable: Variable): void {
    this.active.push(variable);
  }

  statement(node: Node): void {
    const outer = this.temporarySlots;
    this.temporarySlots = [];
    this.probe(node);
    emitSuspending(this, node);
    for (const slot of this.temporarySlots) this.release(slot);
    this.temporarySlots = outer;
  }

  /** The probe of debug mode, unless what is emitted as a whole brings it along. */
  probe(node: Node): void {
    const { probes } = this.e;
    if (probes !== null) this.push(node.suspends === true ? probes.ahead(this.e, node) : probes.inList(this.e, node));
  }

  /** The same ahead of an expression that has one. */
  probeValue(node: Node): void {
    if (node.suspends === true && this.e.probes !== null) this.push(this.e.probes.ahead(this.e, node));
  }

  /** Leaves the function with a value that is evaluated already or needs no suspension. */
  returnJump(value: Code): Code {
    const region = this.regions.at(-1);
    if (region !== undefined)
      return `{ ${region.value} = (${this.e.sourceText(value)}); ${region.kind} = 2; break ${region.label}; }`;
    if (this.info.generator && !this.info.async) return ['return { value: (', value, '), done: true };'];
    return ['return ', value, ';'];
  }

  /** `return`, `break` and `continue` that need no suspension themselves, wherever they stand. */
  emitJump(node: Node): Code {
    if (node.type === 'ReturnStatement') {
      return this.returnJump(node.argument === null ? 'void 0' : this.e.emit(node.argument));
    }
    const target = this.targets.get(targetOf(node) as Node);
    if (target === undefined) return this.e.source.slice(node.start, node.end);
    return this.jumpTo(target, node.type === 'BreakStatement' ? 'break' : 'continue');
  }

  jumpTo(target: JumpTarget, kind: 'break' | 'continue'): Code {
    const region = this.regions.at(-1);
    const depth = kind === 'break' ? target.depth : target.continueDepth;
    if (region !== undefined && this.regions.length > depth) {
      const key = `${kind} ${target.label}`;
      let index = region.exits.findIndex((exit) => exit.key === key);
      if (index === -1) index = region.exits.push({ key, jump: () => this.jumpTo(target, kind) }) - 1;
      return `{ ${region.kind} = ${index + 3}; break ${region.label}; }`;
    }
    if (kind === 'break') return `break ${target.label};`;
    return target.continueLabel === null ? `continue ${target.label};` : `break ${target.continueLabel};`;
  }

  /** Runs `body` so that every way out of it, suspension aside, first goes through `final`. Both may suspend. */
  guard(body: () => void, final: (kind: string, value: string) => void): void {
    const { e } = this;
    const kindSlot = this.allocate('completion');
    const valueSlot = this.allocate('completion value');
    const region: Region = {
      label: e.fresh('R'),
      kind: this.slotCode(kindSlot),
      value: this.slotCode(valueSlot),
      exits: [],
    };
    this.push(`${region.kind} = 0; `);
    const caught = e.fresh('e');
    this.reentrant(() => {
      this.regions.push(region);
      const inner = this.nested(body);
      this.regions.pop();
      return [
        `${region.label}: { try { `,
        inner.code,
        `} catch (${caught}) { ${region.kind} = 1; ${region.value} = ${caught}; } } `,
      ];
    });
    final(region.kind, region.value);
    this.push(`if (${region.kind} === 1) throw ${region.value}; `);
    this.push(`if (${region.kind} === 2) `, this.returnJump(region.value), ' ');
    region.exits.forEach((exit, index) => this.push(`if (${region.kind} === ${index + 3}) `, exit.jump(), ' '));
    this.release(kindSlot);
    this.release(valueSlot);
  }

  entry(name: string): StepEntry {
    return { name, slots: this.slotNames, points: this.points };
  }
}

/** The statement a `break` or `continue` goes to. */
function targetOf(jump: Node): Node | null {
  const label = jump.label?.name;
  for (let at = jump.parent; at !== null; at = at.parent) {
    if (label !== undefined) {
      if (at.type === 'LabeledStatement' && at.label?.name === label) {
        let body = at.body;
        while (body.type === 'LabeledStatement') body = body.body;
        return isLoop(body) ? body : at;
      }
    } else if (isLoop(at) || (jump.type === 'BreakStatement' && at.type === 'SwitchStatement')) return at;
  }
  return null;
}

export function isLoop(node: Node): boolean {
  return /^(For|ForIn|ForOf|While|DoWhile)Statement$/.test(node.type);
}
