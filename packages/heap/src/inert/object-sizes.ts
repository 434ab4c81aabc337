// The objects of inert graphs by number, and how many bytes of the state each took. One for all graphs that are looked at together.

export class ObjectSizes {
  readonly numberByObject = new Map<object, number>();
  /** By number; number 0 is nobody's. */
  readonly bytesByNumber: number[] = [0];

  /** Bytes of the state that an object took, without what it refers to. */
  bytesOf(object: object): number {
    return this.bytesByNumber[this.numberByObject.get(object) ?? 0] as number;
  }

  /** Of one that was not in the state as such, it took none. */
  numberOf(object: object): number {
    let number = this.numberByObject.get(object);
    if (number === undefined) this.numberByObject.set(object, (number = this.bytesByNumber.push(0) - 1));
    return number;
  }
}
