// DeltaBlue: an incremental solver of constraint hierarchies, on a chain of equalities and on a set of scaled
// projections. The graph of variables and constraints is cyclic and its calls are polymorphic in every method of a
// constraint.

import { Benchmark } from './benchmark.ts';
import { IdentityDictionary } from './dictionary.ts';
import { Vector } from './vector.ts';

class Plan extends Vector<AbstractConstraint> {
  constructor() {
    super(15);
  }

  execute(): void {
    this.forEach((constraint) => constraint.execute());
  }
}

class StrengthSymbol {
  declare hash: number;

  constructor(hash: number) {
    this.hash = hash;
  }

  customHash(): number {
    return this.hash;
  }
}

const ABSOLUTE_STRONGEST = new StrengthSymbol(0);
const REQUIRED = new StrengthSymbol(1);
const STRONG_PREFERRED = new StrengthSymbol(2);
const PREFERRED = new StrengthSymbol(3);
const STRONG_DEFAULT = new StrengthSymbol(4);
const DEFAULT = new StrengthSymbol(5);
const WEAK_DEFAULT = new StrengthSymbol(6);
const ABSOLUTE_WEAKEST = new StrengthSymbol(7);

function createStrengthTable(): IdentityDictionary<StrengthSymbol, number> {
  const table = new IdentityDictionary<StrengthSymbol, number>();
  table.atPut(ABSOLUTE_STRONGEST, -10000);
  table.atPut(REQUIRED, -800);
  table.atPut(STRONG_PREFERRED, -600);
  table.atPut(PREFERRED, -400);
  table.atPut(STRONG_DEFAULT, -200);
  table.atPut(DEFAULT, 0);
  table.atPut(WEAK_DEFAULT, 500);
  table.atPut(ABSOLUTE_WEAKEST, 10000);
  return table;
}

class Strength {
  declare arithmeticValue: number;

  constructor(symbol: StrengthSymbol) {
    this.arithmeticValue = Strength.table.at(symbol)!;
  }

  sameAs(other: Strength): boolean {
    return this.arithmeticValue === other.arithmeticValue;
  }

  stronger(other: Strength): boolean {
    return this.arithmeticValue < other.arithmeticValue;
  }

  weaker(other: Strength): boolean {
    return this.arithmeticValue > other.arithmeticValue;
  }

  strongest(other: Strength): Strength {
    return other.stronger(this) ? other : this;
  }

  weakest(other: Strength): Strength {
    return other.weaker(this) ? other : this;
  }

  static table = createStrengthTable();

  static createConstants(): IdentityDictionary<StrengthSymbol, Strength> {
    const constants = new IdentityDictionary<StrengthSymbol, Strength>();
    Strength.table.keys().forEach((symbol) => {
      constants.atPut(symbol, new Strength(symbol));
    });
    return constants;
  }

  static constants = Strength.createConstants();

  static of(symbol: StrengthSymbol): Strength {
    return Strength.constants.at(symbol)!;
  }

  static absoluteWeakest = Strength.of(ABSOLUTE_WEAKEST);

  static required = Strength.of(REQUIRED);
}

abstract class AbstractConstraint {
  declare strength: Strength;

  constructor(symbol: StrengthSymbol) {
    this.strength = Strength.of(symbol);
  }

  isInput(): boolean {
    return false;
  }

  abstract isSatisfied(): boolean;
  abstract addToGraph(): void;
  abstract removeFromGraph(): void;
  abstract chooseMethod(mark: number): void;
  abstract execute(): void;
  abstract inputsDo(fn: (variable: Variable) => void): void;
  abstract inputsHasOne(fn: (variable: Variable) => boolean): boolean;
  abstract markUnsatisfied(): void;
  abstract getOutput(): Variable;
  abstract recalculate(): void;

  addConstraint(planner: Planner): void {
    this.addToGraph();
    planner.incrementalAdd(this);
  }

  destroyConstraint(planner: Planner): void {
    if (this.isSatisfied()) planner.incrementalRemove(this);
    this.removeFromGraph();
  }

  inputsKnown(mark: number): boolean {
    return !this.inputsHasOne(
      (variable) => !(variable.mark === mark || variable.stay || variable.determinedBy === null),
    );
  }

  /** Tries to enforce this constraint; the answer is the constraint it overrode, which must look for another way. */
  satisfy(mark: number, planner: Planner): AbstractConstraint | null {
    let overridden: AbstractConstraint | null;
    this.chooseMethod(mark);

    if (this.isSatisfied()) {
      // Marked inputs are how addPropagate notices a cycle.
      this.inputsDo((variable) => {
        variable.mark = mark;
      });

      const out = this.getOutput();
      overridden = out.determinedBy;
      if (overridden !== null) overridden.markUnsatisfied();
      out.determinedBy = this;
      if (!planner.addPropagate(this, mark)) throw new Error('cycle of constraints');
      out.mark = mark;
    } else {
      overridden = null;
      if (this.strength.sameAs(Strength.required)) throw new Error('a required constraint cannot be satisfied');
    }
    return overridden;
  }
}

