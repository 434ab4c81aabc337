// Recognizes names of secrets by their last words: `dbPassword` and `x-api-key` are names of secrets, `tokenType` and
// `passwordLength` are not.

/** Last words of the names of secrets, in singular. Of two words, both must be present. */
const SECRET_WORDS = wordSet(`
  password, passwd, passphrase, passcode, pwd, pass, pin, otp, totp, cvv, cvc, mnemonic, seed phrase, recovery phrase,
  secret, token, jwt, credential, authorization, auth, cookie, csrf, xsrf, session, sid, signature, requirepass,
  masterauth, apikey, accesskey, secretkey, privatekey, sessionid, api key, access key, secret key, private key,
  signing key, encryption key, master key, auth key, account key, session key, license key, session id, password hash,
  security code, pin code, recovery code, backup code, verification code, card number, account number, security number,
  ssn, iban
`);

/** Secrets whose names are often written as one word with the words before. */
const SECRET_SUFFIXES = ['password', 'passwd', 'passphrase', 'secret', 'token', 'apikey', 'credential'];

/** Each name of a secret contains one of these. */
export const SECRET_STEMS: readonly string[] = [
  ...new Set([...SECRET_WORDS].map((words) => words.slice(words.lastIndexOf(' ') + 1))),
];

/** Words that may follow the name of a secret, as in `passwordConfirmation`. */
const QUALIFIERS = wordSet(`
  value, header, base64, hex, encoded, raw, pem, plain, text, string, env, confirm, confirmation, new, old, current,
  repeat, again
`);

/** Environment variables of shells. */
const WORKING_DIRECTORY = /^(?:OLD)?PWD$/;
const MAX_NAME_LENGTH = 100;
const WORD_BREAKS = /(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z\d]+/;

export interface SecretName {
  /** Whether the name is in plural. Such numbers are counts (`maxTokens`), and such objects contain secrets. */
  readonly isPlural: boolean;
}

/** The built-in rule: returns how a name is one of a secret, or undefined if it is not. */
export function secretNameOf(name: string): SecretName | undefined {
  if (name.length > MAX_NAME_LENGTH || WORKING_DIRECTORY.test(name)) return undefined;
  const words = name
    .split(WORD_BREAKS)
    .map((word) => word.toLowerCase().replace(/\d+$/, ''))
    .filter((word) => word !== '');
  while (words.length > 1 && QUALIFIERS.has(words.at(-1) ?? '')) words.pop();
  const last = words.at(-1);
  if (last === undefined) return undefined;
  const previous = words.at(-2);
  const isSecret = (word: string): boolean =>
    SECRET_WORDS.has(word) ||
    (previous !== undefined && SECRET_WORDS.has(`${previous} ${word}`)) ||
    SECRET_SUFFIXES.some((suffix) => word.endsWith(suffix));
  if (isSecret(last)) return { isPlural: false };
  return last.endsWith('s') && isSecret(last.slice(0, -1)) ? { isPlural: true } : undefined;
}

function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/,\s+/));
}
