/*
 * The metadata of a test262 file: the YAML block between the dashes of its first comment. Reads the fields that the
 * runner uses, in the subset of YAML that the suite's linter admits.
 */

export type TestVariant = 'sloppy' | 'strict' | 'module' | 'raw';

export type Frontmatter = {
  readonly flags: readonly string[];
  readonly includes: readonly string[];
  readonly features: readonly string[];
  readonly negative: { readonly phase: string; readonly type: string } | undefined;
};

export function parseFrontmatter(source: string): Frontmatter {
  const block = /\/\*---\r?\n?([\s\S]*?)---\*\//.exec(source)?.[1] ?? '';
  const lines = block.split(/\r\n|\r|\n/);
  let negative: Frontmatter['negative'];
  const at = lines.findIndex((line) => line.startsWith('negative:'));
  if (at >= 0) {
    const fields = new Map<string, string>();
    for (let i = at + 1; i < lines.length && /^\s+\S/.test(lines[i] ?? ''); i++) {
      const [, key, value] = /^\s+(\w+):\s*(\S+)/.exec(lines[i] ?? '') ?? [];
      if (key !== undefined && value !== undefined) fields.set(key, value);
    }
    negative = { phase: fields.get('phase') ?? 'runtime', type: fields.get('type') ?? 'Error' };
  }
  return {
    flags: listOf(lines, 'flags'),
    includes: listOf(lines, 'includes'),
    features: listOf(lines, 'features'),
    negative,
  };
}

/** The variants of a file: a script runs both sloppy and strict unless its flags say otherwise. */
export function variantsOf({ flags }: Frontmatter): readonly TestVariant[] {
  if (flags.includes('module')) return ['module'];
  if (flags.includes('raw')) return ['raw'];
  if (flags.includes('onlyStrict')) return ['strict'];
  if (flags.includes('noStrict')) return ['sloppy'];
  return ['sloppy', 'strict'];
}

function listOf(lines: readonly string[], key: string): readonly string[] {
  const at = lines.findIndex((line) => line.startsWith(`${key}:`));
  if (at < 0) return [];
  const inline = (lines[at] ?? '').slice(key.length + 1).trim();
  if (inline.startsWith('[')) {
    let text = inline;
    for (let i = at + 1; !text.includes(']') && i < lines.length; i++) text += lines[i];
    return text
      .slice(1, text.indexOf(']'))
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }
  const items: string[] = [];
  for (let i = at + 1; i < lines.length; i++) {
    const item = /^\s+-\s*(\S+)/.exec(lines[i] ?? '')?.[1];
    if (item === undefined) break;
    items.push(item);
  }
  return items;
}
