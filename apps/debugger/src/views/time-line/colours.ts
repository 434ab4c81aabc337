// The colours of the design (design/tokens.css), for what is painted and not laid out.

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
  /** Of a kind of stretches; of one that the design does not know it is that of any other. */
  readonly kinds: readonly string[];
}

/** @param kinds ids, in the order of the list of kinds */
export function coloursOf(element: Element, kinds: readonly string[]): Colours {
  const style = getComputedStyle(element);
  const named = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const other = named('kind-other');
  return {
    ground: named('ground'),
    raised: named('raised'),
    line: named('line'),
    text: named('text'),
    quiet: named('quiet'),
    accent: named('accent'),
    error: named('error'),
    output: named('output'),
    font: `${named('small')} ${named('sans')}`,
    kinds: kinds.map((kind) => named(`kind-${kind}`) || other),
  };
}
