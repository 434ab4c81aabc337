// Redacts the secrets in what the server sends. The schema of a message tells which of its texts are data of the
// recorded program; the names of variables, properties and paths tell which values are secrets as a whole.
import type { Redaction } from '@turntable/recording/redaction';
import { entry, value as valueSchema } from '../protocol/shapes.ts';
import type { JsonSchema, Schema } from '../protocol/schema.ts';

/** The last name of an expression or path: `user.password`, `headers["x-api-key"]`. */
const LAST_NAME = /(?:^|[.#\s])(?<name>[\w$]+)\s*$|\[(?<quote>["'])(?<key>.*)\k<quote>\]\s*$/;

/** Fields beside a value that do not show it. */
const OTHER_FIELDS: ReadonlySet<string> = new Set(['name', 'path', 'actor', 'error', 'task']);

type Fields = Readonly<Record<string, unknown>>;

/** @param expression the expression whose value the result shows, if any */
export function redactResult(
  { json }: Schema<unknown>,
  result: unknown,
  redaction: Redaction,
  expression?: string,
): unknown {
  const secretName = expression === undefined ? undefined : secretNameIn(expression, redaction);
  return redactWith(json, result, { redaction, secretName });
}

interface Context {
  readonly redaction: Redaction;
  /** The secret name to which the values belong, if any. */
  readonly secretName: string | undefined;
}

function redactWith(schema: JsonSchema, result: unknown, context: Context): unknown {
  if (typeof result === 'string') return redactString(schema, result, context);
  if (Array.isArray(result)) {
    const { items } = schema;
    return items === undefined ? result : result.map((each) => redactWith(items, each, context));
  }
  if (typeof result !== 'object' || result === null) return result;
  const fields = result as Fields;
  if (schema === valueSchema.json && context.secretName !== undefined)
    return redactSecretValue(fields, context.secretName, context.redaction);
  const name = nameOf(schema, fields);
  const secretName = (name === undefined ? undefined : secretNameIn(name, context.redaction)) ?? context.secretName;
  return Object.fromEntries(
    Object.entries(fields).map(([key, each]) => {
      const property = schema.properties?.[key];
      if (property === undefined) return [key, each];
      const ownName = OTHER_FIELDS.has(key) ? undefined : secretName;
      return [key, redactWith(property, each, { ...context, secretName: ownName })];
    }),
  );
}

function redactString(schema: JsonSchema, text: string, { redaction, secretName }: Context): string {
  const recorded = (schema.anyOf ?? [schema]).find((each) => each.isRecorded === true);
  if (recorded === undefined) return text;
  if (secretName !== undefined) return redactUnderName(text, secretName, redaction);
  const { maxLength = Infinity } = recorded;
  const isCut = text.endsWith('…') || text.length >= maxLength;
  return redaction.redactText(text, isCut).slice(0, maxLength);
}

/** The name of a variable or property, or the path of a part of a state. */
function nameOf(schema: JsonSchema, { name, path }: Fields): string | undefined {
  if (schema === entry.json) return String(name);
  return typeof path === 'string' && schema.properties?.['path']?.isRecorded === true ? path : undefined;
}

/** Returns the last name of an expression or path if it is one of a secret. */
function secretNameIn(path: string, redaction: Redaction): string | undefined {
  const { name, key } = LAST_NAME.exec(path)?.groups ?? {};
  const last = name ?? key ?? path;
  return redaction.isSecretName(last) ? last : undefined;
}

/** An object under the name of a secret stays, since its own properties have names. */
function redactSecretValue(value: Fields, name: string, redaction: Redaction): Fields {
  const { kind } = value;
  const preview = redactUnderName(String(value['preview']), name, redaction);
  return kind === 'object' || kind === 'function' ? { ...value, preview } : { kind, preview };
}

function redactUnderName(text: string, name: string, redaction: Redaction): string {
  // The rules for texts tell secrets from counts.
  const prefix = `"${name}": `;
  const redacted = redaction.redactText(prefix + text, true);
  return redacted.startsWith(prefix) ? redacted.slice(prefix.length) : redacted;
}
