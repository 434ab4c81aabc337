// docs/protocol.md says what the schemas say: its second half is printed from them, behind a line that says so. `npm run golden` prints it anew.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERRORS, METHODS, NOTIFICATIONS, REQUESTED_BY_CLIENTS, SHAPES } from '@turntable/time-machine/protocol';
import type { JsonSchema, Schema } from '../src/protocol/schema.ts';

const PAGE = join(import.meta.dirname, '../../../docs/protocol.md');
const BEHIND = '<!-- From here on printed from the schemas: npm run golden -->\n';

const named = new Map(Object.entries(SHAPES).map(([name, { json }]) => [json, name]));

function typeText(schema: JsonSchema): string {
  const name = named.get(schema);
  if (name !== undefined) return name;
  const { anyOf, enum: values, const: only, type, items, additionalProperties, maxLength, minimum, maximum } = schema;
  if (anyOf !== undefined) return anyOf.map(typeText).join(' or ');
  if (only !== undefined) return `\`${only}\``;
  if (values !== undefined) return values.map((each) => `\`${each}\``).join(', ');
  if (type === 'array') {
    const most = schema.maxItems === undefined ? '' : `at most ${schema.maxItems} `;
    return `list: ${most}${typeText(items ?? {})}`;
  }
  if (type === 'object' && typeof additionalProperties === 'object')
    return `object of ${typeText(additionalProperties)}`;
  if (type === 'string') return `text${maxLength === undefined ? '' : `, at most ${maxLength}`}`;
  if (type === 'integer') {
    const most = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER ? 'on' : `to ${maximum}`;
    return `integer from ${minimum} ${most}`;
  }
  return type ?? 'anything';
}

function rows({ properties = {}, required = [] }: JsonSchema, path = ''): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const full = `${path}${name}${required.includes(name) ? '' : '?'}`;
    const inner = schema.type === 'array' ? (schema.items ?? {}) : schema;
    const isOpened = inner.properties !== undefined && !named.has(inner);
    const shown = isOpened ? (schema.type === 'array' ? 'list' : 'object') : typeText(schema);
    const row = `| \`${full}\` | ${shown} | ${schema.description ?? ''} |`;
    return isOpened ? [row, ...rows(inner, `${full}${schema.type === 'array' ? '[]' : ''}.`)] : [row];
  });
}

function table(schema: JsonSchema): string {
  const name = named.get(schema);
  if (name !== undefined) return ` ${name}\n`;
  const its = rows(schema);
  return its.length === 0 ? ' nothing\n' : `\n\n| | | |\n|---|---|---|\n${its.join('\n')}\n`;
}

function printed(): string {
  const told = (all: Record<string, { about: string; params: Schema<unknown> }>): string[] =>
    Object.entries(all).map(
      ([name, { about, params }]) => `### \`${name}\`\n\n${about}\n\nparams:${table(params.json)}`,
    );
  return [
    '## Requests\n',
    ...Object.entries(METHODS).map(
      ([name, { about, params, result }]) =>
        `### \`${name}\`\n\n${about}\n\nparams:${table(params.json)}\nresult:${table(result.json)}`,
    ),
    '## Notifications of clients\n',
    ...told(REQUESTED_BY_CLIENTS),
    '## Notifications of the server\n',
    ...told(NOTIFICATIONS),
    '## Shapes\n',
    ...Object.entries(SHAPES).map(([name, { json }]) => `### ${name}${table({ ...json })}`),
    '## Codes of errors\n',
    `| | |\n|---|---|\n${Object.entries(ERRORS)
      .map(([name, code]) => `| ${code} | ${name} |`)
      .join('\n')}\n`,
  ].join('\n');
}

test('the page of the protocol says what its schemas say', async () => {
  const [prose] = readFileSync(PAGE, 'utf8').split(BEHIND);
  await expect(`${prose}${BEHIND}\n${printed()}`).toMatchFileSnapshot(PAGE);
});
