-- ARGV: number, channel.
local it = read(ARGV[3])
if not it then return {'unknown'} end
if it.ended == 0 then
  it.ended = now
  write(ARGV[3], it)
end
redis.call('PEXPIRE', events(ARGV[3]), age)
shorten()
redis.call('PUBLISH', ARGV[4], '')
return {'ok', cost(it)}
