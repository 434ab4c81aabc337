// The text that the Json program parses: made up here, always the same, with the measures of the suite's own document
// (a message of a remote user interface: 156 operations, about 26 kB, six levels deep, half of its values strings, many
// nulls).

import { Random } from './random.ts';

const WORDS = [
  'deck',
  'arm',
  'stylus',
  'groove',
  'platter',
  'sleeve',
  'label',
  'pitch',
  'belt',
  'motor',
  'needle',
  'side',
];
const COLORS = [
  [238, 238, 236, 255],
  [252, 233, 79, 255],
  [114, 159, 207, 255],
  [239, 41, 41, 255],
];
const OPERATIONS = 156;

export function createDocument(): string {
  const random = new Random();
  const word = (): string => WORDS[random.next() % WORDS.length]!;
  const operations: unknown[] = [['destroy', 'n54']];

  for (let i = 1; i < OPERATIONS; i += 1) {
    const node = `n${100 + i}`;
    if (i % 13 === 3) {
      operations.push(['listen', node, { Press: true, Release: random.next() % 2 === 0, KeyDown: true }]);
    } else if (i % 17 === 5) {
      operations.push([
        'set',
        node,
        {
          bounds: [10, random.next() % 600, 988, 402],
          metrics: [
            [0, 0, 50, 3],
            [1, 50, random.next() % 100, 53],
          ],
          opacity: (random.next() % 1000) / 1000,
          scale: -1.5e-7,
          title: `Side "${word()}" \\ ${word()}\n\t${word()}/${word()}`,
          visible: false,
        },
      ]);
    } else if (i % 19 === 7) {
      operations.push([
        'create',
        node,
        'view.Panel',
        { parent: 'n53', style: ['NONE', 'BORDER'], bounds: [0, 61, 1008, 525], children: [node, 'n99'], tabIndex: -1 },
      ]);
    } else {
      const colors: unknown[] = [null, null, null, null, null];
      colors[3] = COLORS[random.next() % COLORS.length]!;
      operations.push([
        'create',
        node,
        'view.list.RowItem',
        {
          parent: 'n99',
          index: i,
          texts: [`${i}`, word(), `${word()} ${word()}`, `${word()} of a ${word()}`, `${random.next() % 18}`],
          cellBackgrounds: colors,
        },
      ]);
    }
  }
  return JSON.stringify({ head: { requestCounter: 4 }, operations });
}
