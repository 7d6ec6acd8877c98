-- Arguments: method, number of bodies, the bodies, then the paths; both are sent in turn. Headers come from wrk's own -H.
local requests = {}
local sent = 0

function init(args)
  local bodies = tonumber(args[2])
  local paths = #args - 2 - bodies
  for i = 0, math.max(bodies, paths) - 1 do
    local body = bodies > 0 and args[3 + i % bodies] or nil
    requests[#requests + 1] = wrk.format(args[1], args[3 + bodies + i % paths], nil, body)
  end
end

function request()
  sent = sent + 1
  return requests[sent % #requests + 1]
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    e.status, e.connect + e.read + e.write + e.timeout))
end