type Direction = 'forward' | 'backward' | null;

abstract class BinaryConstraint extends AbstractConstraint {
  declare v1: Variable;
  declare v2: Variable;
  declare direction: Direction;

  constructor(v1: Variable, v2: Variable, symbol: StrengthSymbol) {
    super(symbol);
    this.v1 = v1;
    this.v2 = v2;
    this.direction = null;
  }

  isSatisfied(): boolean {
    return this.direction !== null;
  }

  addToGraph(): void {
    this.v1.addConstraint(this);
    this.v2.addConstraint(this);
    this.direction = null;
  }

  removeFromGraph(): void {
    if (this.v1 !== null) this.v1.removeConstraint(this);
    if (this.v2 !== null) this.v2.removeConstraint(this);
    this.direction = null;
  }

  chooseMethod(mark: number): Direction {
    if (this.v1.mark === mark) {
      if (this.v2.mark !== mark && this.strength.stronger(this.v2.walkStrength)) {
        this.direction = 'forward';
        return this.direction;
      }
      this.direction = null;
      return this.direction;
    }

    if (this.v2.mark === mark) {
      if (this.v1.mark !== mark && this.strength.stronger(this.v1.walkStrength)) {
        this.direction = 'backward';
        return this.direction;
      }
      this.direction = null;
      return this.direction;
    }

    // Neither variable is marked: both directions are open, the weaker variable gives way.
    if (this.v1.walkStrength.weaker(this.v2.walkStrength)) {
      if (this.strength.stronger(this.v1.walkStrength)) {
        this.direction = 'backward';
        return this.direction;
      }
      this.direction = null;
      return this.direction;
    }
    if (this.strength.stronger(this.v2.walkStrength)) {
      this.direction = 'forward';
      return this.direction;
    }
    this.direction = null;
    return this.direction;
  }

  inputsDo(fn: (variable: Variable) => void): void {
    if (this.direction === 'forward') {
      fn(this.v1);
    } else {
      fn(this.v2);
    }
  }

  inputsHasOne(fn: (variable: Variable) => boolean): boolean {
    return this.direction === 'forward' ? fn(this.v1) : fn(this.v2);
  }

  markUnsatisfied(): void {
    this.direction = null;
  }

  getOutput(): Variable {
    return this.direction === 'forward' ? this.v2 : this.v1;
  }

  recalculate(): void {
    let source: Variable;
    let out: Variable;
    if (this.direction === 'forward') {
      source = this.v1;
      out = this.v2;
    } else {
      source = this.v2;
      out = this.v1;
    }
    out.walkStrength = this.strength.weakest(source.walkStrength);
    out.stay = source.stay;
    if (out.stay) this.execute();
  }
}

abstract class UnaryConstraint extends AbstractConstraint {
  declare output: Variable;
  declare satisfied: boolean;

  constructor(variable: Variable, symbol: StrengthSymbol, planner: Planner) {
    super(symbol);
    this.output = variable;
    this.satisfied = false;
    this.addConstraint(planner);
  }

  isSatisfied(): boolean {
    return this.satisfied;
  }

  addToGraph(): void {
    this.output.addConstraint(this);
    this.satisfied = false;
  }

  removeFromGraph(): void {
    if (this.output !== null) this.output.removeConstraint(this);
    this.satisfied = false;
  }

  chooseMethod(mark: number): null {
    this.satisfied = this.output.mark !== mark && this.strength.stronger(this.output.walkStrength);
    return null;
  }

  inputsDo(_fn: (variable: Variable) => void): void {}

  inputsHasOne(_fn: (variable: Variable) => boolean): boolean {
    return false;
  }

  markUnsatisfied(): void {
    this.satisfied = false;
  }

  getOutput(): Variable {
    return this.output;
  }

  recalculate(): void {
    this.output.walkStrength = this.strength;
    this.output.stay = !this.isInput();
    if (this.output.stay) this.execute();
  }
}

class EditConstraint extends UnaryConstraint {
  override isInput(): boolean {
    return true;
  }

  execute(): void {}
}

class StayConstraint extends UnaryConstraint {
  execute(): void {}
}

class EqualityConstraint extends BinaryConstraint {
  constructor(v1: Variable, v2: Variable, symbol: StrengthSymbol, planner: Planner) {
    super(v1, v2, symbol);
    this.addConstraint(planner);
  }

  execute(): void {
    if (this.direction === 'forward') {
      this.v2.value = this.v1.value;
    } else {
      this.v1.value = this.v2.value;
    }
  }
}

