// A JSON parser that reads character by character into its own value classes, on one document of about 26 kB.

import { Benchmark } from './benchmark.ts';
import { createDocument } from './json-document.ts';
import { Vector } from './vector.ts';

const DOCUMENT = createDocument();

// Lengths are no good hash; they are portable to every language of the suite, which is what counts here.
function stringHash(text: string): number {
  return text.length * 1402589;
}

/** Where a name probably stands: small, lossy, and always checked against the name itself. */
class HashIndexTable {
  declare slots: number[];

  constructor() {
    this.slots = new Array<number>(32).fill(0);
  }

  add(name: string, index: number): void {
    const slot = this.slotFor(name);
    // One more than the index, 0 is empty; what does not fit in a byte is not remembered.
    if (index < 0xff) {
      this.slots[slot] = (index + 1) & 0xff;
    } else {
      this.slots[slot] = 0;
    }
  }

  get(name: string): number {
    const slot = this.slotFor(name);
    return (this.slots[slot]! & 0xff) - 1;
  }

  slotFor(name: string): number {
    return stringHash(name) & (this.slots.length - 1);
  }
}

class JsonValue {
  isObject(): boolean {
    return false;
  }

  isArray(): boolean {
    return false;
  }

  isNumber(): boolean {
    return false;
  }

  isString(): boolean {
    return false;
  }

  isBoolean(): boolean {
    return false;
  }

  isTrue(): boolean {
    return false;
  }

  isFalse(): boolean {
    return false;
  }

  isNull(): boolean {
    return false;
  }

  asObject(): JsonObject {
    throw new Error('the value is not an object');
  }

  asArray(): JsonArray {
    throw new Error('the value is not an array');
  }
}

class JsonArray extends JsonValue {
  declare values: Vector<JsonValue>;

  constructor() {
    super();
    this.values = new Vector();
  }

  add(value: JsonValue): this {
    if (value === null) throw new Error('an array takes no null reference');
    this.values.append(value);
    return this;
  }

  size(): number {
    return this.values.size();
  }

  get(index: number): JsonValue | null {
    return this.values.at(index);
  }

  override isArray(): boolean {
    return true;
  }

  override asArray(): JsonArray {
    return this;
  }
}

class JsonLiteral extends JsonValue {
  declare value: string;
  declare null: boolean;
  declare true: boolean;
  declare false: boolean;

  constructor(value: string) {
    super();
    this.value = value;
    this.null = value === 'null';
    this.true = value === 'true';
    this.false = value === 'false';
  }

  static NULL = new JsonLiteral('null');

  static TRUE = new JsonLiteral('true');

  static FALSE = new JsonLiteral('false');

  override toString(): string {
    return this.value;
  }

  override isNull(): boolean {
    return this.null;
  }

  override isTrue(): boolean {
    return this.true;
  }

  override isFalse(): boolean {
    return this.false;
  }

  override isBoolean(): boolean {
    return this.true || this.false;
  }
}

class JsonNumber extends JsonValue {
  declare text: string;

  constructor(text: string) {
    super();
    this.text = text;
    if (text === null) throw new Error('a number needs its text');
  }

  override toString(): string {
    return this.text;
  }

  override isNumber(): boolean {
    return true;
  }
}

class JsonString extends JsonValue {
  declare text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  override isString(): boolean {
    return true;
  }
}

class JsonObject extends JsonValue {
  declare names: Vector<string>;
  declare values: Vector<JsonValue>;
  declare table: HashIndexTable;

  constructor() {
    super();
    this.names = new Vector();
    this.values = new Vector();
    this.table = new HashIndexTable();
  }

  add(name: string, value: JsonValue): this {
    if (name === null) throw new Error('a member needs a name');
    if (value === null) throw new Error('a member needs a value');
    this.table.add(name, this.names.size());
    this.names.append(name);
    this.values.append(value);
    return this;
  }

