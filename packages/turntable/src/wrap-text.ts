/** Breaks a text into lines of at most `width` characters. A longer word has a line of its own. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Breaks a text that starts at column `indent` into lines that all start there. */
export function wrapIndented(text: string, indent: number, width = 80): string {
  return wrapText(text, width - indent).join(`\n${' '.repeat(indent)}`);
}
