// What crosses the boundary is logged with its contents, whether or not a replay could tell them: values that are as they were, and of a request all that the
// network has brought. Methods of Node's classes are no contents: who records below them, in the engine, meets their calls only.

import { UNPREDICTED } from '../../packages/boundary/src/membrane/handle.ts';
import { BaseMembrane } from '../../packages/boundary/src/membrane/base-membrane.ts';
import { Predictions } from '../../packages/boundary/src/membrane/predictions.ts';

type DefineSurrogate = typeof BaseMembrane.prototype.defineSurrogate;

/** Of a request, outside: its headers as they came. */
const RAW_HEADERS: unique symbol = Symbol('what came');

export function logContents(): void {
  // In a replay this stays as it is: what the trace has next stands before what it would know by itself.
  const { predict } = Predictions.prototype;
  Predictions.prototype.predict = function (handle, key) {
    const value = predict.call(this, handle, key);
    return typeof value === 'function' ? value : UNPREDICTED;
  };

  // One fact more: a replay gives it to who makes the object, who does not take it.
  const { defineSurrogate } = BaseMembrane.prototype as unknown as { defineSurrogate: DefineSurrogate };
  BaseMembrane.prototype.defineSurrogate = function (prototype, made) {
    const native = this.hostObjectOf(prototype);
    if (native === undefined || !made.initialKeys.includes('url')) return defineSurrogate.call(this, prototype, made);
    Object.defineProperty(native, RAW_HEADERS, {
      configurable: true,
      get(this: { readonly raw: { readonly rawHeaders: readonly string[] } }) {
        return this.raw.rawHeaders.join('\n');
      },
    });
    defineSurrogate.call(this, prototype, { ...made, initialKeys: [...made.initialKeys, RAW_HEADERS] });
  };
}
