// Secrets that have no name but a format: credentials of HTTP and of URLs, keys and tokens of known providers, the
// authentication commands of protocols.
import type { TextRange } from './secret-values.ts';

export interface FormatRange extends TextRange {
  /** Description of the format for users. */
  readonly format: string;
}

interface SecretFormat {
  readonly name: string;
  /** The secret is the group `secret`, or else the whole match. */
  readonly pattern: RegExp;
  /** Further condition on the secret. */
  readonly condition?: (secret: string) => boolean;
}

/** Keys and tokens with a fixed prefix, by provider. */
const PROVIDER_TOKENS = [
  'sk_(?:live|test)_[A-Za-z0-9]{8,}|rk_(?:live|test)_[A-Za-z0-9]{8,}|whsec_[A-Za-z0-9+/=]{16,}', // Stripe
  'sk-[A-Za-z0-9_-]{20,}', // OpenAI, Anthropic
  'gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}', // GitHub
  'glpat-[A-Za-z0-9_-]{16,}', // GitLab
  'xox[abeoprs]-[A-Za-z0-9-]{10,}', // Slack
  '(?:AKIA|ASIA)[A-Z0-9]{16}', // AWS
  'AIza[A-Za-z0-9_-]{35}|ya29\\.[A-Za-z0-9_-]{16,}', // Google
  'npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{16,}', // package registries
  'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}', // SendGrid
  'shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{16,}|dop_v1_[a-f0-9]{32,}|hf_[A-Za-z0-9]{20,}',
  'AGE-SECRET-KEY-1[A-Z0-9]{40,}',
].join('|');

const FORMATS: readonly SecretFormat[] = [
  {
    name: 'private key',
    pattern:
      /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  { name: 'JSON web token', pattern: /\beyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)*/g },
  { name: 'provider token', pattern: new RegExp(`(?<![A-Za-z0-9])(?:${PROVIDER_TOKENS})`, 'g') },
  {
    name: 'credentials of a URL',
    pattern: /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s/?#@:"'`\\]{0,200}:(?<secret>[^\s/?#"'`\\]{1,500})@/gi,
  },
  { name: 'credentials of a URL', pattern: /\bhttps?:\/\/(?<secret>[\w-]{20,200})@/gi },
  {
    name: 'credentials',
    pattern: /\bBasic +(?<secret>[A-Za-z0-9+/_-]{4,2000}={0,2})/gi,
    condition: (secret) => Buffer.from(secret, 'base64').includes(':'),
  },
  {
    name: 'credentials',
    pattern: /\b(?:Bearer|Negotiate|NTLM|Token|ApiKey) +(?<secret>[\w+/.~-]{8,5000}={0,2})(?![\w=])/gi,
    condition: (secret) => /\d/.test(secret),
  },
  { name: 'credentials', pattern: /\b(?:Digest|AWS4-HMAC-SHA256) +(?<secret>(?:username|Credential)=[^\r\n]+)/g },
  { name: 'signature of a URL', pattern: /[?&]sig=(?<secret>[^&\s"'`#]{8,500})/gi },
  {
    name: 'webhook address',
    pattern:
      /\bhooks\.slack\.com\/services\/(?<secret>[\w/]{10,200})|\bdiscord(?:app)?\.com\/api\/webhooks\/(?<token>[\w/-]{10,200})/g,
  },
  // Redis, as a command line, as an array of strings, as it is sent, and as ioredis logs it.
  { name: 'Redis command', pattern: /(?:^|[\r\n"'`])auth[ \t]+(?!plain\b|login\b|xoauth)(?<secret>[^\r\n"'`]+)/gi },
  {
    name: 'Redis command',
    pattern: /\[\s*["']auth["'](?:,\s*(?:"[^"]*"|'[^']*'))?,\s*["'](?<secret>[^"']+)["']\s*\]/gi,
  },
  { name: 'Redis command', pattern: /\$4\r\nauth\r\n(?:\$\d+\r\n[^\r\n]*\r\n)?\$\d+\r\n(?<secret>[^\r\n]+)/gi },
  { name: 'Redis command', pattern: /\bauth\(\[?\s*(?<secret>["'][^)\]]*)/g },
  {
    name: 'Redis command',
    pattern: /\bconfig[\s"',]+set[\s"',]+(?:requirepass|masterauth)[\s"',]+(?<secret>[^\s"',]+)/gi,
  },
  { name: 'Redis command', pattern: /\bhello[\s"',]+[23][\s"',]+auth[\s"',]+(?<secret>[^\s"',]+[\s"',]+[^\s"',]+)/gi },
  { name: 'Redis command', pattern: /\bacl[\s"',]+setuser[\s"',]+[^\s"',]+[^\r\n]{0,500}?>(?<secret>[^\s"',]+)/gi },
  // SMTP, IMAP, POP3, FTP, IRC.
  { name: 'mail or FTP command', pattern: /(?:^|[\r\n])AUTH (?:PLAIN|LOGIN|XOAUTH2) (?<secret>[A-Za-z0-9+/=]{4,})/g },
  { name: 'mail or FTP command', pattern: /(?:^|\r\n)PASS (?<secret>[^\r\n]+)\r\n/g },
  { name: 'mail or FTP command', pattern: /(?:^|\r\n)\w{1,20} LOGIN \S+ (?<secret>[^\r\n]+)\r\n/g },
  {
    name: 'command-line credentials',
    pattern: /(?:^|\s)(?:-u|--user)[ =]["']?[^\s:"']+:(?<secret>[^\s"']+)/g,
    condition: (secret) => /\D/.test(secret),
  },
];

/** Characters or words without which a text has no format of these. */
const HINTS =
  /-----BEGIN|eyJ|:\/\/|basic|bearer|negotiate|ntlm|token|apikey|digest|aws4|auth|config|acl|PASS |LOGIN|hooks\.|webhooks|sig=|-u |--user|[sr]k[_-]|whsec_|gh[pousr]_|github_pat_|glpat-|xox|npm_|pypi-|shp|dop_|hf_|AKIA|ASIA|AIza|ya29|SG\.|AGE-/i;

export function* formattedSecrets(text: string): Generator<FormatRange> {
  if (text.length < 6 || !HINTS.test(text)) return;
  for (const { name, pattern, condition } of FORMATS)
    for (const match of text.matchAll(pattern)) {
      const secret = match.groups?.['secret'] ?? match.groups?.['token'] ?? match[0];
      if (condition?.(secret) === false) continue;
      const start = match.index + match[0].lastIndexOf(secret);
      yield { start, end: start + secret.length, format: name };
    }
}
