-- ARGV: number, channel.
local it = read(ARGV[3])
if not it then return {'unknown'} end
if it.ended == 0 then
  it.ended = now
  write(ARGV[3], it)
end
redis.call('PEXPIRE', events(ARGV[3]), age)
local open = false
for _, other in ipairs(redis.call('HKEYS', streams)) do
  local stream = other ~= 'owner' and read(other)
  if stream and stream.ended == 0 then open = true end
end
if not open then redis.call('PEXPIRE', streams, age) end
redis.call('PUBLISH', ARGV[4], '')
return {'ok', cost(it)}
