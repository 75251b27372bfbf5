const fields = 'schema: { properties: { text: { type: string, maxLength: 30000 } } }';
const roomy = 'limits: { writes: 1000000/day, bytes: 40000, per_user: 100000';

/** Collections that differ in the content of their events. */
export const eventDeclarations = {
  notes: `${fields}\naccess: { clients: own }\n${roomy} }`,
  orders: `${fields}
states: { open: { send: sent, drop: dropped }, sent: { accept: { to: accepted, by: client } }, accepted: {}, dropped: {} }
events: full
access: { clients: any }
${roomy} }`,
  silent: `${fields}\nevents: none\naccess: { clients: any }\n${roomy} }`,
  chosen: `${fields}\nevents: { data: thin, only: [created, deleted] }\n${roomy} }`,
  short: `${fields}\naccess: { clients: any }\n${roomy}, expire: 1h }`,
  guarded: `${fields}\naccess: { clients: any, scopes: { read: guarded.read } }\n${roomy} }`,
};
