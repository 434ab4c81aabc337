// Marks of objects that have crossed the membrane, and the numbers that they get.
import type { HiddenField } from '@turntable/core';
import type { Handle } from './handle.ts';

/**
 * Marks by object. A proxy and its host object share a `Handle`; a program object and the host's view of it share an
 * `ExportedObject`. The fields of the mark tell which of the two an object is.
 */
export type Marks = HiddenField<Handle | ExportedObject>;

/** A program object that the host references. The mark makes the object and the host's view keep each other alive. */
export class ExportedObject {
  readonly number: number;
  readonly programObject: object;
  readonly hostView: object;
  /** Home of the code that exported the object. */
  readonly home: object | undefined;
  /** Token whose collection frees the number (`handle-lifetimes.ts`). */
  readonly lifetime: object | undefined;

  constructor(number: number, programObject: object, hostView: object, home?: object, lifetime?: object) {
    this.number = number;
    this.programObject = programObject;
    this.hostView = hostView;
    this.home = home;
    this.lifetime = lifetime;
  }
}

/** The next number of each kind. A number is never reused. */
export class MembraneCounters {
  handles = 0;
  exports = 0;
  promises = 0;
  /** Handles of static objects that have crossed the membrane, and so have a number. */
  readonly statics: Handle[] = [];

  /** Numbers the handle of a static object that crosses the membrane for the first time. */
  assign(handle: Handle): void {
    handle.number = this.handles++;
    this.statics.push(handle);
  }
}
