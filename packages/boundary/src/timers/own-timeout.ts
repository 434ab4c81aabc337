// The mark of a timeout of the program, with the timeout's number.
import { Stamp } from './stamp.ts';

export class OwnTimeout extends Stamp {
  #number: number;
  constructor(timeout: object, number: number) {
    super(timeout);
    this.#number = number;
  }
  static is(value: object): boolean {
    return #number in value;
  }
  static numberOf(value: object): number | undefined {
    return #number in value ? value.#number : undefined;
  }
  static number(value: object, number: number): void {
    if (#number in value) value.#number = number;
  }
}
