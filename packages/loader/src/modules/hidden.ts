// The one property of the global object by which generated native text reaches the loader; the program's view does not have it.

export const SHELLS: unique symbol = Symbol.for('turntable.shells');