class ScaleConstraint extends BinaryConstraint {
  declare scale: Variable;
  declare offset: Variable;

  constructor(
    source: Variable,
    scale: Variable,
    offset: Variable,
    destination: Variable,
    symbol: StrengthSymbol,
    planner: Planner,
  ) {
    super(source, destination, symbol);
    this.scale = scale;
    this.offset = offset;
    this.addConstraint(planner);
  }

  override addToGraph(): void {
    this.v1.addConstraint(this);
    this.v2.addConstraint(this);
    this.scale.addConstraint(this);
    this.offset.addConstraint(this);
    this.direction = null;
  }

  override removeFromGraph(): void {
    if (this.v1 !== null) this.v1.removeConstraint(this);
    if (this.v2 !== null) this.v2.removeConstraint(this);
    if (this.scale !== null) this.scale.removeConstraint(this);
    if (this.offset !== null) this.offset.removeConstraint(this);
    this.direction = null;
  }

  execute(): void {
    if (this.direction === 'forward') {
      this.v2.value = this.v1.value * this.scale.value + this.offset.value;
    } else {
      this.v1.value = (this.v2.value - this.offset.value) / this.scale.value;
    }
  }

  override inputsDo(fn: (variable: Variable) => void): void {
    if (this.direction === 'forward') {
      fn(this.v1);
      fn(this.scale);
      fn(this.offset);
    } else {
      fn(this.v2);
      fn(this.scale);
      fn(this.offset);
    }
  }

  override recalculate(): void {
    let source: Variable;
    let out: Variable;
    if (this.direction === 'forward') {
      source = this.v1;
      out = this.v2;
    } else {
      out = this.v1;
      source = this.v2;
    }
    out.walkStrength = this.strength.weakest(source.walkStrength);
    out.stay = source.stay && this.scale.stay && this.offset.stay;
    if (out.stay) this.execute();
  }
}

class Variable {
  declare value: number;
  declare constraints: Vector<AbstractConstraint>;
  declare determinedBy: AbstractConstraint | null;
  declare walkStrength: Strength;
  declare stay: boolean;
  declare mark: number;

  constructor() {
    this.value = 0;
    this.constraints = new Vector(2);
    this.determinedBy = null;
    this.walkStrength = Strength.absoluteWeakest;
    this.stay = true;
    this.mark = 0;
  }

  static value(value: number): Variable {
    const variable = new Variable();
    variable.value = value;
    return variable;
  }

  addConstraint(constraint: AbstractConstraint): void {
    this.constraints.append(constraint);
  }

  removeConstraint(constraint: AbstractConstraint): void {
    this.constraints.remove(constraint);
    if (this.determinedBy === constraint) this.determinedBy = null;
  }
}

class Planner {
  declare currentMark: number;

  constructor() {
    this.currentMark = 1;
  }

  newMark(): number {
    this.currentMark += 1;
    return this.currentMark;
  }

  incrementalAdd(constraint: AbstractConstraint): void {
    const mark = this.newMark();
    let overridden = constraint.satisfy(mark, this);
    while (overridden !== null) {
      overridden = overridden.satisfy(mark, this);
    }
  }

  incrementalRemove(constraint: AbstractConstraint): void {
    const out = constraint.getOutput();
    constraint.markUnsatisfied();
    constraint.removeFromGraph();

    const unsatisfied = this.removePropagateFrom(out);
    unsatisfied.forEach((candidate) => this.incrementalAdd(candidate));
  }

  extractPlanFromConstraints(constraints: Vector<AbstractConstraint>): Plan {
    const sources = new Vector<AbstractConstraint>();
    constraints.forEach((constraint) => {
      if (constraint.isInput() && constraint.isSatisfied()) sources.append(constraint);
    });
    return this.makePlan(sources);
  }

  makePlan(sources: Vector<AbstractConstraint>): Plan {
    const mark = this.newMark();
    const plan = new Plan();
    const todo = sources;

    while (!todo.isEmpty()) {
      const constraint = todo.removeFirst()!;
      if (constraint.getOutput().mark !== mark && constraint.inputsKnown(mark)) {
        plan.append(constraint);
        constraint.getOutput().mark = mark;
        this.addConstraintsConsumingTo(constraint.getOutput(), todo);
      }
    }
    return plan;
  }

  propagateFrom(variable: Variable): void {
    const todo = new Vector<AbstractConstraint>();
    this.addConstraintsConsumingTo(variable, todo);
    while (!todo.isEmpty()) {
      const constraint = todo.removeFirst()!;
      constraint.execute();
      this.addConstraintsConsumingTo(constraint.getOutput(), todo);
    }
  }

