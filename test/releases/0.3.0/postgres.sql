create table audit (
  seq bigint generated always as identity not null,
  at bigint not null,
  actor text collate "C" not null,
  node text collate "C" not null,
  action text collate "C" not null,
  subject text collate "C" not null,
  details text collate "C" not null
);
create table changes (
  id bigint not null,
  consumers bigint default 0 not null,
  clients bigint default 0 not null,
  revocations bigint default 0 not null,
  signing_keys bigint default 0 not null,
  webhooks bigint default 0 not null
);
create table child_work (
  child text collate "C" not null,
  parent_id text collate "C" not null,
  what text collate "C" not null,
  new_owner text collate "C",
  at bigint not null
);
create table client_secrets (
  id text collate "C" not null,
  client_id text collate "C" not null,
  digest bytea not null,
  created_at bigint not null,
  label text collate "C" default ''::text not null,
  expires_at bigint,
  last_used_on bigint
);
create table clients (
  id text collate "C" not null,
  label text collate "C" not null,
  state text collate "C" not null,
  created_at bigint not null,
  scopes text collate "C" default ''::text not null,
  public_keys text collate "C",
  mac bytea
);
create table consumers (
  id text collate "C" not null,
  kind text collate "C" not null,
  state text collate "C" not null,
  registered_at bigint not null
);
create table deliveries (
  webhook_id text collate "C" not null,
  position bigint not null,
  record_key text collate "C" not null,
  attempts bigint not null,
  due_at bigint not null,
  state text collate "C" not null,
  reason text collate "C",
  tried_at bigint
);
create table documents (
  name text collate "C" not null,
  content text collate "C" not null,
  mac bytea not null
);
create table erasures (
  id text collate "C" not null,
  digest bytea not null,
  at bigint not null
);
create table event_topics (
  topic bytea not null,
  position bigint not null,
  fields bigint not null
);
create table events (
  position bigint not null,
  at bigint not null,
  type text collate "C" not null,
  collection text collate "C",
  record_id text collate "C",
  owner text collate "C" not null,
  data text collate "C" not null
);
create table idempotency_keys (
  owner text collate "C" not null,
  collection text collate "C" not null,
  key_digest bytea not null,
  request_digest bytea not null,
  record_ids text collate "C" not null,
  expires_at bigint not null
);
create table invitations (
  digest bytea not null,
  id text collate "C" not null,
  collection text collate "C" not null,
  record_id text collate "C" not null,
  role text collate "C" not null,
  made_by text collate "C" not null,
  uses_left bigint not null,
  expires_at bigint not null,
  created_at bigint not null
);
create table leases (
  name text collate "C" not null,
  holder text collate "C" not null,
  ends_at bigint not null
);
create table members (
  collection text collate "C" not null,
  record_id text collate "C" not null,
  role text collate "C" not null,
  member text collate "C" not null,
  alias bytea not null,
  since bigint not null,
  record_created_at bigint not null
);
create table proofs (
  digest bytea not null,
  expires_at bigint not null
);
create table record_history (
  collection text collate "C" not null,
  record_id text collate "C" not null,
  n bigint not null,
  at bigint not null,
  action text collate "C" not null,
  from_state text collate "C",
  to_state text collate "C",
  role text collate "C"
);
create table records (
  collection text collate "C" not null,
  id text collate "C" not null,
  owner text collate "C" not null,
  parent_id text collate "C",
  state text collate "C",
  revision text collate "C" not null,
  created_at bigint not null,
  updated_at bigint not null,
  bytes bigint generated always as (octet_length(body)) stored not null,
  body text collate "C" not null
);
create table revocations (
  name text collate "C" not null,
  issued_until bigint not null,
  forget_at bigint not null,
  seq bigint not null,
  issuer text collate "C",
  moved_from bigint
);
create table schema_migrations (
  version bigint not null,
  applied_at bigint not null,
  oldest bigint not null
);
create table signing_keys (
  kid text collate "C" not null,
  algorithm text collate "C" not null,
  public_jwk text collate "C" not null,
  sealed_private_key bytea not null,
  created_at bigint not null,
  signs_from bigint default 0 not null,
  retires_at bigint
);
create table spent_budgets (
  former bytea not null,
  collection text collate "C" not null,
  writes bigint not null,
  writes_since bigint not null,
  newcomer_writes bigint not null,
  newcomer_since bigint not null,
  ends_at bigint not null
);
create table tallies (
  collection text collate "C" not null,
  record_id text collate "C" not null,
  child text collate "C" not null,
  state text collate "C" not null,
  n bigint not null
);
create table usage (
  owner text collate "C" not null,
  collection text collate "C" not null,
  records bigint not null,
  writes bigint not null,
  writes_since bigint not null,
  newcomer_writes bigint not null,
  newcomer_since bigint not null
);
create table used_assertions (
  client_id text collate "C" not null,
  digest bytea not null,
  expires_at bigint not null
);
create table webhooks (
  id text collate "C" not null,
  url text collate "C" not null,
  events text collate "C" not null,
  secret bytea not null,
  previous_secret bytea,
  previous_ends_at bigint,
  created_at bigint not null,
  state text collate "C" not null,
  disabled_because text collate "C",
  position bigint not null,
  failing_since bigint,
  failures bigint not null,
  paused_until bigint,
  last_success_at bigint,
  last_failure text collate "C",
  delivered bigint not null
);
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('1', '1795123005016', 'operator', 'machine', 'client.added', 'house', '{"scopes":["approve"],"secret_id":"dae4ebfeeb67"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('2', '1795123005823', 'operator', 'machine', 'client.added', 'signer', '{"scopes":[],"public_keys":true}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('3', '1795123007468', 'operator', 'machine', 'webhook.added', 'whk_f863291e7ce2e88fc4a22819', '{"origin":"http://127.0.0.1:9","events":"*"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('4', '1795123008678', 'operator', 'machine', 'webhook.added', 'whk_f864c3450f8edd0757b8c78b', '{"origin":"http://127.0.0.1:9","events":"notes.*"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('5', '1795123010488', 'operator', 'machine', 'webhook.rotated', 'whk_f864c3450f8edd0757b8c78b', '{"at_once":false}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('6', '1795123011961', 'operator', 'machine', 'webhook.disabled', 'whk_f864c3450f8edd0757b8c78b', '{"because":"operator"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('7', '1795123023100', 'operator', 'machine', 'key.added', 'EZP9DO1njtZVXSqW1_p222YSo9KUrC9bEhiDLBRbdkE', '{"algorithm":"ES256","signs_from":"2026-11-19T21:17:03.058Z"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('8', '1795123032657', 'operator', 'machine', 'consumer.signed_out', 'usr_qyt-tQ2SFBLEVRUzrTDHvpXcLpfXFvDzn9VBPuGHjes', '{}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('9', '1795123033764', 'operator', 'machine', 'consumer.suspended', 'usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', '{}');
insert into changes (id, consumers, clients, revocations, signing_keys, webhooks) overriding system value values ('1', '0', '0', '0', '0', '0');
insert into child_work (child, parent_id, what, new_owner, at) overriding system value values ('places', '01a1f5ab-a714-775b-81c0-91af94f49baa', 'delete', null, '1795123029992');
insert into child_work (child, parent_id, what, new_owner, at) overriding system value values ('tasks', '01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b', 'own', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '1795123029736');
insert into child_work (child, parent_id, what, new_owner, at) overriding system value values ('tasks', '01a1f5ab-a714-775b-81c0-91af94f49baa', 'delete', null, '1795123029992');
insert into client_secrets (id, client_id, digest, created_at, label, expires_at, last_used_on) overriding system value values ('dae4ebfeeb67', 'house', E'\\xebf579efb9186ad9fd0586e07c5d711a14bded5f18b64ef799e686379aff8a45', '1795123005016', '', null, '1795046400000');
insert into clients (id, label, state, created_at, scopes, public_keys, mac) overriding system value values ('house', 'The house', 'active', '1795123005016', 'approve', null, E'\\x1cd24f127cf0d513a4a6f32f472f97cb2dbe54bfc3517b972ae771164a0a1fc4');
insert into clients (id, label, state, created_at, scopes, public_keys, mac) overriding system value values ('signer', '', 'active', '1795123005823', '', '{"keys":[{"kty":"EC","x":"SZ-NYjKBHzqaSTkPYlgVyeZAQdX-yp_7AVgh8KNoxjc","y":"aDwlS5jSqiNbGvp0rth9D8iVahEs7xFiE5bv9tJJkAc","crv":"P-256","kid":"5b638fe1-826b-48b3-b34d-d565160b931a","use":"sig","alg":"ES256"}]}', E'\\xc128dffd4e0a649c19ee7acea6f8c29169cecdb89f9954ace74bc3b1bf86c4d3');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', 'user', 'active', '1795123028581');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_9-hspOF4LwA1aoYXkfez7FWwXgGDP9yvtppqJDbbwyM', 'client', 'active', '1795123028239');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', 'user', 'active', '1795123028863');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', 'user', 'suspended', '1795123029103');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_eUTj1s5ec-u52U9l1vaeZgp_M4h2rvwewXPaIJPEzCo', 'user', 'active', '1795123035219');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', 'user', 'active', '1795123025829');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_qyt-tQ2SFBLEVRUzrTDHvpXcLpfXFvDzn9VBPuGHjes', 'user', 'active', '1795123030519');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', 'user', 'active', '1795123027868');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_yDqsA9RlcQSqIAD63l7eGOA6zMpbNgBsWvms7SXVlxM', 'user', 'active', '1795123034117');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '1', 'notes/01a1f5ab-97a3-7580-b6e9-2ff2470f1978', '8', '1795123325761', 'dead', 'status_500', '1795123033246');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '10', 'bookings/01a1f5ab-9f9c-7842-983d-1dea92f493a8', '0', '1795123028281', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '11', 'bookings/01a1f5ab-a141-73d6-87e7-0a74e06789aa', '1', '1795123038373', 'pending', 'unreachable', '1795123033379');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '12', 'courses/01a1f5ab-a168-7938-9b27-4006d31ee6f9', '1', '1795123038531', 'pending', 'unreachable', '1795123033379');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '13', 'courses/01a1f5ab-a168-7938-9b27-4006d31ee6f9', '0', '1795123028488', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '14', 'courses/01a1f5ab-a168-7938-9b27-4006d31ee6f9', '0', '1795123028620', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '15', 'courses/01a1f5ab-a168-7938-9b27-4006d31ee6f9', '0', '1795123028659', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '16', 'places/01a1f5ab-a339-73d8-b3dd-7a1b1a66a81c', '0', '1795123028856', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '17', 'places/01a1f5ab-a37f-7b39-a383-8dd34c50b9af', '0', '1795123028974', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '18', 'places/01a1f5ab-a46f-727f-9b2a-3ad77648b323', '0', '1795123029112', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '19', 'places/01a1f5ab-a46f-727f-9b2a-3ad77648b323', '0', '1795123029160', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '2', 'notes/01a1f5ab-97a3-7580-b6e9-2ff2470f1978', '0', '1795123027472', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '20', 'tasks/01a1f5ab-a4f8-7130-b8a2-1c5094fd44a8', '0', '1795123029278', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '21', 'tasks/01a1f5ab-a4f8-7130-b8a2-1c5094fd44a8', '0', '1795123029384', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '22', 'tasks/01a1f5ab-a5d1-7c66-81f4-57b72bcf4bb7', '0', '1795123029555', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '23', 'courses/01a1f5ab-a635-7ce3-abb4-d3a75a00e4a9', '0', '1795123029564', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '24', 'courses/01a1f5ab-a635-7ce3-abb4-d3a75a00e4a9', '0', '1795123029574', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '25', 'courses/01a1f5ab-a635-7ce3-abb4-d3a75a00e4a9', '0', '1795123029590', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '26', 'courses/01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b', '0', '1795123029624', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '27', 'tasks/01a1f5ab-a682-7b7a-8c6a-718df05bd2a7', '0', '1795123029680', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '28', 'courses/01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b', '0', '1795123029773', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '29', 'courses/01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b', '0', '1795123029773', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '3', 'notes/01a1f5ab-9e5d-7135-b674-bc07e22e3547', '2', '1795123322203', 'pending', 'unreachable', '1795123033379');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '30', 'courses/01a1f5ab-a714-775b-81c0-91af94f49baa', '0', '1795123029897', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '31', 'courses/01a1f5ab-a714-775b-81c0-91af94f49baa', '0', '1795123029950', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '32', 'places/01a1f5ab-a7cd-7417-8d1f-5163ef634846', '0', '1795123029970', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '33', 'courses/01a1f5ab-a714-775b-81c0-91af94f49baa', '0', '1795123030006', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '35', 'consumer.erased/35', '0', '1795123030309', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '37', 'consumer.erased/37', '0', '1795123030510', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '4', 'notes/01a1f5ab-9ea2-74b7-a90c-78de3cb9c43e', '2', '1795123363077', 'pending', 'unreachable', '1795123033379');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '5', 'notes/01a1f5ab-9f07-7285-b605-31f8e4565f22', '2', '1795123336862', 'pending', 'unreachable', '1795123033379');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '6', 'notes/01a1f5ab-9f45-7a31-8a93-4dec95e5458f', '2', '1795123320133', 'pending', 'unreachable', '1795123033379');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '7', 'notes/01a1f5ab-9f07-7285-b605-31f8e4565f22', '0', '1795123027984', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '8', 'bookings/01a1f5ab-9f9c-7842-983d-1dea92f493a8', '1', '1795123037994', 'pending', 'unreachable', '1795123033379');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_f863291e7ce2e88fc4a22819', '9', 'bookings/01a1f5ab-9f9c-7842-983d-1dea92f493a8', '0', '1795123028193', 'pending', null, null);
insert into documents (name, content, mac) overriding system value values ('collections', '{"version":3,"files":[["bookings",{"title":"Bookings","description":"Seats that a person asks for and a machine client approves.","schema":{"type":"object","properties":{"seats":{"type":"integer","minimum":1,"maximum":8}},"required":["seats"],"additionalProperties":false},"index":["seats"],"states":{"draft":{"submit":"submitted"},"submitted":{"approve":{"to":"approved","by":"client"}},"approved":{}},"editable":["draft"],"access":{"clients":"any","read":"owner","scopes":{}},"limits":{"per_user":50,"writes":"500/day","newcomer":"20/day for 90d","expire":"3650d","bytes":16384,"memberships":100},"unique":[],"aliases":false,"search":[],"history":false,"concurrency":"optional","events":"thin"}],["courses",{"title":"Courses","schema":{"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":120},"seats":{"type":"integer","minimum":1,"maximum":100},"report":{"type":"string","maxLength":280}},"required":["title","seats"],"additionalProperties":false},"index":["seats"],"search":["title"],"roles":{"assistant":{"invited_by":"owner","max":5},"student":{"invited_by":["owner","assistant"],"max":60},"owner":{"invited_by":"owner","previous_owner":"assistant"}},"access":{"read":{"owner":"all","assistant":"all","student":"all","everyone":["open"]},"update":["owner","assistant"],"delete":"owner","clients":"none","scopes":{}},"states":{"draft":{"open":{"to":"open","by":"owner"}},"open":{"finish":{"to":"finished","by":["owner","assistant"],"sets":["report"]}},"finished":{}},"aliases":true,"history":true,"limits":{"per_user":20,"writes":"500/day","bytes":16384,"memberships":100},"unique":[],"concurrency":"optional","events":"thin"}],["notes",{"title":"Notes","schema":{"type":"object","properties":{"text":{"type":"string","minLength":1,"maxLength":280},"stars":{"type":"integer","minimum":0,"maximum":5},"due":{"type":"string","format":"date-time"}},"required":["text","stars"],"additionalProperties":false},"index":["stars"],"search":["text"],"limits":{"per_user":100,"writes":"500/day","bytes":16384,"memberships":100},"access":{"read":"owner","clients":"none","scopes":{}},"unique":[],"aliases":false,"history":false,"concurrency":"optional","events":"thin"}],["places",{"title":"Places","parent":{"field":"course","collection":"courses","accepts":{"states":["open"]},"capacity":{"states":["confirmed"],"field":"seats","overflow":"waiting"},"counts":["confirmed","waiting"],"on_delete":"cascade","owned_by":"creator"},"schema":{"type":"object","properties":{"note":{"type":"string","maxLength":280}},"additionalProperties":false},"roles":{"organiser":{"parent_roles":["owner","assistant"]}},"access":{"create":"everyone","read":["owner","organiser"],"update":{"owner":["confirmed","waiting"]},"delete":{"owner":["cancelled"]},"clients":"none","scopes":{}},"states":{"confirmed":{"cancel":{"to":"cancelled","by":["owner","organiser"]}},"waiting":{"cancel":{"to":"cancelled","by":["owner","organiser"]}},"cancelled":{}},"unique":[{"fields":["owner","parent"],"states":["confirmed","waiting"],"reveals":false}],"aliases":true,"limits":{"per_user":50,"writes":"500/day","bytes":16384,"memberships":100},"index":[],"search":[],"history":false,"concurrency":"optional","events":"thin"}],["tasks",{"title":"Tasks","parent":{"field":"course","collection":"courses","owned_by":"parent","on_delete":"cascade","max":200,"accepts":{},"counts":false},"schema":{"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":120}},"required":["title"],"additionalProperties":false},"roles":{"teacher":{"parent_roles":["owner","assistant"]},"student":{"parent_roles":"student"}},"access":{"create":"teacher","read":{"teacher":"all","student":["open"]},"update":{"teacher":["draft","open"]},"delete":{"teacher":["draft"]},"clients":"none","scopes":{}},"states":{"draft":{"open":{"to":"open","by":"teacher"}},"open":{}},"limits":{"per_user":50,"writes":"500/day","bytes":16384,"memberships":100},"index":[],"unique":[],"aliases":false,"search":[],"history":false,"concurrency":"optional","events":"thin"}]]}', E'\\x6847bff8c59b73756d02337d96d7126c27f0979915a9d9458c9cf7e20c6fe90e');
insert into documents (name, content, mac) overriding system value values ('http://127.0.0.1:45609/jwks', '{"document":{"keys":[{"kty":"RSA","n":"wiITIuTQVJx0zN9H8LvRnNM6st8-tR--VFuWPuCejqbJ1FFnD5xByBwhHifuwyA3h8kpo8wqqtnr-XCWG0oFN6xVavvKBNj4L6HGNQV3nrgfA5gQUrTLpa80HYBPqXvBpY-b0A1u-p9-LVjWr6WHjTBa6WrkApA6AYmAPwSpnniX-4TMw7txFJktM4l5f2sa2FbR10JRs4lsvdaboyyswvZkQsEH-4iO1pJviZpT9AshRp9YJJ39N-zMAVKGyYa0hGRUtAR2IxZ6SubN35vSa9osP-GyfiPhUysdJQta1ecsEgGMCeSa1HnK6YwYKvluD15qSH10pQ95UeHCz_Od_w","e":"AQAB","kid":"32b86dae-912f-4ba4-898f-1a534d5f5d1c","use":"sig","alg":"RS256"}]},"fetchedAt":1795123023774,"refreshAt":1795123623774}', E'\\x549082c4a14a84689754ecf5ecfb5db5975446c3e9b873326e9753d8c7d26797');
insert into documents (name, content, mac) overriding system value values ('master-secret', '', E'\\x6e3faaa480b7ce41092b39e2a7a7e6c208d00a08e1e51f1630a7b9e460ead2cf');
insert into documents (name, content, mac) overriding system value values ('readiness', '2026-11-19T21:17:24.032Z', E'\\x');
insert into erasures (id, digest, at) overriding system value values ('01a1f5ab-a8b8-74c2-bae4-4f0e5adcfe4c', E'\\x970aac0bf6a4acf58d18acfa7a08b355307800f919cd51f820461707a19733ac', '1795123030200');
insert into erasures (id, digest, at) overriding system value values ('01a1f5ab-a970-77cf-9276-58a603a96040', E'\\x0d1fd94fbdb3f469327c61b75f2e5b0ece28a520b58a683f497ffd054f15d3ba', '1795123030384');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x03872f34684883e1facf13fae95346da', '18', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x03872f34684883e1facf13fae95346da', '19', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x0c086ae2222541a1174dbc47657f3efe', '12', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x0c086ae2222541a1174dbc47657f3efe', '13', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x0c086ae2222541a1174dbc47657f3efe', '14', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x0c086ae2222541a1174dbc47657f3efe', '15', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x0c086ae2222541a1174dbc47657f3efe', '21', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x410c526ac615332f75b00433894e3de4', '23', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x410c526ac615332f75b00433894e3de4', '24', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x410c526ac615332f75b00433894e3de4', '25', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x410c526ac615332f75b00433894e3de4', '30', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x410c526ac615332f75b00433894e3de4', '31', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x410c526ac615332f75b00433894e3de4', '32', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x410c526ac615332f75b00433894e3de4', '33', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x53290888ec6c84137e094440cfd1df78', '12', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x53290888ec6c84137e094440cfd1df78', '13', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x53290888ec6c84137e094440cfd1df78', '14', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x53290888ec6c84137e094440cfd1df78', '15', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x53290888ec6c84137e094440cfd1df78', '16', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x53290888ec6c84137e094440cfd1df78', '17', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x53290888ec6c84137e094440cfd1df78', '18', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x53290888ec6c84137e094440cfd1df78', '19', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x53290888ec6c84137e094440cfd1df78', '20', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x53290888ec6c84137e094440cfd1df78', '21', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x53290888ec6c84137e094440cfd1df78', '22', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x53290888ec6c84137e094440cfd1df78', '26', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x53290888ec6c84137e094440cfd1df78', '27', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x53290888ec6c84137e094440cfd1df78', '28', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5574f977ab57475b5839d92422b320d2', '14', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x59677e5bfe7c1123025b916da7f3e91f', '17', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5a168e4788a78a4e1bd3f43331ad033e', '23', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5a168e4788a78a4e1bd3f43331ad033e', '24', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5a168e4788a78a4e1bd3f43331ad033e', '25', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x67c1bb4caa127b6b3c2309d6a9ea49dd', '30', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x67c1bb4caa127b6b3c2309d6a9ea49dd', '31', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x67c1bb4caa127b6b3c2309d6a9ea49dd', '33', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '15', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '24', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '25', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '31', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '33', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x7ab7344c4c445945116dc08b26240e3a', '26', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x7ab7344c4c445945116dc08b26240e3a', '27', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x7ab7344c4c445945116dc08b26240e3a', '28', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x7ab7344c4c445945116dc08b26240e3a', '29', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x7d93ab6251bdcd30e6782bb8c7093626', '29', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x82b52f207e4533291c7875d09b839145', '23', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x82b52f207e4533291c7875d09b839145', '24', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x82b52f207e4533291c7875d09b839145', '25', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x92dca4479654cf09af2a14dbc6ace7cc', '28', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x92dca4479654cf09af2a14dbc6ace7cc', '29', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa750edd039b1ed1e1c21f3652217460e', '12', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa750edd039b1ed1e1c21f3652217460e', '13', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa750edd039b1ed1e1c21f3652217460e', '14', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa750edd039b1ed1e1c21f3652217460e', '15', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa750edd039b1ed1e1c21f3652217460e', '16', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa750edd039b1ed1e1c21f3652217460e', '17', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa750edd039b1ed1e1c21f3652217460e', '18', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa750edd039b1ed1e1c21f3652217460e', '19', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa750edd039b1ed1e1c21f3652217460e', '20', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa750edd039b1ed1e1c21f3652217460e', '21', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa750edd039b1ed1e1c21f3652217460e', '22', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xb98399ca807003bdb7ced124fce17036', '16', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xb98399ca807003bdb7ced124fce17036', '32', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xe1ff7db7883510f48e1b8e8da6b27bdc', '13', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xe7932d23a2649a91976bc6f977aa97a4', '30', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xe7932d23a2649a91976bc6f977aa97a4', '31', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xe7932d23a2649a91976bc6f977aa97a4', '32', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xe7932d23a2649a91976bc6f977aa97a4', '33', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xeb555ae58fbb1bc07e4245e3f8b0bf8e', '26', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xeb555ae58fbb1bc07e4245e3f8b0bf8e', '28', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xeb555ae58fbb1bc07e4245e3f8b0bf8e', '29', '1');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('1', '1795123025829', 'notes.created', 'notes', '01a1f5ab-97a3-7580-b6e9-2ff2470f1978', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-97a3-7580-b6e9-2ff2470f1978","collection":"notes","revision":"ydXz4Kb4KHMsRfzK","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('10', '1795123028239', 'bookings.approved', 'bookings', '01a1f5ab-9f9c-7842-983d-1dea92f493a8', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f5ab-9f9c-7842-983d-1dea92f493a8","collection":"bookings","revision":"9LS1xd67Jl9RiPye","state":"approved","action":"approve","from":"submitted"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('11', '1795123028289', 'bookings.created', 'bookings', '01a1f5ab-a141-73d6-87e7-0a74e06789aa', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f5ab-a141-73d6-87e7-0a74e06789aa","collection":"bookings","revision":"zKQquhY_U85w62mt","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('12', '1795123028328', 'courses.created', 'courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-a168-7938-9b27-4006d31ee6f9","collection":"courses","revision":"CkQqDpec5c_By60Z","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('13', '1795123028423', 'courses.joined', 'courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-a168-7938-9b27-4006d31ee6f9","collection":"courses","revision":"CkQqDpec5c_By60Z","state":"draft","role":"assistant","alias":"per_3PhMEAqQ8AAE_GLxTX5uXA"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('14', '1795123028581', 'courses.joined', 'courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-a168-7938-9b27-4006d31ee6f9","collection":"courses","revision":"CkQqDpec5c_By60Z","state":"draft","role":"student","alias":"per_V9PjwjE-L8b7a0NUr1NdHg"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('15', '1795123028622', 'courses.open', 'courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-a168-7938-9b27-4006d31ee6f9","collection":"courses","revision":"uJPNhif1InBMgxZu","state":"open","action":"open","from":"draft","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('16', '1795123028794', 'places.created', 'places', '01a1f5ab-a339-73d8-b3dd-7a1b1a66a81c', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', '{"id":"01a1f5ab-a339-73d8-b3dd-7a1b1a66a81c","collection":"places","revision":"PlaIauXH52a3HLEf","state":"confirmed"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('17', '1795123028863', 'places.created', 'places', '01a1f5ab-a37f-7b39-a383-8dd34c50b9af', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f5ab-a37f-7b39-a383-8dd34c50b9af","collection":"places","revision":"TS1IpK7HnC5K8v7U","state":"waiting"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('18', '1795123029103', 'places.created', 'places', '01a1f5ab-a46f-727f-9b2a-3ad77648b323', 'usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', '{"id":"01a1f5ab-a46f-727f-9b2a-3ad77648b323","collection":"places","revision":"aQ0ciyFftRm5U5kd","state":"waiting"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('19', '1795123029112', 'places.cancelled', 'places', '01a1f5ab-a46f-727f-9b2a-3ad77648b323', 'usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', '{"id":"01a1f5ab-a46f-727f-9b2a-3ad77648b323","collection":"places","revision":"vOEZPO74fW9a4JRS","state":"cancelled","action":"cancel","from":"waiting","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('2', '1795123027233', 'notes.changed', 'notes', '01a1f5ab-97a3-7580-b6e9-2ff2470f1978', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-97a3-7580-b6e9-2ff2470f1978","collection":"notes","revision":"tgiCOq31Fssvxb60","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('20', '1795123029240', 'tasks.created', 'tasks', '01a1f5ab-a4f8-7130-b8a2-1c5094fd44a8', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-a4f8-7130-b8a2-1c5094fd44a8","collection":"tasks","revision":"RvqYXSyQBHCTdJgy","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('21', '1795123029336', 'tasks.open', 'tasks', '01a1f5ab-a4f8-7130-b8a2-1c5094fd44a8', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-a4f8-7130-b8a2-1c5094fd44a8","collection":"tasks","revision":"CDVJCU3B03TYad3_","state":"open","action":"open","from":"draft","by":"teacher"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('22', '1795123029458', 'tasks.created', 'tasks', '01a1f5ab-a5d1-7c66-81f4-57b72bcf4bb7', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-a5d1-7c66-81f4-57b72bcf4bb7","collection":"tasks","revision":"CywQsvF0h8zaQrHV","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('23', '1795123029557', 'courses.created', 'courses', '01a1f5ab-a635-7ce3-abb4-d3a75a00e4a9', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f5ab-a635-7ce3-abb4-d3a75a00e4a9","collection":"courses","revision":"_hwB3lyH5i7e1kcL","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('24', '1795123029567', 'courses.open', 'courses', '01a1f5ab-a635-7ce3-abb4-d3a75a00e4a9', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f5ab-a635-7ce3-abb4-d3a75a00e4a9","collection":"courses","revision":"yld305JCUnOLRHDb","state":"open","action":"open","from":"draft","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('25', '1795123029576', 'courses.finished', 'courses', '01a1f5ab-a635-7ce3-abb4-d3a75a00e4a9', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f5ab-a635-7ce3-abb4-d3a75a00e4a9","collection":"courses","revision":"6k9Z1UE9t0Uaca2P","state":"finished","action":"finish","from":"open","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('26', '1795123029598', 'courses.created', 'courses', '01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b","collection":"courses","revision":"mDlpLiLSEZBgFFs8","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('27', '1795123029634', 'tasks.created', 'tasks', '01a1f5ab-a682-7b7a-8c6a-718df05bd2a7', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-a682-7b7a-8c6a-718df05bd2a7","collection":"tasks","revision":"RZLHMul2cEeAQzon","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('28', '1795123029736', 'courses.changed', 'courses', '01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b","collection":"courses","revision":"p80PbQre9Aa46luS","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('29', '1795123029736', 'courses.joined', 'courses', '01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b","collection":"courses","revision":"p80PbQre9Aa46luS","state":"draft","role":"assistant","alias":"per_tKlHbmHWzhCUMDN_mEHAng"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('3', '1795123027559', 'notes.created', 'notes', '01a1f5ab-9e5d-7135-b674-bc07e22e3547', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-9e5d-7135-b674-bc07e22e3547","collection":"notes","revision":"B2jGDTym2VGqVlli","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('30', '1795123029780', 'courses.created', 'courses', '01a1f5ab-a714-775b-81c0-91af94f49baa', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f5ab-a714-775b-81c0-91af94f49baa","collection":"courses","revision":"XsZiGroM9bKoAcaE","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('31', '1795123029910', 'courses.open', 'courses', '01a1f5ab-a714-775b-81c0-91af94f49baa', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f5ab-a714-775b-81c0-91af94f49baa","collection":"courses","revision":"E6mMKhvKzBZ6hA-h","state":"open","action":"open","from":"draft","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('32', '1795123029965', 'places.created', 'places', '01a1f5ab-a7cd-7417-8d1f-5163ef634846', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', '{"id":"01a1f5ab-a7cd-7417-8d1f-5163ef634846","collection":"places","revision":"rVIt-lu6FVJgjqim","state":"confirmed"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('33', '1795123029992', 'courses.deleted', 'courses', '01a1f5ab-a714-775b-81c0-91af94f49baa', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f5ab-a714-775b-81c0-91af94f49baa","collection":"courses","revision":"E6mMKhvKzBZ6hA-h","state":"open"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('35', '1795123030200', 'consumer.erased', null, null, 'usr_eUTj1s5ec-u52U9l1vaeZgp_M4h2rvwewXPaIJPEzCo', '{"owner":"usr_eUTj1s5ec-u52U9l1vaeZgp_M4h2rvwewXPaIJPEzCo"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('37', '1795123030384', 'consumer.erased', null, null, 'usr_YFkmgNEKl_KpvgI_pe__2zpXxR5U3XaCfQ4f8uwH_E4', '{"owner":"usr_YFkmgNEKl_KpvgI_pe__2zpXxR5U3XaCfQ4f8uwH_E4"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('4', '1795123027618', 'notes.created', 'notes', '01a1f5ab-9ea2-74b7-a90c-78de3cb9c43e', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-9ea2-74b7-a90c-78de3cb9c43e","collection":"notes","revision":"4hA9O1_vXJAZhqYP","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('5', '1795123027719', 'notes.created', 'notes', '01a1f5ab-9f07-7285-b605-31f8e4565f22', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-9f07-7285-b605-31f8e4565f22","collection":"notes","revision":"qijOL9gxL3FWK1fU","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('6', '1795123027781', 'notes.created', 'notes', '01a1f5ab-9f45-7a31-8a93-4dec95e5458f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-9f45-7a31-8a93-4dec95e5458f","collection":"notes","revision":"Ze7RdmDA0W-AETfp","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('7', '1795123027781', 'notes.deleted', 'notes', '01a1f5ab-9f07-7285-b605-31f8e4565f22', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f5ab-9f07-7285-b605-31f8e4565f22","collection":"notes","revision":"qijOL9gxL3FWK1fU","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('8', '1795123027868', 'bookings.created', 'bookings', '01a1f5ab-9f9c-7842-983d-1dea92f493a8', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f5ab-9f9c-7842-983d-1dea92f493a8","collection":"bookings","revision":"JW1I_chng6tYP32e","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('9', '1795123028175', 'bookings.submitted', 'bookings', '01a1f5ab-9f9c-7842-983d-1dea92f493a8', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f5ab-9f9c-7842-983d-1dea92f493a8","collection":"bookings","revision":"ucnsSENj09kDYuxs","state":"submitted","action":"submit","from":"draft"}');
insert into idempotency_keys (owner, collection, key_digest, request_digest, record_ids, expires_at) overriding system value values ('usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', 'notes', E'\\x13c6746dabc3b0a7a425f0378f35b7284d39c8ae1f53fa021f63a9299c34d83b', E'\\xf8e9c4e2d7c857523749ccc638dcbfb11cce0efd137d1d01a0a661b7190071c3', '01a1f5ab-9ea2-74b7-a90c-78de3cb9c43e', '1795209427618');
insert into invitations (digest, id, collection, record_id, role, made_by, uses_left, expires_at, created_at) overriding system value values (E'\\x1a8a717140083b4f56f27c001c652e7c21445a3a22b0ff7fed6491a7db9ff376', '01a1f5ab-a2e4-7fa9-abce-4717dd7df19a', 'courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'student', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '5', '1797715028708', '1795123028709');
insert into members (collection, record_id, role, member, alias, since, record_created_at) overriding system value values ('courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'assistant', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', E'\\xdcf84c100a90f00004fc62f14d7e6e5c', '1795123028423', '1795123028328');
insert into members (collection, record_id, role, member, alias, since, record_created_at) overriding system value values ('courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'student', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', E'\\x57d3e3c2313e2fc6fb6b4354af535d1e', '1795123028581', '1795123028328');
insert into members (collection, record_id, role, member, alias, since, record_created_at) overriding system value values ('courses', '01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b', 'assistant', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', E'\\xb4a9476e61d6ce109430337f9841c09e', '1795123029736', '1795123029598');
insert into proofs (digest, expires_at) overriding system value values (E'\\x7fbda48a156461dcd7f1c963f28fc2cd39eb84063f492e1887b816808b31d7ba', '1795123094000');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', '1', '1795123028328', 'create', null, 'draft', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', '2', '1795123028622', 'open', 'draft', 'open', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f5ab-a635-7ce3-abb4-d3a75a00e4a9', '1', '1795123029557', 'create', null, 'draft', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f5ab-a635-7ce3-abb4-d3a75a00e4a9', '2', '1795123029567', 'open', 'draft', 'open', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f5ab-a635-7ce3-abb4-d3a75a00e4a9', '3', '1795123029576', 'finish', 'open', 'finished', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b', '1', '1795123029598', 'create', null, 'draft', 'owner');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('bookings', '01a1f5ab-9f9c-7842-983d-1dea92f493a8', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', null, 'approved', '9LS1xd67Jl9RiPye', '1795123027868', '1795123028239', '{"seats":2}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('bookings', '01a1f5ab-a141-73d6-87e7-0a74e06789aa', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', null, 'draft', 'zKQquhY_U85w62mt', '1795123028289', '1795123028289', '{"seats":8}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, 'open', 'uJPNhif1InBMgxZu', '1795123028328', '1795123028622', '{"title":"Pottery","seats":1}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('courses', '01a1f5ab-a635-7ce3-abb4-d3a75a00e4a9', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', null, 'finished', '6k9Z1UE9t0Uaca2P', '1795123029557', '1795123029576', '{"title":"Weaving","seats":9,"report":"all went well"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('courses', '01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', null, 'draft', 'p80PbQre9Aa46luS', '1795123029598', '1795123029736', '{"title":"Dyeing","seats":4}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('notes', '01a1f5ab-97a3-7580-b6e9-2ff2470f1978', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, null, 'tgiCOq31Fssvxb60', '1795123025829', '1795123027233', '{"text":"ünïcode 👩 milk","stars":3,"due":"2030-01-01T08:00:00Z"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('notes', '01a1f5ab-9e5d-7135-b674-bc07e22e3547', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, null, 'B2jGDTym2VGqVlli', '1795123027559', '1795123027559', '{"text":"bread and butter","stars":5}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('notes', '01a1f5ab-9ea2-74b7-a90c-78de3cb9c43e', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, null, '4hA9O1_vXJAZhqYP', '1795123027618', '1795123027618', '{"text":"only once","stars":4}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('notes', '01a1f5ab-9f45-7a31-8a93-4dec95e5458f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, null, 'Ze7RdmDA0W-AETfp', '1795123027781', '1795123027781', '{"text":"of a batch","stars":0}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('places', '01a1f5ab-a339-73d8-b3dd-7a1b1a66a81c', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'confirmed', 'PlaIauXH52a3HLEf', '1795123028794', '1795123028794', '{"course":"01a1f5ab-a168-7938-9b27-4006d31ee6f9","note":"by the window"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('places', '01a1f5ab-a37f-7b39-a383-8dd34c50b9af', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'waiting', 'TS1IpK7HnC5K8v7U', '1795123028863', '1795123028863', '{"course":"01a1f5ab-a168-7938-9b27-4006d31ee6f9"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('places', '01a1f5ab-a46f-727f-9b2a-3ad77648b323', 'usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'cancelled', 'vOEZPO74fW9a4JRS', '1795123029103', '1795123029112', '{"course":"01a1f5ab-a168-7938-9b27-4006d31ee6f9"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('places', '01a1f5ab-a7cd-7417-8d1f-5163ef634846', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', '01a1f5ab-a714-775b-81c0-91af94f49baa', 'confirmed', 'rVIt-lu6FVJgjqim', '1795123029965', '1795123029965', '{"course":"01a1f5ab-a714-775b-81c0-91af94f49baa"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('tasks', '01a1f5ab-a4f8-7130-b8a2-1c5094fd44a8', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'open', 'CDVJCU3B03TYad3_', '1795123029240', '1795123029336', '{"course":"01a1f5ab-a168-7938-9b27-4006d31ee6f9","title":"Clay"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('tasks', '01a1f5ab-a5d1-7c66-81f4-57b72bcf4bb7', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'draft', 'CywQsvF0h8zaQrHV', '1795123029458', '1795123029458', '{"course":"01a1f5ab-a168-7938-9b27-4006d31ee6f9","title":"Glaze"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('tasks', '01a1f5ab-a682-7b7a-8c6a-718df05bd2a7', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b', 'draft', 'RZLHMul2cEeAQzon', '1795123029634', '1795123029634', '{"course":"01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b","title":"Indigo"}');
insert into revocations (name, issued_until, forget_at, seq, issuer, moved_from) overriding system value values ('KouJrmecJhDVNOwDlkybUeMM2mYgfAn7-o-b29Ta0BA', '1795123037657', '1797715097657', '1', null, null);
insert into schema_migrations (version, applied_at, oldest) overriding system value values ('101', '1795123058897', '101');
insert into signing_keys (kid, algorithm, public_jwk, sealed_private_key, created_at, signs_from, retires_at) overriding system value values ('EZP9DO1njtZVXSqW1_p222YSo9KUrC9bEhiDLBRbdkE', 'ES256', '{"crv":"P-256","kty":"EC","x":"YXF0CEAmbXlx6omdX5MKPr5cZBLj11F4tZMQ1iVIl98","y":"m4a-Obt2U0Gn9HHUkIJ9odOxq4X1bYaU78WizC4Pl34","kid":"EZP9DO1njtZVXSqW1_p222YSo9KUrC9bEhiDLBRbdkE","use":"sig","alg":"ES256"}', E'\\xf6e05d8d9e64dd8d5ec355a56af5b79f72a9998bbd508e4d3914f57cf109ebc54fe866fd5b648ff528bfdbfcababdcbd34960cf91b426fffd3be432a43c0b41f01caf745f9c16eee9d5f9053cfabfa05b93d46be74a2ae159fef9955cf4335c6670e249219f1fa5b8d25e3e41c8a0712418936d217d7147548e92e84c5a68e8d108098c77a51cac8c17d6b35988d1e93bc128f0c488823a5dda5f0fdefece681fc82a972ba67', '1795123023058', '1795123023058', null);
insert into spent_budgets (former, collection, writes, writes_since, newcomer_writes, newcomer_since, ends_at) overriding system value values (E'\\x043afedaf0faf0914e922b72e3abb4fee473308f486729c1ffc2107bb46e92cd', 'bookings', '1', '1795046400000', '1', '1795046400000', '1795132800000');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'places', 'cancelled', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'places', 'confirmed', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'places', 'waiting', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'tasks', 'draft', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f5ab-a168-7938-9b27-4006d31ee6f9', 'tasks', 'open', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f5ab-a65e-78ba-a5e1-83a4a0fa362b', 'tasks', 'draft', '1');
insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since) overriding system value values ('usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', 'courses', '0', '1', '1795046400000', '0', '0');
insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since) overriding system value values ('usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', 'places', '2', '2', '1795046400000', '0', '0');
insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since) overriding system value values ('usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', 'courses', '1', '6', '1795046400000', '0', '0');
insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since) overriding system value values ('usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', 'places', '1', '1', '1795046400000', '0', '0');
insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since) overriding system value values ('usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', 'places', '1', '2', '1795046400000', '0', '0');
insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since) overriding system value values ('usr_eUTj1s5ec-u52U9l1vaeZgp_M4h2rvwewXPaIJPEzCo', 'notes', '0', '1', '1795046400000', '0', '0');
insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since) overriding system value values ('usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', 'courses', '1', '6', '1795046400000', '0', '0');
insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since) overriding system value values ('usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', 'notes', '4', '7', '1795046400000', '0', '0');
insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since) overriding system value values ('usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', 'tasks', '0', '1', '1795046400000', '0', '0');
insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since) overriding system value values ('usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', 'bookings', '2', '3', '1795046400000', '3', '1795046400000');
insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since) overriding system value values ('usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', 'courses', '1', '3', '1795046400000', '0', '0');
insert into usage (owner, collection, records, writes, writes_since, newcomer_writes, newcomer_since) overriding system value values ('usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', 'tasks', '0', '3', '1795046400000', '0', '0');
insert into used_assertions (client_id, digest, expires_at) overriding system value values ('signer', E'\\x658c2cd178e9f4b909ab1ef26dc6058e8aabf48fa441ecc2f4cc714f63e901ca', '1795123099000');
insert into webhooks (id, url, events, secret, previous_secret, previous_ends_at, created_at, state, disabled_because, position, failing_since, failures, paused_until, last_success_at, last_failure, delivered) overriding system value values ('whk_f863291e7ce2e88fc4a22819', 'http://127.0.0.1:9/hook', '*', E'\\x46970f72305ba0fc23647e6221a0b23225384698d759a7cd3f74dc37f11c6c3e29bbd98454cfdc7137a190614a2f150c187dbb4f70d005aa09f5f841', null, null, '1795123007468', 'active', null, '37', '1795123026176', '13', '1795123333379', null, 'unreachable', '0');
insert into webhooks (id, url, events, secret, previous_secret, previous_ends_at, created_at, state, disabled_because, position, failing_since, failures, paused_until, last_success_at, last_failure, delivered) overriding system value values ('whk_f864c3450f8edd0757b8c78b', 'http://127.0.0.1:9/hook', 'notes.*', E'\\xb581bff80f891dc3313163578e81040c569061ff8ab59dbd513173794c26539b1e29bb4f35e8981837b93949c208ce8d365f40bcebdf3eeeaf55dd51', E'\\x42f08aa26968ff8cde7da99837952e3ddaadd3f17ef123d6dc84dafa6dc5f259ebe6890a72f73c7e3971ff13b8c369e111d1dc6940d7986c02b25002', '1795209410488', '1795123008678', 'disabled', 'operator', '0', null, '0', null, null, null, '0');
select setval('public.audit_seq_seq', 9);
alter table audit add constraint audit_pkey PRIMARY KEY (seq);
alter table changes add constraint changes_id_check CHECK ((id = 1));
alter table changes add constraint changes_pkey PRIMARY KEY (id);
alter table child_work add constraint child_work_key PRIMARY KEY (child, parent_id, what);
alter table client_secrets add constraint client_secrets_pkey PRIMARY KEY (id);
alter table clients add constraint clients_pkey PRIMARY KEY (id);
alter table clients add constraint clients_state_check CHECK ((state = ANY (ARRAY['active'::text, 'disabled'::text])));
alter table consumers add constraint consumers_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'client'::text])));
alter table consumers add constraint consumers_pkey PRIMARY KEY (id);
alter table consumers add constraint consumers_state_check CHECK ((state = ANY (ARRAY['active'::text, 'suspended'::text])));
alter table deliveries add constraint deliveries_key PRIMARY KEY (webhook_id, "position");
alter table deliveries add constraint deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'dead'::text])));
alter table documents add constraint documents_pkey PRIMARY KEY (name);
alter table erasures add constraint erasures_pkey PRIMARY KEY (id);
alter table event_topics add constraint event_topics_key PRIMARY KEY (topic, "position");
alter table events add constraint events_pkey PRIMARY KEY ("position");
alter table idempotency_keys add constraint idempotency_keys_key PRIMARY KEY (owner, collection, key_digest);
alter table invitations add constraint invitations_pkey PRIMARY KEY (digest);
alter table leases add constraint leases_pkey PRIMARY KEY (name);
alter table members add constraint members_key PRIMARY KEY (collection, record_id, role, member);
alter table proofs add constraint proofs_pkey PRIMARY KEY (digest);
alter table record_history add constraint record_history_key PRIMARY KEY (collection, record_id, n);
alter table records add constraint records_key PRIMARY KEY (collection, id);
alter table revocations add constraint revocations_pkey PRIMARY KEY (name);
alter table schema_migrations add constraint schema_migrations_pkey PRIMARY KEY (version);
alter table signing_keys add constraint signing_keys_pkey PRIMARY KEY (kid);
alter table spent_budgets add constraint spent_budgets_key PRIMARY KEY (former, collection);
alter table tallies add constraint tallies_key PRIMARY KEY (collection, record_id, child, state);
alter table usage add constraint usage_key PRIMARY KEY (owner, collection);
alter table used_assertions add constraint used_assertions_key PRIMARY KEY (client_id, digest);
alter table webhooks add constraint webhooks_pkey PRIMARY KEY (id);
alter table webhooks add constraint webhooks_state_check CHECK ((state = ANY (ARRAY['active'::text, 'disabled'::text])));
alter table client_secrets add constraint client_secrets_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id) ON DELETE CASCADE;
alter table deliveries add constraint deliveries_position_fkey FOREIGN KEY ("position") REFERENCES events("position") ON DELETE CASCADE;
alter table deliveries add constraint deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE;
alter table event_topics add constraint event_topics_position_fkey FOREIGN KEY ("position") REFERENCES events("position") ON DELETE CASCADE;
alter table invitations add constraint invitations_made_by_fkey FOREIGN KEY (made_by) REFERENCES consumers(id) ON DELETE CASCADE;
alter table invitations add constraint invitations_record FOREIGN KEY (collection, record_id) REFERENCES records(collection, id) ON DELETE CASCADE;
alter table members add constraint members_member_fkey FOREIGN KEY (member) REFERENCES consumers(id) ON DELETE CASCADE;
alter table members add constraint members_record FOREIGN KEY (collection, record_id) REFERENCES records(collection, id) ON DELETE CASCADE;
alter table record_history add constraint record_history_record FOREIGN KEY (collection, record_id) REFERENCES records(collection, id) ON DELETE CASCADE;
alter table tallies add constraint tallies_record FOREIGN KEY (collection, record_id) REFERENCES records(collection, id) ON DELETE CASCADE;
CREATE INDEX client_secrets_client ON public.client_secrets USING btree (client_id);
CREATE INDEX consumers_newcomers ON public.consumers USING btree (registered_at) WHERE (kind = 'user'::text);
CREATE INDEX consumers_suspended ON public.consumers USING btree (id) WHERE (state = 'suspended'::text);
CREATE INDEX deliveries_dead ON public.deliveries USING btree (webhook_id, "position") WHERE (state = 'dead'::text);
CREATE INDEX deliveries_event ON public.deliveries USING btree ("position");
CREATE INDEX deliveries_waiting ON public.deliveries USING btree (webhook_id, due_at) WHERE ((state = 'pending'::text) AND (tried_at IS NOT NULL));
CREATE INDEX event_topics_event ON public.event_topics USING btree ("position");
CREATE INDEX events_owner ON public.events USING btree (substr(owner, 5, 8), "position");
CREATE INDEX idempotency_keys_expiry ON public.idempotency_keys USING btree (expires_at);
CREATE INDEX invitations_expiry ON public.invitations USING btree (expires_at);
CREATE INDEX invitations_maker ON public.invitations USING btree (made_by);
CREATE INDEX invitations_of ON public.invitations USING btree (collection, record_id, created_at);
CREATE INDEX members_alias ON public.members USING btree (collection, record_id, alias, role);
CREATE INDEX members_of ON public.members USING btree (member, collection, record_created_at, record_id, role);
CREATE INDEX proofs_expiry ON public.proofs USING btree (expires_at);
CREATE INDEX records_owner ON public.records USING btree (owner, collection, created_at, id);
CREATE INDEX records_state ON public.records USING btree (collection, state, created_at, id) WHERE (state IS NOT NULL);
CREATE INDEX records_under ON public.records USING btree (collection, parent_id, created_at, id) WHERE (parent_id IS NOT NULL);
CREATE INDEX records_waiting ON public.records USING btree (collection, parent_id, state, created_at, id) WHERE ((parent_id IS NOT NULL) AND (state IS NOT NULL));
CREATE INDEX revocations_seq ON public.revocations USING btree (seq);
CREATE INDEX spent_budgets_end ON public.spent_budgets USING btree (ends_at);
CREATE INDEX tallies_state ON public.tallies USING btree (child, state, record_id) WHERE (n > 0);
CREATE INDEX used_assertions_expiry ON public.used_assertions USING btree (expires_at);
CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$ begin raise exception '% is append-only', tg_table_name; end $function$
;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
