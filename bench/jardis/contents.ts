// Logs the contents of everything that crosses the boundary, even if a replay could predict them: unchanged values, and
// all that the network delivered of a request. Methods of Node's classes are not contents: a recorder inside the engine
// sees only their calls.
import { UNPREDICTED } from '../../packages/boundary/src/membrane/handle.ts';
import { BaseMembrane } from '../../packages/boundary/src/membrane/base-membrane.ts';
import { Predictions } from '../../packages/boundary/src/membrane/predictions.ts';

type DefineSurrogate = typeof BaseMembrane.prototype.defineSurrogate;

/** Key of the raw headers of a request on the host side. */
const RAW_HEADERS: unique symbol = Symbol('raw headers');

export function logContents(): void {
  // A replay keeps the original `predict`: the next trace event takes precedence over a prediction.
  const { predict } = Predictions.prototype;
  Predictions.prototype.predict = function (handle, key) {
    const value = predict.call(this, handle, key);
    return typeof value === 'function' ? value : UNPREDICTED;
  };

  // Adds a fact to the request. A replay passes it on, and the surrogate ignores it.
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