  addConstraintsConsumingTo(variable: Variable, into: Vector<AbstractConstraint>): void {
    const determining = variable.determinedBy;
    variable.constraints.forEach((constraint) => {
      if (constraint !== determining && constraint.isSatisfied()) into.append(constraint);
    });
  }

  addPropagate(constraint: AbstractConstraint, mark: number): boolean {
    const todo = Vector.with(constraint);
    while (!todo.isEmpty()) {
      const next = todo.removeFirst()!;
      if (next.getOutput().mark === mark) {
        this.incrementalRemove(constraint);
        return false;
      }
      next.recalculate();
      this.addConstraintsConsumingTo(next.getOutput(), todo);
    }
    return true;
  }

  change(variable: Variable, value: number): void {
    const edit = new EditConstraint(variable, PREFERRED, this);
    const edits = Vector.with<AbstractConstraint>(edit);
    const plan = this.extractPlanFromConstraints(edits);
    for (let i = 0; i < 10; i += 1) {
      variable.value = value;
      plan.execute();
    }
    edit.destroyConstraint(this);
  }

  constraintsConsuming(variable: Variable, fn: (constraint: AbstractConstraint) => void): void {
    const determining = variable.determinedBy;
    variable.constraints.forEach((constraint) => {
      if (constraint !== determining && constraint.isSatisfied()) fn(constraint);
    });
  }

  removePropagateFrom(out: Variable): Vector<AbstractConstraint> {
    const unsatisfied = new Vector<AbstractConstraint>();
    out.determinedBy = null;
    out.walkStrength = Strength.absoluteWeakest;
    out.stay = true;

    const todo = Vector.with(out);
    while (!todo.isEmpty()) {
      const variable = todo.removeFirst()!;
      variable.constraints.forEach((constraint) => {
        if (!constraint.isSatisfied()) unsatisfied.append(constraint);
      });
      this.constraintsConsuming(variable, (constraint) => {
        constraint.recalculate();
        todo.append(constraint.getOutput());
      });
    }

    unsatisfied.sort((a, b) => a.strength.stronger(b.strength));
    return unsatisfied;
  }

  /** A chain of n equalities with a stay at one end and an edit at the other: every edit must arrive. */
  static chainTest(n: number): void {
    const planner = new Planner();
    const variables = new Array<Variable>(n + 1);
    for (let i = 0; i < n + 1; i += 1) {
      variables[i] = new Variable();
    }
    for (let i = 0; i < n; i += 1) {
      new EqualityConstraint(variables[i]!, variables[i + 1]!, REQUIRED, planner);
    }
    new StayConstraint(variables[n]!, STRONG_DEFAULT, planner);

    const edit = new EditConstraint(variables[0]!, PREFERRED, planner);
    const edits = Vector.with<AbstractConstraint>(edit);
    const plan = planner.extractPlanFromConstraints(edits);
    for (let i = 0; i < 100; i += 1) {
      variables[0]!.value = i;
      plan.execute();
      if (variables[n]!.value !== i) throw new Error('chain test: the edit did not arrive');
    }
    edit.destroyConstraint(planner);
  }

  /** n pairs tied by one scale and one offset: changes must go through in both directions and to all pairs. */
  static projectionTest(n: number): void {
    const planner = new Planner();
    const destinations = new Vector<Variable>();
    const scale = Variable.value(10);
    const offset = Variable.value(1000);
    let source: Variable | null = null;
    let destination: Variable | null = null;

    for (let i = 1; i <= n; i += 1) {
      source = Variable.value(i);
      destination = Variable.value(i);
      destinations.append(destination);
      new StayConstraint(source, DEFAULT, planner);
      new ScaleConstraint(source, scale, offset, destination, REQUIRED, planner);
    }

    planner.change(source!, 17);
    if (destination!.value !== 1170) throw new Error('projection test 1: wrong value');

    planner.change(destination!, 1050);
    if (source!.value !== 5) throw new Error('projection test 2: wrong value');

    planner.change(scale, 5);
    for (let i = 0; i < n - 1; i += 1) {
      if (destinations.at(i)!.value !== (i + 1) * 5 + 1000) throw new Error('projection test 3: wrong value');
    }

    planner.change(offset, 2000);
    for (let i = 0; i < n - 1; i += 1) {
      if (destinations.at(i)!.value !== (i + 1) * 5 + 2000) throw new Error('projection test 4: wrong value');
    }
  }
}

class DeltaBlue extends Benchmark<boolean> {
  override innerBenchmarkLoop(innerIterations: number): boolean {
    Planner.chainTest(innerIterations);
    Planner.projectionTest(innerIterations);
    return this.verifyResult(true);
  }

  verifyResult(result: boolean): boolean {
    return result;
  }
}

export const newInstance = (): Benchmark<boolean> => new DeltaBlue();
