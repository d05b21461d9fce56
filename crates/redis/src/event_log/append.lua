-- ARGV: number, event, bound on events, bound on bytes, time to live, channel, which append it is, whether the stream ends with it.
local number, event, most, room, once = ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[9]
local it = read(number)
if not it then return {'unknown'} end
if it.once == once then return {'ok', whole(it.last), cost(it)} end
if it.ended > 0 then return {'unknown'} end
it.last, it.once = it.last + 1, once
if #event > room then
  redis.call('DEL', events(number))
  it.count, it.bytes = 0, 0
else
  redis.call('XADD', events(number), whole(it.last) .. '-0', 't', whole(now), 'd', event)
  if it.count == 0 then it.oldest = now end
  it.count, it.bytes = it.count + 1, it.bytes + #event
  redis.call('PEXPIRE', events(number), age)
end
while it.count > 0 and (it.count > most or it.bytes > room) do shift(number, it) end
trim(number, it)
if ARGV[10] ~= '' then
  it.ended = now
  redis.call('HDEL', streams, 'words:' .. number)
end
write(number, it)
redis.call('PEXPIRE', streams, ARGV[7])
if it.ended > 0 then shorten() end
redis.call('PUBLISH', ARGV[8], '')
return {'ok', whole(it.last), cost(it)}
