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
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('1', '1795121104101', 'operator', 'machine', 'client.added', 'house', '{"scopes":["approve"],"secret_id":"7aa921bf0d18"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('2', '1795121104335', 'operator', 'machine', 'client.added', 'signer', '{"scopes":[],"public_keys":true}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('3', '1795121104554', 'operator', 'machine', 'webhook.added', 'whk_99cb0fb45f477a23c50f3dbd', '{"origin":"http://127.0.0.1:9","events":"*"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('4', '1795121104842', 'operator', 'machine', 'webhook.added', 'whk_6b9f153207f34e6342adea2c', '{"origin":"http://127.0.0.1:9","events":"notes.*"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('5', '1795121105048', 'operator', 'machine', 'webhook.rotated', 'whk_6b9f153207f34e6342adea2c', '{"at_once":false}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('6', '1795121105228', 'operator', 'machine', 'webhook.disabled', 'whk_6b9f153207f34e6342adea2c', '{"because":"operator"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('7', '1795121106554', 'operator', 'machine', 'key.added', 'tVqVT0Mg7_V3Z4T1fNVwlmnC7yolbCSfBCYo4mb284o', '{"algorithm":"ES256","signs_from":"2026-11-19T20:45:06.549Z"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('8', '1795121108346', 'operator', 'machine', 'consumer.signed_out', 'usr_qyt-tQ2SFBLEVRUzrTDHvpXcLpfXFvDzn9VBPuGHjes', '{}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('9', '1795121108514', 'operator', 'machine', 'consumer.suspended', 'usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', '{}');
insert into changes (id, consumers, clients, revocations, signing_keys, webhooks) overriding system value values ('1', '0', '0', '0', '0', '0');
insert into child_work (child, parent_id, what, new_owner, at) overriding system value values ('places', '01a1f58e-5419-78bb-be4b-35c42f2c470e', 'delete', null, '1795121108025');
insert into child_work (child, parent_id, what, new_owner, at) overriding system value values ('tasks', '01a1f58e-53f7-768a-9cb1-bef52abfffd0', 'own', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '1795121107985');
insert into child_work (child, parent_id, what, new_owner, at) overriding system value values ('tasks', '01a1f58e-5419-78bb-be4b-35c42f2c470e', 'delete', null, '1795121108025');
insert into client_secrets (id, client_id, digest, created_at, label, expires_at, last_used_on) overriding system value values ('7aa921bf0d18', 'house', E'\\xd15063f864578e5a4549dcda4902b3700cd8eb93695d7769c7d20237ddd09933', '1795121104101', '', null, '1795046400000');
insert into clients (id, label, state, created_at, scopes, public_keys, mac) overriding system value values ('house', 'The house', 'active', '1795121104101', 'approve', null, E'\\x7e8f4b1447fb80ece0ca327bba85e82ac6acdbacb0ef19ae4f00769384f4e195');
insert into clients (id, label, state, created_at, scopes, public_keys, mac) overriding system value values ('signer', '', 'active', '1795121104335', '', '{"keys":[{"kty":"EC","x":"Bc4LGKelzmQp2wwHAU9nWHMHbCW6jffvwuT3AFPvetk","y":"LAcZMFRULsh4EocY1ufvHOGNchuLOmQuEpEGb5S2frE","crv":"P-256","kid":"cf586b67-a908-408a-a6d3-6d8b5686dd8d","use":"sig","alg":"ES256"}]}', E'\\xbbbfd23ff4d9aa63e4e9eb1d4f18ad4dba991aff148cddc85a4e9bec5675324b');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', 'user', 'active', '1795121107794');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_9-hspOF4LwA1aoYXkfez7FWwXgGDP9yvtppqJDbbwyM', 'client', 'active', '1795121107704');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', 'user', 'active', '1795121107840');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', 'user', 'suspended', '1795121107852');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_eUTj1s5ec-u52U9l1vaeZgp_M4h2rvwewXPaIJPEzCo', 'user', 'active', '1795121108704');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', 'user', 'active', '1795121107224');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_qyt-tQ2SFBLEVRUzrTDHvpXcLpfXFvDzn9VBPuGHjes', 'user', 'active', '1795121108146');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', 'user', 'active', '1795121107655');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_yDqsA9RlcQSqIAD63l7eGOA6zMpbNgBsWvms7SXVlxM', 'user', 'active', '1795121108546');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '1', 'notes/01a1f58e-5116-75a3-893b-625c74d34895', '8', '1795121112529', 'dead', 'status_500', '1795121107273');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '10', 'bookings/01a1f58e-52c7-7c0f-946f-d7408b494094', '0', '1795121107712', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '11', 'bookings/01a1f58e-5309-70da-b751-e01adb4f506f', '0', '1795121107728', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '12', 'courses/01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', '0', '1795121107744', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '13', 'courses/01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', '0', '1795121107783', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '14', 'courses/01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', '0', '1795121107799', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '15', 'courses/01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', '0', '1795121107808', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '16', 'places/01a1f58e-5370-7101-974a-64a3bf9e94f8', '0', '1795121107831', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '17', 'places/01a1f58e-5380-729d-8c03-0a8884409bde', '0', '1795121107848', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '18', 'places/01a1f58e-538c-7776-9e70-dbeeb5a6810d', '0', '1795121107858', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '19', 'places/01a1f58e-538c-7776-9e70-dbeeb5a6810d', '0', '1795121107870', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '2', 'notes/01a1f58e-5116-75a3-893b-625c74d34895', '0', '1795121107564', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '20', 'tasks/01a1f58e-53a9-77a5-95d1-6269bde4976f', '0', '1795121107887', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '21', 'tasks/01a1f58e-53a9-77a5-95d1-6269bde4976f', '0', '1795121107904', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '22', 'tasks/01a1f58e-53c8-7cc9-a8bc-33f27a699b6a', '0', '1795121107916', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '23', 'courses/01a1f58e-53ce-7172-9189-03a5ac3e16b1', '0', '1795121107923', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '24', 'courses/01a1f58e-53ce-7172-9189-03a5ac3e16b1', '0', '1795121107931', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '25', 'courses/01a1f58e-53ce-7172-9189-03a5ac3e16b1', '0', '1795121107946', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '26', 'courses/01a1f58e-53f7-768a-9cb1-bef52abfffd0', '0', '1795121107962', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '27', 'tasks/01a1f58e-53ff-7f71-9ecb-888378e08526', '0', '1795121107973', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '28', 'courses/01a1f58e-53f7-768a-9cb1-bef52abfffd0', '0', '1795121107991', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '29', 'courses/01a1f58e-53f7-768a-9cb1-bef52abfffd0', '0', '1795121107991', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '3', 'notes/01a1f58e-5272-72f3-a27c-2f3c72c8e89f', '1', '1795121112143', 'pending', 'unreachable', '1795121107591');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '30', 'courses/01a1f58e-5419-78bb-be4b-35c42f2c470e', '0', '1795121107998', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '31', 'courses/01a1f58e-5419-78bb-be4b-35c42f2c470e', '0', '1795121108014', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '32', 'places/01a1f58e-5432-756d-a890-03ae078414b1', '0', '1795121108022', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '33', 'courses/01a1f58e-5419-78bb-be4b-35c42f2c470e', '0', '1795121108032', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '35', 'consumer.erased/35', '0', '1795121108100', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '37', 'consumer.erased/37', '0', '1795121108149', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '4', 'notes/01a1f58e-527c-7fd1-bc93-91df51bac610', '1', '1795121112941', 'pending', 'unreachable', '1795121107626');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '5', 'notes/01a1f58e-5294-79e7-ab97-6fe6f5443600', '1', '1795121113051', 'pending', 'unreachable', '1795121107635');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '6', 'notes/01a1f58e-52a6-7153-b01a-e2701a7e7123', '1', '1795121112745', 'pending', 'unreachable', '1795121107649');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '7', 'notes/01a1f58e-5294-79e7-ab97-6fe6f5443600', '0', '1795121107639', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '8', 'bookings/01a1f58e-52c7-7c0f-946f-d7408b494094', '0', '1795121107660', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', '9', 'bookings/01a1f58e-52c7-7c0f-946f-d7408b494094', '0', '1795121107696', 'pending', null, null);
insert into documents (name, content, mac) overriding system value values ('collections', '{"version":3,"files":[["bookings",{"title":"Bookings","description":"Seats that a person asks for and a machine client approves.","schema":{"type":"object","properties":{"seats":{"type":"integer","minimum":1,"maximum":8}},"required":["seats"],"additionalProperties":false},"index":["seats"],"states":{"draft":{"submit":"submitted"},"submitted":{"approve":{"to":"approved","by":"client"}},"approved":{}},"editable":["draft"],"access":{"clients":"any","read":"owner","scopes":{}},"limits":{"per_user":50,"writes":"500/day","newcomer":"20/day for 90d","expire":"3650d","bytes":16384,"memberships":100},"unique":[],"aliases":false,"search":[],"history":false,"concurrency":"optional","events":"thin"}],["courses",{"title":"Courses","schema":{"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":120},"seats":{"type":"integer","minimum":1,"maximum":100},"report":{"type":"string","maxLength":280}},"required":["title","seats"],"additionalProperties":false},"index":["seats"],"search":["title"],"roles":{"assistant":{"invited_by":"owner","max":5},"student":{"invited_by":["owner","assistant"],"max":60},"owner":{"invited_by":"owner","previous_owner":"assistant"}},"access":{"read":{"owner":"all","assistant":"all","student":"all","everyone":["open"]},"update":["owner","assistant"],"delete":"owner","clients":"none","scopes":{}},"states":{"draft":{"open":{"to":"open","by":"owner"}},"open":{"finish":{"to":"finished","by":["owner","assistant"],"sets":["report"]}},"finished":{}},"aliases":true,"history":true,"limits":{"per_user":20,"writes":"500/day","bytes":16384,"memberships":100},"unique":[],"concurrency":"optional","events":"thin"}],["notes",{"title":"Notes","schema":{"type":"object","properties":{"text":{"type":"string","minLength":1,"maxLength":280},"stars":{"type":"integer","minimum":0,"maximum":5},"due":{"type":"string","format":"date-time"}},"required":["text","stars"],"additionalProperties":false},"index":["stars"],"search":["text"],"limits":{"per_user":100,"writes":"500/day","bytes":16384,"memberships":100},"access":{"read":"owner","clients":"none","scopes":{}},"unique":[],"aliases":false,"history":false,"concurrency":"optional","events":"thin"}],["places",{"title":"Places","parent":{"field":"course","collection":"courses","accepts":{"states":["open"]},"capacity":{"states":["confirmed"],"field":"seats","overflow":"waiting"},"counts":["confirmed","waiting"],"on_delete":"cascade","owned_by":"creator"},"schema":{"type":"object","properties":{"note":{"type":"string","maxLength":280}},"additionalProperties":false},"roles":{"organiser":{"parent_roles":["owner","assistant"]}},"access":{"create":"everyone","read":["owner","organiser"],"update":{"owner":["confirmed","waiting"]},"delete":{"owner":["cancelled"]},"clients":"none","scopes":{}},"states":{"confirmed":{"cancel":{"to":"cancelled","by":["owner","organiser"]}},"waiting":{"cancel":{"to":"cancelled","by":["owner","organiser"]}},"cancelled":{}},"unique":[{"fields":["owner","parent"],"states":["confirmed","waiting"],"reveals":false}],"aliases":true,"limits":{"per_user":50,"writes":"500/day","bytes":16384,"memberships":100},"index":[],"search":[],"history":false,"concurrency":"optional","events":"thin"}],["tasks",{"title":"Tasks","parent":{"field":"course","collection":"courses","owned_by":"parent","on_delete":"cascade","max":200,"accepts":{},"counts":false},"schema":{"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":120}},"required":["title"],"additionalProperties":false},"roles":{"teacher":{"parent_roles":["owner","assistant"]},"student":{"parent_roles":"student"}},"access":{"create":"teacher","read":{"teacher":"all","student":["open"]},"update":{"teacher":["draft","open"]},"delete":{"teacher":["draft"]},"clients":"none","scopes":{}},"states":{"draft":{"open":{"to":"open","by":"teacher"}},"open":{}},"limits":{"per_user":50,"writes":"500/day","bytes":16384,"memberships":100},"index":[],"unique":[],"aliases":false,"search":[],"history":false,"concurrency":"optional","events":"thin"}]]}', E'\\x6847bff8c59b73756d02337d96d7126c27f0979915a9d9458c9cf7e20c6fe90e');
insert into documents (name, content, mac) overriding system value values ('http://127.0.0.1:40487/jwks', '{"document":{"keys":[{"kty":"RSA","n":"wIR2DgY2E-dbDbXhm_wm-Mk3tfwZl8XgPBiG22SYiAOtKO7H63morE6pt-36FNCoDERxEorwbCKJ-NiM0Asjgu_3998S1IP7wUiub33yRuHvctPhYrNFoZXKt5SHLPazGO1gkS943Zb4ci1NQF7Kh15OSdKT1OuPhvWsNFc8cUvMhSpJlSRijBF81ZdPHrjEifP4mJCviahe1FC8B5N6j4umy2Q-WJS2i0guTJ3u3EgBUO3kqfsGkB6Z_mUntxX4cpAsBhO4vfp0o27qBXZj8eyQTLNz-iqLYRhWuZJkqZC7_REquZMko6PIkmLetbhMyoNkj67j-bnUy3E7zaQzow","e":"AQAB","kid":"60ba49e4-acc9-4b1d-8bc7-e14bd1c0d651","use":"sig","alg":"RS256"}]},"fetchedAt":1795121106803,"refreshAt":1795121706803}', E'\\xa465b7268c5bc887a96fc3cfacd92c3f84cbda7bf94b0f6eeb2870c1c93a94d4');
insert into documents (name, content, mac) overriding system value values ('master-secret', '', E'\\x6e3faaa480b7ce41092b39e2a7a7e6c208d00a08e1e51f1630a7b9e460ead2cf');
insert into erasures (id, digest, at) overriding system value values ('01a1f58e-5450-769d-9606-7c37a889d2bc', E'\\x970aac0bf6a4acf58d18acfa7a08b355307800f919cd51f820461707a19733ac', '1795121108048');
insert into erasures (id, digest, at) overriding system value values ('01a1f58e-549b-7eeb-bd21-f762432a54b7', E'\\x0d1fd94fbdb3f469327c61b75f2e5b0ece28a520b58a683f497ffd054f15d3ba', '1795121108123');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x03872f34684883e1facf13fae95346da', '18', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x03872f34684883e1facf13fae95346da', '19', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x2a2c20613038a7e74c6a3b141ab68070', '26', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x2a2c20613038a7e74c6a3b141ab68070', '27', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x2a2c20613038a7e74c6a3b141ab68070', '28', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x2a2c20613038a7e74c6a3b141ab68070', '29', '1');
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
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5618285015536b53d7c39269a630604b', '12', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5618285015536b53d7c39269a630604b', '13', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5618285015536b53d7c39269a630604b', '14', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5618285015536b53d7c39269a630604b', '15', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5618285015536b53d7c39269a630604b', '16', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5618285015536b53d7c39269a630604b', '17', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5618285015536b53d7c39269a630604b', '18', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5618285015536b53d7c39269a630604b', '19', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5618285015536b53d7c39269a630604b', '20', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5618285015536b53d7c39269a630604b', '21', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x5618285015536b53d7c39269a630604b', '22', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x59677e5bfe7c1123025b916da7f3e91f', '17', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '15', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '24', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '25', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '31', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '33', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x7d93ab6251bdcd30e6782bb8c7093626', '29', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x8649edc8ed9a2084d6cbf90293654179', '30', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x8649edc8ed9a2084d6cbf90293654179', '31', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x8649edc8ed9a2084d6cbf90293654179', '32', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x8649edc8ed9a2084d6cbf90293654179', '33', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x92dca4479654cf09af2a14dbc6ace7cc', '28', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x92dca4479654cf09af2a14dbc6ace7cc', '29', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x9bbe79c27f65303f11ea10e85bc9708e', '26', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x9bbe79c27f65303f11ea10e85bc9708e', '28', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x9bbe79c27f65303f11ea10e85bc9708e', '29', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa019cacad81b78e8477f00c934816735', '12', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa019cacad81b78e8477f00c934816735', '13', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa019cacad81b78e8477f00c934816735', '14', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa019cacad81b78e8477f00c934816735', '15', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa019cacad81b78e8477f00c934816735', '21', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa16160b6ddeb6a97cbc745b0c955ced9', '23', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa16160b6ddeb6a97cbc745b0c955ced9', '24', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa16160b6ddeb6a97cbc745b0c955ced9', '25', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa90fa9767a8fcfe5d9113256059078d3', '30', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa90fa9767a8fcfe5d9113256059078d3', '31', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xa90fa9767a8fcfe5d9113256059078d3', '33', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xb98399ca807003bdb7ced124fce17036', '16', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xb98399ca807003bdb7ced124fce17036', '32', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xe1ff7db7883510f48e1b8e8da6b27bdc', '13', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xf2dfe5a2f1cc9401ad6a1d4404a14952', '23', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xf2dfe5a2f1cc9401ad6a1d4404a14952', '24', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xf2dfe5a2f1cc9401ad6a1d4404a14952', '25', '1');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('1', '1795121107224', 'notes.created', 'notes', '01a1f58e-5116-75a3-893b-625c74d34895', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-5116-75a3-893b-625c74d34895","collection":"notes","revision":"A3sFZ3gZgWk9X0vr","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('10', '1795121107704', 'bookings.approved', 'bookings', '01a1f58e-52c7-7c0f-946f-d7408b494094', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f58e-52c7-7c0f-946f-d7408b494094","collection":"bookings","revision":"e4MAPVTLsey3SddA","state":"approved","action":"approve","from":"submitted"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('11', '1795121107722', 'bookings.created', 'bookings', '01a1f58e-5309-70da-b751-e01adb4f506f', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f58e-5309-70da-b751-e01adb4f506f","collection":"bookings","revision":"VO0ZdI1C5VVKbokn","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('12', '1795121107730', 'courses.created', 'courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-5312-7cf2-bb69-8511e5fbcb7f","collection":"courses","revision":"okR5LaYNSfi3JmaV","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('13', '1795121107775', 'courses.joined', 'courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-5312-7cf2-bb69-8511e5fbcb7f","collection":"courses","revision":"okR5LaYNSfi3JmaV","state":"draft","role":"assistant","alias":"per_zo6aAkVHmTdjZosz8WXa9w"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('14', '1795121107794', 'courses.joined', 'courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-5312-7cf2-bb69-8511e5fbcb7f","collection":"courses","revision":"okR5LaYNSfi3JmaV","state":"draft","role":"student","alias":"per_o1_b6y8xHZiy78HO6dpC7A"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('15', '1795121107801', 'courses.open', 'courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-5312-7cf2-bb69-8511e5fbcb7f","collection":"courses","revision":"SkrI-nqPX8YduKHI","state":"open","action":"open","from":"draft","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('16', '1795121107824', 'places.created', 'places', '01a1f58e-5370-7101-974a-64a3bf9e94f8', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', '{"id":"01a1f58e-5370-7101-974a-64a3bf9e94f8","collection":"places","revision":"iMuFc1JJSC7lh8hp","state":"confirmed"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('17', '1795121107840', 'places.created', 'places', '01a1f58e-5380-729d-8c03-0a8884409bde', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f58e-5380-729d-8c03-0a8884409bde","collection":"places","revision":"IsyeYAeQ7FGT5LmA","state":"waiting"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('18', '1795121107852', 'places.created', 'places', '01a1f58e-538c-7776-9e70-dbeeb5a6810d', 'usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', '{"id":"01a1f58e-538c-7776-9e70-dbeeb5a6810d","collection":"places","revision":"OjZfTpHIFvs_nprt","state":"waiting"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('19', '1795121107861', 'places.cancelled', 'places', '01a1f58e-538c-7776-9e70-dbeeb5a6810d', 'usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', '{"id":"01a1f58e-538c-7776-9e70-dbeeb5a6810d","collection":"places","revision":"Gr58Q1Gv22yOjEN2","state":"cancelled","action":"cancel","from":"waiting","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('2', '1795121107526', 'notes.changed', 'notes', '01a1f58e-5116-75a3-893b-625c74d34895', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-5116-75a3-893b-625c74d34895","collection":"notes","revision":"lbfYjbfq6qn2tya4","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('20', '1795121107881', 'tasks.created', 'tasks', '01a1f58e-53a9-77a5-95d1-6269bde4976f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-53a9-77a5-95d1-6269bde4976f","collection":"tasks","revision":"XsuPODpaDukyQIy3","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('21', '1795121107898', 'tasks.open', 'tasks', '01a1f58e-53a9-77a5-95d1-6269bde4976f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-53a9-77a5-95d1-6269bde4976f","collection":"tasks","revision":"9cjh6XvNo9KYtxe2","state":"open","action":"open","from":"draft","by":"teacher"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('22', '1795121107912', 'tasks.created', 'tasks', '01a1f58e-53c8-7cc9-a8bc-33f27a699b6a', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-53c8-7cc9-a8bc-33f27a699b6a","collection":"tasks","revision":"7RNM7-8xNtRFzdpS","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('23', '1795121107918', 'courses.created', 'courses', '01a1f58e-53ce-7172-9189-03a5ac3e16b1', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f58e-53ce-7172-9189-03a5ac3e16b1","collection":"courses","revision":"ELFfLRaGCVFdDSFI","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('24', '1795121107926', 'courses.open', 'courses', '01a1f58e-53ce-7172-9189-03a5ac3e16b1', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f58e-53ce-7172-9189-03a5ac3e16b1","collection":"courses","revision":"Nh6pkCwkbFAD6iS2","state":"open","action":"open","from":"draft","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('25', '1795121107934', 'courses.finished', 'courses', '01a1f58e-53ce-7172-9189-03a5ac3e16b1', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f58e-53ce-7172-9189-03a5ac3e16b1","collection":"courses","revision":"_RiAduesSJu02R9E","state":"finished","action":"finish","from":"open","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('26', '1795121107959', 'courses.created', 'courses', '01a1f58e-53f7-768a-9cb1-bef52abfffd0', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-53f7-768a-9cb1-bef52abfffd0","collection":"courses","revision":"TvNb818K1WRgDQ4h","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('27', '1795121107967', 'tasks.created', 'tasks', '01a1f58e-53ff-7f71-9ecb-888378e08526', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-53ff-7f71-9ecb-888378e08526","collection":"tasks","revision":"L6PheSC0n6TZxDLF","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('28', '1795121107985', 'courses.changed', 'courses', '01a1f58e-53f7-768a-9cb1-bef52abfffd0', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f58e-53f7-768a-9cb1-bef52abfffd0","collection":"courses","revision":"x3ihhIXjm8XidHV3","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('29', '1795121107985', 'courses.joined', 'courses', '01a1f58e-53f7-768a-9cb1-bef52abfffd0', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f58e-53f7-768a-9cb1-bef52abfffd0","collection":"courses","revision":"x3ihhIXjm8XidHV3","state":"draft","role":"assistant","alias":"per_JCUZE07Lbh5zgFBE-MEIUQ"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('3', '1795121107570', 'notes.created', 'notes', '01a1f58e-5272-72f3-a27c-2f3c72c8e89f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-5272-72f3-a27c-2f3c72c8e89f","collection":"notes","revision":"t6Rcojyj2WnJ7H5V","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('30', '1795121107993', 'courses.created', 'courses', '01a1f58e-5419-78bb-be4b-35c42f2c470e', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f58e-5419-78bb-be4b-35c42f2c470e","collection":"courses","revision":"b7qrbBM0RToolnlF","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('31', '1795121108002', 'courses.open', 'courses', '01a1f58e-5419-78bb-be4b-35c42f2c470e', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f58e-5419-78bb-be4b-35c42f2c470e","collection":"courses","revision":"UsrlLJoynxGIIUIz","state":"open","action":"open","from":"draft","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('32', '1795121108018', 'places.created', 'places', '01a1f58e-5432-756d-a890-03ae078414b1', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', '{"id":"01a1f58e-5432-756d-a890-03ae078414b1","collection":"places","revision":"r3eb_PMZdfy9zolW","state":"confirmed"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('33', '1795121108025', 'courses.deleted', 'courses', '01a1f58e-5419-78bb-be4b-35c42f2c470e', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f58e-5419-78bb-be4b-35c42f2c470e","collection":"courses","revision":"UsrlLJoynxGIIUIz","state":"open"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('35', '1795121108048', 'consumer.erased', null, null, 'usr_eUTj1s5ec-u52U9l1vaeZgp_M4h2rvwewXPaIJPEzCo', '{"owner":"usr_eUTj1s5ec-u52U9l1vaeZgp_M4h2rvwewXPaIJPEzCo"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('37', '1795121108123', 'consumer.erased', null, null, 'usr_YFkmgNEKl_KpvgI_pe__2zpXxR5U3XaCfQ4f8uwH_E4', '{"owner":"usr_YFkmgNEKl_KpvgI_pe__2zpXxR5U3XaCfQ4f8uwH_E4"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('4', '1795121107580', 'notes.created', 'notes', '01a1f58e-527c-7fd1-bc93-91df51bac610', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-527c-7fd1-bc93-91df51bac610","collection":"notes","revision":"I6kKRntq7svOuMcQ","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('5', '1795121107604', 'notes.created', 'notes', '01a1f58e-5294-79e7-ab97-6fe6f5443600', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-5294-79e7-ab97-6fe6f5443600","collection":"notes","revision":"LmWqE3o2fMKmeOlU","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('6', '1795121107622', 'notes.created', 'notes', '01a1f58e-52a6-7153-b01a-e2701a7e7123', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-52a6-7153-b01a-e2701a7e7123","collection":"notes","revision":"8mLUV3AD9bVUZ3zE","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('7', '1795121107622', 'notes.deleted', 'notes', '01a1f58e-5294-79e7-ab97-6fe6f5443600', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f58e-5294-79e7-ab97-6fe6f5443600","collection":"notes","revision":"LmWqE3o2fMKmeOlU","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('8', '1795121107655', 'bookings.created', 'bookings', '01a1f58e-52c7-7c0f-946f-d7408b494094', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f58e-52c7-7c0f-946f-d7408b494094","collection":"bookings","revision":"2JZqtv4R7raDGye4","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('9', '1795121107681', 'bookings.submitted', 'bookings', '01a1f58e-52c7-7c0f-946f-d7408b494094', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f58e-52c7-7c0f-946f-d7408b494094","collection":"bookings","revision":"yYdUHkXqXCCsGbp4","state":"submitted","action":"submit","from":"draft"}');
insert into idempotency_keys (owner, collection, key_digest, request_digest, record_ids, expires_at) overriding system value values ('usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', 'notes', E'\\x13c6746dabc3b0a7a425f0378f35b7284d39c8ae1f53fa021f63a9299c34d83b', E'\\xf8e9c4e2d7c857523749ccc638dcbfb11cce0efd137d1d01a0a661b7190071c3', '01a1f58e-527c-7fd1-bc93-91df51bac610', '1795207507580');
insert into invitations (digest, id, collection, record_id, role, made_by, uses_left, expires_at, created_at) overriding system value values (E'\\x0dd9973dde9a176baaa4002e2e04b6e60e8e8371b3c56adb729338330de5c683', '01a1f58e-536b-78b0-9310-0ec31205526e', 'courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'student', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '5', '1797713107819', '1795121107819');
insert into members (collection, record_id, role, member, alias, since, record_created_at) overriding system value values ('courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'assistant', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', E'\\xce8e9a024547993763668b33f165daf7', '1795121107775', '1795121107730');
insert into members (collection, record_id, role, member, alias, since, record_created_at) overriding system value values ('courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'student', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', E'\\xa35fdbeb2f311d98b2efc1cee9da42ec', '1795121107794', '1795121107730');
insert into members (collection, record_id, role, member, alias, since, record_created_at) overriding system value values ('courses', '01a1f58e-53f7-768a-9cb1-bef52abfffd0', 'assistant', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', E'\\x242519134ecb6e1e73805044f8c10851', '1795121107985', '1795121107959');
insert into proofs (digest, expires_at) overriding system value values (E'\\xa0f5c878b793ec5a27839fa0a3477ce11c45617c5500bf089b3cf9212adc2706', '1795121168000');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', '1', '1795121107730', 'create', null, 'draft', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', '2', '1795121107801', 'open', 'draft', 'open', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f58e-53ce-7172-9189-03a5ac3e16b1', '1', '1795121107918', 'create', null, 'draft', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f58e-53ce-7172-9189-03a5ac3e16b1', '2', '1795121107926', 'open', 'draft', 'open', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f58e-53ce-7172-9189-03a5ac3e16b1', '3', '1795121107934', 'finish', 'open', 'finished', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f58e-53f7-768a-9cb1-bef52abfffd0', '1', '1795121107959', 'create', null, 'draft', 'owner');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('bookings', '01a1f58e-52c7-7c0f-946f-d7408b494094', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', null, 'approved', 'e4MAPVTLsey3SddA', '1795121107655', '1795121107704', '{"seats":2}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('bookings', '01a1f58e-5309-70da-b751-e01adb4f506f', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', null, 'draft', 'VO0ZdI1C5VVKbokn', '1795121107722', '1795121107722', '{"seats":8}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, 'open', 'SkrI-nqPX8YduKHI', '1795121107730', '1795121107801', '{"title":"Pottery","seats":1}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('courses', '01a1f58e-53ce-7172-9189-03a5ac3e16b1', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', null, 'finished', '_RiAduesSJu02R9E', '1795121107918', '1795121107934', '{"title":"Weaving","seats":9,"report":"all went well"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('courses', '01a1f58e-53f7-768a-9cb1-bef52abfffd0', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', null, 'draft', 'x3ihhIXjm8XidHV3', '1795121107959', '1795121107985', '{"title":"Dyeing","seats":4}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('notes', '01a1f58e-5116-75a3-893b-625c74d34895', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, null, 'lbfYjbfq6qn2tya4', '1795121107224', '1795121107526', '{"text":"ünïcode 👩 milk","stars":3,"due":"2030-01-01T08:00:00Z"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('notes', '01a1f58e-5272-72f3-a27c-2f3c72c8e89f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, null, 't6Rcojyj2WnJ7H5V', '1795121107570', '1795121107570', '{"text":"bread and butter","stars":5}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('notes', '01a1f58e-527c-7fd1-bc93-91df51bac610', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, null, 'I6kKRntq7svOuMcQ', '1795121107580', '1795121107580', '{"text":"only once","stars":4}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('notes', '01a1f58e-52a6-7153-b01a-e2701a7e7123', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, null, '8mLUV3AD9bVUZ3zE', '1795121107622', '1795121107622', '{"text":"of a batch","stars":0}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('places', '01a1f58e-5370-7101-974a-64a3bf9e94f8', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'confirmed', 'iMuFc1JJSC7lh8hp', '1795121107824', '1795121107824', '{"course":"01a1f58e-5312-7cf2-bb69-8511e5fbcb7f","note":"by the window"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('places', '01a1f58e-5380-729d-8c03-0a8884409bde', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'waiting', 'IsyeYAeQ7FGT5LmA', '1795121107840', '1795121107840', '{"course":"01a1f58e-5312-7cf2-bb69-8511e5fbcb7f"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('places', '01a1f58e-538c-7776-9e70-dbeeb5a6810d', 'usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'cancelled', 'Gr58Q1Gv22yOjEN2', '1795121107852', '1795121107861', '{"course":"01a1f58e-5312-7cf2-bb69-8511e5fbcb7f"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('places', '01a1f58e-5432-756d-a890-03ae078414b1', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', '01a1f58e-5419-78bb-be4b-35c42f2c470e', 'confirmed', 'r3eb_PMZdfy9zolW', '1795121108018', '1795121108018', '{"course":"01a1f58e-5419-78bb-be4b-35c42f2c470e"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('tasks', '01a1f58e-53a9-77a5-95d1-6269bde4976f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'open', '9cjh6XvNo9KYtxe2', '1795121107881', '1795121107898', '{"course":"01a1f58e-5312-7cf2-bb69-8511e5fbcb7f","title":"Clay"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('tasks', '01a1f58e-53c8-7cc9-a8bc-33f27a699b6a', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'draft', '7RNM7-8xNtRFzdpS', '1795121107912', '1795121107912', '{"course":"01a1f58e-5312-7cf2-bb69-8511e5fbcb7f","title":"Glaze"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('tasks', '01a1f58e-53ff-7f71-9ecb-888378e08526', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '01a1f58e-53f7-768a-9cb1-bef52abfffd0', 'draft', 'L6PheSC0n6TZxDLF', '1795121107967', '1795121107967', '{"course":"01a1f58e-53f7-768a-9cb1-bef52abfffd0","title":"Indigo"}');
insert into revocations (name, issued_until, forget_at, seq, issuer, moved_from) overriding system value values ('KouJrmecJhDVNOwDlkybUeMM2mYgfAn7-o-b29Ta0BA', '1795121113347', '1797713173347', '1', null, null);
insert into schema_migrations (version, applied_at, oldest) overriding system value values ('101', '1795121111076', '101');
insert into signing_keys (kid, algorithm, public_jwk, sealed_private_key, created_at, signs_from, retires_at) overriding system value values ('tVqVT0Mg7_V3Z4T1fNVwlmnC7yolbCSfBCYo4mb284o', 'ES256', '{"crv":"P-256","kty":"EC","x":"_OUoENytQEZ50pJdlfxEzAMY7Of_CrWqgUiuHQ7H6V4","y":"6uLEHVAoc16bRqzvi7MnrNrvDeK3nrr6g3Xt5q9071A","kid":"tVqVT0Mg7_V3Z4T1fNVwlmnC7yolbCSfBCYo4mb284o","use":"sig","alg":"ES256"}', E'\\xb301c78f5ee7af4d821f55c705b5553446f23e50b3d120f4e9a93c18a94733c42a3c89df7a4a7eff657b7d19c00d1eaa795111a775cab1ed96ff76d19f9c60d120d74340ef0cf64547ab08edb41bf8eafb1d30006c41522a9657291c1bc389f55674113e68cfac6c6234abefeec3d2573c6240df142d88733ba5b826b4e17554d56c5ef65c3f60ad84ac5b8e129fe69da7d3fa9be50545ffb705ef38257933c2fb06d99e19b0', '1795121106549', '1795121106549', null);
insert into spent_budgets (former, collection, writes, writes_since, newcomer_writes, newcomer_since, ends_at) overriding system value values (E'\\x043afedaf0faf0914e922b72e3abb4fee473308f486729c1ffc2107bb46e92cd', 'bookings', '1', '1795046400000', '1', '1795046400000', '1795132800000');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'places', 'cancelled', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'places', 'confirmed', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'places', 'waiting', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'tasks', 'draft', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f58e-5312-7cf2-bb69-8511e5fbcb7f', 'tasks', 'open', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f58e-53f7-768a-9cb1-bef52abfffd0', 'tasks', 'draft', '1');
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
insert into used_assertions (client_id, digest, expires_at) overriding system value values ('signer', E'\\x80136027dfa9996f8ac8a2ff5398142992b71f4a5289e82a83797a921d18a694', '1795121173000');
insert into webhooks (id, url, events, secret, previous_secret, previous_ends_at, created_at, state, disabled_because, position, failing_since, failures, paused_until, last_success_at, last_failure, delivered) overriding system value values ('whk_6b9f153207f34e6342adea2c', 'http://127.0.0.1:9/hook', 'notes.*', E'\\x4f3cd4f6aed8949fe76af6f7d3894c065335b573ba2c94af16172cd1388dcaf95264198175ac9e0017add53ed8428dc194e2f3416259f8291271757b', E'\\x1dd5b4d65a7f69679dc67b8d0d2cdcfc95d7bb8387a4af5d13911fec277f26e21062f090cbb6eec0f94420b4b361b5a2d82a9819b4fe26bcb7eafd60', '1795207505048', '1795121104842', 'disabled', 'operator', '0', null, '0', null, null, null, '0');
insert into webhooks (id, url, events, secret, previous_secret, previous_ends_at, created_at, state, disabled_because, position, failing_since, failures, paused_until, last_success_at, last_failure, delivered) overriding system value values ('whk_99cb0fb45f477a23c50f3dbd', 'http://127.0.0.1:9/hook', '*', E'\\x10b00ed7021dd7a43037cadf27214497f7c8e32f22cb4a0c203c5fbee5f50f20c3d6622e07f1a0d09690888c21d7a141be328f4abf7ed3e1c82a9c87', null, null, '1795121104554', 'active', null, '37', '1795121107273', '5', '1795121112649', null, 'unreachable', '0');
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
