// Forms in which secrets are shown, by place, and ordinary texts that look similar.

export interface SecretForm {
  readonly place: string;
  readonly text: (secret: string) => string;
}

const json = JSON.stringify;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const bulk = (...parts: string[]): string =>
  `*${parts.length}\r\n${parts.map((each) => `$${each.length}\r\n${each}\r\n`).join('')}`;

/** Each form shows its secret without telling it anywhere else. */
export const SECRET_FORMS: readonly SecretForm[] = [
  // Requests and their headers.
  { place: 'header line', text: (secret) => `POST /orders HTTP/1.1\r\nX-Api-Key: ${secret}\r\nAccept: */*\r\n` },
  { place: 'bearer token', text: (secret) => `Authorization: Bearer ${secret}\nHost: shop` },
  { place: 'basic credentials', text: (secret) => `authorization: Basic ${base64(`ann:${secret}`)}` },
  { place: 'digest credentials', text: (secret) => `Authorization: Digest username="ann", response="${secret}"` },
  { place: 'headers as an object', text: (secret) => `{ authorization: 'Bearer ${secret}', accept: '*/*' }` },
  { place: 'headers as a list', text: (secret) => `[ 'Host', 'shop', 'Authorization', 'Bearer ${secret}' ]` },
  { place: 'proxy credentials', text: (secret) => `Proxy-Authorization: Negotiate ${secret}` },
  { place: 'credentials without a name', text: (secret) => `sending Bearer ${secret} to the bank` },
  { place: 'curl', text: (secret) => `curl -H 'Authorization: token ${secret}' https://api.shop` },
  { place: 'curl with a user', text: (secret) => `curl -u ann:${secret} https://api.shop` },
  // Cookies.
  { place: 'cookie', text: (secret) => `Cookie: theme=dark; session=${secret}` },
  { place: 'cookie as a property', text: (secret) => `{ cookie: 'theme=dark; connect.sid=${secret}' }` },
  { place: 'set-cookie', text: (secret) => `Set-Cookie: sid=${secret}; Path=/; HttpOnly` },
  { place: 'set-cookie as a list', text: (secret) => `{ 'set-cookie': [ 'a=1', 'id=${secret}; Secure' ] }` },
  // Queries, forms, multipart bodies.
  { place: 'query', text: (secret) => `GET /report?from=3&access_token=${secret}&to=4` },
  { place: 'query of a signed URL', text: (secret) => `https://blobs.shop/a.png?se=2026&sig=${secret}` },
  { place: 'AWS signature', text: (secret) => `https://s3/a?X-Amz-Date=1&X-Amz-Signature=${secret}` },
  { place: 'form', text: (secret) => `user=ann&password=${secret}&remember=1` },
  { place: 'nested form', text: (secret) => `user%5Bname%5D=ann&user%5Bpassword%5D=${secret}` },
  { place: 'nested form, not encoded', text: (secret) => `user[name]=ann&user[password]=${secret}` },
  {
    place: 'multipart',
    text: (secret) =>
      `--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n${secret}\r\n--b\r\nContent-Disposition: form-data; name="city"\r\n\r\nParis\r\n--b--\r\n`,
  },
  // JSON.
  { place: 'JSON', text: (secret) => json({ user: 'ann', password: secret, age: 30 }) },
  { place: 'nested JSON', text: (secret) => json({ data: { auth: { clientSecret: secret } } }) },
  { place: 'JSON in JSON', text: (secret) => json({ body: json({ user: 'ann', password: secret }) }) },
  { place: 'JSON in JSON in JSON', text: (secret) => json({ log: json({ body: json({ api_key: secret }) }) }) },
  { place: 'list in JSON', text: (secret) => json({ recoveryCodes: [secret, 'another-code-1'] }) },
  { place: 'number in JSON', text: (secret) => `{"card":{"pin":${Number.parseInt(secret, 16)}}}` },
  { place: 'cut JSON', text: (secret) => `{"user":"ann","refreshToken":"${secret}` },
  {
    place: 'GraphQL variables',
    text: (secret) => json({ query: 'mutation { login }', variables: { password: secret } }),
  },
  { place: 'GraphQL argument', text: (secret) => `mutation { login(name: "ann", password: "${secret}") { id } }` },
  { place: 'JSON in a URL', text: (secret) => `?filter=${encodeURIComponent(json({ token: secret, n: 1 }))}` },
  { place: 'XML', text: (secret) => `<login><user>ann</user><wsse:Password>${secret}</wsse:Password></login>` },
  { place: 'YAML', text: (secret) => `user: ann\npassphrase: ${secret} and more\nport: 5` },
  // SQL.
  { place: 'SQL literal', text: (secret) => `UPDATE users SET password = '${secret}' WHERE id = 5` },
  { place: 'SQL insert', text: (secret) => `insert into users (name, password) values ('ann', '${secret}')` },
  {
    place: 'SQL parameters',
    text: (secret) => `Query: insert into "users" ("name", "password") values ($1, $2) -- params: ["ann", "${secret}"]`,
  },
  { place: 'SQL question marks', text: (secret) => `select * from sessions where token = ? PARAMETERS: ["${secret}"]` },
  {
    place: 'SQL of a driver',
    text: (secret) => `{ text: 'select id from users where api_key = $2 and n = $1', values: [ 5, '${secret}' ] }`,
  },
  {
    place: 'SQL in JSON',
    text: (secret) => json({ sql: 'update users set password = crypt($1, $2)', parameters: [secret, 'salt'] }),
  },
  {
    place: 'SQL of the server log',
    text: (secret) => `update users set secret = $1 where id = $2\nDETAIL:  parameters: $1 = '${secret}', $2 = '5'`,
  },
  { place: 'SQL role', text: (secret) => `ALTER ROLE ann PASSWORD '${secret}'` },
  // Redis, mail.
  { place: 'Redis command', text: (secret) => `AUTH ${secret}` },
  { place: 'Redis command with a user', text: (secret) => `[ 'auth', 'ann', '${secret}' ]` },
  { place: 'Redis on the wire', text: (secret) => bulk('AUTH', 'ann', secret) + bulk('GET', 'orders') },
  { place: 'Redis log', text: (secret) => `ioredis:redis write command[::1:6379]: 0 -> auth([ '${secret}' ])` },
  { place: 'Redis configuration', text: (secret) => `CONFIG SET requirepass ${secret}` },
  { place: 'Redis greeting', text: (secret) => `HELLO 3 AUTH ann ${secret}` },
  { place: 'NATS greeting', text: (secret) => `CONNECT {"user":"ann","pass":"${secret}","lang":"node"}` },
  { place: 'SMTP', text: (secret) => `AUTH PLAIN ${base64(`\0ann\0${secret}`)}\r\n` },
  { place: 'FTP', text: (secret) => `USER ann\r\nPASS ${secret}\r\n` },
  // Log lines, the environment, the command line.
  { place: 'log line', text: (secret) => `12:00:03 login of ann, password=${secret}, took 5 ms` },
  { place: 'coloured log line', text: (secret) => `\u001B[32mtoken\u001B[39m: \u001B[33m'${secret}'\u001B[39m, n: 5` },
  { place: 'inspected object', text: (secret) => `{ user: 'ann', oldPassword: '${secret}', tries: 2 }` },
  { place: 'inspected bytes', text: (secret) => `{ privateKey: <Buffer ${Buffer.from(secret).toString('hex')}> }` },
  { place: 'environment', text: (secret) => `DB_PASSWORD=${secret} PORT=80` },
  { place: 'flag', text: (secret) => `node app.js --api-key ${secret} --verbose` },
  { place: 'flag with =', text: (secret) => `node app.js --password=${secret} --verbose` },
  { place: 'database URL', text: (secret) => `connecting to postgres://ann:${secret}@db.shop:5432/orders` },
  { place: 'connection string', text: (secret) => `Server=db;User=ann;Password=${secret};Timeout=5` },
  { place: 'JSON web token', text: (secret) => `got eyJhbGciOiJIUzI1NiJ9.${base64(secret)}.c2ln at 12:00` },
  {
    place: 'private key',
    text: (secret) => `-----BEGIN EC PRIVATE KEY-----\n${base64(secret)}\n-----END EC PRIVATE KEY-----\nnext`,
  },
  { place: 'provider token', text: (secret) => `using sk_live_${secret} for payments` },
  { place: 'webhook', text: (secret) => `POST https://hooks.slack.com/services/T0/B0/${secret}` },
];

