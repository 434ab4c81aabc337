// A small service for the test, with all of Fastify on the program side: it stores notes and reads the clock.

import Fastify from 'fastify';

interface Note {
  readonly text: string;
  readonly by: string | undefined;
  readonly at: number;
}

const notes = new Map<number, Note>();
const service = Fastify();
service.post<{ Body: { readonly text: string } }>('/notes', async ({ body, headers }) => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  const id = notes.size + 1;
  notes.set(id, { text: body.text, by: headers['user-agent'], at: Date.now() });
  return { id, luck: Math.random() };
});
service.get<{ Params: { readonly id: string } }>(
  '/notes/:id',
  async ({ params }) => notes.get(Number(params.id)) ?? {},
);
console.log(`listening ${await service.listen({ port: 0, host: '127.0.0.1' })}`);
process.once('SIGTERM', () => void service.close());
