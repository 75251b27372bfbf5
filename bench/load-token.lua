-- The script of wrk for POST: the same request again and again.
-- Parameters: the content type and the body.

function init(parameters)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = parameters[1]
  wrk.body = parameters[2]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    'RESULT {"requests":%d,"seconds":%.6f,"p50Ms":%.4f,"p99Ms":%.4f,"refused":%d,"failed":%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
