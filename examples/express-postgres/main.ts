// A web service that writes invoices. Customers pay for the shipping of orders below 50.
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';

const FREE_SHIPPING_FROM = 50;
const SHIPPING = 4.9;

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });
await pool.query(await readFile(new URL('schema.sql', import.meta.url), 'utf8'));

const app = express();
app.post('/orders/:id/invoice', async (request, response) => {
  const { id } = request.params;
  const { rows } = await pool.query('SELECT sum(price * count) AS total FROM items WHERE order_id = $1', [id]);
  let { total } = rows[0];
  if (total < FREE_SHIPPING_FROM) total += SHIPPING;
  const cents = Math.round(total * 100);
  await pool.query('INSERT INTO invoices VALUES ($1, $2)', [id, cents]);
  response.json({ order: id, cents });
});

const server = app.listen(Number(process.env['PORT'] ?? 3000), () => {
  console.log(`listening on port ${(server.address() as AddressInfo).port}`);
});
process.once('SIGINT', () => {
  server.close();
  void pool.end();
});
