// Reads the colours of design/tokens.css for painting on a canvas.

export interface Colours {
  readonly ground: string;
  readonly raised: string;
  readonly line: string;
  readonly text: string;
  readonly quiet: string;
  readonly accent: string;
  readonly error: string;
  readonly output: string;
  readonly font: string;
  /** Colours of task kinds, by index. Kinds for which design/tokens.css has no colour share one. */
  readonly kinds: readonly string[];
}

/** Returns the colours that apply to an element. @param kinds ids of the task kinds, by index */
export function readColours(element: Element, kinds: readonly string[]): Colours {
  const style = getComputedStyle(element);
  const readToken = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const otherColour = readToken('kind-other');
  return {
    ground: readToken('ground'),
    raised: readToken('raised'),
    line: readToken('line'),
    text: readToken('text'),
    quiet: readToken('quiet'),
    accent: readToken('accent'),
    error: readToken('error'),
    output: readToken('output'),
    font: `${readToken('small')} ${readToken('sans')}`,
    kinds: kinds.map((kind) => readToken(`kind-${kind}`) || otherColour),
  };
}
