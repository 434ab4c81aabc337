// Says how often it was asked.
import { createServer } from 'node:http';

let count = 0;
const server = createServer((request, response) => {
  count++;
  response.end(`${count} ${request.url}`);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
