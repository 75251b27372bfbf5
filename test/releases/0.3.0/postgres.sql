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
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('1', '1795119969066', 'operator', 'machine', 'client.added', 'house', '{"scopes":["approve"],"secret_id":"5cdcbd3ce0af"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('2', '1795119972606', 'operator', 'machine', 'client.added', 'signer', '{"scopes":[],"public_keys":true}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('3', '1795119975955', 'operator', 'machine', 'webhook.added', 'whk_3028f5e1bac7ae37d86140f5', '{"origin":"http://127.0.0.1:9","events":"*"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('4', '1795119977163', 'operator', 'machine', 'webhook.added', 'whk_b47a8e079d8055d0c5de9ba3', '{"origin":"http://127.0.0.1:9","events":"notes.*"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('5', '1795119977447', 'operator', 'machine', 'webhook.rotated', 'whk_b47a8e079d8055d0c5de9ba3', '{"at_once":false}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('6', '1795119977833', 'operator', 'machine', 'webhook.disabled', 'whk_b47a8e079d8055d0c5de9ba3', '{"because":"operator"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('7', '1795119986322', 'operator', 'machine', 'key.added', 'MPJb6MnKWOO-zZ1Zx3ma5ov-VboQzGlO5_Q2l7GqBls', '{"algorithm":"ES256","signs_from":"2026-11-19T20:26:26.190Z"}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('8', '1795119993268', 'operator', 'machine', 'consumer.signed_out', 'usr_qyt-tQ2SFBLEVRUzrTDHvpXcLpfXFvDzn9VBPuGHjes', '{}');
insert into audit (seq, at, actor, node, action, subject, details) overriding system value values ('9', '1795119994340', 'operator', 'machine', 'consumer.suspended', 'usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', '{}');
insert into changes (id, consumers, clients, revocations, signing_keys, webhooks) overriding system value values ('1', '0', '0', '0', '0', '0');
insert into child_work (child, parent_id, what, new_owner, at) overriding system value values ('places', '01a1f57d-4c17-77fa-9aed-929ddac4ab03', 'delete', null, '1795119992036');
insert into child_work (child, parent_id, what, new_owner, at) overriding system value values ('tasks', '01a1f57d-4ad1-74ef-83ff-958371ce1d42', 'own', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '1795119991768');
insert into child_work (child, parent_id, what, new_owner, at) overriding system value values ('tasks', '01a1f57d-4c17-77fa-9aed-929ddac4ab03', 'delete', null, '1795119992036');
insert into client_secrets (id, client_id, digest, created_at, label, expires_at, last_used_on) overriding system value values ('5cdcbd3ce0af', 'house', E'\\xa9fff81a378eddf9f4b6aae10186ae369940a378f4f899514e93f1de75f3e390', '1795119969066', '', null, '1795046400000');
insert into clients (id, label, state, created_at, scopes, public_keys, mac) overriding system value values ('house', 'The house', 'active', '1795119969066', 'approve', null, E'\\x2b442cc49e51378951d754e911f518baafc26b6f077181268c949a5746412644');
insert into clients (id, label, state, created_at, scopes, public_keys, mac) overriding system value values ('signer', '', 'active', '1795119972606', '', '{"keys":[{"kty":"EC","x":"cVhlkAYReqTgsNb1vhHZn9WfvRjr9q1SJHXGLsWroe0","y":"e6vzYVDGyEuqTbgUE78KgPOCG4Mv_TItnxe39O1dl7k","crv":"P-256","kid":"53b5b367-c268-4e2d-b69f-a1aa1f6a03b6","use":"sig","alg":"ES256"}]}', E'\\x907eb84a62ff443beec7ce1661997c30e4b49119344957e761fbf716e21dd612');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', 'user', 'active', '1795119990812');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_9-hspOF4LwA1aoYXkfez7FWwXgGDP9yvtppqJDbbwyM', 'client', 'active', '1795119990320');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', 'user', 'active', '1795119990883');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', 'user', 'suspended', '1795119990898');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_eUTj1s5ec-u52U9l1vaeZgp_M4h2rvwewXPaIJPEzCo', 'user', 'active', '1795119995863');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', 'user', 'active', '1795119987659');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_qyt-tQ2SFBLEVRUzrTDHvpXcLpfXFvDzn9VBPuGHjes', 'user', 'active', '1795119992388');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', 'user', 'active', '1795119989541');
insert into consumers (id, kind, state, registered_at) overriding system value values ('usr_yDqsA9RlcQSqIAD63l7eGOA6zMpbNgBsWvms7SXVlxM', 'user', 'active', '1795119994381');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '1', 'notes/01a1f57d-3bc9-7c83-9e79-99658982457f', '8', '1795120281784', 'dead', 'status_500', '1795120000173');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '10', 'bookings/01a1f57d-4325-756b-a9b1-73bb56edd29a', '0', '1795119990337', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '11', 'bookings/01a1f57d-4732-7f39-8c81-78a6beb8d481', '1', '1795120005458', 'pending', 'unreachable', '1795120000272');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '12', 'courses/01a1f57d-4775-7e23-9ce6-73541929f1ae', '1', '1795120005662', 'pending', 'unreachable', '1795120000272');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '13', 'courses/01a1f57d-4775-7e23-9ce6-73541929f1ae', '0', '1795119990800', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '14', 'courses/01a1f57d-4775-7e23-9ce6-73541929f1ae', '0', '1795119990821', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '15', 'courses/01a1f57d-4775-7e23-9ce6-73541929f1ae', '0', '1795119990832', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '16', 'places/01a1f57d-4843-77dd-aa87-700251efbfb5', '0', '1795119990868', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '17', 'places/01a1f57d-4862-776f-81b5-e2b2426e3ab6', '0', '1795119990891', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '18', 'places/01a1f57d-4872-7e8f-a024-026918e81b26', '0', '1795119990908', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '19', 'places/01a1f57d-4872-7e8f-a024-026918e81b26', '0', '1795119990920', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '2', 'notes/01a1f57d-3bc9-7c83-9e79-99658982457f', '0', '1795119989009', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '20', 'tasks/01a1f57d-4893-702f-83ce-0cb22b793471', '0', '1795119990942', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '21', 'tasks/01a1f57d-4893-702f-83ce-0cb22b793471', '0', '1795119990965', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '22', 'tasks/01a1f57d-48bd-7126-9f06-d4617f4034e1', '0', '1795119990992', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '23', 'courses/01a1f57d-48d0-78e5-b22d-961b1f962e76', '0', '1795119991030', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '24', 'courses/01a1f57d-48d0-78e5-b22d-961b1f962e76', '0', '1795119991184', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '25', 'courses/01a1f57d-48d0-78e5-b22d-961b1f962e76', '0', '1795119991454', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '26', 'courses/01a1f57d-4ad1-74ef-83ff-958371ce1d42', '0', '1795119991543', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '27', 'tasks/01a1f57d-4b95-79f0-a72b-c41326c80655', '0', '1795119991712', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '28', 'courses/01a1f57d-4ad1-74ef-83ff-958371ce1d42', '0', '1795119991820', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '29', 'courses/01a1f57d-4ad1-74ef-83ff-958371ce1d42', '0', '1795119991820', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '3', 'notes/01a1f57d-4124-7656-adaf-f625e456b2dc', '2', '1795120278932', 'pending', 'unreachable', '1795120000272');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '30', 'courses/01a1f57d-4c17-77fa-9aed-929ddac4ab03', '0', '1795119991868', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '31', 'courses/01a1f57d-4c17-77fa-9aed-929ddac4ab03', '0', '1795119991961', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '32', 'places/01a1f57d-4c9b-7d3e-a748-d7224cb793a8', '0', '1795119992025', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '33', 'courses/01a1f57d-4c17-77fa-9aed-929ddac4ab03', '0', '1795119992056', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '35', 'consumer.erased/35', '0', '1795119992111', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '37', 'consumer.erased/37', '0', '1795119992385', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '4', 'notes/01a1f57d-4179-7ab3-9327-06303b8e79c0', '2', '1795120322830', 'pending', 'unreachable', '1795120000272');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '5', 'notes/01a1f57d-41dd-7079-a436-ff98a9e7a6f9', '2', '1795120314929', 'pending', 'unreachable', '1795120000272');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '6', 'notes/01a1f57d-4249-743a-a7ac-b0c2bdeb82ba', '2', '1795120309406', 'pending', 'unreachable', '1795120000272');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '7', 'notes/01a1f57d-41dd-7079-a436-ff98a9e7a6f9', '0', '1795119989623', 'pending', null, null);
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '8', 'bookings/01a1f57d-4325-756b-a9b1-73bb56edd29a', '2', '1795120305197', 'pending', 'unreachable', '1795120000272');
insert into deliveries (webhook_id, position, record_key, attempts, due_at, state, reason, tried_at) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', '9', 'bookings/01a1f57d-4325-756b-a9b1-73bb56edd29a', '0', '1795119990177', 'pending', null, null);
insert into documents (name, content, mac) overriding system value values ('collections', '{"version":3,"files":[["bookings",{"title":"Bookings","description":"Seats that a person asks for and a machine client approves.","schema":{"type":"object","properties":{"seats":{"type":"integer","minimum":1,"maximum":8}},"required":["seats"],"additionalProperties":false},"index":["seats"],"states":{"draft":{"submit":"submitted"},"submitted":{"approve":{"to":"approved","by":"client"}},"approved":{}},"editable":["draft"],"access":{"clients":"any","read":"owner","scopes":{}},"limits":{"per_user":50,"writes":"500/day","newcomer":"20/day for 90d","expire":"3650d","bytes":16384,"memberships":100},"unique":[],"aliases":false,"search":[],"history":false,"concurrency":"optional","events":"thin"}],["courses",{"title":"Courses","schema":{"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":120},"seats":{"type":"integer","minimum":1,"maximum":100},"report":{"type":"string","maxLength":280}},"required":["title","seats"],"additionalProperties":false},"index":["seats"],"search":["title"],"roles":{"assistant":{"invited_by":"owner","max":5},"student":{"invited_by":["owner","assistant"],"max":60},"owner":{"invited_by":"owner","previous_owner":"assistant"}},"access":{"read":{"owner":"all","assistant":"all","student":"all","everyone":["open"]},"update":["owner","assistant"],"delete":"owner","clients":"none","scopes":{}},"states":{"draft":{"open":{"to":"open","by":"owner"}},"open":{"finish":{"to":"finished","by":["owner","assistant"],"sets":["report"]}},"finished":{}},"aliases":true,"history":true,"limits":{"per_user":20,"writes":"500/day","bytes":16384,"memberships":100},"unique":[],"concurrency":"optional","events":"thin"}],["notes",{"title":"Notes","schema":{"type":"object","properties":{"text":{"type":"string","minLength":1,"maxLength":280},"stars":{"type":"integer","minimum":0,"maximum":5},"due":{"type":"string","format":"date-time"}},"required":["text","stars"],"additionalProperties":false},"index":["stars"],"search":["text"],"limits":{"per_user":100,"writes":"500/day","bytes":16384,"memberships":100},"access":{"read":"owner","clients":"none","scopes":{}},"unique":[],"aliases":false,"history":false,"concurrency":"optional","events":"thin"}],["places",{"title":"Places","parent":{"field":"course","collection":"courses","accepts":{"states":["open"]},"capacity":{"states":["confirmed"],"field":"seats","overflow":"waiting"},"counts":["confirmed","waiting"],"on_delete":"cascade","owned_by":"creator"},"schema":{"type":"object","properties":{"note":{"type":"string","maxLength":280}},"additionalProperties":false},"roles":{"organiser":{"parent_roles":["owner","assistant"]}},"access":{"create":"everyone","read":["owner","organiser"],"update":{"owner":["confirmed","waiting"]},"delete":{"owner":["cancelled"]},"clients":"none","scopes":{}},"states":{"confirmed":{"cancel":{"to":"cancelled","by":["owner","organiser"]}},"waiting":{"cancel":{"to":"cancelled","by":["owner","organiser"]}},"cancelled":{}},"unique":[{"fields":["owner","parent"],"states":["confirmed","waiting"],"reveals":false}],"aliases":true,"limits":{"per_user":50,"writes":"500/day","bytes":16384,"memberships":100},"index":[],"search":[],"history":false,"concurrency":"optional","events":"thin"}],["tasks",{"title":"Tasks","parent":{"field":"course","collection":"courses","owned_by":"parent","on_delete":"cascade","max":200,"accepts":{},"counts":false},"schema":{"type":"object","properties":{"title":{"type":"string","minLength":1,"maxLength":120}},"required":["title"],"additionalProperties":false},"roles":{"teacher":{"parent_roles":["owner","assistant"]},"student":{"parent_roles":"student"}},"access":{"create":"teacher","read":{"teacher":"all","student":["open"]},"update":{"teacher":["draft","open"]},"delete":{"teacher":["draft"]},"clients":"none","scopes":{}},"states":{"draft":{"open":{"to":"open","by":"teacher"}},"open":{}},"limits":{"per_user":50,"writes":"500/day","bytes":16384,"memberships":100},"index":[],"unique":[],"aliases":false,"search":[],"history":false,"concurrency":"optional","events":"thin"}]]}', E'\\x6847bff8c59b73756d02337d96d7126c27f0979915a9d9458c9cf7e20c6fe90e');
insert into documents (name, content, mac) overriding system value values ('http://127.0.0.1:32915/jwks', '{"document":{"keys":[{"kty":"RSA","n":"zrh931jDFQhCPl5lBXQU71xVupuN3Q8MFlc_RMixSrdLdMbuBywi4-ld6RXqfuBgX7-mOfSSsJXR5b2vx-d1p1kh9YW147SZE1uW--BN14GGCZUhqTqKFSpoA0EYmozdowNu76y-dK8ECT5DjKRg_8V-Vwm1yXedYHxTf-vCVZHjqBuFkRXF741owWYjfPnhTcrXcKuQA1edP4l6_LDdyBIJ2obfxQzSsXhpQMRgL1yJVrVEc48qOQyb0110TonbQE4EFJ-SUmtYseg-lrEKUQ2s1LjbNk1gIltSiDHe22YwsYaFBID0bVJM2JdvnNe000mhdEckZNByEgyBNwomww","e":"AQAB","kid":"7c3ce01a-9656-475e-b205-22a1cf02fd1d","use":"sig","alg":"RS256"}]},"fetchedAt":1795119986942,"refreshAt":1795120586942}', E'\\xcdc4baba963f99223b11dfed70fbf1b0d285b12a835df369c1ea38ca2df7e5f7');
insert into documents (name, content, mac) overriding system value values ('master-secret', '', E'\\x6e3faaa480b7ce41092b39e2a7a7e6c208d00a08e1e51f1630a7b9e460ead2cf');
insert into documents (name, content, mac) overriding system value values ('readiness', '2026-11-19T20:26:37.087Z', E'\\x');
insert into erasures (id, digest, at) overriding system value values ('01a1f57d-4d11-7d1f-a8d7-8652470d2a50', E'\\x970aac0bf6a4acf58d18acfa7a08b355307800f919cd51f820461707a19733ac', '1795119992081');
insert into erasures (id, digest, at) overriding system value values ('01a1f57d-4d95-7818-b500-9273812ef2dc', E'\\x0d1fd94fbdb3f469327c61b75f2e5b0ece28a520b58a683f497ffd054f15d3ba', '1795119992213');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x03872f34684883e1facf13fae95346da', '18', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x03872f34684883e1facf13fae95346da', '19', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x1da24afdbe3d528ee9432ecea38e0d37', '30', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x1da24afdbe3d528ee9432ecea38e0d37', '31', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x1da24afdbe3d528ee9432ecea38e0d37', '32', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x1da24afdbe3d528ee9432ecea38e0d37', '33', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x2ca15dc81135c0bc136706cfcaf53a70', '12', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x2ca15dc81135c0bc136706cfcaf53a70', '13', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x2ca15dc81135c0bc136706cfcaf53a70', '14', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x2ca15dc81135c0bc136706cfcaf53a70', '15', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x2ca15dc81135c0bc136706cfcaf53a70', '21', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x3442d54200cae9cd61cdb902bdcc7dff', '23', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x3442d54200cae9cd61cdb902bdcc7dff', '24', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x3442d54200cae9cd61cdb902bdcc7dff', '25', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x38a5521e9cc0b12828fa7cc86fbbcec6', '12', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x38a5521e9cc0b12828fa7cc86fbbcec6', '13', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x38a5521e9cc0b12828fa7cc86fbbcec6', '14', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x38a5521e9cc0b12828fa7cc86fbbcec6', '15', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x38a5521e9cc0b12828fa7cc86fbbcec6', '16', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x38a5521e9cc0b12828fa7cc86fbbcec6', '17', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x38a5521e9cc0b12828fa7cc86fbbcec6', '18', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x38a5521e9cc0b12828fa7cc86fbbcec6', '19', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x38a5521e9cc0b12828fa7cc86fbbcec6', '20', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x38a5521e9cc0b12828fa7cc86fbbcec6', '21', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x38a5521e9cc0b12828fa7cc86fbbcec6', '22', '1');
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
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '15', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '24', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '25', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '31', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x777e9ad1372ed8243265871001927df2', '33', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x7d93ab6251bdcd30e6782bb8c7093626', '29', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x92dca4479654cf09af2a14dbc6ace7cc', '28', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\x92dca4479654cf09af2a14dbc6ace7cc', '29', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xb02107f75f652bb4f622ec6302ab7719', '26', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xb02107f75f652bb4f622ec6302ab7719', '28', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xb02107f75f652bb4f622ec6302ab7719', '29', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xb98399ca807003bdb7ced124fce17036', '16', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xb98399ca807003bdb7ced124fce17036', '32', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xc86f54ce002b289db5aa604793767eaf', '26', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xc86f54ce002b289db5aa604793767eaf', '27', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xc86f54ce002b289db5aa604793767eaf', '28', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xc86f54ce002b289db5aa604793767eaf', '29', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xe1b42b5d19cba2397465f95b2f33a5c6', '23', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xe1b42b5d19cba2397465f95b2f33a5c6', '24', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xe1b42b5d19cba2397465f95b2f33a5c6', '25', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xe1ff7db7883510f48e1b8e8da6b27bdc', '13', '0');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xf36a46c3cd79ce2cb1860003d7a7fe40', '30', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xf36a46c3cd79ce2cb1860003d7a7fe40', '31', '1');
insert into event_topics (topic, position, fields) overriding system value values (E'\\xf36a46c3cd79ce2cb1860003d7a7fe40', '33', '0');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('1', '1795119987659', 'notes.created', 'notes', '01a1f57d-3bc9-7c83-9e79-99658982457f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-3bc9-7c83-9e79-99658982457f","collection":"notes","revision":"Bh614ifgf5Y4EHR7","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('10', '1795119990320', 'bookings.approved', 'bookings', '01a1f57d-4325-756b-a9b1-73bb56edd29a', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f57d-4325-756b-a9b1-73bb56edd29a","collection":"bookings","revision":"p6Aqxf8ctAszS4Eo","state":"approved","action":"approve","from":"submitted"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('11', '1795119990578', 'bookings.created', 'bookings', '01a1f57d-4732-7f39-8c81-78a6beb8d481', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f57d-4732-7f39-8c81-78a6beb8d481","collection":"bookings","revision":"rxwoWUDFmzzuDU7z","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('12', '1795119990645', 'courses.created', 'courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-4775-7e23-9ce6-73541929f1ae","collection":"courses","revision":"Xuq4yEcG_0ND0uWS","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('13', '1795119990791', 'courses.joined', 'courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-4775-7e23-9ce6-73541929f1ae","collection":"courses","revision":"Xuq4yEcG_0ND0uWS","state":"draft","role":"assistant","alias":"per_j0eqRj8xK2NcFqinArOHNw"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('14', '1795119990812', 'courses.joined', 'courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-4775-7e23-9ce6-73541929f1ae","collection":"courses","revision":"Xuq4yEcG_0ND0uWS","state":"draft","role":"student","alias":"per_wLS83d6HhFwifDm25MQ9Ig"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('15', '1795119990825', 'courses.open', 'courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-4775-7e23-9ce6-73541929f1ae","collection":"courses","revision":"QYyWL1LJYpBBdgqO","state":"open","action":"open","from":"draft","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('16', '1795119990852', 'places.created', 'places', '01a1f57d-4843-77dd-aa87-700251efbfb5', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', '{"id":"01a1f57d-4843-77dd-aa87-700251efbfb5","collection":"places","revision":"YEMek8KGftmaq-VH","state":"confirmed"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('17', '1795119990883', 'places.created', 'places', '01a1f57d-4862-776f-81b5-e2b2426e3ab6', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f57d-4862-776f-81b5-e2b2426e3ab6","collection":"places","revision":"aKLk6yzIiRmQA-um","state":"waiting"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('18', '1795119990898', 'places.created', 'places', '01a1f57d-4872-7e8f-a024-026918e81b26', 'usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', '{"id":"01a1f57d-4872-7e8f-a024-026918e81b26","collection":"places","revision":"EsavQ8PC44fLCrr3","state":"waiting"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('19', '1795119990911', 'places.cancelled', 'places', '01a1f57d-4872-7e8f-a024-026918e81b26', 'usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', '{"id":"01a1f57d-4872-7e8f-a024-026918e81b26","collection":"places","revision":"xUmi6xsY_l8D12lt","state":"cancelled","action":"cancel","from":"waiting","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('2', '1795119988815', 'notes.changed', 'notes', '01a1f57d-3bc9-7c83-9e79-99658982457f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-3bc9-7c83-9e79-99658982457f","collection":"notes","revision":"nDmwB6o2U9ggbjzt","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('20', '1795119990931', 'tasks.created', 'tasks', '01a1f57d-4893-702f-83ce-0cb22b793471', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-4893-702f-83ce-0cb22b793471","collection":"tasks","revision":"jt5sOUEZ0n0MDg8c","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('21', '1795119990954', 'tasks.open', 'tasks', '01a1f57d-4893-702f-83ce-0cb22b793471', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-4893-702f-83ce-0cb22b793471","collection":"tasks","revision":"qCFIJ15U-PCstVYg","state":"open","action":"open","from":"draft","by":"teacher"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('22', '1795119990974', 'tasks.created', 'tasks', '01a1f57d-48bd-7126-9f06-d4617f4034e1', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-48bd-7126-9f06-d4617f4034e1","collection":"tasks","revision":"qy3B_WgnKem5YnoX","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('23', '1795119990993', 'courses.created', 'courses', '01a1f57d-48d0-78e5-b22d-961b1f962e76', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f57d-48d0-78e5-b22d-961b1f962e76","collection":"courses","revision":"qBg25-sqX1SidRGm","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('24', '1795119991033', 'courses.open', 'courses', '01a1f57d-48d0-78e5-b22d-961b1f962e76', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f57d-48d0-78e5-b22d-961b1f962e76","collection":"courses","revision":"ojgIEQOkfkQ2ily3","state":"open","action":"open","from":"draft","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('25', '1795119991260', 'courses.finished', 'courses', '01a1f57d-48d0-78e5-b22d-961b1f962e76', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f57d-48d0-78e5-b22d-961b1f962e76","collection":"courses","revision":"1Sg6uSQr2clopK-t","state":"finished","action":"finish","from":"open","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('26', '1795119991505', 'courses.created', 'courses', '01a1f57d-4ad1-74ef-83ff-958371ce1d42', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-4ad1-74ef-83ff-958371ce1d42","collection":"courses","revision":"0IcBm7zWefbWY1Nb","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('27', '1795119991702', 'tasks.created', 'tasks', '01a1f57d-4b95-79f0-a72b-c41326c80655', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-4b95-79f0-a72b-c41326c80655","collection":"tasks","revision":"WW9ORHnDxJVoXmof","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('28', '1795119991768', 'courses.changed', 'courses', '01a1f57d-4ad1-74ef-83ff-958371ce1d42', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f57d-4ad1-74ef-83ff-958371ce1d42","collection":"courses","revision":"TkCHSN0qNYPxW9px","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('29', '1795119991768', 'courses.joined', 'courses', '01a1f57d-4ad1-74ef-83ff-958371ce1d42', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f57d-4ad1-74ef-83ff-958371ce1d42","collection":"courses","revision":"TkCHSN0qNYPxW9px","state":"draft","role":"assistant","alias":"per_pBifHQTQa5UaAtlxaZolAA"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('3', '1795119989029', 'notes.created', 'notes', '01a1f57d-4124-7656-adaf-f625e456b2dc', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-4124-7656-adaf-f625e456b2dc","collection":"notes","revision":"tt4q1dwL_gU8jmRE","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('30', '1795119991831', 'courses.created', 'courses', '01a1f57d-4c17-77fa-9aed-929ddac4ab03', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f57d-4c17-77fa-9aed-929ddac4ab03","collection":"courses","revision":"nxve7hQtdybvtMEk","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('31', '1795119991886', 'courses.open', 'courses', '01a1f57d-4c17-77fa-9aed-929ddac4ab03', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f57d-4c17-77fa-9aed-929ddac4ab03","collection":"courses","revision":"AV2e_UBW9UfP9Oor","state":"open","action":"open","from":"draft","by":"owner"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('32', '1795119991963', 'places.created', 'places', '01a1f57d-4c9b-7d3e-a748-d7224cb793a8', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', '{"id":"01a1f57d-4c9b-7d3e-a748-d7224cb793a8","collection":"places","revision":"XNSgGSL77RZuMGMG","state":"confirmed"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('33', '1795119992036', 'courses.deleted', 'courses', '01a1f57d-4c17-77fa-9aed-929ddac4ab03', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '{"id":"01a1f57d-4c17-77fa-9aed-929ddac4ab03","collection":"courses","revision":"AV2e_UBW9UfP9Oor","state":"open"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('35', '1795119992081', 'consumer.erased', null, null, 'usr_eUTj1s5ec-u52U9l1vaeZgp_M4h2rvwewXPaIJPEzCo', '{"owner":"usr_eUTj1s5ec-u52U9l1vaeZgp_M4h2rvwewXPaIJPEzCo"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('37', '1795119992213', 'consumer.erased', null, null, 'usr_YFkmgNEKl_KpvgI_pe__2zpXxR5U3XaCfQ4f8uwH_E4', '{"owner":"usr_YFkmgNEKl_KpvgI_pe__2zpXxR5U3XaCfQ4f8uwH_E4"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('4', '1795119989113', 'notes.created', 'notes', '01a1f57d-4179-7ab3-9327-06303b8e79c0', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-4179-7ab3-9327-06303b8e79c0","collection":"notes","revision":"_A9xlp0QZtN_Q8h-","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('5', '1795119989213', 'notes.created', 'notes', '01a1f57d-41dd-7079-a436-ff98a9e7a6f9', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-41dd-7079-a436-ff98a9e7a6f9","collection":"notes","revision":"K4y6EXG_mBNxRbmG","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('6', '1795119989321', 'notes.created', 'notes', '01a1f57d-4249-743a-a7ac-b0c2bdeb82ba', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-4249-743a-a7ac-b0c2bdeb82ba","collection":"notes","revision":"dlqmr0MqBb7PvAbS","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('7', '1795119989321', 'notes.deleted', 'notes', '01a1f57d-41dd-7079-a436-ff98a9e7a6f9', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '{"id":"01a1f57d-41dd-7079-a436-ff98a9e7a6f9","collection":"notes","revision":"K4y6EXG_mBNxRbmG","state":null}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('8', '1795119989541', 'bookings.created', 'bookings', '01a1f57d-4325-756b-a9b1-73bb56edd29a', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f57d-4325-756b-a9b1-73bb56edd29a","collection":"bookings","revision":"kIX8ibi8MDv3D89N","state":"draft"}');
insert into events (position, at, type, collection, record_id, owner, data) overriding system value values ('9', '1795119990146', 'bookings.submitted', 'bookings', '01a1f57d-4325-756b-a9b1-73bb56edd29a', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', '{"id":"01a1f57d-4325-756b-a9b1-73bb56edd29a","collection":"bookings","revision":"Nt4RGdC8EL2irUxL","state":"submitted","action":"submit","from":"draft"}');
insert into idempotency_keys (owner, collection, key_digest, request_digest, record_ids, expires_at) overriding system value values ('usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', 'notes', E'\\x13c6746dabc3b0a7a425f0378f35b7284d39c8ae1f53fa021f63a9299c34d83b', E'\\xf8e9c4e2d7c857523749ccc638dcbfb11cce0efd137d1d01a0a661b7190071c3', '01a1f57d-4179-7ab3-9327-06303b8e79c0', '1795206389113');
insert into invitations (digest, id, collection, record_id, role, made_by, uses_left, expires_at, created_at) overriding system value values (E'\\xc9ba9529aba7864b8b8e8043fbfad99317c1c2ae6bc15c0064fc8b40566a40ba', '01a1f57d-483b-741a-b5cf-126a161be3ac', 'courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'student', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '5', '1797711990844', '1795119990844');
insert into members (collection, record_id, role, member, alias, since, record_created_at) overriding system value values ('courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'assistant', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', E'\\x8f47aa463f312b635c16a8a702b38737', '1795119990791', '1795119990645');
insert into members (collection, record_id, role, member, alias, since, record_created_at) overriding system value values ('courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'student', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', E'\\xc0b4bcddde87845c227c39b6e4c43d22', '1795119990812', '1795119990645');
insert into members (collection, record_id, role, member, alias, since, record_created_at) overriding system value values ('courses', '01a1f57d-4ad1-74ef-83ff-958371ce1d42', 'assistant', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', E'\\xa4189f1d04d06b951a02d971699a2500', '1795119991768', '1795119991505');
insert into proofs (digest, expires_at) overriding system value values (E'\\x18dd58863e9e2538010999b4cd25819731d29edcade50697c69b6042a781b3f1', '1795120054000');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', '1', '1795119990645', 'create', null, 'draft', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', '2', '1795119990825', 'open', 'draft', 'open', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f57d-48d0-78e5-b22d-961b1f962e76', '1', '1795119990993', 'create', null, 'draft', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f57d-48d0-78e5-b22d-961b1f962e76', '2', '1795119991033', 'open', 'draft', 'open', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f57d-48d0-78e5-b22d-961b1f962e76', '3', '1795119991260', 'finish', 'open', 'finished', 'owner');
insert into record_history (collection, record_id, n, at, action, from_state, to_state, role) overriding system value values ('courses', '01a1f57d-4ad1-74ef-83ff-958371ce1d42', '1', '1795119991505', 'create', null, 'draft', 'owner');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('bookings', '01a1f57d-4325-756b-a9b1-73bb56edd29a', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', null, 'approved', 'p6Aqxf8ctAszS4Eo', '1795119989541', '1795119990320', '{"seats":2}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('bookings', '01a1f57d-4732-7f39-8c81-78a6beb8d481', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', null, 'draft', 'rxwoWUDFmzzuDU7z', '1795119990578', '1795119990578', '{"seats":8}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, 'open', 'QYyWL1LJYpBBdgqO', '1795119990645', '1795119990825', '{"title":"Pottery","seats":1}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('courses', '01a1f57d-48d0-78e5-b22d-961b1f962e76', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', null, 'finished', '1Sg6uSQr2clopK-t', '1795119990993', '1795119991260', '{"title":"Weaving","seats":9,"report":"all went well"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('courses', '01a1f57d-4ad1-74ef-83ff-958371ce1d42', 'usr_sIl9XSaN6shjFZUh-ziF3jHZKvaZmZJPwSFBBicHmT8', null, 'draft', 'TkCHSN0qNYPxW9px', '1795119991505', '1795119991768', '{"title":"Dyeing","seats":4}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('notes', '01a1f57d-3bc9-7c83-9e79-99658982457f', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, null, 'nDmwB6o2U9ggbjzt', '1795119987659', '1795119988815', '{"text":"ünïcode 👩 milk","stars":3,"due":"2030-01-01T08:00:00Z"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('notes', '01a1f57d-4124-7656-adaf-f625e456b2dc', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, null, 'tt4q1dwL_gU8jmRE', '1795119989029', '1795119989029', '{"text":"bread and butter","stars":5}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('notes', '01a1f57d-4179-7ab3-9327-06303b8e79c0', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, null, '_A9xlp0QZtN_Q8h-', '1795119989113', '1795119989113', '{"text":"only once","stars":4}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('notes', '01a1f57d-4249-743a-a7ac-b0c2bdeb82ba', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', null, null, 'dlqmr0MqBb7PvAbS', '1795119989321', '1795119989321', '{"text":"of a batch","stars":0}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('places', '01a1f57d-4843-77dd-aa87-700251efbfb5', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'confirmed', 'YEMek8KGftmaq-VH', '1795119990852', '1795119990852', '{"course":"01a1f57d-4775-7e23-9ce6-73541929f1ae","note":"by the window"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('places', '01a1f57d-4862-776f-81b5-e2b2426e3ab6', 'usr_AxzXzQF57Z4UicMT1ca7HseZVjFpYspoUlLZdjyw2FA', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'waiting', 'aKLk6yzIiRmQA-um', '1795119990883', '1795119990883', '{"course":"01a1f57d-4775-7e23-9ce6-73541929f1ae"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('places', '01a1f57d-4872-7e8f-a024-026918e81b26', 'usr_WVeK7DgkIVa1R_S3RNUWiHoOM1SXRR6Ef662C4SMzx8', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'cancelled', 'xUmi6xsY_l8D12lt', '1795119990898', '1795119990911', '{"course":"01a1f57d-4775-7e23-9ce6-73541929f1ae"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('places', '01a1f57d-4c9b-7d3e-a748-d7224cb793a8', 'usr_194htrjQfqZfYQFWmMjCPe8PPpRyZHpxMmSB8LmCoYg', '01a1f57d-4c17-77fa-9aed-929ddac4ab03', 'confirmed', 'XNSgGSL77RZuMGMG', '1795119991963', '1795119991963', '{"course":"01a1f57d-4c17-77fa-9aed-929ddac4ab03"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('tasks', '01a1f57d-4893-702f-83ce-0cb22b793471', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'open', 'qCFIJ15U-PCstVYg', '1795119990931', '1795119990954', '{"course":"01a1f57d-4775-7e23-9ce6-73541929f1ae","title":"Clay"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('tasks', '01a1f57d-48bd-7126-9f06-d4617f4034e1', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'draft', 'qy3B_WgnKem5YnoX', '1795119990974', '1795119990974', '{"course":"01a1f57d-4775-7e23-9ce6-73541929f1ae","title":"Glaze"}');
insert into records (collection, id, owner, parent_id, state, revision, created_at, updated_at, body) overriding system value values ('tasks', '01a1f57d-4b95-79f0-a72b-c41326c80655', 'usr_mFZilDrHbkvPinKuh1D0E5ffCADgMTSPUNO2BjWGxl8', '01a1f57d-4ad1-74ef-83ff-958371ce1d42', 'draft', 'WW9ORHnDxJVoXmof', '1795119991702', '1795119991702', '{"course":"01a1f57d-4ad1-74ef-83ff-958371ce1d42","title":"Indigo"}');
insert into revocations (name, issued_until, forget_at, seq, issuer, moved_from) overriding system value values ('KouJrmecJhDVNOwDlkybUeMM2mYgfAn7-o-b29Ta0BA', '1795119998268', '1797712058268', '1', null, null);
insert into schema_migrations (version, applied_at, oldest) overriding system value values ('101', '1795120002645', '101');
insert into signing_keys (kid, algorithm, public_jwk, sealed_private_key, created_at, signs_from, retires_at) overriding system value values ('MPJb6MnKWOO-zZ1Zx3ma5ov-VboQzGlO5_Q2l7GqBls', 'ES256', '{"crv":"P-256","kty":"EC","x":"haRm-kjX9fq7hgOv-6QiIM_Gu9VNN9VN0O1DivVFqwY","y":"8Eda3Ah3mbSbLUNUYgJC1GAIRxRCVNds9rcDarR8bY0","kid":"MPJb6MnKWOO-zZ1Zx3ma5ov-VboQzGlO5_Q2l7GqBls","use":"sig","alg":"ES256"}', E'\\x324fc4255eeba4a70d01a9e6a3550a5df0524b4e4111793406ffdf55425f2a9cc5d715c42e0314819f21cafdeebeb3af3a9a8eccc034179b8aa6f3db89a81d49044c9429cdba8bcb16bc44cc8874d8cba734aa55de752aaa89062d765d0e37d9f69d2e3d845da1f3ce2ce65deb054fcd466759881171c17782dd1dd36a2b6b7a8acde5fe793bfad065e8a31d91ae5fdc8e39376be26432021bfe89b92801f9b8bedd05cc0b5e', '1795119986190', '1795119986190', null);
insert into spent_budgets (former, collection, writes, writes_since, newcomer_writes, newcomer_since, ends_at) overriding system value values (E'\\x043afedaf0faf0914e922b72e3abb4fee473308f486729c1ffc2107bb46e92cd', 'bookings', '1', '1795046400000', '1', '1795046400000', '1795132800000');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'places', 'cancelled', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'places', 'confirmed', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'places', 'waiting', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'tasks', 'draft', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f57d-4775-7e23-9ce6-73541929f1ae', 'tasks', 'open', '1');
insert into tallies (collection, record_id, child, state, n) overriding system value values ('courses', '01a1f57d-4ad1-74ef-83ff-958371ce1d42', 'tasks', 'draft', '1');
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
insert into used_assertions (client_id, digest, expires_at) overriding system value values ('signer', E'\\x3f34b381815c02e9d4bc57b5094a501e8409ac5e79962389316c74a90e5f2632', '1795120059000');
insert into webhooks (id, url, events, secret, previous_secret, previous_ends_at, created_at, state, disabled_because, position, failing_since, failures, paused_until, last_success_at, last_failure, delivered) overriding system value values ('whk_3028f5e1bac7ae37d86140f5', 'http://127.0.0.1:9/hook', '*', E'\\x7676c7b361d51246d0c1bd98d2318d250065a86b137dd4b2cecb1066730a344d601f240b4b6e28befe1004dd1ed1edc0e30d3b0a6badf35db2f34072', null, null, '1795119975955', 'active', null, '37', '1795119987981', '14', '1795120300272', null, 'unreachable', '0');
insert into webhooks (id, url, events, secret, previous_secret, previous_ends_at, created_at, state, disabled_because, position, failing_since, failures, paused_until, last_success_at, last_failure, delivered) overriding system value values ('whk_b47a8e079d8055d0c5de9ba3', 'http://127.0.0.1:9/hook', 'notes.*', E'\\xc633ef60f351cebf28a4a8878af0fbc1854d05335017a823f6fd0f52423dd71d2d9b0af36a0583a3316e01c0ca33342e9ebdc0ba80037bb5c05c6de7', E'\\x84f38caf1d6fe9c261c055f637977d00f94cb1637b86d5d17e4faacd2d8548bd06efdefb1f847e07fa1fbf6c1cbe7615b58849008d846e150976cfd0', '1795206377447', '1795119977163', 'disabled', 'operator', '0', null, '0', null, null, null, '0');
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
