// Colours for terminals. There are none if the output is not a terminal or if NO_COLOR is set, unless FORCE_COLOR is set.
import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** Styles a text for an output. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream): string {
  return styleText(style, text, { stream });
}

/** Whether texts for an output may have colours. */
export function hasColours(stream: NodeJS.WriteStream): boolean {
  return styled('red', '-', stream) !== '-';
}
