// Recipients and identities of age, and the files that hold them: one a line, with comments and empty lines. Messages
// never contain an identity, because it is a secret.
import { readFileSync, statSync } from 'node:fs';
import { Decrypter, Encrypter } from 'age-encryption';
import { ageError } from './age-error.ts';
import { ARMOR_START, HEADER_START } from './age-header.ts';

const RECIPIENT_START = 'age1';
const IDENTITY_START = 'AGE-SECRET-KEY-';
/** Larger files are refused, because no file of keys is so large. */
const MAX_KEY_FILE_BYTES = 1 << 20;

/** @param names recipients (`age1…`), and paths of files of recipients @throws {RecordingError} for anything else */
export function createEncrypter(names: readonly string[]): Encrypter {
  const encrypter = new Encrypter();
  for (const name of names)
    if (name.startsWith(RECIPIENT_START)) addRecipient(encrypter, name, name);
    // Not printed, because it is a secret.
    else if (name.startsWith(IDENTITY_START)) addRecipient(encrypter, name, 'the value of --for');
    else
      for (const { line, place } of readKeyLines(name, 'recipient', `a recipient starts with ${RECIPIENT_START}`))
        addRecipient(encrypter, line, place);
  return encrypter;
}

/** @param files identity files @throws {RecordingError} if one cannot be read, or is not an identity file */
export function createDecrypter(files: readonly string[]): Decrypter {
  const decrypter = new Decrypter();
  for (const file of files)
    for (const { line, place } of readKeyLines(file, 'identity', `create one with age-keygen -o FILE`)) {
      if (line.startsWith(RECIPIENT_START))
        throw ageError(file, `${place} is a recipient, which can only encrypt; name the file with the identity`);
      if (!line.startsWith(IDENTITY_START))
        throw ageError(file, `${place} is not an identity; each line of an identity file is ${IDENTITY_START}…`);
      try {
        decrypter.addIdentity(line);
      } catch (error) {
        throw ageError(file, `${place} is not a complete identity; copy the identity file again`, error);
      }
    }
  return decrypter;
}

function addRecipient(encrypter: Encrypter, recipient: string, place: string): void {
  if (recipient.startsWith(IDENTITY_START))
    throw ageError(
      undefined,
      `${place} is an identity, which is a secret; give its recipient, which age-keygen -y prints`,
    );
  if (recipient.startsWith('ssh-'))
    throw ageError(
      undefined,
      `${place} is an SSH key; give a recipient that age-keygen has made (${RECIPIENT_START}…)`,
    );
  try {
    encrypter.addRecipient(recipient);
  } catch (error) {
    throw ageError(undefined, `${place} is not a recipient of age; copy the whole line (${RECIPIENT_START}…)`, error);
  }
}

interface KeyLine {
  readonly line: string;
  /** File and number of the line, for messages. */
  readonly place: string;
}

function readKeyLines(file: string, kind: 'recipient' | 'identity', remedy: string): KeyLine[] {
  let text: string;
  try {
    text = statSync(file).size > MAX_KEY_FILE_BYTES ? '' : readFileSync(file, 'utf8');
  } catch (error) {
    throw ageError(
      file,
      `there is no ${kind} or file of these at ${file}: ${(error as Error).message}; ${remedy}`,
      error,
    );
  }
  if (text.startsWith(HEADER_START) || text.startsWith(ARMOR_START))
    throw ageError(file, `${file} is encrypted with a passphrase; decrypt it first: age -d ${file} > FILE`);
  const lines = text.split('\n').flatMap((line, i) => {
    const trimmed = line.trim();
    return trimmed === '' || trimmed.startsWith('#') ? [] : [{ line: trimmed, place: `line ${i + 1} of ${file}` }];
  });
  if (lines.length === 0) throw ageError(file, `${file} has no ${kind}; ${remedy}`);
  return lines;
}
