// The objects of inert graphs by number, and how many bytes of the state each took. One for all graphs that are looked at together.

export class ObjectSizes {
  readonly numbers = new Map<object, number>();
  /** By number; number 0 is nobody's. */
  readonly bytes: number[] = [0];

  /** Bytes of the state that an object took, without what it refers to. */
  of(object: object): number {
    return this.bytes[this.numbers.get(object) ?? 0] as number;
  }

  /** Of one that was not in the state as such, it took none. */
  numberOf(object: object): number {
    let number = this.numbers.get(object);
    if (number === undefined) this.numbers.set(object, (number = this.bytes.push(0) - 1));
    return number;
  }
}
