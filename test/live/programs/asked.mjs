// Answers each line that it is given, with how many there were.
import { createInterface } from 'node:readline';

let count = 0;
createInterface({ input: process.stdin }).on('line', (line) => {
  count++;
  console.log(`${count} ${line}`);
});
