/** One graph: its title, the unit of Grafana that its values have, and the expressions with the names of their lines. */
export interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly (readonly [expression: string, legend: string])[];
}

const of = '{job=~"$job",instance=~"$instance"}';
const within = 'job=~"$job",instance=~"$instance"';
const rate = (metric: string, labels = '') =>
  `rate(${metric}{${within}${labels === '' ? '' : `,${labels}`}}[$__rate_interval])`;
const quantile = (share: number, metric: string, by = 'le') =>
  `histogram_quantile(${share}, sum by (${by}) (${rate(`${metric}_bucket`)}))`;
const total = (by: string, expression: string) => `sum by (${by}) (${expression})`;
const one = (expression: string, legend: string) => [expression, legend] as const;
const instance = '{{instance}}';

const duration = 'vestibule_http_request_duration_seconds';
const refusals = 'vestibule_refusals_total';

/** The graphs of the dashboard, by the rows they stand in. */
export const rows: Readonly<Record<string, readonly Panel[]>> = {
  Requests: [
    {
      title: 'Requests by status',
      unit: 'reqps',
      lines: [one(total('status', rate('vestibule_http_requests_total')), '{{status}}')],
    },
    {
      title: 'Duration by route, 99 of 100',
      unit: 's',
      lines: [one(quantile(0.99, duration, 'le, route'), '{{route}}')],
    },
    {
      title: 'Refused for want of something of ours',
      unit: 'reqps',
      lines: [
        one(
          total('code', rate(refusals, 'code=~"internal|overloaded|signing_overloaded|.+_unavailable"')),
          '{{code}}',
        ),
      ],
    },
    {
      title: 'Quotas and budgets that refused',
      unit: 'reqps',
      lines: [
        one(
          total(
            'code',
            rate(
              refusals,
              'code=~"quota_exceeded|.+_budget_spent|read_limit_reached|too_many_.+|newcomers_paused"',
            ),
          ),
          '{{code}}',
        ),
      ],
    },
    {
      title: 'Callers turned away',
      unit: 'reqps',
      lines: [one(total('reason', rate('vestibule_auth_failures_total')), '{{reason}}')],
    },
    {
      title: 'Connections',
      unit: 'short',
      lines: [
        one(`vestibule_connections_open${of}`, instance),
        one(total('reason', rate('vestibule_connections_refused_total')), 'refused: {{reason}}'),
      ],
    },
  ],
  'Tokens and keys': [
    {
      title: 'Tokens that were known',
      unit: 'percentunit',
      lines: [
        one(
          `${total('instance', rate('vestibule_token_cache_lookups_total', 'result="hit"'))} / ${total('instance', rate('vestibule_token_cache_lookups_total'))}`,
          instance,
        ),
      ],
    },
    {
      title: 'Tokens remembered',
      unit: 'short',
      lines: [one(`vestibule_token_cache_entries${of}`, instance)],
    },
    {
      title: 'Signatures that wait',
      unit: 'short',
      lines: [one(`vestibule_signatures_waiting${of}`, instance)],
    },
    {
      title: 'Revocations',
      unit: 'short',
      lines: [
        one(total('by', rate('vestibule_sign_outs_total')), '{{by}}, a second'),
        one(`vestibule_revocations${of}`, `kept, ${instance}`),
      ],
    },
    {
      title: 'Keys of the providers',
      unit: 's',
      lines: [
        one(`vestibule_jwks_age_seconds${of}`, `age of {{provider}}, ${instance}`),
        one(`vestibule_jwks_stale_seconds_left${of}`, `left of {{provider}}, ${instance}`),
      ],
    },
    {
      title: 'Fetches of the keys',
      unit: 'ops',
      lines: [
        one(total('provider, result', rate('vestibule_jwks_fetches_total')), '{{provider}}: {{result}}'),
      ],
    },
    {
      title: 'Certificate ends in',
      unit: 's',
      lines: [one(`vestibule_tls_certificate_seconds_left${of}`, instance)],
    },
  ],
  Writes: [
    {
      title: 'Writes in a batch',
      unit: 'short',
      lines: [
        one(quantile(0.5, 'vestibule_write_batch_size'), 'half of them'),
        one(quantile(0.99, 'vestibule_write_batch_size'), '99 of 100'),
      ],
    },
    {
      title: 'Duration of a batch',
      unit: 's',
      lines: [
        one(quantile(0.5, 'vestibule_write_batch_duration_seconds'), 'half of them'),
        one(quantile(0.99, 'vestibule_write_batch_duration_seconds'), '99 of 100'),
      ],
    },
    {
      title: 'Writes that wait',
      unit: 'short',
      lines: [one(`vestibule_write_queue_length${of}`, instance)],
    },
    {
      title: 'The longest wait',
      unit: 's',
      lines: [one(`vestibule_write_queue_oldest_seconds${of}`, instance)],
    },
    {
      title: 'Sessions with PostgreSQL',
      unit: 'short',
      lines: [
        one(`vestibule_database_sessions${of}`, `{{state}}, ${instance}`),
        one(`vestibule_database_sessions_limit${of}`, `limit, ${instance}`),
        one(`vestibule_database_sessions_waiting${of}`, `waiting, ${instance}`),
      ],
    },
    {
      title: 'Waits for a session',
      unit: 'short',
      lines: [
        one(rate('vestibule_database_session_waits_total'), `a second, ${instance}`),
        one(rate('vestibule_database_session_wait_seconds_total'), `at once, ${instance}`),
      ],
    },
  ],
  'Events and webhooks': [
    {
      title: 'Events',
      unit: 'ops',
      lines: [one(`max(deriv(vestibule_events_position${of}[$__rate_interval]))`, 'appended')],
    },
    {
      title: 'Who follows them',
      unit: 'short',
      lines: [
        one(`vestibule_event_streams_open${of}`, `streams, ${instance}`),
        one(`vestibule_event_requests_waiting${of}`, `waiting requests, ${instance}`),
      ],
    },
    {
      title: 'Deliveries',
      unit: 'ops',
      lines: [one(total('result', rate('vestibule_webhook_deliveries_total')), '{{result}}')],
    },
    {
      title: 'The oldest event that a webhook has not got',
      unit: 's',
      lines: [one(`max by (webhook) (vestibule_webhook_oldest_undelivered_seconds${of})`, '{{webhook}}')],
    },
    {
      title: 'Given up, and behind',
      unit: 'short',
      lines: [
        one(`max by (webhook) (vestibule_webhook_dead_letters${of})`, 'given up, {{webhook}}'),
        one(`max by (webhook) (vestibule_webhook_positions_behind${of})`, 'behind, {{webhook}}'),
      ],
    },
  ],
  Processes: [
    {
      title: 'Releases',
      unit: 'short',
      lines: [one('count by (version, commit) (vestibule_build_info)', '{{version}} {{commit}}')],
    },
    {
      title: 'Ready for requests',
      unit: 'short',
      lines: [one(`vestibule_ready${of}`, instance)],
    },
    {
      title: 'Processes that ended',
      unit: 'short',
      lines: [
        one(`increase(vestibule_processes_ended_total${of}[$__rate_interval])`, instance),
        one(`vestibule_processes_wanted${of} - vestibule_processes_serving${of}`, `missing, ${instance}`),
      ],
    },
    {
      title: 'Processor time',
      unit: 'percentunit',
      lines: [one(rate('process_cpu_seconds_total'), instance)],
    },
    {
      title: 'Memory',
      unit: 'bytes',
      lines: [
        one(`process_resident_memory_bytes${of}`, `held, ${instance}`),
        one(`nodejs_heap_size_used_bytes${of}`, `heap, ${instance}`),
      ],
    },
    {
      title: 'Lateness of the event loop, 99 of 100',
      unit: 's',
      lines: [one(`nodejs_eventloop_lag_p99_seconds${of}`, instance)],
    },
    { title: 'Open files', unit: 'short', lines: [one(`process_open_fds${of}`, instance)] },
    {
      title: 'Log lines lost',
      unit: 'ops',
      lines: [one(rate('vestibule_log_lines_dropped_total'), instance)],
    },
  ],
};
