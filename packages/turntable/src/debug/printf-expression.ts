/**
 * The expression of `dprintf`'s arguments in gdb's form, `"total %d\n", total`: a template. Other texts are expressions
 * themselves.
 */
export function printfExpression(text: string): string {
  const [, format, args = ''] = /^"((?:[^"\\]|\\.)*)"\s*(?:,\s*(.*))?$/s.exec(text) ?? [];
  if (format === undefined) return text;
  const values = splitArguments(args);
  const template = format
    .replaceAll(/`|\$\{/g, String.raw`\$&`)
    .replace(/(?:\\n)+$/, '')
    .replaceAll(/%[-+ #0-9.]*l*([a-zA-Z%])/g, (_, kind: string) =>
      kind === '%' ? '%' : `\${${values.shift() ?? ''}}`,
    );
  return `\`${template}\``;
}

/** Splits a text at the commas that are outside of brackets and strings. */
function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`|[([{]|[)\]}]|,/g)) {
    if ('([{'.includes(token)) depth++;
    else if (')]}'.includes(token)) depth--;
    else if (token === ',' && depth === 0) {
      parts.push(text.slice(start, index).trim());
      start = index + 1;
    }
  }
  return [...parts, text.slice(start).trim()].filter((part) => part !== '');
}
