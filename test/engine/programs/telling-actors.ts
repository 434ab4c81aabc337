// The actor of telling.ts.
export class Teller {
  tell(what: string): string {
    console.log(`told ${what}`);
    return what;
  }
}
