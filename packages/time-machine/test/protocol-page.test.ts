// The second half of docs/internals/protocol.md is printed from the schemas, after a marker line. `npm run golden` prints it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  ERROR_CODES,
  METHODS,
  SERVER_NOTIFICATIONS,
  CLIENT_NOTIFICATIONS,
  SHAPES,
} from '@turntable/time-machine/protocol';
import type { JsonSchema, Schema } from '../src/protocol/schema.ts';

const PAGE = join(import.meta.dirname, '../../../docs/internals/protocol.md');
const GENERATED_MARKER = '<!-- From here on printed from the schemas: npm run golden -->\n';

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

function propertyRows({ properties = {}, required = [] }: JsonSchema, path = ''): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const full = `${path}${name}${required.includes(name) ? '' : '?'}`;
    const inner = schema.type === 'array' ? (schema.items ?? {}) : schema;
    const isOpened = inner.properties !== undefined && !named.has(inner);
    const shown = isOpened ? (schema.type === 'array' ? 'list' : 'object') : typeText(schema);
    const row = `| \`${full}\` | ${shown} | ${schema.description ?? ''} |`;
    return isOpened ? [row, ...propertyRows(inner, `${full}${schema.type === 'array' ? '[]' : ''}.`)] : [row];
  });
}

function table(schema: JsonSchema): string {
  const name = named.get(schema);
  if (name !== undefined) return ` ${name}\n`;
  const shape = propertyRows(schema);
  return shape.length === 0 ? ' nothing\n' : `\n\n| | | |\n|---|---|---|\n${shape.join('\n')}\n`;
}

function generatedPage(): string {
  const text = (all: Record<string, { description: string; params: Schema<unknown> }>): string[] =>
    Object.entries(all).map(
      ([name, { description, params }]) => `### \`${name}\`\n\n${description}\n\nparams:${table(params.json)}`,
    );
  return [
    '## Requests\n',
    ...Object.entries(METHODS).map(
      ([name, { description, params, result }]) =>
        `### \`${name}\`\n\n${description}\n\nparams:${table(params.json)}\nresult:${table(result.json)}`,
    ),
    '## Notifications of clients\n',
    ...text(CLIENT_NOTIFICATIONS),
    '## Notifications of the server\n',
    ...text(SERVER_NOTIFICATIONS),
    '## Shapes\n',
    ...Object.entries(SHAPES).map(([name, { json }]) => `### ${name}${table({ ...json })}`),
    '## Codes of errors\n',
    `| | |\n|---|---|\n${Object.entries(ERROR_CODES)
      .map(([name, code]) => `| ${code} | ${name} |`)
      .join('\n')}\n`,
  ].join('\n');
}

test('docs/internals/protocol.md agrees with the schemas', async () => {
  const [prose] = readFileSync(PAGE, 'utf8').split(GENERATED_MARKER);
  await expect(`${prose}${GENERATED_MARKER}\n${generatedPage()}`).toMatchFileSnapshot(PAGE);
});
