-- The server that wrote a stream is gone, and its last words end it. ARGV: number, server, channel.
local number = ARGV[3]
local it, words = read(number), redis.call('HGET', streams, 'words:' .. number)
if not it or not words or it.ended > 0 or string.match(words, '^%d+') ~= ARGV[4] then return {'ok'} end
it.last = it.last + 1
local event = string.match(words, '^%d+ (.*)$')
redis.call('XADD', events(number), whole(it.last) .. '-0', 't', whole(now), 'd', event)
if it.count == 0 then it.oldest = now end
it.count, it.bytes, it.ended = it.count + 1, it.bytes + #event, now
write(number, it)
redis.call('PEXPIRE', events(number), age)
redis.call('PUBLISH', ARGV[5], '')
return {'ok'}
