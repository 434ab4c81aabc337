// Exports of a replaying thread: the program exports the same objects in the same order as in the recorded run, so each
// gets the number that the trace uses for it. No host receives them.
import { ExportedObject } from './marks.ts';
import type { OwnedEntry } from './membrane-state.ts';
import { enumerableKeys } from './export-form.ts';
import { markHandedOver, type RecordedExportsDeps } from './recorded-exports.ts';

type ReplayedExportsDeps = Pick<
  RecordedExportsDeps,
  'statics' | 'marks' | 'numbers' | 'exportForm' | 'argumentCopies' | 'registerSymbol' | 'currentHome'
>;

export class ReplayedExports {
  readonly #deps: ReplayedExportsDeps;
  /** Exported objects and their homes by number. */
  readonly #byNumber = new Map<number, { readonly programObject: object; readonly home: object | undefined }>();

  constructor(deps: ReplayedExportsDeps) {
    this.#deps = deps;
  }

  toHost(value: unknown): unknown {
    if (typeof value === 'symbol') this.#deps.registerSymbol(value);
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    if (this.#isKnown(value)) {
      markHandedOver(value);
      return value;
    }
    if (this.#deps.statics.isNeutral(value)) return value;
    const form = this.#deps.exportForm(value);
    if (form === 'plain' || form === 'array') {
      const copies = this.#deps.argumentCopies();
      if (!copies.has(value)) this.#registerCopy(value, form, copies);
    } else if (form !== 'bare') this.adopt(value);
    return value;
  }

  /** Numbers an object, and marks it with the number. */
  adopt<T extends object>(value: T): T {
    this.#mark(this.#register(value), value);
    return value;
  }

  objectAt(number: number): object | undefined {
    return this.#byNumber.get(number)?.programObject;
  }

  /** Restores an export of a snapshot. */
  restore(number: number, programObject: object, home: object | undefined): void {
    this.#byNumber.set(number, { programObject, home });
    // Plain data gets a new number at each crossing, so it has no mark.
    const form = this.#deps.exportForm(programObject);
    if (form !== 'plain' && form !== 'array') this.#mark(number, programObject);
  }

  release(number: number): void {
    this.#byNumber.delete(number);
  }

  entries(): OwnedEntry[] {
    return [...this.#byNumber].map(([number, { programObject, home }]) => [number, programObject, home]);
  }

  /** Whether the object is a proxy or has a number. */
  #isKnown(value: object): boolean {
    return this.#deps.marks.get(value) !== undefined;
  }

  /** Marks an object. The host's view is the object itself, and the home is in `#byNumber`. */
  #mark(number: number, programObject: object): void {
    this.#deps.marks.set(programObject, new ExportedObject(number, programObject, programObject));
  }

  #register(programObject: object): number {
    const number = this.#deps.numbers.exports++;
    this.#byNumber.set(number, { programObject, home: this.#deps.currentHome() });
    return number;
  }

  /** Numbers the members in the order in which `RecordedExports` copies them. */
  #registerCopy(value: object, form: 'plain' | 'array', copies: Map<object, object>): void {
    copies.set(value, value);
    this.#register(value);
    const registerMember = (member: unknown): void => {
      if (typeof member !== 'object' || member === null || this.#isKnown(member)) return void this.toHost(member);
      if (copies.has(member) || this.#deps.statics.isNeutral(member)) return;
      const memberForm = this.#deps.exportForm(member);
      if (memberForm === 'plain' || memberForm === 'array') this.#registerCopy(member, memberForm, copies);
      else this.toHost(member);
    };
    if (form === 'array') for (const member of value as unknown[]) registerMember(member);
    else for (const key of enumerableKeys(value)) registerMember((value as Record<PropertyKey, unknown>)[key]);
  }
}
