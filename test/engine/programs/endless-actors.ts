// The actor of endless.ts.
import { Actor } from 'turntable';

export class Searcher extends Actor {
  places = 0;

  find(wanted: string): number {
    const began = Date.now();
    const shelf = ['apple', 'pear'];
    for (let place = 0; shelf[place] !== wanted; place = (place + 1) % shelf.length) this.places++;
    return Date.now() - began;
  }
}
