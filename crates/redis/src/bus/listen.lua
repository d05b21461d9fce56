-- ARGV: owner, a number for the stream if it is new, and the stream and the sequence of the last message that was seen, if any was.
local seen = ARGV[5] ~= ''
if seen and redis.call('HGET', said, 'stream') ~= ARGV[5] then return {'unknown'} end
if not begin(ARGV[3], ARGV[4]) then return {'unknown'} end
local oldest = before()
local taken = number('taken')
if seen then
  taken = tonumber(ARGV[6])
  if taken > number('last') then return {'unknown'} end
  if taken < oldest then return {'forgotten'} end
end
taken = math.max(taken, oldest)
redis.call('HSET', said, 'taken', whole(taken))
local turn = redis.call('HINCRBY', said, 'turn', 1)
keep()
redis.call('PUBLISH', said, '')
return {'ok', redis.call('HGET', said, 'stream'), turn, whole(taken)}
