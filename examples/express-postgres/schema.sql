DROP TABLE IF EXISTS items, invoices;
CREATE TABLE items (order_id integer, name text, price numeric(10, 2), count integer);
CREATE TABLE invoices (order_id integer, cents integer);
INSERT INTO items VALUES (1, 'lamp', 30.00, 2), (2, 'chair', 25.00, 1), (2, 'cup', 5.00, 2);
