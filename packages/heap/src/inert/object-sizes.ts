// Numbers and sizes of the objects of inert graphs. One instance serves all graphs that are viewed together.

export class ObjectSizes {
  readonly numberByObject = new Map<object, number>();
  /** Size of each object by number. Number 0 is not used. */
  readonly bytesByNumber: number[] = [0];

  /** Returns the bytes of the state that an object takes, without the objects that it references. */
  bytesOf(object: object): number {
    return this.bytesByNumber[this.numberByObject.get(object) ?? 0] as number;
  }

  /** Returns the number of an object. One that is not in the state gets a new number and size 0. */
  numberOf(object: object): number {
    let number = this.numberByObject.get(object);
    if (number === undefined) this.numberByObject.set(object, (number = this.bytesByNumber.push(0) - 1));
    return number;
  }
}
