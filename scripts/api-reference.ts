// Writes the reference of the public API into docs/guide/api.md, from the doc comments of the sources. `npm run
// docs:reference` runs this; a test compares the page.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wrapIndented } from '../packages/turntable/src/wrap-text.ts';
import { declarationOf, exportedNames, type PublicDeclaration } from './public-declarations.ts';
import { replaceGeneratedPart } from './generated-part.ts';
import { root } from './node-release.mjs';

const FILE = join(root, 'docs/guide/api.md');

interface EntryPoint {
  readonly specifier: string;
  readonly file: string;
  /** Types that its exports mention and that it does not export. */
  readonly mentioned: readonly (readonly [file: string, names: readonly string[]])[];
}

const ENTRY_POINTS: readonly EntryPoint[] = [
  {
    specifier: 'turntable',
    file: 'packages/turntable/src/index.ts',
    mentioned: [
      ['packages/loader/src/settings/recording-settings.ts', ['SnapshotTriggers', 'RetentionLimits', 'TraceSetting']],
      ['packages/runtime/src/actors/actor-placement.ts', ['Placement']],
      ['packages/runtime/src/types.ts', ['MailboxOptions', 'SupervisionPolicy', 'SendTarget']],
      ['packages/runtime/src/control-messages.ts', ['WorkerStats']],
      ['packages/runtime/src/snapshot/inert-actors.ts', ['InertMessage']],
      ['packages/program-state/src/inert-state.ts', ['InertModule']],
      ['packages/runtime/src/runtime-error.ts', ['RuntimeErrorCode']],
    ],
  },
  { specifier: 'turntable/bundler', file: 'packages/turntable/src/bundler.ts', mentioned: [] },
  { specifier: 'turntable/data-source', file: 'packages/turntable/src/data-source.ts', mentioned: [] },
  { specifier: '@turntable/fastify', file: 'packages/fastify/src/index.ts', mentioned: [] },
];

const KIND_ORDER: readonly PublicDeclaration['kind'][] = ['function', 'class', 'type'];

/** All declarations of the public API, by the module that exports them. */
export function publicApi(): ReadonlyMap<string, readonly PublicDeclaration[]> {
  return new Map(
    ENTRY_POINTS.map(({ specifier, file, mentioned }) => {
      const path = join(root, file);
      const exported = exportedNames(path).map((name) => declarationOf(path, name));
      const others = mentioned.flatMap(([other, names]) => names.map((name) => declarationOf(join(root, other), name)));
      const all = [...exported, ...others];
      return [specifier, KIND_ORDER.flatMap((kind) => all.filter((each) => each.kind === kind))];
    }),
  );
}

/** The reference as Markdown: a section for each module. */
export function apiReference(): string {
  return [...publicApi()]
    .map(([specifier, declarations]) => `## ${specifier}\n\n${declarations.map(declarationText).join('\n')}`)
    .join('\n');
}

function declarationText({ name, doc, signature }: PublicDeclaration): string {
  return `### ${name}\n\n${wrapIndented(doc, 0, 100)}\n\n\`\`\`ts\n${signature}\n\`\`\`\n`;
}

/** The page with its present reference replaced. */
export function apiPage(): string {
  return replaceGeneratedPart(readFileSync(FILE, 'utf8'), 'api', apiReference());
}

if (import.meta.main) writeFileSync(FILE, apiPage());
