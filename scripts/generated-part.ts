// Generated parts of pages, between comments that name them.

/** Replaces the part of a page between `<!-- NAME: generated … -->` and `<!-- end of NAME -->`. */
export function replaceGeneratedPart(page: string, name: string, text: string): string {
  const pattern = new RegExp(`(<!-- ${name}: generated[^>]* -->\\n)[\\s\\S]*?(<!-- end of ${name} -->)`);
  if (!pattern.test(page)) throw new Error(`the page has no comments around its generated part "${name}"`);
  return page.replace(pattern, (_, start: string, end: string) => `${start}\n${text}\n${end}`);
}