  get(name: string): JsonValue | null {
    if (name === null) throw new Error('a member needs a name');
    const index = this.indexOf(name);
    return index === -1 ? null : this.values.at(index);
  }

  size(): number {
    return this.names.size();
  }

  isEmpty(): boolean {
    return this.names.isEmpty();
  }

  override isObject(): boolean {
    return true;
  }

  override asObject(): JsonObject {
    return this;
  }

  indexOf(name: string): number {
    const index = this.table.get(name);
    if (index !== -1 && name === this.names.at(index)) return index;
    for (let i = this.names.size() - 1; i >= 0; i -= 1) {
      if (this.names.at(i) === name) return i;
    }
    return -1;
  }
}

class ParseError extends Error {
  declare offset: number;
  declare line: number;
  declare column: number;

  constructor(message: string, offset: number, line: number, column: number) {
    super(`${message} at ${line}:${column}`);
    this.offset = offset;
    this.line = line;
    this.column = column;
  }
}

class Parser {
  declare input: string;
  declare index: number;
  declare line: number;
  declare column: number;
  declare current: string | null;
  declare captureStart: number;
  declare captured: string;

  constructor(input: string) {
    this.input = input;
    this.index = -1;
    this.line = 1;
    this.captureStart = -1;
    this.column = 0;
    this.current = null;
    this.captured = '';
  }

  parse(): JsonValue {
    this.read();
    this.skipWhiteSpace();
    const result = this.readValue();
    this.skipWhiteSpace();
    if (!this.isEndOfText()) throw this.error('Unexpected character');
    return result;
  }

  readValue(): JsonValue {
    switch (this.current) {
      case 'n':
        return this.readNull();
      case 't':
        return this.readTrue();
      case 'f':
        return this.readFalse();
      case '"':
        return this.readString();
      case '[':
        return this.readArray();
      case '{':
        return this.readObject();
      case '-':
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9':
        return this.readNumber();
      default:
        throw this.expected('value');
    }
  }

  readArray(): JsonArray {
    this.read();
    const array = new JsonArray();
    this.skipWhiteSpace();
    if (this.readChar(']')) return array;
    do {
      this.skipWhiteSpace();
      array.add(this.readValue());
      this.skipWhiteSpace();
    } while (this.readChar(','));
    if (!this.readChar(']')) throw this.expected("',' or ']'");
    return array;
  }

  readObject(): JsonObject {
    this.read();
    const object = new JsonObject();
    this.skipWhiteSpace();
    if (this.readChar('}')) return object;
    do {
      this.skipWhiteSpace();
      const name = this.readName();
      this.skipWhiteSpace();
      if (!this.readChar(':')) throw this.expected("':'");
      this.skipWhiteSpace();
      object.add(name, this.readValue());
      this.skipWhiteSpace();
    } while (this.readChar(','));
    if (!this.readChar('}')) throw this.expected("',' or '}'");
    return object;
  }

  readName(): string {
    if (this.current !== '"') throw this.expected('name');
    return this.readStringText();
  }

  readNull(): JsonValue {
    this.read();
    this.readRequiredChar('u');
    this.readRequiredChar('l');
    this.readRequiredChar('l');
    return JsonLiteral.NULL;
  }

  readTrue(): JsonValue {
    this.read();
    this.readRequiredChar('r');
    this.readRequiredChar('u');
    this.readRequiredChar('e');
    return JsonLiteral.TRUE;
  }

  readFalse(): JsonValue {
    this.read();
    this.readRequiredChar('a');
    this.readRequiredChar('l');
    this.readRequiredChar('s');
    this.readRequiredChar('e');
    return JsonLiteral.FALSE;
  }

  readRequiredChar(char: string): void {
    if (!this.readChar(char)) throw this.expected(`'${char}'`);
  }

  readString(): JsonValue {
    return new JsonString(this.readStringText());
  }

  readStringText(): string {
    this.read();
    this.startCapture();
    while (this.current !== '"') {
      if (this.current === null) throw this.expected('closing quote');
      if (this.current === '\\') {
        this.pauseCapture();
        this.readEscape();
        this.startCapture();
      } else {
        this.read();
      }
    }
    const text = this.endCapture();
    this.read();
    return text;
  }

