// The actor of matching.ts.
import { Actor } from 'turntable';

export class Matcher extends Actor {
  matched = 0;

  matches(text: string): boolean {
    this.matched++;
    return Date.now() > 0 && this.isWord(text);
  }

  isWord(text: string): boolean {
    return /^(a+)+$/.test(text);
  }
}
