-- The script of wrk: walks a file of tokens, a request each.
-- Parameters: the file, how many of its lines to skip, how many to send, and "again" (from the first one when
-- through, until the time is up) or "once" (stop when through).

local ffi = require("ffi")
ffi.cdef("int getpid(void); int kill(int process, int signal);")

local requests = {}
local position = 0
local last = 0
local once = false

function init(parameters)
  local skip = tonumber(parameters[2])
  last = tonumber(parameters[3])
  once = parameters[4] == "once"
  -- Put together beforehand, so that the load has little to do for each request. Past the last one stand a few
  -- spare ones for connections that ask for another request while the run is being stopped.
  for token in io.lines(parameters[1]) do
    if skip > 0 then
      skip = skip - 1
    elseif #requests < last + (once and 64 or 0) then
      requests[#requests + 1] = wrk.format("GET", nil, { ["Authorization"] = "Bearer " .. token })
    end
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
