import { Actor, far, near, release } from 'turntable';

export class Lender extends Actor {
  seen = [];

  lend() {
    this.ref = far({ name: 'a book' });
  }

  look() {
    const found = near(this.ref);
    this.seen.push(found?.name ?? 'nothing');
    return this.seen.length;
  }

  takeBack() {
    release(this.ref);
    return near(this.ref)?.name;
  }
}