/** Texts without secrets. */
export const ORDINARY_TEXTS: readonly string[] = [
  'tests: 12, pass: 12, fail: 0',
  'PWD=/home/ann OLDPWD=/home/ann/shop HOME=/home/ann',
  '{ usage: { promptTokens: 512, completion_tokens: 1024, max_tokens: 4096 } }',
  'Unexpected token } in JSON at position 5',
  'SyntaxError: Unexpected token \'<\', "<html>" is not valid JSON',
  'if (token === undefined || token == null) return',
  'tokenType=bearer&expires_in=3600',
  '{ tokenType: "bearer", passwordLength: 12, secretName: "db", cookieCount: 3 }',
  'insert into users (name, password, created) values ($1, $2, $3)',
  'select token, created from sessions where id = $1',
  'The password is required.',
  '{ password: undefined, token: null, hasSecret: true, otp: "" }',
  'GET /sessions/12?page=2&sort=key HTTP/1.1',
  'const kinds = tokens.map((token) => token.kind, token => token.text)',
  '{ token: Token { kind: "name", text: "x" }, key: "Enter", code: 200 }',
  'passing 3 of 4, passport=ok, compass: north',
  'PASS test/cart.test.ts\nFAIL test/order.test.ts',
  'https://shop.example:8080/a@b?x=1',
  'Basic concepts and the bearer of news',
  'author: Ann, authority: none, keyboard: de',
  'primary key (id), foreign key: order_id, hash: 5f3a',
  'docker run --user 1000:1000 --key-file /etc/key',
  '[ "id", "password", "created_at" ]',
  'signal SIGTERM, session closed after 5 s',
];