  readEscape(): void {
    this.read();
    switch (this.current) {
      case '"':
      case '/':
      case '\\':
        this.captured += this.current;
        break;
      case 'b':
        this.captured += '\b';
        break;
      case 'f':
        this.captured += '\f';
        break;
      case 'n':
        this.captured += '\n';
        break;
      case 'r':
        this.captured += '\r';
        break;
      case 't':
        this.captured += '\t';
        break;
      default:
        throw this.expected('valid escape sequence');
    }
    this.read();
  }

  readNumber(): JsonValue {
    this.startCapture();
    this.readChar('-');
    const first = this.current;
    if (!this.readDigit()) throw this.expected('digit');
    if (first !== '0') {
      while (this.readDigit());
    }
    this.readFraction();
    this.readExponent();
    return new JsonNumber(this.endCapture());
  }

  readFraction(): boolean {
    if (!this.readChar('.')) return false;
    if (!this.readDigit()) throw this.expected('digit');
    while (this.readDigit());
    return true;
  }

  readExponent(): boolean {
    if (!this.readChar('e') && !this.readChar('E')) return false;
    if (!this.readChar('+')) this.readChar('-');
    if (!this.readDigit()) throw this.expected('digit');
    while (this.readDigit());
    return true;
  }

  readChar(char: string): boolean {
    if (this.current !== char) return false;
    this.read();
    return true;
  }

  readDigit(): boolean {
    if (!this.isDigit()) return false;
    this.read();
    return true;
  }

  skipWhiteSpace(): void {
    while (this.isWhiteSpace()) this.read();
  }

  read(): void {
    if (this.current === '\n') {
      this.line += 1;
      this.column = 0;
    }
    this.index += 1;
    if (this.index < this.input.length) {
      this.current = this.input.substring(this.index, this.index + 1);
    } else {
      this.current = null;
    }
  }

  startCapture(): void {
    this.captureStart = this.index;
  }

  pauseCapture(): void {
    const end = this.current === null ? this.index : this.index - 1;
    this.captured += this.input.substring(this.captureStart, end + 1);
    this.captureStart = -1;
  }

  endCapture(): string {
    const end = this.current === null ? this.index : this.index - 1;
    let text: string;
    if (this.captured === '') {
      text = this.input.substring(this.captureStart, end + 1);
    } else {
      this.captured += this.input.substring(this.captureStart, end + 1);
      text = this.captured;
      this.captured = '';
    }
    this.captureStart = -1;
    return text;
  }

  expected(what: string): ParseError {
    if (this.isEndOfText()) return this.error('Unexpected end of input');
    return this.error(`Expected ${what}`);
  }

  error(message: string): ParseError {
    return new ParseError(message, this.index, this.line, this.column - 1);
  }

  isWhiteSpace(): boolean {
    return this.current === ' ' || this.current === '\t' || this.current === '\n' || this.current === '\r';
  }

  isDigit(): boolean {
    return (
      this.current === '0' ||
      this.current === '1' ||
      this.current === '2' ||
      this.current === '3' ||
      this.current === '4' ||
      this.current === '5' ||
      this.current === '6' ||
      this.current === '7' ||
      this.current === '8' ||
      this.current === '9'
    );
  }

  isEndOfText(): boolean {
    return this.current === null;
  }
}

class Json extends Benchmark<JsonValue> {
  override benchmark(): JsonValue {
    return new Parser(DOCUMENT).parse();
  }

  verifyResult(result: JsonValue): boolean {
    if (!result.isObject()) return false;
    if (!result.asObject().get('head')!.isObject()) return false;
    if (!result.asObject().get('operations')!.isArray()) return false;
    return result.asObject().get('operations')!.asArray().size() === 156;
  }
}

export const newInstance = (): Benchmark<JsonValue> => new Json();
