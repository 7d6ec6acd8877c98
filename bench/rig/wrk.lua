-- Arguments: method, body (may be empty), then the paths to ask for in turn. Headers come from wrk's own -H.
local requests = {}
local sent = 0

function init(args)
  local body = args[2] ~= "" and args[2] or nil
  for i = 3, #args do
    requests[#requests + 1] = wrk.format(args[1], args[i], nil, body)
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
