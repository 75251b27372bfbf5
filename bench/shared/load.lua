-- The script of wrk: walks a file of requests.
-- Parameters: the file, how many of its lines to skip, how many to send, "again" (from the first one when through,
-- until the time is up) or "once" (stop when through), how many a second at most or "unpaced", and headers of every
-- request. A line is a method, a path, a token, a DPoP proof and a body (each of the three or nothing), with tabs between them.

local ffi = require("ffi")
ffi.cdef([[
  int getpid(void);
  int kill(int process, int signal);
  typedef struct { long seconds; long nanoseconds; } moment;
  int clock_gettime(int clock, moment *now);
]])

local requests = {}
local position = 0
local last = 0
local once = false

function init(parameters)
  local skip = tonumber(parameters[2])
  last = tonumber(parameters[3])
  once = parameters[4] == "once"
  if parameters[5] ~= "unpaced" then pace(tonumber(parameters[5])) end
  local shared = {}
  for index = 6, #parameters do
    local name, value = parameters[index]:match("^([^:]+): (.*)$")
    shared[name] = value
  end
  -- Put together beforehand, so that the load has little to do for each request. Past the last one stand a few
  -- spare ones for connections that ask for another request while the run is being stopped.
  for line in io.lines(parameters[1]) do
    if skip > 0 then
      skip = skip - 1
    elseif #requests < last + (once and 64 or 0) then
      local method, path, token, proof, body = line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$")
      local headers = {}
      for name, value in pairs(shared) do headers[name] = value end
      if token ~= "" then headers["Authorization"] = (proof ~= "" and "DPoP " or "Bearer ") .. token end
      if proof ~= "" then headers["DPoP"] = proof end
      requests[#requests + 1] = wrk.format(method, path, headers, body ~= "" and body or nil)
    end
  end
end

-- wrk asks for a delay before each request if there is such a function. Requests have their moments, evenly spread
-- over all connections; one that is late goes at once.
function pace(per_second)
  local now = ffi.new("moment")
  local due = nil
  function delay()
    ffi.C.clock_gettime(1, now)
    local milliseconds = tonumber(now.seconds) * 1e3 + tonumber(now.nanoseconds) / 1e6
    due = (due or milliseconds) + 1e3 / per_second
    return math.max(0, math.floor(due - milliseconds + 0.5))
  end
end

function request()
  position = position + 1
  if once then
    if position == last then
      -- The thread stops here; the interrupt wakes wrk itself, which sleeps until its time is up.
      wrk.thread:stop()
      ffi.C.kill(ffi.C.getpid(), 2)
    end
  elseif position > last then
    position = 1
  end
  return requests[position]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    'RESULT {"requests":%d,"seconds":%.6f,"p50Ms":%.4f,"p99Ms":%.4f,"refused":%d,"failed":%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
