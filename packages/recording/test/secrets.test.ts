// Secrets are redacted in every form in which they are shown, and ordinary texts stay as they are.
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REDACTED, Redaction } from '@turntable/recording/redaction';
import { ORDINARY_TEXTS, SECRET_FORMS } from './secret-forms.ts';

const SECRET = '7f3a9c1e5b2d';
const REVEALING_FORMS = [
  SECRET,
  Buffer.from(SECRET).toString('base64').replaceAll('=', ''),
  Buffer.from(SECRET).toString('hex'),
  String(Number.parseInt(SECRET, 16)),
];

/** Places where the text of the test is only a part of the secret. */
const PARTIAL_SECRETS: ReadonlySet<string> = new Set(['provider token', 'webhook']);

/** Pieces that patterns with nested repetitions would match in many ways. */
const LONG_PIECES = String.raw`
  x|0|\|"|[|{|,|a.|a-|-|a=|x:|://|a://b:|%22|eyJ|password |password=|password: |"password":|password: [|password: {|
  auth |name="password"|insert into t (|select |a = |$1 = |params: [|acl setuser x |-----BEGIN PRIVATE KEY-----|--token |
  Basic |Bearer a|Cookie: a|hello 3 auth |config set |AUTH PLAIN |a1 LOGIN b |<password>|"auth",
`
  .split(/\||\n\s*/)
  .filter((piece) => piece !== '');

test.each(SECRET_FORMS)('$place: the secret is redacted', ({ text }) => {
  const redacted = new Redaction().redactText(text(SECRET));
  expect(redacted).toContain(REDACTED);
  for (const each of REVEALING_FORMS) expect(redacted).not.toContain(each);
});

test('redacted texts show all but the secrets', async () => {
  const lines = SECRET_FORMS.map(
    ({ place, text }) => `${place}\n  ${JSON.stringify(new Redaction().redactText(text(SECRET)))}\n`,
  );
  await expect(lines.join('')).toMatchFileSnapshot(join(import.meta.dirname, 'golden/secrets.txt'));
});

test.each(ORDINARY_TEXTS)('an ordinary text stays as it is: %s', (text) => {
  expect(new Redaction().redactText(text)).toBe(text);
});

test('bytes are redacted like texts, and keep their length', () => {
  for (const { text } of SECRET_FORMS) {
    const bytes = Buffer.from(text(SECRET));
    const redacted = new Redaction().redactValue(bytes) as Uint8Array;
    expect(redacted).toHaveLength(bytes.length);
    expect(Buffer.from(redacted).toString()).not.toContain(SECRET);
  }
});

test('a text keeps its length if secrets are masked', () => {
  for (const { text } of SECRET_FORMS) {
    const masked = new Redaction().maskText(text(SECRET));
    expect(masked).toHaveLength(text(SECRET).length);
    expect(masked).not.toContain(SECRET);
  }
});

describe('a learned value', () => {
  test.each(SECRET_FORMS.filter(({ place, text }) => text(SECRET).includes(SECRET) && !PARTIAL_SECRETS.has(place)))(
    'of $place is redacted elsewhere',
    ({ text }) => {
      const redaction = new Redaction();
      redaction.learn(text(SECRET));
      expect(redaction.redactText(`order ${SECRET} is late`)).toBe(`order ${REDACTED} is late`);
    },
  );

  test('is redacted in other encodings', () => {
    const secret = 'pa"ss & wörd/7';
    const redaction = new Redaction();
    redaction.learn({ password: secret });
    const escaped = JSON.stringify(secret).slice(1, -1);
    for (const text of [secret, escaped, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
      expect(redaction.redactText(`<${text}>`)).toBe(`<${REDACTED}>`);
    for (const encoding of ['utf8', 'utf16le', 'latin1'] as const) {
      const bytes = Buffer.from(`<${secret}>`, encoding);
      const redacted = Buffer.from(redaction.redactValue(bytes) as Uint8Array);
      if (encoding !== 'latin1') expect(redacted.toString(encoding)).not.toContain('rd/7');
    }
  });

  test('is redacted at the end of a cut text', () => {
    const redaction = new Redaction();
    redaction.learn({ token: SECRET });
    expect(redaction.redactText(`at ${SECRET.slice(0, 8)}`, true)).toBe(`at ${REDACTED}`);
    expect(redaction.redactText(`at ${SECRET.slice(0, 8)}`)).toBe(`at ${SECRET.slice(0, 8)}`);
  });

  test('is no ordinary word', () => {
    const redaction = new Redaction();
    redaction.learn({ password: 'summer', token: 'name', pin: 'ab1', secret: 'Header' });
    expect(redaction.redactText('summer, name, ab1, Header')).toBe('summer, name, ab1, Header');
  });

  test('is no attribute of a cookie and no working directory', () => {
    const redaction = new Redaction();
    redaction.learn({ 'set-cookie': `sid=${SECRET}; Path=/orders/v2; Expires=Wed, 21 Oct 2026 07:28:00 GMT` });
    redaction.learn({ PWD: '/home/ann/shop-2' });
    expect(redaction.redactText(`/orders/v2 in /home/ann/shop-2 ${SECRET}`)).toBe(
      `/orders/v2 in /home/ann/shop-2 ${REDACTED}`,
    );
  });

  test('is any string under a secret name', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12, unit: 'binary' }), (secret) => {
        const redaction = new Redaction();
        redaction.learn([{ deep: { clientSecret: secret } }]);
        expect(redaction.redactText(`${secret}\u0000`)).toBe(`${REDACTED}\u0000`);
      }),
    );
  });
});

test.each(LONG_PIECES)('a long text of %j is redacted without backtracking', (piece) => {
  const text = piece.repeat(200_000 / piece.length);
  const redaction = new Redaction();
  redaction.learn(text);
  expect(redaction.maskText(text)).toHaveLength(text.length);
});

test('any text is redacted without an error', () => {
  const parts = fc.constantFrom(
    'password',
    ': ',
    '"',
    '\\"',
    '[',
    '{',
    '=',
    '%5B',
    'auth',
    'select ',
    '$1',
    ' ',
    '://',
    '@',
    '\n',
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 200 }), (pieces) => {
      const text = pieces.join('');
      const redaction = new Redaction();
      redaction.learn(text);
      const once = redaction.redactText(text);
      expect(new Redaction().maskText(text)).toHaveLength(text.length);
      expect(typeof once).toBe('string');
    }),
  );
});
