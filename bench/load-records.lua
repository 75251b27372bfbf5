-- The script of wrk for records: walks a file of requests, again from the first one when through.
-- Parameters: the file, and headers of every request. A line is a method, a path, a token (or nothing) and a body (or
-- nothing), with tabs between them.

local requests = {}
local position = 0

function init(parameters)
  local shared = {}
  for index = 2, #parameters do
    local name, value = parameters[index]:match("^([^:]+): (.*)$")
    shared[name] = value
  end
  for line in io.lines(parameters[1]) do
    local method, path, token, body = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$")
    local headers = {}
    for name, value in pairs(shared) do headers[name] = value end
    if token ~= "" then headers["Authorization"] = "Bearer " .. token end
    if body ~= "" then headers["Content-Type"] = "application/json" end
    requests[#requests + 1] = wrk.format(method, path, headers, body ~= "" and body or nil)
  end
end

function request()
  position = position % #requests + 1
  return requests[position]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    'RESULT {"requests":%d,"seconds":%.6f,"p50Ms":%.4f,"p99Ms":%.4f,"refused":%d,"failed":%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
