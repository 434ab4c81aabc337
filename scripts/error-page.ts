// npm run error-page
// Writes docs/errors.md from the error tables of the packages. A test compares the file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_AREAS, EXPLAINED_ERRORS, type ExplainedError } from '../packages/turntable/src/error-tables.ts';
import { wrapIndented } from '../packages/turntable/src/wrap-text.ts';
import { root } from './node-release.mjs';

const FILE = join(root, 'docs/errors.md');

const INTRODUCTION = `# Errors

<!-- Written by scripts/error-page.ts from packages/*/src/error-table.ts: npm run error-page -->

Errors and warnings of Turntable have codes. \`turntable explain\` prints the section of a code, or finds
it for a message or a stack:

\`\`\`
turntable explain TT_UNCAPTURABLE
turntable explain "app has no complete snapshot"
node app.ts 2>&1 | turntable explain
\`\`\`

Words in capital letters in a message are placeholders. Usage errors of commands have no code. Errors of
the language and of Node keep the codes and messages of Node. Errors of the protocol of the time machine
have numbers ([protocol.md](internals/protocol.md)).
`;

/** Text of docs/errors.md. */
export function errorPage(): string {
  const areas = Object.entries(ERROR_AREAS).map(([area, title]) => {
    const errors = EXPLAINED_ERRORS.filter((error) => error.area === area);
    return { title, errors: errors.toSorted((a, b) => (a.code < b.code ? -1 : 1)) };
  });
  const overview = areas.map(
    ({ title, errors }) => `| ${title} | ${errors.map(({ code }) => `[${code}](#${code.toLowerCase()})`).join(', ')} |`,
  );
  const sections = areas.map(({ title, errors }) => `## ${title}\n\n${errors.map(sectionOf).join('\n')}`);
  return `${INTRODUCTION}\n| area | codes |\n|---|---|\n${overview.join('\n')}\n\n${sections.join('\n')}`;
}

function sectionOf({ code, package: packageName, messages, meaning, cause, remedy }: ExplainedError): string {
  const facts = [meaning, `**Cause:** ${cause}`, `**Remedy:** ${remedy}`, `**Package:** \`${packageName}\``];
  return `### ${code}\n\n${facts.map((each) => wrapIndented(each, 0, LINE_CHARS)).join('\n\n')}\n\n\`\`\`\n${messages.map((each) => `${each}\n`).join('')}\`\`\`\n`;
}

const LINE_CHARS = 100;

if (import.meta.main) writeFileSync(FILE, errorPage());
